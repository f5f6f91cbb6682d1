//! A workload that is extracted from a capture does again what the capture shows.

use std::collections::BTreeMap;

use engine::capture::Capture;
use engine::exporter::{ExtractError, extract};
use engine::record::{
    CallId, DependencyKind, Group, LaneId, NameId, Record, Role, Span, SpanId, SpanKind, State,
    Value,
};
use engine::runner::{RunRequest, run};
use engine::time::{Interval, Nanos};
use engine::workload::{Document, bundled};

/// What a workload does in virtual time.
fn ran(name: &str, source: &str) -> Capture {
    let request = RunRequest {
        name: name.to_owned(),
        source: source.to_owned(),
        backend: "mock".to_owned(),
        ..RunRequest::default()
    };
    let mut capture = Capture::new();
    run(request, |records| capture.apply(records)).unwrap();
    capture
}

fn all(capture: &Capture) -> Interval {
    let extent = capture.extent().unwrap();
    Interval::new(extent.start, extent.end + Nanos(1))
}

/// Whether a wait was held back by a record that is known.
fn is_held(capture: &Capture, span: SpanId) -> bool {
    let mut causes = capture.causes(span).filter_map(|id| capture.dependency(id));
    causes.any(|tie| tie.kind == DependencyKind::Event)
}

/// The operations of each stream in order, by the stream's name; waits that hold nothing back aside.
fn streams(capture: &Capture) -> BTreeMap<String, Vec<(SpanKind, SpanId)>> {
    let mut streams = BTreeMap::new();
    for lane in capture.lanes() {
        if lane.group != Group::Streams || lane.role == Role::Queue {
            continue;
        }
        let mut spans: Vec<_> = capture
            .spans()
            .filter(|it| it.span.lane == lane.id)
            .collect();
        spans.sort_by_key(|it| (it.span.start, it.span.id));
        let spans = spans.into_iter().map(|it| (it.span.kind, it.span.id));
        let kept = spans.filter(|(kind, id)| *kind != SpanKind::EventWait || is_held(capture, *id));
        streams.insert(plain(&lane.name), kept.collect());
    }
    streams
}

/// A stream's name as an extracted workload declares it.
fn plain(name: &str) -> String {
    name.replace(['[', ']'], "-").trim_matches('-').to_owned()
}

/// Every wait: which record of which stream it waited for, counted along the stream, and which wait it is.
fn waits(capture: &Capture) -> Vec<(String, usize, String, usize)> {
    let streams = streams(capture);
    let place = |id: SpanId| {
        streams.iter().find_map(|(name, spans)| {
            let of_kind = |kind| spans.iter().filter(move |it| it.0 == kind);
            let kind = spans.iter().find(|it| it.1 == id)?.0;
            let nth = of_kind(kind).position(|it| it.1 == id)?;
            Some((name.clone(), nth))
        })
    };
    let mut found = Vec::new();
    for spans in streams.values() {
        for (_, id) in spans.iter().filter(|it| it.0 == SpanKind::EventWait) {
            for tie in capture.causes(*id).filter_map(|id| capture.dependency(id)) {
                if tie.kind == DependencyKind::Event {
                    let (from, to) = (place(tie.cause).unwrap(), place(tie.effect).unwrap());
                    found.push((from.0, from.1, to.0, to.1));
                }
            }
        }
    }
    found.sort();
    found
}

fn kinds(capture: &Capture) -> BTreeMap<String, Vec<SpanKind>> {
    let streams = streams(capture).into_iter();
    streams
        .filter(|(_, spans)| !spans.is_empty())
        .map(|(name, spans)| (name, spans.into_iter().map(|it| it.0).collect()))
        .collect()
}

#[test]
fn streams_and_waits_come_back_in_order() {
    let names = [
        "double-buffer",
        "fork-join",
        "diamond",
        "three-stage-pipeline",
        "reduction-tree",
        "two-hosts",
    ];
    for name in names {
        let workload = bundled().iter().find(|it| it.name == name).unwrap();
        let before = ran(workload.name, workload.source);
        let extracted = extract(&before, all(&before)).unwrap();
        let document = Document::parse("extracted.kdl", &extracted.text);
        assert!(document.is_ok(), "{name}: {:?}", document.err());
        let after = ran("extracted", &extracted.text);
        assert_eq!(kinds(&after), kinds(&before), "{name}");
        assert_eq!(waits(&after), waits(&before), "{name}");
        assert!(!waits(&after).is_empty(), "{name}");
        let length = |capture: &Capture| all(capture).length().0 as f64;
        let ratio = length(&after) / length(&before);
        assert!(
            (0.9..1.15).contains(&ratio),
            "{name} took {ratio} of the time"
        );
    }
}

/// The kinds and labels of operations that have one.
fn labels(capture: &Capture) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (kind, span) in streams(capture).into_values().flatten() {
        let mut labels = capture.arguments(span).filter(|it| it.0 == "label");
        if let Some((_, Value::Text(label))) = labels.next() {
            let name = capture.name(capture.span(span).unwrap().span.name);
            assert!(name.starts_with(&*label), "{name} is of {label}");
            found.push((format!("{kind:?}"), label.to_string()));
        }
    }
    found
}

/// A label is what an operation is called by, in the run, in what is extracted from it, and in the run of that.
#[test]
fn labels_come_back() {
    let source = r#"stream "a"; stream "b"; event "e"; buffer "x" f32=64
        host "main" {
            launch "spin" on="a" label="k1" { set "micros" 50 }
            record "e" on="a"; wait "e" on="b"
            launch "spin" on="b" label="second \"one\"" { set "micros" 50 }
            upload "x" on="b" label="upload"
            host-function "f" micros=20 on="b" label="callback"
            launch "spin" on="b" { set "micros" 50 }
        }"#;
    let before = ran("labels", source);
    let expected = [
        ("Kernel", "k1"),
        ("Kernel", "second \"one\""),
        ("Upload", "upload"),
        ("HostFunction", "callback"),
    ];
    let expected = expected.map(|it| (it.0.to_owned(), it.1.to_owned()));
    assert_eq!(labels(&before), expected);
    let extracted = extract(&before, all(&before)).unwrap();
    assert!(
        extracted.text.contains("host-function \"f\""),
        "{}",
        extracted.text
    );
    assert_eq!(labels(&ran("extracted", &extracted.text)), expected);
}

#[test]
fn a_range_is_cut_out_and_what_it_waited_for_is_told() {
    let workload = bundled()
        .iter()
        .find(|it| it.name == "double-buffer")
        .unwrap();
    let before = ran(workload.name, workload.source);
    let whole = all(&before);
    let half = Interval::new(whole.start + Nanos(whole.length().0 / 2), whole.end);
    let extracted = extract(&before, half).unwrap();
    let count = |capture: &Capture| streams(capture).values().map(Vec::len).sum::<usize>();
    let after = ran("half", &extracted.text);
    assert!(count(&after) > 0 && count(&after) < count(&before));
    assert!(
        extracted
            .notes
            .iter()
            .any(|it| it.contains("before the range"))
    );
    let nothing = Interval::new(whole.end + Nanos(1), whole.end + Nanos(2));
    assert_eq!(extract(&before, nothing), Err(ExtractError::Nothing));
}

/// What no workload may hold is refused, and what barely fits is terse and still a workload.
#[test]
fn long_ranges_are_written_tersely_or_refused() {
    let capture = |count: u32| {
        let mut capture = Capture::new();
        let mut records = crate::formats::captures::sample::records();
        records.retain(|record| matches!(record, Record::Lane(_) | Record::Name(..)));
        records.extend((0..count).map(|id| {
            let start = Nanos(i64::from(id) * 12_345);
            Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(1 + id % 2),
                name: NameId(1),
                call: CallId::NONE,
                kind: SpanKind::Kernel,
                state: State::Done,
                enqueued: start,
                start,
                end: start + Nanos(10_000 + i64::from(id)),
            })
        }));
        capture.apply(records);
        capture
    };
    let range = Interval::new(Nanos(0), Nanos(i64::MAX));
    let short = extract(&capture(2_000), range).unwrap().text;
    let long = extract(&capture(12_000), range).unwrap().text;
    assert!(short.contains("// saxpy") && short.contains("scale *"));
    assert!(!long.contains("// saxpy") && long.len() > short.len());
    for text in [short, long] {
        let document = Document::parse("extracted.kdl", &text);
        assert!(document.is_ok(), "{:?}", document.err());
    }
    for count in [19_000, 30_000] {
        let refused = extract(&capture(count), range);
        assert_eq!(refused, Err(ExtractError::TooMany(count as usize)));
    }
}

/// Names of other tools are made fit, and copies keep their bytes.
#[test]
fn anything_can_be_declared() {
    let mut capture = Capture::new();
    let mut records = crate::formats::captures::sample::records();
    records.retain(|record| !matches!(record, engine::record::Record::Loss(_)));
    capture.apply(records);
    assert!(capture.lane(LaneId(1)).is_some());
    let extracted = extract(&capture, Interval::new(Nanos(0), Nanos(1_000_000))).unwrap();
    let document = Document::parse("sample.kdl", &extracted.text);
    assert!(document.is_ok(), "{}\n{:?}", extracted.text, document.err());
}
