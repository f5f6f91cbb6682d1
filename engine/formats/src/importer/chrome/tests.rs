//! Small texts of each dialect, and of each way in which a file can be bad.

mod devices;
mod fields;
mod meanings;

use std::io::Read;
use std::ops::ControlFlow;

use crate::importer::{ImportError, Receipt, Source, open_source};
use record::{Basis, Dependency, DependencyKind, Group, Lane, Record, Span, SpanKind};

struct OpenedFile {
    receipt: Receipt,
    records: Vec<Record>,
}

fn open(bytes: &[u8]) -> Result<OpenedFile, ImportError> {
    let source = Source::from_bytes("sample.json", bytes.to_vec())?;
    let mut records = Vec::new();
    let receipt = open_source(&source, &mut |batch| {
        records.extend(batch.records);
        ControlFlow::Continue(())
    })?;
    let told = [
        "arguments-cropped",
        "damaged",
        "second-trace",
        "unknown-phase",
    ];
    let is_told = |it: &Record| matches!(it, Record::Problem(it) if told.contains(&&*it.code));
    assert!(receipt.dropped == 0 || records.iter().any(is_told));
    Ok(OpenedFile { receipt, records })
}

impl OpenedFile {
    fn spans(&self) -> Vec<Span> {
        let spans = self.records.iter().filter_map(|it| match it {
            Record::Span(span) => Some(*span),
            _ => None,
        });
        let mut spans: Vec<Span> = spans.collect();
        spans.sort_by_key(|it| it.id);
        spans
    }

    fn ties(&self, kind: DependencyKind) -> Vec<Dependency> {
        let ties = self.records.iter().filter_map(|it| match it {
            Record::Dependency(tie) if tie.kind == kind => Some(*tie),
            _ => None,
        });
        ties.collect()
    }

    fn lane(&self, span: Span) -> Lane {
        // What is said last of a lane counts.
        let said = self.records.iter().rev().find_map(|it| match it {
            Record::Lane(lane) if lane.id == span.lane => Some((**lane).clone()),
            _ => None,
        });
        said.unwrap()
    }
}

/// Two calls and two kernels on streams 20 and 24, the second of which waits for the first.
const KINETO: &str = r#"{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A100"}],
"baseTimeNanoseconds": 1700000000000000000, "traceEvents": [
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":10.000,"dur":2,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaEventRecord","pid":9,"tid":9,"ts":13,"dur":1,"args":{"correlation":2}},
{"ph":"X","cat":"cuda_runtime","name":"cudaStreamWaitEvent","pid":9,"tid":9,"ts":15,"dur":1,"args":{"correlation":3}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":17,"dur":2,"args":{"correlation":4}},
{"ph":"X","cat":"kernel","name":"first","pid":0,"tid":20,"ts":20.5,"dur":30,"args":{"stream":20,"correlation":1}},
{"ph":"X","cat":"kernel","name":"second","pid":0,"tid":24,"ts":51,"dur":9.25,"args":{"stream":24,"correlation":4}},
WAIT
{"name":"thread_name","ph":"M","pid":0,"tid":20,"args":{"name":"stream 20 "}}]}"#;
const WAIT: &str = r#"{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":24,"ts":15,"dur":1,
"args":{"wait_on_stream":20,"wait_on_cuda_event_record_corr_id":2,"wait_on_cuda_event_id":7,"stream":24,
"correlation":3}},"#;

#[test]
fn a_wait_ties_the_work_before_its_record_to_the_work_after_it() {
    let opened = open(KINETO.replace("WAIT", WAIT).as_bytes()).unwrap();
    let spans = opened.spans();
    let (first, second) = (spans[4], spans[5]);
    assert_eq!(
        (first.kind, first.enqueued.0, first.start.0),
        (SpanKind::Kernel, 0, 10_500)
    );
    assert_eq!(second.end.0 - second.start.0, 9_250);
    let [tie] = opened.ties(DependencyKind::Event)[..] else {
        panic!()
    };
    assert_eq!((tie.cause, tie.effect), (first.id, second.id));
    assert_eq!((tie.basis, tie.generation), (Basis::Enforced, 1));
    assert_eq!(opened.ties(DependencyKind::Submission).len(), 2);
    let lane = opened.lane(first);
    assert_eq!(
        (lane.group, lane.name.as_str()),
        (Group::Streams, "stream 20")
    );
    let clock = opened.records.iter().find_map(|it| match it {
        Record::Clock(clock) => Some(clock.offset.0),
        _ => None,
    });
    assert_eq!(clock, Some(1_700_000_000_000_010_000));
}

#[test]
fn a_wait_of_which_only_the_call_is_known_is_inferred_unless_times_contradict() {
    let opened = open(KINETO.replace("WAIT", "").as_bytes()).unwrap();
    let [tie] = opened.ties(DependencyKind::Event)[..] else {
        panic!()
    };
    assert_eq!((tie.basis, opened.receipt.inferred), (Basis::Inferred, 1));
    let early = KINETO.replace("WAIT", "").replace("\"ts\":51", "\"ts\":30");
    let opened = open(early.as_bytes()).unwrap();
    assert!(opened.ties(DependencyKind::Event).is_empty());
    assert!(
        opened
            .receipt
            .notes
            .iter()
            .any(|it| it.contains("contradict"))
    );
}

#[test]
fn waits_of_ascend_and_mtia_are_tied_as_their_files_allow() {
    let ascend = br#"[{"name":"process_name","pid":3,"ph":"M","args":{"name":"Ascend Hardware"}},
{"name":"EVENT_RECORD","pid":3,"tid":2,"ts":"100.500","dur":0.02,"ph":"X"},
{"name":"EVENT_WAIT","pid":3,"tid":4,"ts":"90.000","dur":10.6,"ph":"X"}]"#;
    let opened = open(ascend).unwrap();
    let [tie] = opened.ties(DependencyKind::Event)[..] else {
        panic!()
    };
    assert_eq!(
        (tie.cause.0, tie.effect.0, tie.basis),
        (0, 1, Basis::Inferred)
    );
    assert_eq!(
        opened.receipt.repairs,
        [("times written as texts".to_owned(), 2)]
    );
    assert_eq!(opened.lane(opened.spans()[0]).group, Group::Streams);
    let mtia = br#"[{"ph":"X","cat":"mtia_ccp_events","name":"event_wait","pid":17,"tid":3,"ts":1,"dur":5,
"args":{"stream":108,"wait_on_stream":104,"seq_num":7}},
{"ph":"X","cat":"mtia_ccp_events","name":"event_record","pid":17,"tid":5,"ts":5,"dur":1,"args":{"stream":104,"seq_num":7}}]"#;
    let [tie] = open(mtia).unwrap().ties(DependencyKind::Event)[..] else {
        panic!()
    };
    assert_eq!(
        (tie.cause.0, tie.effect.0, tie.basis),
        (1, 0, Basis::Enforced)
    );
}

/// A wait that held nothing back ends when it begins, whatever record it is for: calls say which that was, as in the database
/// of such a run.
#[test]
fn a_wait_of_ascend_that_passed_at_once_is_for_the_last_record_of_its_thread() {
    let ascend = br#"[{"name":"process_name","pid":3,"ph":"M","args":{"name":"Ascend Hardware"}},
{"name":"AscendCL@aclrtRecordEvent","pid":1,"tid":1,"ts":10,"dur":1,"ph":"X","args":{"connection_id":7}},
{"name":"AscendCL@aclrtRecordEvent","pid":1,"tid":1,"ts":12,"dur":1,"ph":"X","args":{"connection_id":8}},
{"name":"AscendCL@aclrtStreamWaitEvent","pid":1,"tid":1,"ts":14,"dur":1,"ph":"X","args":{"connection_id":9}},
{"name":"AscendCL@aclrtRecordEvent","pid":1,"tid":1,"ts":16,"dur":1,"ph":"X","args":{"connection_id":10}},
{"name":"EVENT_RECORD","pid":3,"tid":2,"ts":20,"dur":0.02,"ph":"X","args":{"connection_id":7}},
{"name":"EVENT_RECORD","pid":3,"tid":2,"ts":25,"dur":0.02,"ph":"X","args":{"connection_id":8}},
{"name":"EVENT_RECORD","pid":3,"tid":2,"ts":39.99,"dur":0.02,"ph":"X","args":{"connection_id":10}},
{"name":"EVENT_WAIT","pid":3,"tid":4,"ts":40,"dur":0.02,"ph":"X","args":{"connection_id":9}}]"#;
    let opened = open(ascend).unwrap();
    let [tie] = opened.ties(DependencyKind::Event)[..] else {
        panic!()
    };
    assert_eq!((tie.cause.0, tie.effect.0), (5, 7));
    assert_eq!(tie.basis, Basis::Inferred);
}

#[test]
fn an_event_without_a_time_is_drawn_at_the_beginning_and_told() {
    let text = br#"[{"ph":"X","name":"timed","pid":1,"tid":1,"ts":1700000000000000,"dur":1},
{"ph":"X","name":"none","pid":1,"tid":1,"dur":5},{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}]"#;
    let opened = open(text).unwrap();
    let starts: Vec<i64> = opened.spans().iter().map(|it| it.start.0).collect();
    assert_eq!(starts, [0; 2]);
    let repaired = &opened.receipt.repairs;
    let expected = ("times that are missing or cannot be true".to_owned(), 1);
    assert!(repaired.contains(&expected), "{repaired:?}");
}

#[test]
fn an_allocators_event_without_bytes_is_counted() {
    let text = br#"[{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1,"args":{"Addr":5,"Bytes":64,"Device Type":0}},
{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":2,"args":{"Addr":5,"Device Type":0}},
{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":3}]"#;
    let opened = open(text).unwrap();
    assert_eq!(opened.spans().len(), 3);
    let words = "2 events of allocators do not say how many bytes";
    let notes = &opened.receipt.notes;
    assert!(notes.iter().any(|it| it.starts_with(words)), "{notes:?}");
}

#[test]
fn odd_rows_are_kept_and_counted() {
    let text = br#"[{},{"ph":"B","name":"open","pid":"a","tid":"b","ts":0},{"ph":"E","pid":"a","tid":"c","ts":1},
{"ph":"X","name":"negative","pid":1,"tid":1,"ts":5,"dur":-2},{"ph":"X","name":"none","pid":1,"tid":1,"ts":6},
{"ph":"X","name":"ages","pid":1,"tid":1,"ts":7,"dur":3e22},{"ph":"i","name":"bad ~","pid":1,"tid":1,"ts":8,
"args":{"big":10159970886766084423,"deep":[[1],{"a":2}]}},"#;
    let text: Vec<u8> = text
        .iter()
        .map(|it| if *it == b'~' { 0xFF } else { *it })
        .collect();
    let opened = open(&text).unwrap();
    assert_eq!(opened.spans().len(), 6);
    let repairs = opened.receipt.repairs.iter();
    let causes: Vec<&str> = repairs.map(|it| it.0.as_str()).collect();
    for cause in [
        "negative durations",
        "no duration",
        "durations that cannot be true",
        "ends without a begin",
        "begins without an end",
        "texts that are not UTF-8",
        "no closing bracket",
    ] {
        assert!(causes.contains(&cause), "{cause}: {causes:?}");
    }
    let values = format!("{:?}", opened.records);
    assert!(values.contains("10159970886766084423") && values.contains("[[1],{\\\"a\\\":2}]"));
}

#[test]
fn flows_bind_to_the_spans_around_them() {
    let text = br#"[{"ph":"X","name":"outer","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","name":"inner","pid":1,"tid":1,"ts":2,"dur":3},{"ph":"X","name":"far","pid":1,"tid":2,"ts":6,"dur":3},
{"ph":"s","cat":"c","name":"f","id":"0x10","pid":1,"tid":1,"ts":3},
{"ph":"f","bp":"e","cat":"c","name":"f","id":16,"pid":1,"tid":2,"ts":7}]"#;
    let [tie] = open(text).unwrap().ties(DependencyKind::Flow)[..] else {
        panic!()
    };
    assert_eq!((tie.cause.0, tie.effect.0), (1, 2));
}

#[test]
fn cut_and_changed_files_are_an_answer() {
    let text = KINETO.replace("WAIT", WAIT).into_bytes();
    for at in (0..text.len()).step_by(text.len() / 200) {
        drop(open(text.get(..at).unwrap()));
    }
    let mut changed = text.clone();
    for bit in 0..1_000 {
        let at = bit * 7_919 % changed.len();
        changed[at] ^= 1 << (bit % 8);
        drop(open(&changed));
        changed[at] ^= 1 << (bit % 8);
    }
}

#[test]
fn depth_and_length_do_no_harm() {
    let deep = format!(
        "[{{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":{{\"a\":{}1{}}}}}]",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    assert_eq!(open(deep.as_bytes()).unwrap().spans().len(), 1);
    assert!(open("[".repeat(10_000).as_bytes()).is_err());
    let long = format!(
        "[{{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"{}\"}}]",
        "x".repeat(20 << 20)
    );
    assert_eq!(open(long.as_bytes()).unwrap().spans().len(), 1);
}

#[test]
fn four_gigabytes_of_spaces_end() {
    let make = || -> Box<dyn Read + Send> {
        Box::new(std::io::Cursor::new(b"[").chain(std::io::repeat(b' ').take(4 << 30)))
    };
    let source = Source::from_maker("spaces.json", (4 << 30) + 1, make).unwrap();
    let receipt = open_source(&source, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(receipt.events, 0);
}

/// A page of a file that was lost comes back as zeros.
#[test]
fn no_event_vanishes_among_zeros_without_being_told() {
    const EVENTS: usize = 60;
    let event = |number: usize| {
        format!(
            r#"{{"ph": "X", "name": "op {number}", "ts": {}, "dur": 5, "pid": 1, "tid": 2, "args": {{"x": "abc"}}}}"#,
            number * 10
        )
    };
    let events: Vec<String> = (0..EVENTS).map(event).collect();
    let whole = format!("[\n{}\n]", events.join(",\n")).into_bytes();
    let (mut seed, mut damaged) = (17_u64, 0);
    for _ in 0..400 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let length = [1, 3, 60, 105, 200, 512][(seed >> 40) as usize % 6];
        // By its beginning a file is known for what it is.
        let at = 100 + (seed >> 20) as usize % (whole.len() - length - 102);
        let mut bytes = whole.clone();
        bytes[at..at + length].fill(0);
        let opened = open(&bytes).unwrap();
        let spans = opened.spans().len();
        damaged += usize::from(spans < EVENTS);
        assert!(
            spans == EVENTS || opened.receipt.dropped > 0,
            "{length} zeros at {at}: {spans} spans, {:?}",
            opened.receipt
        );
    }
    assert!(damaged > 200, "{damaged}");
    // Space that was kept at the end holds nothing.
    let mut kept = whole.clone();
    kept.extend([0; 4096]);
    let opened = open(&kept).unwrap();
    assert_eq!((opened.spans().len(), opened.receipt.dropped), (EVENTS, 0));
}
