//! Iterations by repetition: the operations of the busiest stream come in the same order again and again.

use std::collections::HashMap;

use super::anchor::{from_each, operations};
use super::{IterationSource, MarkedInterval};
use crate::causes::CauseReader;
use record::time::Nanos;
use record::{LaneId, NameId, SpanId};

/// Fewer repetitions may be chance.
const LEAST: usize = 3;
/// Of the stretches between two operations of the name that begins each iteration, so many in ten are the same.
const SAME: usize = 9;
/// Of a stream more operations do not overlap, but for branches of a graph.
const MOST_DEEP: usize = 256;
/// Shorter stretches are no iterations.
const SHORTEST: usize = 2;

/// The longest order of operations that repeats itself on the stream with the most of them.
pub(super) fn by_order(
    reader: &CauseReader<'_>,
    streams: &[LaneId],
) -> Option<(IterationSource, Vec<MarkedInterval>)> {
    // Where very many operations of a stream overlap, no stretch of time is one repetition's.
    let is_shallow = |lane: &&LaneId| reader.capture().depth(**lane) <= MOST_DEEP;
    let works = streams.iter().filter(is_shallow);
    let works = works
        .map(|lane| operations(reader, &[*lane]))
        .max_by_key(Vec::len)?;
    let names: Vec<NameId> = works.iter().map(|it| it.span.name).collect();
    let begins = anchors(&names)?;
    let at = |place: &usize| {
        let placed = works.get(*place);
        placed.map(|it| (it.span.start, it.span.id))
    };
    let found: Vec<(Nanos, SpanId)> = begins.iter().filter_map(at).collect();
    let end = works.iter().map(|it| it.span.end).max()?;
    // What comes after as many operations as an iteration has is no part of the last one.
    let pairs = begins.iter().zip(begins.iter().skip(1));
    let length = pairs.map(|(from, to)| to - from).max()?;
    let mut marked = from_each(&found, end);
    if let Some(begin) = begins.last()
        && let Some((interval, _)) = marked.last_mut()
        && let Some(tail) = works.get(begin + length - 1)
    {
        interval.end = tail.span.end.max(interval.start);
    }
    Some((IterationSource::Repetition, marked))
}

/// The places of the name that comes once in each repetition: of all names between which nearly all stretches are the
/// same, the one that comes most seldom, and the first of those.
fn anchors(names: &[NameId]) -> Option<Vec<usize>> {
    let mut places: HashMap<NameId, Vec<usize>> = HashMap::new();
    for (place, name) in names.iter().enumerate() {
        places.entry(*name).or_default().push(place);
    }
    let hashes = PrefixHashes::of(names);
    let mut found: Vec<Vec<usize>> = places
        .into_values()
        .filter(|of| of.len() >= LEAST && repeats(&hashes, of))
        .collect();
    found.sort_by_key(|of| (of.len(), of.first().copied()));
    let mut places = found.into_iter().next()?;
    let back = before_first(names, &places);
    for place in &mut places {
        *place -= back;
    }
    Some(places)
}

/// How many operations before the first of these places belong to its repetition: those that come before the second too.
fn before_first(names: &[NameId], places: &[usize]) -> usize {
    let &[first, second, ..] = places else {
        return 0;
    };
    let same = |back: &usize| {
        let at = |place: usize| place.checked_sub(*back).and_then(|it| names.get(it));
        at(first).is_some() && at(first) == at(second)
    };
    (1..second - first).take_while(same).count()
}

/// Whether nearly all stretches between neighbouring places are the same.
fn repeats(hashes: &PrefixHashes, places: &[usize]) -> bool {
    let mut counts: HashMap<(u64, usize), usize> = HashMap::new();
    for pair in places.windows(2) {
        if let &[from, to] = pair {
            *counts
                .entry((hashes.between(from, to), to - from))
                .or_default() += 1;
        }
    }
    let all = places.len() - 1;
    let most = counts.into_iter().max_by_key(|it| (it.1, it.0));
    most.is_some_and(|((_, length), count)| length >= SHORTEST && count * 10 >= all * SAME)
}

/// Hashes of all beginnings of a list, from which that of any stretch follows.
struct PrefixHashes {
    hashes: Vec<u64>,
    powers: Vec<u64>,
}

/// The hash is a polynomial in this number, modulo 2⁶⁴.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

impl PrefixHashes {
    fn of(names: &[NameId]) -> Self {
        let (mut hashes, mut powers) = (vec![0_u64], vec![1_u64]);
        let (mut hash, mut power) = (0_u64, 1_u64);
        for name in names {
            // Two names must not cancel each other out: their numbers are mixed first.
            let mixed = (u64::from(name.0) + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93);
            hash = hash.wrapping_mul(BASE).wrapping_add(mixed ^ (mixed >> 32));
            power = power.wrapping_mul(BASE);
            hashes.push(hash);
            powers.push(power);
        }
        Self { hashes, powers }
    }

    fn between(&self, from: usize, to: usize) -> u64 {
        let at = |list: &[u64], place: usize| list.get(place).copied().unwrap_or_default();
        let before = at(&self.hashes, from).wrapping_mul(at(&self.powers, to - from));
        at(&self.hashes, to).wrapping_sub(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<Vec<usize>> {
        let names: Vec<NameId> = text.bytes().map(|it| NameId(u32::from(it))).collect();
        anchors(&names)
    }

    #[test]
    fn the_longest_order_that_repeats_begins_with_its_first_operation() {
        assert_eq!(found("xabcabcabcabcz"), Some(vec![1, 4, 7, 10]));
        // Layers repeat within a step: the step is longer.
        assert_eq!(found("sllllosllllosllllo"), Some(vec![0, 6, 12]));
        // What comes once is last here: the first repetition begins with what comes before it.
        assert_eq!(found("aabaabaab"), Some(vec![0, 3, 6]));
        assert_eq!(found("aaaaaaaa"), None);
        assert_eq!(found("abcdefgh"), None);
        assert_eq!(found("abcadbacbdacba"), None);
    }
}
