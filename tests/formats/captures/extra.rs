//! Counters whose values events of other tracks carry along, against what Perfetto's trace processor (v52) makes of the file.

use engine::perfetto::proto::{
    CounterDescriptor, ProcessDescriptor, TracePacket, TrackDescriptor, TrackEvent, event_type,
};
use prost::Message as _;

use crate::house::root;

use super::{capture, opened};

/// Of each counter of `extra-counters.pftrace` the samples that `select ts, value from counter` gives there.
const EXPECTED: [(&str, &[(i64, f64)]); 4] = [
    // Another track of the event's own, then a default; its sums begin anew with new defaults and with a cleared state.
    (
        "cycles",
        &[(250, 100.0), (400, 11.0), (500, 23.0), (600, 2.0)],
    ),
    (
        "instructions",
        &[
            (0, 10.0),
            (100, 30.0),
            (200, 60.0),
            (300, 57.0),
            (600, 1.0),
            (700, 4.0),
            // Another writer has a sum of its own.
            (750, 100.0),
            (760, 5.0),
        ],
    ),
    ("load", &[(0, 0.5), (200, 0.25), (250, 0.75), (300, 0.125)]),
    ("memory", &[(0, 5_120.0), (200, 7_168.0)]),
];

#[test]
fn events_carry_values_of_other_counters() {
    let path = root().join("tests/data/captures/extra-counters.pftrace");
    let capture = capture(opened(std::fs::read(path).unwrap()).unwrap().0);
    let mut found: Vec<(String, Vec<(i64, f64)>)> = Vec::new();
    for counter in capture.counters() {
        let samples = capture.samples(counter.id);
        let times = samples.times().iter().map(|it| it.0);
        let pairs = times.zip(samples.values().iter().copied()).collect();
        found.push((counter.name.clone(), pairs));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = EXPECTED.map(|(name, samples)| (name.to_owned(), samples.to_vec()));
    assert_eq!(found, expected);
}

/// What Perfetto gives of the samples of `differences-told-late.pftrace`: it adds differences up in the order of the file.
#[test]
fn differences_add_up_in_the_order_in_which_they_were_told() {
    let path = root().join("tests/data/captures/differences-told-late.pftrace");
    let capture = capture(opened(std::fs::read(path).unwrap()).unwrap().0);
    let samples = capture.samples(capture.counters()[0].id);
    let times = samples.times().iter().map(|it| it.0);
    let found: Vec<(i64, f64)> = times.zip(samples.values().iter().copied()).collect();
    let expected = [
        (0, 10.0),
        (500, 1_100.0),
        (1_000, 115.0),
        (2_000, 15.0),
        (3_000, 116.0),
        (4_000, 1_116.0),
    ];
    assert_eq!(found, expected);
}

/// A packet with one event that has extra values, and nothing that says of which counters.
#[test]
fn values_of_no_counter_are_told() {
    // An instant of no track; two whole numbers, and a real one.
    let event = [
        &[9 << 3, 3, 12 << 3, 1, 12 << 3, 2][..],
        &[(46 << 3 | 1) as u8 | 0x80, 2],
        &1.5_f64.to_le_bytes(),
    ]
    .concat();
    let packet = [&[8 << 3, 5, 11 << 3 | 2, event.len() as u8][..], &event].concat();
    let file = [&[10, packet.len() as u8][..], &packet].concat();
    let (records, receipt) = opened(file).unwrap();
    let told = receipt.notes.join(" ");
    assert!(
        told.contains("3 values of extra counters are not read"),
        "{told}"
    );
    let capture = capture(records);
    assert_eq!((capture.span_count(), capture.counters().len()), (1, 0));
}

/// Two processes have a counter of one name, in either format.
#[test]
fn counters_of_one_name_say_their_process() {
    let json = r#"[{"ph":"C","pid":3,"ts":1,"name":"load","args":{"value":1}},
{"ph":"C","pid":4,"ts":1,"name":"load","args":{"value":2}},{"ph":"X","pid":3,"tid":1,"ts":1,"dur":1,"name":"a"}]"#;
    let mut packets = Vec::new();
    for pid in [3, 4] {
        let uuid = pid as u64;
        packets.push(TracePacket {
            track_descriptor: Some(TrackDescriptor {
                uuid: Some(uuid),
                process: Some(ProcessDescriptor {
                    pid: Some(pid),
                    ..ProcessDescriptor::default()
                }),
                ..TrackDescriptor::default()
            }),
            ..TracePacket::default()
        });
        packets.push(TracePacket {
            track_descriptor: Some(TrackDescriptor {
                uuid: Some(uuid + 10),
                parent_uuid: Some(uuid),
                name: Some("load".to_owned()),
                counter: Some(CounterDescriptor::default()),
                ..TrackDescriptor::default()
            }),
            ..TracePacket::default()
        });
        packets.push(TracePacket {
            timestamp: Some(5),
            track_event: Some(TrackEvent {
                r#type: Some(event_type::COUNTER),
                track_uuid: Some(uuid + 10),
                counter_value: Some(1),
                ..TrackEvent::default()
            }),
            ..TracePacket::default()
        });
    }
    let mut bytes = Vec::new();
    for packet in &packets {
        bytes.push(10);
        packet.encode_length_delimited(&mut bytes).unwrap();
    }
    for file in [json.as_bytes().to_vec(), bytes] {
        let capture = capture(opened(file).unwrap().0);
        let names = capture.counters().iter().map(|it| it.name.as_str());
        let names: Vec<&str> = names.collect();
        assert_eq!(names, ["load (process 3)", "load (process 4)"]);
    }
}
