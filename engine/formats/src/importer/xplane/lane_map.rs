//! Where events go: what each plane and line is, and the lanes and devices that they become.

use std::collections::{HashMap, HashSet};

use super::plane::{PlaneFacts, XSpace};
use super::stat::StatKey;
use crate::importer::RecordSink;
use crate::importer::chrome::ChromeTexts;
use crate::importer::crop::head;
use crate::importer::fast_hash::QuickMap;
use crate::importer::sqlite::{LaneTitle, SqliteDevices, SqliteLanes};
use record::{DeviceId, FieldValue, Group, LaneId, Role};

/// So many of what a plane says of its device are shown.
const MOST_TOLD: usize = 100;
/// How the names of planes of devices begin.
const DEVICE: &str = "/device:";
/// Numbers of devices that have no plane begin here.
const ORDINAL: i64 = 1 << 40;
/// Lines that repeat the time of others, by what they stand for: steps, modules, operations of frameworks.
const DERIVED: &[&str] = &[
    "Steps",
    "XLA Modules",
    "XLA Ops",
    "Async XLA Ops",
    "XLA TraceMe",
    "TensorFlow Ops",
    "TensorFlow Name Scope",
    "Framework Ops",
    "Framework Name Scope",
    "Source code",
    "Source",
    "Launch Stats",
    "Sparse Core Steps",
    "Sparse Core Modules",
    "Sparse Core Ops",
];
/// Those of them that are the work itself on devices without streams, such as TPUs. What runs beside it asynchronously lies
/// within the time of its operations and is told by them.
const WORK: &[&str] = &["XLA Ops", "Sparse Core Ops"];

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineSort {
    /// A thread of the host.
    Thread,
    /// A stream of a device.
    Stream,
    /// What is known of a device's streams, told once more.
    Derived,
}

/// A line, and how it is called.
#[derive(Clone, Debug)]
pub(super) struct LinePlace {
    pub sort: LineSort,
    /// What its events count from, in nanoseconds.
    pub start: i64,
    /// The number of its thread or stream.
    id: i64,
    title: String,
    /// Its place among the threads, or in its plane.
    order: i64,
    device: i64,
}

/// Every line of a file by plane, and the devices.
pub(super) struct XPlanePlaces {
    planes: Vec<Vec<LinePlace>>,
    devices: HashMap<i64, (String, String)>,
    process: String,
}

impl XPlanePlaces {
    /// What the planes and lines of a file are.
    pub fn of(space: &XSpace, texts: &ChromeTexts) -> Self {
        let process = space.number(StatKey::Process);
        let mut all = Self {
            planes: Vec::new(),
            devices: HashMap::new(),
            process: process.map_or_else(String::new, |it| it.to_string()),
        };
        let mut threads = HostThreads::of(space);
        let mut known = HashMap::new();
        for (at, plane) in space.planes.iter().enumerate() {
            let Some(name) = plane.name.strip_prefix(DEVICE) else {
                all.planes.push(threads.places(plane));
                continue;
            };
            let device = *known.entry(name).or_insert(at as i64);
            let described = (device_name(name), detail(plane, texts));
            all.devices.entry(device).or_insert(described);
            all.planes.push(lines_of_device(plane, device));
        }
        all
    }

    /// A line of a plane by its place.
    pub fn line(&self, plane: usize, line: usize) -> Option<&LinePlace> {
        self.planes.get(plane)?.get(line)
    }

    /// The lane of a line.
    pub fn lane(
        &self,
        line: &LinePlace,
        (lanes, devices): (&mut SqliteLanes, &mut SqliteDevices),
        sink: &mut RecordSink<'_>,
    ) -> LaneId {
        let group = match line.sort {
            LineSort::Thread => Group::Host,
            LineSort::Stream => Group::Streams,
            LineSort::Derived => Group::Device,
        };
        let order = if line.sort == LineSort::Stream {
            line.id
        } else {
            line.order
        };
        // Lines without a number are told apart by their place.
        let number = if line.id == 0 { line.order } else { line.id };
        let key = (group, [line.device, order, 0, number]);
        lanes.id(key, sink, |sink| LaneTitle {
            device: (line.sort != LineSort::Thread)
                .then(|| self.device(line.device, devices, sink)),
            ..self.title(line.title.clone(), line.id)
        })
    }

    /// The lane of the functions of Python that ran on a thread: they nest by rules of their own, and deep.
    pub fn python(
        &self,
        thread: &LinePlace,
        lanes: &mut SqliteLanes,
        sink: &mut RecordSink<'_>,
    ) -> LaneId {
        let key = (Group::Host, [thread.device, thread.order, 1, thread.order]);
        let lane = lanes.id(key, sink, |_| {
            self.title(format!("{} · Python functions", thread.title), thread.id)
        });
        lanes.set_role(lane, Role::Functions);
        lane
    }

    /// The lane of the operations of a device that threads of the host ran.
    pub fn ordinal(
        &self,
        ordinal: i64,
        (lanes, devices): (&mut SqliteLanes, &mut SqliteDevices),
        sink: &mut RecordSink<'_>,
    ) -> LaneId {
        let device = ORDINAL.saturating_add(ordinal);
        let key = (Group::Streams, [device, 0, 0, ordinal]);
        lanes.id(key, sink, |sink| LaneTitle {
            name: "XLA Ops".to_owned(),
            besides: String::new(),
            device: Some(self.device(device, devices, sink)),
            process: self.process.clone(),
            thread: format!("device {ordinal}"),
            rank: None,
        })
    }

    fn title(&self, name: String, id: i64) -> LaneTitle {
        LaneTitle {
            name,
            besides: id.to_string(),
            device: None,
            process: self.process.clone(),
            thread: id.to_string(),
            rank: None,
        }
    }

    fn device(&self, key: i64, devices: &mut SqliteDevices, sink: &mut RecordSink<'_>) -> DeviceId {
        devices.id(key, "xla", sink, || {
            let known = self.devices.get(&key).cloned();
            known.unwrap_or_else(|| {
                let name = format!("CPU {}", key.wrapping_sub(ORDINAL));
                (name, "threads of the host run its operations".to_owned())
            })
        })
    }
}

/// Threads by their numbers, over all planes of the host.
struct HostThreads {
    /// How many threads have a name.
    named: HashMap<String, u32>,
    /// How many of them were met.
    met: HashMap<String, u32>,
    known: QuickMap<i64, (String, i64)>,
    count: i64,
}

impl HostThreads {
    fn of(space: &XSpace) -> Self {
        let mut named: HashMap<String, u32> = HashMap::new();
        let mut seen = HashSet::new();
        let hosts = space
            .planes
            .iter()
            .filter(|it| !it.name.starts_with(DEVICE));
        for line in hosts.flat_map(|it| &it.lines).filter(|it| it.events > 0) {
            if line.id == 0 || seen.insert(line.id) {
                *named.entry(base(&line.name, line.id)).or_default() += 1;
            }
        }
        Self {
            named,
            met: HashMap::new(),
            known: QuickMap::default(),
            count: 0,
        }
    }

    fn places(&mut self, plane: &PlaneFacts) -> Vec<LinePlace> {
        let lines = plane.lines.iter();
        let locate = |line: &super::plane::LineFacts| {
            let known = self.known.get(&line.id).filter(|_| line.id != 0).cloned();
            let (title, order) = match known {
                Some(known) => known,
                None if line.events == 0 => (line.name.clone(), 0),
                None => self.add(line.id, &line.name),
            };
            LinePlace {
                sort: LineSort::Thread,
                start: line.start,
                id: line.id,
                title,
                order,
                device: 0,
            }
        };
        lines.map(locate).collect()
    }

    /// A thread that is new. Of several of one name each has a number behind it.
    fn add(&mut self, id: i64, name: &str) -> (String, i64) {
        let base = base(name, id);
        let met = self.met.entry(base.clone()).or_default();
        *met += 1;
        let title = if self.named.get(&base).is_some_and(|&count| count > 1) {
            format!("{base} {met}")
        } else {
            base
        };
        self.count += 1;
        let place = (title, self.count);
        self.known.insert(id, place.clone());
        place
    }
}

/// The name of a thread without its number, which pools write behind it.
fn base(name: &str, id: i64) -> String {
    let name = name.trim();
    let pool = name.strip_suffix(&id.to_string());
    let pool = pool.and_then(|it| it.strip_suffix('/')).unwrap_or(name);
    if pool.is_empty() {
        format!("thread {id}")
    } else {
        pool.to_owned()
    }
}

fn lines_of_device(plane: &PlaneFacts, device: i64) -> Vec<LinePlace> {
    let named = |names: &[&str]| plane.lines.iter().any(|it| names.contains(&it.name.trim()));
    let has_streams = plane.lines.iter().any(|it| it.name.starts_with("Stream"));
    let has_work = named(WORK);
    let sort = |name: &str| {
        let is_derived = if has_streams {
            DERIVED.contains(&name)
        } else if has_work {
            !WORK.contains(&name)
        } else {
            DERIVED.contains(&name)
        };
        if is_derived {
            LineSort::Derived
        } else {
            LineSort::Stream
        }
    };
    let places = plane.lines.iter().enumerate().map(|(at, line)| {
        let name = line.name.trim();
        LinePlace {
            sort: sort(name),
            start: line.start,
            id: line.id,
            title: if name.is_empty() {
                format!("Stream {}", line.id)
            } else {
                name.to_owned()
            },
            order: at as i64,
            device,
        }
    });
    places.collect()
}

/// `GPU:0` and `TPU:3 SparseCore 1` as people write them.
fn device_name(name: &str) -> String {
    let name = name.trim().replacen(':', " ", 1);
    if name.is_empty() {
        "device".to_owned()
    } else {
        name
    }
}

/// What a plane says of its device.
fn detail(plane: &PlaneFacts, texts: &ChromeTexts) -> String {
    let said = plane.values.iter().take(MOST_TOLD).map(|(name, _, value)| {
        let name = head(texts.text(*name)).replace('_', " ");
        match value {
            FieldValue::Integer(value) => format!("{name} {value}"),
            FieldValue::Number(value) => format!("{name} {value}"),
            FieldValue::Text(text) => format!("{name} {}", head(texts.text(*text))),
        }
    });
    said.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::importer::xplane::plane::LineFacts;

    fn sorts(names: &[&str]) -> Vec<LineSort> {
        let lines = names.iter().map(|name| LineFacts {
            name: (*name).to_owned(),
            ..LineFacts::default()
        });
        let mut plane = PlaneFacts::default();
        plane.lines.extend(lines);
        lines_of_device(&plane, 0)
            .iter()
            .map(|it| it.sort)
            .collect()
    }

    #[test]
    fn lines_that_repeat_others_are_no_streams() {
        use LineSort::{Derived, Stream};
        let gpu = ["Stream #13(Compute)", "XLA Ops", "Steps", "Stream #2"];
        assert_eq!(sorts(&gpu), [Stream, Derived, Derived, Stream]);
        let tpu = ["Steps", "XLA Modules", "XLA Ops", "Async XLA Ops", "More"];
        assert_eq!(sorts(&tpu), [Derived, Derived, Stream, Derived, Derived]);
        assert_eq!(sorts(&["Async XLA Ops", "Steps"]), [Derived, Derived]);
        assert_eq!(sorts(&["queue 1", "Steps"]), [Stream, Derived]);
    }

    #[test]
    fn threads_are_called_without_their_numbers() {
        assert_eq!(base("tf_XLAEigen/-77", -77), "tf_XLAEigen");
        assert_eq!(base("python", 77), "python");
        assert_eq!(base("", 7), "thread 7");
        assert_eq!(device_name("TPU:3 SparseCore 1"), "TPU 3 SparseCore 1");
    }
}
