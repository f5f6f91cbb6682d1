//! Events in the form that came before tracks, in Perfetto files made here byte by byte.

use engine::capture::Capture;
use engine::perfetto::proto::{
    CLEARED, ProcessDescriptor, ThreadDescriptor, TracePacket, TrackDescriptor, TrackEvent,
};
use engine::record::{Basis, DependencyId, DependencyKind, SpanId, SpanKind};
use prost::Message as _;
use prost::encoding::encode_varint;

use super::{capture, opened};
use crate::house::root;

/// Where the number of an asynchronous operation counts: everywhere, as writers wrote first, in a process, or everywhere.
const UNSCOPED: u64 = 6;
const LOCAL: u64 = 10;
const GLOBAL: u64 = 11;

/// A message inside another, as a field.
fn field(number: u64, message: &[u8], into: &mut Vec<u8>) {
    encode_varint(number << 3 | 2, into);
    encode_varint(message.len() as u64, into);
    into.extend_from_slice(message);
}

fn packet(packet: &TracePacket, event: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = packet.encode_to_vec();
    if let Some(event) = event {
        field(11, event, &mut bytes);
    }
    let mut file = Vec::new();
    field(1, &bytes, &mut file);
    file
}

/// A thread of a process, and nothing before it.
fn thread(uuid: u64, pid: i32, tid: i64) -> Vec<u8> {
    let described = TracePacket {
        trusted_packet_sequence_id: Some(1),
        sequence_flags: Some(CLEARED),
        track_descriptor: Some(TrackDescriptor {
            uuid: Some(uuid),
            process: Some(ProcessDescriptor {
                pid: Some(pid),
                ..ProcessDescriptor::default()
            }),
            thread: Some(ThreadDescriptor {
                pid: Some(pid),
                tid: Some(tid),
                ..ThreadDescriptor::default()
            }),
            ..TrackDescriptor::default()
        }),
        ..TracePacket::default()
    };
    packet(&described, None)
}

/// An event of the old form: its instant, thread, phase, name and category, and its number with the field that holds it.
fn event(at: (u64, u64), phase: u8, words: (&str, &str), number: (u64, u64)) -> Vec<u8> {
    event_with(at, phase, words, &[number])
}

/// The same with any fields.
fn event_with(
    (time, uuid): (u64, u64),
    phase: u8,
    (name, category): (&str, &str),
    fields: &[(u64, u64)],
) -> Vec<u8> {
    let mut legacy = Vec::new();
    let phase = (2, u64::from(phase));
    for &(field, value) in [phase].iter().chain(fields) {
        encode_varint(field << 3, &mut legacy);
        encode_varint(value, &mut legacy);
    }
    let event = TrackEvent {
        track_uuid: Some(uuid),
        name: Some(name.to_owned()),
        categories: vec![category.to_owned()],
        ..TrackEvent::default()
    };
    let mut event = event.encode_to_vec();
    field(6, &legacy, &mut event);
    let around = TracePacket {
        timestamp: Some(time),
        trusted_packet_sequence_id: Some(1),
        ..TracePacket::default()
    };
    packet(&around, Some(&event))
}

/// A span as its lane, its process, its name, its start and its length.
fn spans(file: Vec<u8>) -> Vec<(u32, String, String, i64, i64)> {
    let (records, receipt) = opened(file).unwrap();
    assert_eq!(receipt.repaired, 0, "{:?}", receipt.repairs);
    let capture = capture(records);
    let spans = capture.spans().map(|it| {
        assert_eq!(it.span.kind, SpanKind::Scope);
        let lane = capture.lane(it.span.lane).unwrap();
        assert_eq!(lane.thread, "", "asynchronous operations are of no thread");
        (
            it.span.lane.0,
            lane.process.to_string(),
            capture.name(it.span.name).to_owned(),
            it.span.start.0,
            (it.span.end - it.span.start).0,
        )
    });
    let mut spans: Vec<_> = spans.collect();
    spans.sort_by_key(|it| (it.3, it.4));
    spans
}

/// An operation may begin on one thread and end on another; its number tells it apart, by category, or by name where the phase
/// is one that does not nest. Several under way at once share a lane, as in Perfetto.
#[test]
fn asynchronous_operations_meet_by_their_numbers() {
    let load = ("load", "net");
    let frame = ("frame", "gpu");
    let file = [
        thread(1, 5, 51),
        thread(2, 5, 52),
        event((100, 1), b'b', load, (UNSCOPED, 7)),
        event((110, 2), b'b', load, (UNSCOPED, 8)),
        event((120, 2), b'n', ("redirect", "net"), (UNSCOPED, 7)),
        event((130, 2), b'e', load, (UNSCOPED, 7)),
        event((150, 1), b'e', load, (UNSCOPED, 8)),
        event((200, 1), b'S', frame, (GLOBAL, 7)),
        event((210, 2), b'T', frame, (GLOBAL, 7)),
        event((240, 2), b'F', frame, (GLOBAL, 7)),
    ];
    let owned = |(lane, name, start, length): (u32, &str, i64, i64)| {
        (lane, "5".to_owned(), name.to_owned(), start, length)
    };
    let expected = [
        (0, "load", 0, 30),
        (0, "load", 10, 40),
        (0, "redirect", 20, 0),
        (1, "frame", 100, 40),
        (1, "frame", 110, 0),
    ];
    let found = spans(file.concat());
    assert_eq!(found, expected.map(owned));
}

/// A number that counts in one process alone is another in another process.
#[test]
fn a_local_number_is_of_one_process() {
    let load = ("load", "net");
    let file = [
        thread(1, 5, 51),
        thread(2, 6, 61),
        event((100, 1), b'b', load, (LOCAL, 7)),
        event((110, 2), b'b', load, (LOCAL, 7)),
        event((130, 1), b'e', load, (LOCAL, 7)),
        event((170, 2), b'e', load, (LOCAL, 7)),
    ];
    let expected = [
        (0, "5".to_owned(), "load".to_owned(), 0, 30),
        (1, "6".to_owned(), "load".to_owned(), 10, 60),
    ];
    assert_eq!(spans(file.concat()), expected);
}

/// A span that lasts so many microseconds.
fn whole(time: u64, thread: u64, name: &str, micros: u64) -> Vec<u8> {
    event_with((time, thread), b'X', (name, "work"), &[(3, micros)])
}

/// The dependencies of a capture by the names of their ends.
fn arrows(capture: &Capture) -> Vec<(String, String)> {
    let name = |span: SpanId| {
        capture
            .name(capture.span(span).unwrap().span.name)
            .to_owned()
    };
    let ids = (0..capture.dependency_count() as u32).map(DependencyId);
    let all = ids.map(|id| capture.dependency(id).unwrap());
    let named = all.map(|it| {
        assert_eq!(
            (it.kind, it.basis),
            (DependencyKind::Flow, Basis::Declared),
            "the file says only that somebody drew it"
        );
        (name(it.cause), name(it.effect))
    });
    let mut named: Vec<_> = named.collect();
    named.sort();
    named
}

/// As in trace JSON a point is at the slice around it, and an end that does not say so at the next one; a number counts for one
/// category and name, begins anew with each start, and in its process alone where it is local.
#[test]
fn arrows_of_the_old_form_lead_from_span_to_span() {
    let (bound, seven) = ((12, 1), (UNSCOPED, 7));
    let rpc = ("rpc", "flow");
    let file = [
        thread(1, 5, 51),
        thread(2, 5, 52),
        thread(3, 6, 61),
        whole(1_000, 1, "caller", 100),
        whole(2_000, 1, "send", 1),
        event((2_500, 1), b's', rpc, seven),
        whole(3_000, 2, "relay", 2),
        event((3_500, 2), b't', rpc, seven),
        event_with((7_500, 2), b'f', rpc, &[seven]),
        whole(8_000, 2, "next", 1),
        whole(6_000, 3, "receive", 1),
        event_with((6_500, 3), b'f', rpc, &[seven, bound]),
        // Another name is another arrow, and a start begins one anew.
        whole(20_000, 1, "tick", 1),
        event((20_500, 1), b's', ("frame", "flow"), seven),
        whole(21_500, 2, "draw", 1),
        event_with((22_000, 2), b'f', ("frame", "flow"), &[seven, bound]),
        whole(30_000, 1, "tick again", 1),
        event((30_500, 1), b's', ("frame", "flow"), seven),
        whole(31_500, 2, "draw again", 1),
        event_with((32_000, 2), b'f', ("frame", "flow"), &[seven, bound]),
        // The number of one process is none of another's.
        whole(40_000, 2, "mine", 1),
        event((40_500, 2), b's', ("own", "flow"), (LOCAL, 9)),
        whole(41_500, 3, "theirs", 1),
        event_with((42_000, 3), b'f', ("own", "flow"), &[(LOCAL, 9), bound]),
        // Without a number nothing says where it leads.
        event_with((42_100, 3), b'f', ("own", "flow"), &[bound]),
    ];
    let (records, receipt) = opened(file.concat()).unwrap();
    let expected = [
        ("relay", "next"),
        ("relay", "receive"),
        ("send", "relay"),
        ("tick", "draw"),
        ("tick again", "draw again"),
    ];
    let named = |(cause, effect): (&str, &str)| (cause.to_owned(), effect.to_owned());
    assert_eq!(arrows(&capture(records)), expected.map(named));
    let notes = receipt.notes.join(" ");
    assert!(
        notes.contains("1 point of an arrow has no number"),
        "{notes}"
    );
    let loose = receipt.repairs.iter().find(|it| it.0.contains("partner"));
    assert_eq!(loose.map(|it| it.1), Some(2), "{:?}", receipt.repairs);
}

/// A slice may itself say that an arrow comes in, goes out, or passes.
#[test]
fn spans_of_the_old_form_bind_arrows_themselves() {
    let bound = |time, thread, name, direction| {
        let fields = [(3, 1), (8, 77), (13, direction)];
        event_with((time, thread), b'X', (name, "work"), &fields)
    };
    let file = [
        thread(1, 5, 51),
        thread(2, 6, 61),
        whole(900, 1, "around", 100),
        bound(1_000, 1, "produce", 2),
        bound(2_500, 2, "pass on", 3),
        bound(4_000, 1, "consume", 1),
        bound(5_500, 2, "no way", 0),
    ];
    let (records, _) = opened(file.concat()).unwrap();
    let expected = [("pass on", "consume"), ("produce", "pass on")];
    let named = |(cause, effect): (&str, &str)| (cause.to_owned(), effect.to_owned());
    assert_eq!(arrows(&capture(records)), expected.map(named));
}

/// The process and the thread of each event of `writers-threads.pftrace`, as Perfetto's trace processor (v52) has them. It
/// drops the one of which nothing says where it is.
const THREADS: [(&str, &str, &str); 16] = [
    ("typed on its track", "11", "12"),
    ("mark with track 0", "11", "12"),
    ("mark without a track", "11", "12"),
    ("typed without a track", "11", "12"),
    ("typed with track 0", "", ""),
    ("complete", "11", "12"),
    ("old begin", "21", "22"),
    ("old inner", "21", "22"),
    ("asynchronous", "21", ""),
    ("of no thread", "", ""),
    ("after a cleared state", "11", "12"),
    ("for another thread", "31", "32"),
    ("for another thread, track 0", "31", "32"),
    ("for another thread, track 100", "11", "12"),
    ("global", "11", "12"),
    ("of the process", "11", "12"),
];

#[test]
fn events_that_name_none_are_on_the_thread_of_their_writer() {
    let path = root().join("tests/data/captures/writers-threads.pftrace");
    let (records, receipt) = opened(std::fs::read(path).unwrap()).unwrap();
    assert!(receipt.notes.is_empty(), "{:?}", receipt.notes);
    let capture = capture(records);
    let found: Vec<(String, String, String)> = capture
        .spans()
        .map(|it| {
            let lane = capture.lane(it.span.lane).unwrap();
            let name = capture.name(it.span.name).to_owned();
            (name, lane.process.to_string(), lane.thread.to_string())
        })
        .collect();
    for (name, process, thread) in THREADS {
        let expected = (name.to_owned(), process.to_owned(), thread.to_owned());
        assert!(found.contains(&expected), "{name}: {found:?}");
    }
    assert_eq!(found.len(), THREADS.len());
    // One lane a thread, called after it, and a counter that events name is of their thread.
    let lanes: Vec<&str> = capture.lanes().iter().map(|it| it.name.as_str()).collect();
    assert!(lanes.contains(&"program · worker"), "{lanes:?}");
    assert!(lanes.contains(&"old program · old thread"), "{lanes:?}");
    assert_eq!(capture.counters()[0].name, "paused");
}

/// What is not read is named, so that one knows what one misses.
#[test]
fn an_event_that_says_of_nothing_when_it_was_is_named() {
    let path = root().join("tests/data/captures/chromium-packet.pftrace");
    let (_, receipt) = opened(std::fs::read(path).unwrap()).unwrap();
    let expected = "1 track event with neither a type nor a phase is not read, which Perfetto does not show either.";
    assert_eq!(receipt.notes, [expected]);
}
