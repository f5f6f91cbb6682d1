//! What counters of one name are told apart by.

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

/// Adds to the names of counters that several have what those differ in. A file may have millions of counters.
pub(super) fn tell_apart(titles: &mut [CounterTitle]) {
    let mut order: Vec<usize> = (0..titles.len()).collect();
    for part in [
        CounterTitlePart::Process,
        CounterTitlePart::Thread,
        CounterTitlePart::Count,
    ] {
        let key = |at: usize| titles.get(at).map(|it| (it.device, it.name.as_str()));
        order.sort_unstable_by(|a, b| key(*a).cmp(&key(*b)).then(a.cmp(b)));
        let same = order.chunk_by(|a, b| key(*a) == key(*b));
        let mut added: Vec<(usize, String)> = Vec::new();
        for places in same.filter(|places| places.len() > 1) {
            let begun = added.len();
            added.extend((1..).zip(places).filter_map(|(count, &at)| {
                let title = titles.get(at)?;
                Some((at, title.part(part, count)))
            }));
            let parts = added.get(begun..).unwrap_or_default();
            if parts
                .windows(2)
                .all(|it| matches!(it, [a, b] if a.1 == b.1))
            {
                added.truncate(begun);
            }
        }
        for (at, told) in added {
            if let Some(title) = titles.get_mut(at).filter(|_| !told.is_empty()) {
                title.name = format!("{} ({told})", title.name);
            }
        }
    }
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
        let mut titles = [
            counter("load", "1", ""),
            counter("load", "2", ""),
            counter("time", "1", "7"),
            counter("time", "1", "8"),
            counter("alone", "1", ""),
            counter("twice", "", ""),
            counter("twice", "", ""),
        ];
        tell_apart(&mut titles);
        let names = titles.map(|it| it.name);
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
