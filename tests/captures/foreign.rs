//! Files of other tools, made here message by message.

use engine::perfetto::proto::{
    AnnotationValue, CLEARED, CounterDescriptor, DebugAnnotation, InternedData, InternedName,
    TracePacket, TrackDescriptor, TrackEvent, event_type,
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
    assert_eq!((capture.span_count(), capture.open().count()), (1, 1));
    assert_eq!(capture.lane(LaneId(0)).unwrap().name, "track 1");
    assert_eq!(receipt.repaired, 2);
    let codes: Vec<&str> = capture
        .problems()
        .iter()
        .map(|it| it.code.as_str())
        .collect();
    assert_eq!(codes, ["not-read", "no-begin", "no-end"]);
}
