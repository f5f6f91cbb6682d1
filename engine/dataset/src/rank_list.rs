//! Ranks in words: `3,17,40-43`, as job schedulers take them.

use std::collections::BTreeSet;

/// Ranks of a run, at most. Whatever goes through all of them then ends soon, and a time that a pattern finds in a path is no
/// rank.
pub const MOST_RANKS: u32 = 1 << 20;

/// The ranks in order, those that follow each other as a range. No ranks are an empty text.
pub fn rank_list(ranks: &BTreeSet<u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match ranges.last_mut() {
            Some(last) if last.1.checked_add(1) == Some(*rank) => last.1 = *rank,
            _ => ranges.push((*rank, *rank)),
        }
    }
    let words = ranges.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    });
    words.collect::<Vec<String>>().join(",")
}

/// Reads such a list; nothing where it is none.
pub(crate) fn ranks_of_list(list: &str) -> Option<BTreeSet<u32>> {
    let mut ranks = BTreeSet::new();
    for word in list.split(',').filter(|it| !it.is_empty()) {
        let (from, to) = word.split_once('-').unwrap_or((word, word));
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        if to < from || to >= MOST_RANKS {
            return None;
        }
        ranks.extend(from..=to);
    }
    Some(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_written_as_schedulers_take_them_and_read_back() {
        for (ranks, list) in [
            (&[][..], ""),
            (&[3], "3"),
            (&[3, 17, 40, 41, 42, 43], "3,17,40-43"),
            (&[0, 1, 5], "0,1,5"),
            (&[MOST_RANKS - 2, MOST_RANKS - 1], "1048574,1048575"),
        ] {
            let ranks = ranks.iter().copied().collect();
            assert_eq!(rank_list(&ranks), list);
            assert_eq!(ranks_of_list(list), Some(ranks));
        }
        for wrong in ["x", "3-", "5-3", "0-4294967295", "1048576"] {
            assert_eq!(ranks_of_list(wrong), None, "{wrong}");
        }
    }
}
