//! What tracks are called, which thread and process they belong to, and which of them are streams.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};

use super::device::gpu_number;
use super::{DescribedTrack, GENERATIONS, PftraceTracks, TrackKey, UsedTrack, WRITERS};
use crate::importer::chrome::{ChromeTexts, program};
use crate::importer::crop::head;
use crate::perfetto::proto::ProcessDescriptor;

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
pub(super) struct LaneOwner {
    pub process: String,
    pub thread: String,
}

/// What lanes are called: no two of the host, and no two streams of a GPU, have one name. There may be millions, so that a
/// title is put together when it is asked for, and only those parts are kept that tell lanes of one name apart.
#[derive(Default)]
pub(super) struct TrackTitles {
    /// The names of processes, by their numbers.
    processes: BTreeMap<String, String>,
    are_several: bool,
    /// Names that are told apart, by the place of the track.
    changed: HashMap<u32, String>,
}

/// What tells lanes of one name apart, the first that does.
#[derive(Clone, Copy)]
enum TitlePart {
    /// What the track that it is below is called.
    Parent,
    /// The number of the thread, or of the process.
    Number,
    /// Which of them it is, counted.
    Count,
}

impl PftraceTracks {
    /// A track of the file and those it is below, from itself outwards.
    fn line(&self, uuid: u64) -> impl Iterator<Item = &DescribedTrack> {
        let first = self.described(uuid);
        let outwards = |it: &&DescribedTrack| self.described(it.parent_uuid?);
        std::iter::successors(first, outwards).take(GENERATIONS)
    }

    /// Whether the track at a place belongs to a GPU: its name says so, and its slices say that they are work. Below a process or
    /// a track that is called after a GPU, a name that numbers it is enough.
    pub(super) fn is_stream(&self, place: u32) -> bool {
        let Some(used) = self.at(place) else {
            return false;
        };
        let uuid = match &used.key {
            TrackKey::Track(uuid) => *uuid,
            TrackKey::Queue(..) => return true,
            _ => return false,
        };
        if self.line(uuid).any(|it| it.thread().is_some()) {
            return false;
        }
        let mut names = self.line(uuid).filter_map(|it| it.name.as_deref());
        let name = names.find(|it| !it.is_empty()).unwrap_or_default();
        let is_of_gpu = || {
            let of_process = self.line(uuid).any(|it| it.process_gpu().is_some());
            let mut above = self.line(uuid).skip(1);
            of_process || above.any(|it| it.name.as_deref().and_then(gpu_number).is_some())
        };
        says_stream(name) && (used.works || numbers_stream(name) && is_of_gpu())
    }

    /// The process of a track, as the file numbers it.
    pub(super) fn process_of(&self, used: &UsedTrack) -> Option<i32> {
        let pid = |it: &DescribedTrack| match (it.thread(), it.process()) {
            (Some(thread), _) => thread.pid,
            (None, process) => process?.pid,
        };
        match used.key {
            TrackKey::Track(uuid) => self.line(uuid).find_map(pid),
            _ => used.process,
        }
    }

    /// The process and the thread of a track.
    pub(super) fn owner(&self, used: &UsedTrack) -> LaneOwner {
        let shown = |number: Option<i64>| number.map_or_else(String::new, |it| it.to_string());
        match &used.key {
            TrackKey::Track(uuid) => {
                let mut line = self.line(*uuid);
                let found = line.find_map(|it| match (it.thread(), it.process()) {
                    (Some(thread), _) => Some(LaneOwner {
                        process: shown(thread.pid.map(i64::from)),
                        thread: shown(thread.tid),
                    }),
                    (None, Some(process)) => Some(LaneOwner {
                        process: shown(process.pid.map(i64::from)),
                        thread: String::new(),
                    }),
                    (None, None) => None,
                });
                found.unwrap_or_default()
            }
            TrackKey::Thread(pid, tid) => LaneOwner {
                process: pid.to_string(),
                thread: tid.to_string(),
            },
            TrackKey::Numbered(..) => LaneOwner {
                process: shown(used.process.map(i64::from)),
                thread: String::new(),
            },
            // A counter that events name is of their track.
            TrackKey::Series(series) => {
                let track = self.at(series.0);
                track.map(|it| self.owner(it)).unwrap_or_default()
            }
            TrackKey::Queue(..) | TrackKey::Gauge(..) => LaneOwner::default(),
        }
    }

    /// What all lanes are called; of each track in use the GPU, where it has one.
    pub(super) fn titles(&self, texts: &ChromeTexts, gpus: &[Option<i64>]) -> TrackTitles {
        let processes = self.described.iter().filter_map(|it| {
            let process = it.process()?;
            let name = process.process_name.as_deref()?;
            let name = program_of(name);
            (!name.is_empty()).then(|| (process.pid.unwrap_or(0).to_string(), name.to_owned()))
        });
        let processes: BTreeMap<String, String> = processes.collect();
        let lanes = self.lanes.iter().filter_map(|it| self.at(*it));
        let mut owners = lanes.map(|used| self.owner(used).process);
        let first = owners.find(|it| !it.is_empty());
        let are_several = owners.any(|it| !it.is_empty() && Some(&it) != first.as_ref());
        let mut titles = TrackTitles {
            processes,
            are_several,
            changed: HashMap::new(),
        };
        for part in [TitlePart::Parent, TitlePart::Number, TitlePart::Count] {
            let changed = self.told_apart(&titles, part, (texts, gpus));
            titles.changed.extend(changed);
        }
        titles
    }

    /// What a lane is called, be it the only one of that name or not: with its process where there are several.
    fn title(
        &self,
        (place, used): (u32, &UsedTrack),
        texts: &ChromeTexts,
        TrackTitles {
            processes,
            are_several,
            changed,
        }: &TrackTitles,
    ) -> TrackTitle {
        let name = self.name_of(used, texts);
        let LaneOwner { process, .. } = self.owner(used);
        let is_said =
            used.is_stream || process.is_empty() || matches!(used.key, TrackKey::Thread(..));
        let program = match processes.get(&process) {
            _ if !*are_several || is_said => String::new(),
            Some(program) if name.starts_with(program) => String::new(),
            Some(program) => program.clone(),
            None => format!("process {process}"),
        };
        TrackTitle {
            program,
            name: changed.get(&place).cloned().unwrap_or(name),
        }
    }

    /// The names that lanes have once a part is added to those that several have, where it is not the same for all of them.
    fn told_apart(
        &self,
        titles: &TrackTitles,
        part: TitlePart,
        (texts, gpus): (&ChromeTexts, &[Option<i64>]),
    ) -> Vec<(u32, String)> {
        let title = |place: u32| Some(self.title((place, self.at(place)?), texts, titles));
        let key = |place: u32| {
            let is_stream = self.at(place).is_some_and(|used| used.is_stream);
            let gpu = is_stream.then(|| gpus.get(place as usize).copied().flatten());
            (gpu, title(place).map(TrackTitle::into_whole))
        };
        // There may be millions: by hashes, only those that may be the same are compared.
        let state = RandomState::new();
        let hashes = self.lanes.iter().map(|it| (state.hash_one(key(*it)), *it));
        let mut alike: Vec<(u64, u32)> = hashes.collect();
        alike.sort_unstable();
        let mut same: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        let shared = alike.chunk_by(|a, b| a.0 == b.0);
        for (_, place) in shared.filter(|all| all.len() > 1).flatten() {
            same.entry(key(*place)).or_default().push(*place);
        }
        drop(alike);
        let mut changed = Vec::new();
        for places in same.into_values().filter(|places| places.len() > 1) {
            let parts = || {
                let counted = (1..).zip(&places);
                counted.map(move |(count, place)| self.part(*place, part, count))
            };
            let first = parts().next().unwrap_or_default();
            if parts().all(|it| it == first) {
                continue;
            }
            for (place, told) in places.iter().zip(parts()).filter(|it| !it.1.is_empty()) {
                let name = title(*place).map(|it| it.name).unwrap_or_default();
                let name = match part {
                    TitlePart::Parent => format!("{told} · {name}"),
                    TitlePart::Number | TitlePart::Count => format!("{name} {told}"),
                };
                changed.push((*place, name));
            }
        }
        changed
    }

    /// What a part of a title says of the track at a place; empty where it says nothing.
    fn part(&self, place: u32, part: TitlePart, count: u32) -> String {
        let Some(used) = self.at(place) else {
            return String::new();
        };
        match part {
            TitlePart::Parent => match used.key {
                TrackKey::Track(uuid) => {
                    let mut above = self.line(uuid).skip(1);
                    let above =
                        above.find(|it| it.name.as_deref().is_some_and(|it| !it.is_empty()));
                    let above = above.and_then(|it| it.name.as_deref());
                    head(above.unwrap_or_default()).to_owned()
                }
                _ => String::new(),
            },
            TitlePart::Number => {
                let LaneOwner { process, thread } = self.owner(used);
                if thread.is_empty() { process } else { thread }
            }
            TitlePart::Count => format!("#{count}"),
        }
    }

    pub(super) fn name_of(&self, used: &UsedTrack, texts: &ChromeTexts) -> String {
        match &used.key {
            TrackKey::Track(uuid) => self.name(*uuid, texts.text(used.first)),
            TrackKey::Queue(_, name) => name.to_string(),
            TrackKey::Gauge(_, number) => format!("counter {number}"),
            TrackKey::Thread(pid, tid) if pid == tid => format!("thread {tid}"),
            TrackKey::Thread(pid, tid) => format!("thread {tid} of process {pid}"),
            TrackKey::Series(series) => texts.text(series.1).to_owned(),
            TrackKey::Numbered(..) => texts.text(used.first).to_owned(),
        }
    }

    /// A track's own name. One without any goes by its first slice where it is below another, or else by that, or by its number.
    fn name(&self, uuid: u64, first: &str) -> String {
        let own = self.described(uuid).and_then(DescribedTrack::title);
        let is_below = self.line(uuid).nth(1).is_some();
        let first = (is_below && !first.is_empty()).then(|| first.to_owned());
        let name = own.or(first);
        let name = name.or_else(|| self.line(uuid).skip(1).find_map(DescribedTrack::title));
        name.unwrap_or_else(|| match uuid {
            // Of events that are of no track, as Perfetto has it.
            0 => "default track".to_owned(),
            // Several writers may have such.
            WRITERS.. => "events of no track".to_owned(),
            _ => format!("track {uuid}"),
        })
    }
}

impl DescribedTrack {
    /// The number of the GPU that it is called after, if it is a process that is.
    fn process_gpu(&self) -> Option<i64> {
        gpu_number(self.process()?.process_name.as_deref()?)
    }

    /// Its name, or that of its thread or its process.
    fn title(&self) -> Option<String> {
        let (thread, process) = (self.thread(), self.process());
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

impl ProcessDescriptor {
    /// This description with the name of an earlier one where that is a name and this has none, or the line that the process was
    /// started with: threads that know no better say that, too.
    pub(super) fn named_like(mut self, earlier: Self) -> Self {
        let is_name = |it: &String| !it.is_empty() && !it.starts_with('/');
        if !self.process_name.as_ref().is_some_and(is_name)
            && earlier.process_name.as_ref().is_some_and(is_name)
        {
            self.process_name = earlier.process_name;
        }
        self
    }
}

/// A program without the folder that it lies in and without what it was started with.
fn program_of(name: &str) -> &str {
    let name = program(name.trim());
    name.split(" -").next().unwrap_or(name)
}

/// A title as it is put together.
struct TrackTitle {
    program: String,
    name: String,
}

impl TrackTitle {
    fn into_whole(self) -> String {
        if self.program.is_empty() {
            self.name
        } else {
            format!("{} · {}", self.program, self.name)
        }
    }
}

impl TrackTitles {
    /// What the lane of the track at a place is called.
    pub fn whole(
        &self,
        tracks: &PftraceTracks,
        of: (u32, &UsedTrack),
        texts: &ChromeTexts,
    ) -> String {
        tracks.title(of, texts, self).into_whole()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_no_better_name() {
        let process = |name: &str| ProcessDescriptor {
            pid: Some(7),
            process_name: Some(name.to_owned()),
        };
        let line = process("/usr/lib/chromium/chromium --type=renderer");
        let named = |later: &ProcessDescriptor, earlier: &ProcessDescriptor| {
            later.clone().named_like(earlier.clone()).process_name
        };
        assert_eq!(named(&line, &process("Renderer")).unwrap(), "Renderer");
        assert_eq!(
            named(&process(""), &process("Renderer")).unwrap(),
            "Renderer"
        );
        assert_eq!(named(&process("Renderer"), &line).unwrap(), "Renderer");
        assert_eq!(
            named(&process("Other"), &process("Renderer")).unwrap(),
            "Other"
        );
        assert_eq!(named(&line, &line), line.process_name);
    }

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
