//! `XSpaces`: small files made here message by message, and a folder as the profiler of TensorFlow leaves it.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::Command;

use engine::capture::Capture;
use engine::importer::{ImportBatch, ImportError, Receipt, Source, open_all, open_source};
use engine::record::{
    Basis, Clock, Dependency, DependencyId, DependencyKind, Group, Role, SpanId, SpanKind, Value,
};
use engine::time::Nanos;
use prost::encoding::encode_varint;

use crate::house::program::syncline;
use crate::house::root;

/// When the profile of the small file began, in nanoseconds since 1970.
const BEGAN: i64 = 1_795_334_074_772_188_394;

/// A stat of an event, by name.
#[derive(Clone, Copy)]
enum Stat {
    Whole(&'static str, i64),
    Text(&'static str, &'static str),
    /// A text by the number of a name.
    Named(&'static str, &'static str),
}

/// A message as it grows.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(mut self, field: u64, value: i64) -> Self {
        encode_varint(field << 3, &mut self.0);
        encode_varint(value as u64, &mut self.0);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        encode_varint(field << 3 | 2, &mut self.0);
        encode_varint(bytes.len() as u64, &mut self.0);
        self.0.extend_from_slice(bytes);
        self
    }
}

/// A plane as it grows: lines first, and the names that they use behind them, as all writers have it.
struct Plane {
    name: &'static str,
    lines: Vec<Vec<u8>>,
    names: Vec<&'static str>,
    stats: Vec<&'static str>,
    own: Vec<Vec<u8>>,
}

/// An event: its name, start and length in picoseconds, and its stats.
type Event<'a> = (&'static str, i64, i64, &'a [Stat]);

impl Plane {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            lines: Vec::new(),
            names: Vec::new(),
            stats: Vec::new(),
            own: Vec::new(),
        }
    }

    fn number_of(list: &mut Vec<&'static str>, name: &'static str) -> i64 {
        let place = list.iter().position(|it| *it == name);
        let place = place.unwrap_or_else(|| {
            list.push(name);
            list.len() - 1
        });
        place as i64 + 1
    }

    fn stat(&mut self, stat: Stat) -> Vec<u8> {
        let mut name = |it| Self::number_of(&mut self.stats, it);
        let message = match stat {
            Stat::Whole(key, value) => Message::default().number(1, name(key)).number(4, value),
            Stat::Text(key, text) => Message::default()
                .number(1, name(key))
                .bytes(5, text.as_bytes()),
            Stat::Named(key, text) => Message::default()
                .number(1, name(key))
                .number(7, name(text)),
        };
        message.0
    }

    fn own(mut self, stat: Stat) -> Self {
        let stat = self.stat(stat);
        self.own.push(stat);
        self
    }

    fn line(mut self, id: i64, name: &str, start: i64, events: &[Event<'_>]) -> Self {
        let mut line = Message::default()
            .number(1, id)
            .bytes(2, name.as_bytes())
            .number(3, start);
        for &(name, offset, duration, stats) in events {
            let number = Self::number_of(&mut self.names, name);
            let mut event = Message::default()
                .number(1, number)
                .number(2, offset)
                .number(3, duration);
            for stat in stats {
                event = event.bytes(4, &self.stat(*stat));
            }
            line = line.bytes(4, &event.0);
        }
        self.lines.push(line.0);
        self
    }

    fn bytes(self) -> Vec<u8> {
        let mut plane = Message::default().bytes(2, self.name.as_bytes());
        for line in &self.lines {
            plane = plane.bytes(3, line);
        }
        for (field, names) in [(4, &self.names), (5, &self.stats)] {
            for (number, name) in (1..).zip(names) {
                let named = Message::default()
                    .number(1, number)
                    .bytes(2, name.as_bytes());
                let entry = Message::default().number(1, number).bytes(2, &named.0);
                plane = plane.bytes(field, &entry.0);
            }
        }
        for stat in &self.own {
            plane = plane.bytes(6, stat);
        }
        plane.0
    }
}

fn file(planes: Vec<Plane>) -> Vec<u8> {
    let space = Message::default();
    let add = |space: Message, plane: Plane| space.bytes(1, &plane.bytes());
    let space = planes.into_iter().fold(space, add);
    space.bytes(4, b"host").0
}

/// A GPU with two streams, and a line that repeats what one of them did.
fn gpu() -> Plane {
    use Stat::{Text, Whole};
    Plane::new("/device:GPU:0")
        .own(Text("device_vendor", "Nvidia"))
        .line(
            13,
            "Stream #13(Compute)",
            6_259,
            &[(
                "saxpy",
                40_000_000,
                9_000_000,
                &[
                    Whole("correlation_id", 7),
                    Text("kernel_details", "regs:32"),
                ],
            )],
        )
        .line(
            14,
            "Stream #14(MemcpyH2D)",
            6_259,
            &[(
                "MemcpyH2D",
                30_000_000,
                5_000_000,
                &[
                    Whole("correlation_id", 8),
                    Text(
                        "memcpy_details",
                        "kind_src:pinned kind_dst:device size:4096 async:1",
                    ),
                ],
            )],
        )
        .line(
            99,
            "XLA Ops",
            6_259,
            &[("fusion.1", 40_000_000, 9_000_000, &[])],
        )
}

/// Two devices that threads of the host run, in one collective operation, and a GPU with two streams.
pub fn sample() -> Vec<u8> {
    use Stat::{Named, Whole};
    const KEY: Stat = Named("name", "all reduce RendezvousKey{run_id=RunId: 9, op_id=1}");
    let operation = |device| {
        [
            Named("hlo_op", "psum.1"),
            Named("hlo_module", "jit_step"),
            Whole("program_id", 8),
            Whole("run_id", 9),
            Whole("device_ordinal", device),
        ]
    };
    let meeting = |order| [Whole("num_threads", 2), KEY, Whole("id", order)];
    let launches: [Event<'_>; 5] = [
        (
            "train",
            1_000_000,
            60_000_000,
            &[Whole("_r", 1), Whole("step_num", 3)],
        ),
        ("$step.py:7 step", 2_000_499, 50_000_500, &[]),
        (
            "cuMemcpyAsync",
            20_000_000,
            1_000_000,
            &[Whole("correlation_id", 8)],
        ),
        (
            "cuLaunchKernel",
            22_000_000,
            1_000_000,
            &[Whole("correlation_id", 7)],
        ),
        (
            "ThreadpoolListener::Record",
            23_000_000,
            0,
            &[Whole("_pt", 15), Whole("_p", i64::MIN)],
        ),
    ];
    let worker: [Event<'_>; 6] = [
        (
            "ThreadpoolListener::StartRegion",
            24_000_000,
            0,
            &[Whole("_ct", 15), Whole("_c", i64::MIN)],
        ),
        (
            "[0] Execute",
            25_000_000,
            30_000_000,
            &[
                Whole("_ct", 5),
                Whole("_c", 9),
                Whole("global_device_id", 0),
            ],
        ),
        ("psum.1", 26_000_000, 20_000_000, &operation(0)),
        ("Rendezvous", 27_000_000, 8_000_000, &meeting(0)),
        ("Rendezvous", 36_000_000, 2_000_000, &meeting(1)),
        ("ThreadpoolListener::StopRegion", 59_000_000, 0, &[]),
    ];
    let other: [Event<'_>; 3] = [
        ("psum.1", 33_000_000, 14_000_000, &operation(1)),
        ("Rendezvous", 34_000_000, 1_000_000, &meeting(1)),
        ("Rendezvous", 35_500_000, 2_500_000, &meeting(0)),
    ];
    let host = Plane::new("/host:CPU")
        .own(Whole("process_id", 841))
        .line(7_935_363_329_512_615_277, "python", 6_259, &launches)
        .line(-5, "tf_XLAEigen/-5", 6_259, &worker)
        .line(-6, "tf_XLAEigen/-6", 6_259, &other);
    let environment = Plane::new("Task Environment").own(Whole("profile_start_time", BEGAN));
    file(vec![gpu(), host, environment])
}

pub fn opened(bytes: Vec<u8>) -> (Capture, Receipt) {
    let source = Source::from_bytes("a.xplane.pb", bytes).unwrap();
    let mut capture = Capture::new();
    let receipt = open_source(&source, &mut |batch: ImportBatch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    });
    (capture, receipt.unwrap())
}

/// Every span of a name: its group, lane, kind, when it was submitted, began and ended.
fn spans(capture: &Capture, name: &str) -> Vec<(Group, String, SpanKind, [i64; 3])> {
    let ids = (0..capture.span_count() as u32).map(SpanId);
    let all = ids.filter_map(|id| capture.span(id)).map(|it| it.span);
    let named = all.filter(|span| capture.name(span.name) == name);
    let found = named.map(|span| {
        let lane = capture.lane(span.lane).unwrap();
        let times = [span.enqueued.0, span.start.0, span.end.0];
        (lane.group, lane.name.clone(), span.kind, times)
    });
    found.collect()
}

/// Dependencies of a kind as the names of their ends, and how they are known.
fn ties(capture: &Capture, kind: DependencyKind) -> Vec<(String, String, Basis)> {
    let ids = (0..capture.dependency_count() as u32).map(DependencyId);
    let all = ids.filter_map(|id| capture.dependency(id));
    let name = |id: SpanId| {
        let span = capture.span(id).unwrap().span;
        let lane = capture.lane(span.lane).unwrap();
        format!("{} {}", lane.thread, capture.name(span.name))
    };
    let told = |it: Dependency| (name(it.cause), name(it.effect), it.basis);
    let mut found: Vec<_> = all.filter(|it| it.kind == kind).map(told).collect();
    found.sort();
    found
}

#[test]
fn threads_devices_and_streams_are_lanes_with_their_own_spans() {
    use SpanKind::{Collective, HostWork, Kernel, Scope, Upload};
    let (capture, receipt) = opened(sample());
    assert_eq!((receipt.events, receipt.repaired), (17, 0), "{receipt:?}");
    // Zero is the start of the step, and all lines begin 1,000 ns before it.
    let expected = [
        (
            "train",
            vec![(Group::Host, "python", Scope, [0, 0, 60_000])],
        ),
        (
            "$step.py:7 step",
            vec![(
                Group::Host,
                "python · Python functions",
                HostWork,
                [1_000, 1_000, 51_001],
            )],
        ),
        (
            "ThreadpoolListener::Region",
            vec![(
                Group::Host,
                "tf_XLAEigen 1",
                HostWork,
                [23_000, 23_000, 58_000],
            )],
        ),
        (
            "psum.1",
            vec![
                (
                    Group::Streams,
                    "XLA Ops",
                    Collective,
                    [24_000, 25_000, 45_000],
                ),
                (
                    Group::Streams,
                    "XLA Ops",
                    Collective,
                    [32_000, 32_000, 46_000],
                ),
            ],
        ),
        (
            "saxpy",
            vec![(
                Group::Streams,
                "Stream #13(Compute)",
                Kernel,
                [21_000, 39_000, 48_000],
            )],
        ),
        (
            "MemcpyH2D",
            vec![(
                Group::Streams,
                "Stream #14(MemcpyH2D)",
                Upload,
                [19_000, 29_000, 34_000],
            )],
        ),
        (
            "fusion.1",
            vec![(Group::Device, "XLA Ops", Scope, [39_000, 39_000, 48_000])],
        ),
    ];
    for (name, expected) in expected {
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(group, lane, kind, times)| (group, lane.to_owned(), kind, times))
            .collect();
        assert_eq!(spans(&capture, name), expected, "{name}");
    }
    let devices: Vec<&str> = capture.devices().iter().map(|it| &*it.name).collect();
    assert_eq!(devices, ["GPU 0", "CPU 0", "CPU 1"]);
    let threads: Vec<_> = capture
        .lanes()
        .iter()
        .filter(|it| it.group == Group::Host)
        .map(|it| (&*it.process, &*it.thread))
        .collect();
    let python = ("841", "7935363329512615277");
    assert_eq!(threads, [python, python, ("841", "-5"), ("841", "-6")]);
    let copies = capture.lanes().iter().find(|it| it.thread == "14").unwrap();
    assert_eq!(copies.role, Role::HostToDevice);
    let clock = capture.clocks().iter().find(|it| it.name == Clock::UNIX);
    assert_eq!(clock.unwrap().offset, Nanos(BEGAN + 7_259));
}

#[test]
fn links_calls_and_rendezvous_are_dependencies() {
    let (capture, receipt) = opened(sample());
    let tie = |cause: &str, effect: &str, basis| (cause.to_owned(), effect.to_owned(), basis);
    let python = "7935363329512615277";
    let record = format!("{python} ThreadpoolListener::Record");
    assert_eq!(
        ties(&capture, DependencyKind::Flow),
        [tie(
            &record,
            "-5 ThreadpoolListener::Region",
            Basis::Declared
        )]
    );
    let [copy, launch] = ["cuMemcpyAsync", "cuLaunchKernel"].map(|it| format!("{python} {it}"));
    assert_eq!(
        ties(&capture, DependencyKind::Submission),
        [
            tie("-5 [0] Execute", "device 0 psum.1", Basis::Inferred),
            tie(&launch, "13 saxpy", Basis::Enforced),
            tie(&copy, "14 MemcpyH2D", Basis::Enforced),
        ]
    );
    // The second thread came last the first time, and the first one the second time.
    assert_eq!(
        ties(&capture, DependencyKind::Collective),
        [
            tie("-5 Rendezvous", "-6 Rendezvous", Basis::Enforced),
            tie("-6 Rendezvous", "-5 Rendezvous", Basis::Enforced),
            tie("device 1 psum.1", "device 0 psum.1", Basis::Enforced),
        ]
    );
    let alone = |it: &&String| it.starts_with("1 span is tied to one that the file does not hold");
    assert_eq!(receipt.notes.iter().filter(alone).count(), 1, "{receipt:?}");
}

#[test]
fn stats_are_fields_and_ids_of_links_are_not() {
    let (capture, _) = opened(sample());
    let ids = (0..capture.span_count() as u32).map(SpanId);
    let named = |name: &'static str| {
        let mut ids = ids.clone();
        let is_named = |id: &SpanId| capture.name(capture.span(*id).unwrap().span.name) == name;
        ids.find(is_named).unwrap()
    };
    let fields = |name| -> Vec<(String, Value)> {
        let all = capture.arguments(named(name));
        all.map(|(name, value)| (name.to_owned(), value)).collect()
    };
    let copy = fields("MemcpyH2D");
    assert!(
        copy.contains(&("bytes".to_owned(), Value::Integer(4096))),
        "{copy:?}"
    );
    let operation = fields("psum.1");
    let module = ("hlo_module".to_owned(), Value::Text("jit_step".into()));
    assert!(operation.contains(&module), "{operation:?}");
    assert_eq!(fields("ThreadpoolListener::Record"), []);
}

#[test]
fn without_an_environment_times_may_be_since_1970() {
    const EPOCH: i64 = 1_712_195_495_000_000_000;
    let plane = Plane::new("/host:CPU").line(1, "main", EPOCH, &[("a", 7_000, 2_000, &[])]);
    let (capture, _) = opened(file(vec![plane]));
    assert_eq!(spans(&capture, "a")[0].3, [0, 0, 2]);
    let clock = capture.clocks().iter().find(|it| it.name == Clock::UNIX);
    assert_eq!(clock.unwrap().offset, Nanos(EPOCH + 7));
}

/// A TPU has no streams: its operations are the work, and everything else on it repeats that.
#[test]
fn operations_of_a_device_without_streams_are_its_work() {
    let event: [Event<'_>; 1] = [("fusion.1", 1_000, 1_500, &[])];
    let plane = Plane::new("/device:TPU:3")
        .line(1, "Steps", 0, &event)
        .line(2, "XLA Modules", 0, &event)
        .line(3, "XLA Ops", 0, &event);
    let (capture, receipt) = opened(file(vec![plane]));
    let groups: Vec<_> = capture
        .lanes()
        .iter()
        .map(|it| (it.group, &*it.name))
        .collect();
    let expected = [
        (Group::Device, "Steps"),
        (Group::Device, "XLA Modules"),
        (Group::Streams, "XLA Ops"),
    ];
    assert_eq!(groups, expected);
    assert_eq!(capture.devices()[0].name, "TPU 3");
    let rounded =
        |it: &&String| it.starts_with("3 events have times that are no whole nanoseconds");
    assert_eq!(
        receipt.notes.iter().filter(rounded).count(),
        1,
        "{receipt:?}"
    );
}

#[test]
fn a_cut_file_keeps_its_spans_and_says_that_names_are_missing() {
    let plane = Plane::new("/host:CPU").line(1, "main", 0, &[("a", 0, 5_000, &[])]);
    let bytes = file(vec![plane]);
    let names = bytes
        .windows(4)
        .position(|it| it == [0x22, 9, 8, 1])
        .unwrap();
    let (capture, receipt) = opened(bytes[..names].to_vec());
    assert_eq!(spans(&capture, "event 1").len(), 1);
    let codes: Vec<&str> = capture.problems().iter().map(|it| &*it.code).collect();
    assert!(
        codes.contains(&"cut-short") && codes.contains(&"no-name"),
        "{codes:?}"
    );
    assert_eq!(receipt.repaired, 2);
}

fn open(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ImportError> {
    let parts = open_all(paths, &mut |_| ControlFlow::Continue(()))?;
    Ok(parts.into_iter().map(|it| it.path).collect())
}

/// A folder that a profiler writes its runs into stands for all processes of its last run.
#[test]
fn a_log_folder_stands_for_its_last_run() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("plugins/profile");
    let last = runs.join("2026_11_22_18_00_00");
    for run in [&runs.join("2026_11_21_09_30_00"), &last] {
        std::fs::create_dir_all(run).unwrap();
        for host in ["a", "b"] {
            std::fs::write(run.join(format!("{host}.xplane.pb")), sample()).unwrap();
        }
        std::fs::write(run.join("a.trace.json.gz"), [0]).unwrap();
    }
    let both = ["a", "b"].map(|host| last.join(format!("{host}.xplane.pb")));
    for named in [folder.path().to_owned(), runs, last.clone()] {
        assert_eq!(open(&[named]).unwrap(), both);
    }
    std::fs::remove_file(&both[0]).unwrap();
    assert_eq!(open(&[folder.path().to_owned()]).unwrap(), both[1..]);
    std::fs::remove_file(&both[1]).unwrap();
    std::fs::write(last.join("x.txt"), "x").unwrap();
    let error = open(&[last]).unwrap_err().to_string();
    assert!(
        error.contains("holds no capture that Syncline opens"),
        "{error}"
    );
}

/// Programs that log of training and of validation have a folder for each; without a profile they are told what to do.
#[test]
fn a_log_folder_of_several_parts_is_opened_or_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("train");
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::write(logs.join("events.out.tfevents.1.host"), [24]).unwrap();
    for path in [folder.path(), logs.as_path()] {
        let error = open(&[path.to_owned()]).unwrap_err().to_string();
        assert!(error.contains("tf.profiler.experimental.start"), "{error}");
    }
    let mut files = Vec::new();
    for (part, run) in [("train", "2026_11_22"), ("validation", "2026_11_21")] {
        let run = folder.path().join(part).join("plugins/profile").join(run);
        std::fs::create_dir_all(&run).unwrap();
        files.push(run.join("a.xplane.pb"));
        std::fs::write(files.last().unwrap(), sample()).unwrap();
    }
    assert_eq!(open(&[folder.path().to_owned()]).unwrap(), files[..1]);
    assert_eq!(
        open(&[folder.path().join("validation")]).unwrap(),
        files[1..]
    );
}

/// The fuzzers begin with the small file, too.
#[test]
fn the_seed_of_the_fuzzers_is_the_small_file() {
    let path = root().join("tests/fuzz/seeds/protobuf/small.xplane.pb");
    if std::env::var_os("UPDATE_SEEDS").is_some() {
        std::fs::write(&path, sample()).unwrap();
    }
    assert!(
        std::fs::read(path).unwrap() == sample(),
        "run with UPDATE_SEEDS=true"
    );
}

/// A line for each device, and each says which it is of.
#[test]
fn lanes_of_several_devices_say_theirs_in_a_table() {
    let path = root().join("tests/data/captures/jax-devices.xplane.pb.gz");
    let output = Command::new(syncline()).arg("info").arg(path).output();
    let said = String::from_utf8(output.unwrap().stdout).unwrap();
    let (_, lanes) = said.split_once("\nlane ").unwrap();
    for device in 0..4 {
        let title = format!("\nXLA Ops · CPU {device} ");
        assert_eq!(lanes.matches(&title).count(), 1, "{said}");
    }
}
