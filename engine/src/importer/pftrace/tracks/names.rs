//! What tracks are called, which thread and process they belong to, and which of them are streams.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Described, GENERATIONS, Key, Tracks, Used};
use crate::importer::chrome::{Texts, program};

/// Words of which the name of a stream has one.
const WORDS: [&str; 3] = ["gpu", "stream", "queue"];

/// Whether a name may be that of a stream.
pub(super) fn says_stream(name: &str) -> bool {
    words(name).any(is_word)
}

/// Whether a name counts streams, as `GPU 1 Queue 2` does. *GPU Process* or `gpu::Scheduler` are parts of programs.
fn numbers_stream(name: &str) -> bool {
    let words: Vec<&str> = words(name).collect();
    let mut pairs = words.windows(2);
    pairs.any(|pair| match pair {
        [word, number] => is_word(word) && number.bytes().all(|it| it.is_ascii_digit()),
        _ => false,
    })
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    let words = name.split(|it: char| !it.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

fn is_word(word: &str) -> bool {
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The process and the thread that a lane belongs to, as the file numbers them; empty where it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Owner {
    pub process: String,
    pub thread: String,
}

/// The names of all lanes, each told apart from the others.
pub(super) struct Titles {
    processes: BTreeMap<String, String>,
    are_several: bool,
    counts: HashMap<String, u32>,
}

impl Tracks {
    /// A track of the file and those it is below, from itself outwards.
    fn line(&self, uuid: u64) -> impl Iterator<Item = &Described> {
        let first = self.described.get(&uuid);
        let outwards = |it: &&Described| self.described.get(&it.parent_uuid?);
        std::iter::successors(first, outwards).take(GENERATIONS)
    }

    /// Whether the track at a place belongs to a GPU: its name says so, and numbers it, or its slices say that they are work.
    pub(super) fn is_stream(&self, place: u32) -> bool {
        let Some(used) = self.at(place) else {
            return false;
        };
        let uuid = match &used.key {
            Key::Track(uuid) => *uuid,
            Key::Queue(..) => return true,
            _ => return false,
        };
        if self.line(uuid).any(|it| it.thread.is_some()) {
            return false;
        }
        let mut names = self.line(uuid).filter_map(|it| it.name.as_deref());
        let name = names.find(|it| !it.is_empty()).unwrap_or_default();
        says_stream(name) && (used.works || numbers_stream(name))
    }

    /// The process and the thread of a track.
    pub(super) fn owner(&self, key: &Key) -> Owner {
        let shown = |number: Option<i64>| number.map_or_else(String::new, |it| it.to_string());
        match key {
            Key::Track(uuid) => {
                let mut line = self.line(*uuid);
                let found = line.find_map(|it| match (&it.thread, &it.process) {
                    (Some(thread), _) => Some(Owner {
                        process: shown(thread.pid.map(i64::from)),
                        thread: shown(thread.tid),
                    }),
                    (None, Some(process)) => Some(Owner {
                        process: shown(process.pid.map(i64::from)),
                        thread: String::new(),
                    }),
                    (None, None) => None,
                });
                found.unwrap_or_default()
            }
            Key::Thread(pid, tid) => Owner {
                process: pid.to_string(),
                thread: tid.to_string(),
            },
            Key::Queue(..) | Key::Gauge(..) | Key::Series(..) => Owner::default(),
        }
    }

    /// What all lanes are called.
    pub(super) fn titles(&self, texts: &Texts) -> Titles {
        let processes = self.described.values().filter_map(|it| {
            let process = it.process.as_deref()?;
            let name = process.process_name.as_deref()?;
            let name = program_of(name);
            (!name.is_empty()).then(|| (process.pid.unwrap_or(0).to_string(), name.to_owned()))
        });
        let lanes = || self.lanes.iter().filter_map(|place| self.at(*place));
        let owners = lanes().map(|used| self.owner(&used.key).process);
        let used: BTreeSet<String> = owners.filter(|it| !it.is_empty()).collect();
        let mut titles = Titles {
            processes: processes.collect(),
            are_several: used.len() > 1,
            counts: HashMap::new(),
        };
        let mut counts = HashMap::new();
        for used in lanes().filter(|it| !it.is_stream) {
            *counts.entry(titles.of(self, used, texts)).or_default() += 1;
        }
        titles.counts = counts;
        titles
    }

    pub(super) fn name_of(&self, used: &Used, texts: &Texts) -> String {
        match &used.key {
            Key::Track(uuid) => self.name(*uuid, texts.text(used.first)),
            Key::Queue(_, name) => name.clone(),
            Key::Gauge(_, number) => format!("counter {number}"),
            Key::Thread(pid, tid) if pid == tid => format!("thread {tid}"),
            Key::Thread(pid, tid) => format!("thread {tid} of process {pid}"),
            Key::Series(_, name, ..) => texts.text(*name).to_owned(),
        }
    }

    /// A track's own name. One without any goes by its first slice where it is below another, or else by that, or by its number.
    fn name(&self, uuid: u64, first: &str) -> String {
        let own = self.described.get(&uuid).and_then(Described::title);
        let is_below = self.line(uuid).nth(1).is_some();
        let first = (is_below && !first.is_empty()).then(|| first.to_owned());
        let name = own.or(first);
        let name = name.or_else(|| self.line(uuid).skip(1).find_map(Described::title));
        name.unwrap_or_else(|| format!("track {uuid}"))
    }
}

impl Described {
    /// Its name, or that of its thread or its process.
    fn title(&self) -> Option<String> {
        let (thread, process) = (self.thread.as_ref(), self.process.as_ref());
        let tid = thread.and_then(|it| it.tid);
        let pid = process.and_then(|it| it.pid);
        let program = process.and_then(|it| it.process_name.as_deref());
        let found = [
            self.name.as_deref().map(str::to_owned),
            thread.and_then(|it| it.thread_name.clone()),
            tid.map(|tid| format!("thread {tid}")),
            program.map(|it| program_of(it).to_owned()),
            pid.map(|pid| format!("process {pid}")),
        ];
        found.into_iter().flatten().find(|it| !it.is_empty())
    }
}

/// A program without the folder that it lies in and without what it was started with.
fn program_of(name: &str) -> &str {
    let name = program(name.trim());
    name.split(" -").next().unwrap_or(name)
}

impl Titles {
    /// What a lane is called, be it the only one of that name or not: with its process where there are several.
    fn of(&self, tracks: &Tracks, used: &Used, texts: &Texts) -> String {
        let name = tracks.name_of(used, texts);
        let Owner { process, .. } = tracks.owner(&used.key);
        if !self.are_several || process.is_empty() || matches!(used.key, Key::Thread(..)) {
            return name;
        }
        match self.processes.get(&process) {
            Some(program) if name.starts_with(program) => name,
            Some(program) => format!("{program} · {name}"),
            None => format!("process {process} · {name}"),
        }
    }

    /// What a lane of the host is called; of several of one name each bears what tells it apart.
    pub fn title(&self, tracks: &Tracks, used: &Used, texts: &Texts) -> String {
        let title = self.of(tracks, used, texts);
        if self.counts.get(&title).is_none_or(|count| *count < 2) {
            return title;
        }
        let Owner { process, thread } = tracks.owner(&used.key);
        let number = if thread.is_empty() { process } else { thread };
        format!("{title} {number}").trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_alone_makes_no_stream() {
        for name in ["GPU Kernel Dispatch [0] Queue 1", "Stream 7", "CUDA GPU 2"] {
            assert!(says_stream(name) && numbers_stream(name), "{name}");
        }
        for name in [
            "GPU Process",
            "gpu::Scheduler",
            "queue of tasks",
            "GPU Copies",
        ] {
            assert!(says_stream(name) && !numbers_stream(name), "{name}");
        }
        assert!(!says_stream("Graphics.Pipeline"));
    }
}
