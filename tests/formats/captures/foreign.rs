//! Files of other tools, made here message by message.

use engine::perfetto::proto::{
    AnnotationValue, CLEARED, ClockReading, ClockSnapshot, CounterDescriptor, DebugAnnotation,
    InternedData, InternedName, ProcessDescriptor, TracePacket, TracePacketDefaults,
    TrackDescriptor, TrackEvent, event_type,
};
use engine::record::{Basis, DependencyId, Group, LaneId, SpanId, SpanKind};
use engine::time::Nanos;
use prost::Message as _;

use super::{capture, opened};

fn file(packets: &[TracePacket]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for packet in packets {
        bytes.push(10);
        packet.encode_length_delimited(&mut bytes).unwrap();
    }
    bytes
}

fn event(time: u64, uuid: u64, kind: i32) -> TracePacket {
    TracePacket {
        timestamp: Some(time),
        trusted_packet_sequence_id: Some(1),
        track_event: Some(TrackEvent {
            r#type: Some(kind),
            track_uuid: Some(uuid),
            ..TrackEvent::default()
        }),
        ..TracePacket::default()
    }
}

fn begin(time: u64, uuid: u64, name: u64, flows: &[u64]) -> TracePacket {
    let mut packet = event(time, uuid, event_type::BEGIN);
    let event = packet.track_event.as_mut().unwrap();
    event.name_iid = Some(name);
    event.category_iids = vec![1];
    event.flow_ids = flows.to_vec();
    event.debug_annotations = vec![DebugAnnotation {
        name: Some("grid".to_owned()),
        array_values: vec![DebugAnnotation {
            value: Some(AnnotationValue::Uint(8)),
            ..DebugAnnotation::default()
        }],
        ..DebugAnnotation::default()
    }];
    packet
}

fn track(uuid: u64, name: &str, counter: bool) -> TracePacket {
    TracePacket {
        track_descriptor: Some(TrackDescriptor {
            uuid: Some(uuid),
            name: Some(name.to_owned()),
            counter: counter.then(|| CounterDescriptor {
                unit_name: Some("W".to_owned()),
                ..CounterDescriptor::default()
            }),
            ..TrackDescriptor::default()
        }),
        ..TracePacket::default()
    }
}

fn interned() -> TracePacket {
    let text = |iid, name: &str| InternedName {
        iid: Some(iid),
        name: Some(name.to_owned()),
    };
    TracePacket {
        trusted_packet_sequence_id: Some(1),
        sequence_flags: Some(CLEARED),
        interned_data: Some(InternedData {
            event_names: vec![text(1, "hipLaunchKernel"), text(2, "saxpy")],
            event_categories: vec![text(1, "rocm_kernel_dispatch")],
            ..InternedData::default()
        }),
        ..TracePacket::default()
    }
}

/// A file with a host thread, a stream, a counter and an arrow.
pub fn sample() -> Vec<u8> {
    let mut power = event(1_500, 3, event_type::COUNTER);
    power.track_event.as_mut().unwrap().double_counter_value = Some(250.0);
    file(&[
        track(1, "main", false),
        track(2, "GPU Kernel Dispatch [0] Queue 1", false),
        track(3, "power", true),
        interned(),
        begin(1_000, 1, 1, &[77]),
        event(1_100, 1, event_type::END),
        // A file need not be in order of time.
        event(2_000, 2, event_type::END),
        begin(1_200, 2, 2, &[77]),
        power,
    ])
}

#[test]
fn slices_counters_and_arrows_are_read() {
    let capture = capture(opened(sample()).unwrap().0);
    let (call, kernel) = (
        capture.span(SpanId(0)).unwrap(),
        capture.span(SpanId(1)).unwrap(),
    );
    assert_eq!(capture.name(call.span.name), "hipLaunchKernel");
    assert_eq!((call.span.start, call.span.end), (Nanos(0), Nanos(100)));
    assert_eq!(capture.name(kernel.span.name), "saxpy");
    assert_eq!(kernel.span.kind, SpanKind::Kernel);
    assert_eq!(
        (kernel.span.start, kernel.span.end),
        (Nanos(200), Nanos(1_000))
    );
    let lane = capture.lane(kernel.span.lane).unwrap();
    assert_eq!(
        (lane.name.as_str(), lane.group),
        ("GPU Kernel Dispatch [0] Queue 1", Group::Streams)
    );
    let tie = capture.dependency(DependencyId(0)).unwrap();
    assert_eq!(
        (tie.cause, tie.effect, tie.basis),
        (SpanId(0), SpanId(1), Basis::Enforced)
    );
    let arguments: Vec<String> = capture
        .arguments(SpanId(1))
        .map(|it| format!("{it:?}"))
        .collect();
    assert_eq!(
        arguments,
        [
            "(\"grid.0\", Integer(8))",
            "(\"category\", Text(\"rocm_kernel_dispatch\"))"
        ]
    );
    let counter = &capture.counters()[0];
    assert_eq!(
        (counter.name.as_str(), counter.unit.as_str()),
        ("power", "W")
    );
    assert_eq!(capture.samples(counter.id).values(), [250.0]);
    assert!(capture.problems().is_empty(), "{:?}", capture.problems());
}

/// A track that nothing describes goes by its number, and what is of no track by what Perfetto calls that.
#[test]
fn tracks_that_nothing_describes_have_a_name() {
    let packets = [interned(), begin(10, 0, 1, &[]), begin(20, 7, 1, &[])];
    let capture = capture(opened(file(&packets)).unwrap().0);
    let names = capture.lanes().iter().map(|it| it.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["default track", "track 7"]);
}

#[test]
fn what_does_not_pair_is_kept_and_counted() {
    let packets = [
        interned(),
        event(10, 1, event_type::END),
        begin(20, 1, 1, &[]),
        begin(30, 1, 2, &[]),
        event(40, 1, event_type::END),
        event(50, 1, 99),
    ];
    let (records, receipt) = opened(file(&packets)).unwrap();
    let capture = capture(records);
    assert_eq!((capture.span_count(), capture.open().count()), (2, 0));
    assert_eq!(capture.lane(LaneId(0)).unwrap().name, "track 1");
    assert_eq!(receipt.repaired, 2);
    let codes: Vec<&str> = capture
        .problems()
        .iter()
        .map(|it| it.code.as_str())
        .collect();
    assert_eq!(codes, ["not-read", "no-begin", "no-end"]);
}

#[test]
fn an_event_without_a_time_is_left_out_and_told() {
    let mut untimed = begin(0, 1, 1, &[]);
    untimed.timestamp = None;
    let packets = [
        track(1, "main", false),
        interned(),
        untimed,
        begin(1_000, 1, 1, &[]),
        event(1_100, 1, event_type::END),
    ];
    let (records, receipt) = super::opened_in_part(file(&packets)).unwrap();
    let capture = capture(records);
    assert_eq!((capture.span_count(), receipt.dropped), (1, 1));
    let told = capture.problems().iter().find(|it| it.code == "no-time");
    assert!(told.is_some_and(|it| it.text.contains("1 event has no time")));
}

/// What follows is of the writer's clock, which counts from the packet before.
fn delta_clock() -> TracePacket {
    let clock = |id, timestamp| ClockReading {
        clock_id: Some(id),
        timestamp: Some(timestamp),
        ..ClockReading::default()
    };
    TracePacket {
        trusted_packet_sequence_id: Some(1),
        clock_snapshot: Some(ClockSnapshot {
            clocks: vec![
                clock(6, 1_000),
                ClockReading {
                    is_incremental: Some(true),
                    ..clock(64, 0)
                },
            ],
            primary_trace_clock: None,
        }),
        trace_packet_defaults: Some(TracePacketDefaults {
            timestamp_clock_id: Some(64),
            track_event_defaults: None,
        }),
        ..TracePacket::default()
    }
}

#[test]
fn every_packet_counts_for_the_clock_of_its_writer() {
    let mut described = track(1, "main", false);
    described.timestamp = Some(40);
    described.trusted_packet_sequence_id = Some(1);
    let packets = [
        interned(),
        delta_clock(),
        begin(10, 1, 1, &[]),
        described,
        event(7, 1, event_type::END),
    ];
    let capture = capture(opened(file(&packets)).unwrap().0);
    let span = capture.span(SpanId(0)).unwrap().span;
    assert_eq!((span.start, span.end), (Nanos(0), Nanos(47)));
}

#[test]
fn an_end_with_a_name_is_that_of_the_innermost_slice_of_this_name() {
    let named = |time, name: &str| {
        let mut packet = event(time, 1, event_type::END);
        packet.track_event.as_mut().unwrap().name = Some(name.to_owned());
        packet
    };
    let packets = [
        interned(),
        begin(0, 1, 1, &[]),
        begin(10, 1, 2, &[]),
        named(20, "neither"),
        named(30, "hipLaunchKernel"),
        event(40, 1, event_type::END),
    ];
    let (records, receipt) = opened(file(&packets)).unwrap();
    let capture = capture(records);
    let ends = |span| capture.span(SpanId(span)).unwrap().span.end;
    assert_eq!((ends(0), ends(1)), (Nanos(30), Nanos(40)));
    assert_eq!(receipt.repairs, [("ends without a begin".to_owned(), 1)]);
}

/// An end with categories is that of the innermost slice that has the same.
#[test]
fn an_end_of_another_category_ends_no_slice() {
    let of = |mut packet: TracePacket, category: &str| {
        let event = packet.track_event.as_mut().unwrap();
        event.category_iids.clear();
        event.categories = vec![category.to_owned()];
        packet
    };
    let end = |time| event(time, 1, event_type::END);
    let packets = [
        interned(),
        of(begin(0, 1, 1, &[]), "outer"),
        of(begin(10, 1, 1, &[]), "inner"),
        of(end(20), "other"),
        of(end(30), "outer"),
        end(40),
    ];
    let (records, receipt) = opened(file(&packets)).unwrap();
    let capture = capture(records);
    let ends = |span| capture.span(SpanId(span)).unwrap().span.end;
    assert_eq!((ends(0), ends(1)), (Nanos(30), Nanos(40)));
    assert_eq!(receipt.repairs, [("ends without a begin".to_owned(), 1)]);
}

#[test]
fn tracks_of_one_name_below_one_track_share_a_lane() {
    let below = |uuid, parent, name| {
        let mut packet = track(uuid, name, false);
        let descriptor = packet.track_descriptor.as_mut().unwrap();
        descriptor.parent_uuid = Some(parent);
        packet
    };
    let mut packets = vec![
        track(1, "one", false),
        track(2, "two", false),
        below(10, 1, "request"),
        below(11, 1, "request"),
        below(12, 2, "request"),
        interned(),
    ];
    for uuid in [10, 11, 12] {
        packets.push(begin(uuid, uuid, 1, &[]));
        packets.push(event(100 + uuid, uuid, event_type::END));
    }
    let capture = capture(opened(file(&packets)).unwrap().0);
    let lanes: Vec<u32> = capture.spans().map(|it| it.span.lane.0).collect();
    assert_eq!(capture.lanes().len(), 2);
    assert_eq!(lanes, [0, 0, 1]);
    // Those below another track say which.
    let names: Vec<&str> = capture.lanes().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["one · request", "two · request"]);
}

/// A track is a stream where its name says so and its slices are work, or where the name numbers it.
#[test]
fn a_word_in_a_name_alone_makes_no_stream() {
    let group = |name: &str, is_work: bool| {
        let mut work = begin(10, 1, 2, &[]);
        if !is_work {
            work.track_event.as_mut().unwrap().category_iids.clear();
        }
        let end = event(20, 1, event_type::END);
        let packets = [track(1, name, false), interned(), work, end];
        let capture = capture(opened(file(&packets)).unwrap().0);
        capture.lane(LaneId(0)).unwrap().group
    };
    assert_eq!(group("GPU work", true), Group::Streams);
    assert_eq!(group("GPU work", false), Group::Host);
    assert_eq!(group("Stream 7", false), Group::Host);
    assert_eq!(group("GPU 1 Queue 2", false), Group::Host);
    assert_eq!(group("Stream 7", true), Group::Streams);
    assert_eq!(group("main", true), Group::Host);
}

fn process(uuid: u64, name: &str) -> TracePacket {
    let mut packet = track(uuid, name, false);
    let described = packet.track_descriptor.as_mut().unwrap();
    described.process = Some(ProcessDescriptor {
        pid: Some(uuid as i32),
        process_name: described.name.take(),
    });
    packet
}

fn below(uuid: u64, name: &str, parent: u64) -> TracePacket {
    let mut packet = track(uuid, name, false);
    packet.track_descriptor.as_mut().unwrap().parent_uuid = Some(parent);
    packet
}

fn named(time: u64, uuid: Option<u64>, (name, category): (&str, &str)) -> [TracePacket; 2] {
    let mut packets = [(time, event_type::BEGIN), (time + 5, event_type::END)]
        .map(|(time, kind)| event(time, 0, kind));
    for packet in &mut packets {
        packet.track_event.as_mut().unwrap().track_uuid = uuid;
    }
    let begin = packets[0].track_event.as_mut().unwrap();
    begin.name = Some(name.to_owned());
    begin.categories = vec![category.to_owned()];
    packets
}

/// Lanes by name: whether each is a stream.
fn lanes(packets: &[TracePacket]) -> Vec<(String, bool)> {
    let capture = capture(opened(file(packets)).unwrap().0);
    let lanes = capture.lanes().iter();
    let lanes = lanes.map(|it| (it.name.clone(), it.group == Group::Streams));
    lanes.collect()
}

/// Programs call many things a stream or a queue, and number them.
#[test]
fn the_name_alone_makes_no_stream_of_a_track_of_a_program() {
    let mut packets = vec![process(1, "browser"), process(2, "GPU 1")];
    let tracks = [
        ("HTTP/2 stream 12", 1, "net", false),
        ("Stream 3", 1, "net", false),
        ("Queue 0", 1, "net", false),
        ("Queue 1", 1, "rocm_kernel_dispatch", true),
        ("Queue 2", 2, "work", true),
    ];
    for (uuid, (name, parent, category, _)) in (10..).zip(tracks) {
        packets.push(below(uuid, name, parent));
        packets.extend(named(uuid * 100, Some(uuid), ("work", category)));
    }
    let found = lanes(&packets);
    for (name, _, _, expected) in tracks {
        let lane = found.iter().find(|it| it.0.ends_with(name));
        assert_eq!(lane.map(|it| it.1), Some(expected), "{name}: {found:?}");
    }
}

#[test]
fn events_that_name_no_track_have_a_lane_that_says_so() {
    let found = lanes(&named(100, None, ("work", "host")));
    assert_eq!(found, [("events of no track".to_owned(), false)]);
}
