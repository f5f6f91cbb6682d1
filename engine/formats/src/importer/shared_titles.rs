//! Titles that more than one lane has, as hashes: there may be millions.

use std::hash::{BuildHasher as _, Hash, RandomState};

/// The titles that more than one has. Two that have a hash by chance in common count as shared: then a lane says more than it
/// would have to.
pub(in crate::importer) struct SharedTitles {
    state: RandomState,
    hashes: Vec<u64>,
}

impl SharedTitles {
    /// Those that come more than once.
    pub fn of(titles: impl Iterator<Item = impl Hash>) -> Self {
        let state = RandomState::new();
        let mut every: Vec<u64> = titles.map(|it| state.hash_one(it)).collect();
        every.sort_unstable();
        let all = every.chunk_by(|a, b| a == b);
        let hashes = all
            .filter(|same| same.len() > 1)
            .filter_map(|same| same.first().copied())
            .collect();
        Self { state, hashes }
    }

    /// Whether a title is among them.
    pub fn contains(&self, title: impl Hash) -> bool {
        let hash = self.state.hash_one(title);
        self.hashes.binary_search(&hash).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_twice_is_shared() {
        let titles = ["a", "b", "a", "", "c", "", "a"];
        let shared = SharedTitles::of(titles.iter());
        let found: Vec<_> = ["", "a", "b", "c", "d"]
            .into_iter()
            .filter(|it| shared.contains(it))
            .collect();
        assert_eq!(found, ["", "a"]);
    }
}
