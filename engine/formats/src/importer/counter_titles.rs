//! What counters of one name are told apart by.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};

use record::DeviceId;

/// What a counter is called, and what it is of.
#[derive(Clone, Debug, Default)]
pub(super) struct CounterTitle {
    pub name: String,
    pub device: Option<DeviceId>,
    /// The numbers of its process and its thread, empty where it has none.
    pub process: String,
    pub thread: String,
}

/// What is said of a counter besides its name, the first that tells it from another.
#[derive(Clone, Copy)]
enum CounterTitlePart {
    Process,
    Thread,
    /// Which of them it is, counted.
    Count,
}

/// The names of those of so many counters that another has as well, with what they differ in. A file may have millions of
/// counters, so that their titles are asked `of` whoever knows them, again and again, and only names that change are kept.
pub(super) fn told_apart(count: usize, of: impl Fn(usize) -> CounterTitle) -> HashMap<u32, String> {
    let of = &of;
    let mut changed: HashMap<u32, String> = HashMap::new();
    let state = RandomState::new();
    for part in [
        CounterTitlePart::Process,
        CounterTitlePart::Thread,
        CounterTitlePart::Count,
    ] {
        let key = |at: u32| {
            let title = of(at as usize);
            (
                title.device,
                changed.get(&at).cloned().unwrap_or(title.name),
            )
        };
        let hashes = (0..count as u32).map(|at| (state.hash_one(key(at)), at));
        let mut alike: Vec<(u64, u32)> = hashes.collect();
        alike.sort_unstable();
        let mut same: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        let shared = alike.chunk_by(|a, b| a.0 == b.0);
        for (_, at) in shared.filter(|all| all.len() > 1).flatten() {
            same.entry(key(*at)).or_default().push(*at);
        }
        drop(alike);
        let mut told: Vec<(u32, String)> = Vec::new();
        for ((_, name), places) in same.into_iter().filter(|it| it.1.len() > 1) {
            let parts = || {
                let counted = (1..).zip(&places);
                counted.map(move |(count, at)| of(*at as usize).part(part, count))
            };
            let first = parts().next().unwrap_or_default();
            if parts().all(|it| it == first) {
                continue;
            }
            let named = places.iter().zip(parts()).filter(|it| !it.1.is_empty());
            told.extend(named.map(|(at, part)| (*at, format!("{name} ({part})"))));
        }
        changed.extend(told);
    }
    changed
}

impl CounterTitle {
    fn part(&self, part: CounterTitlePart, count: usize) -> String {
        match part {
            CounterTitlePart::Process if self.process.is_empty() => String::new(),
            CounterTitlePart::Process => format!("process {}", self.process),
            CounterTitlePart::Thread if self.thread.is_empty() => String::new(),
            CounterTitlePart::Thread => format!("thread {}", self.thread),
            CounterTitlePart::Count => format!("#{count}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_one_name_say_what_they_are_of() {
        let counter = |name: &str, process: &str, thread: &str| CounterTitle {
            name: name.to_owned(),
            device: None,
            process: process.to_owned(),
            thread: thread.to_owned(),
        };
        let titles = [
            counter("load", "1", ""),
            counter("load", "2", ""),
            counter("time", "1", "7"),
            counter("time", "1", "8"),
            counter("alone", "1", ""),
            counter("twice", "", ""),
            counter("twice", "", ""),
        ];
        let told = told_apart(titles.len(), |at| titles[at].clone());
        let name = |at: usize| told.get(&(at as u32)).unwrap_or(&titles[at].name).as_str();
        let names: Vec<&str> = (0..titles.len()).map(name).collect();
        let expected = [
            "load (process 1)",
            "load (process 2)",
            "time (thread 7)",
            "time (thread 8)",
            "alone",
            "twice (#1)",
            "twice (#2)",
        ];
        assert_eq!(names, expected);
    }
}
