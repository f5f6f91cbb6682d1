//! What a file holds, packet by packet.

use prost::Message as _;

use super::*;
use crate::perfetto::proto::{TracePacket, TrackDescriptor};
use record::{
    Basis, CallId, Dependency, DependencyKind, Group, Lane, LaneId, Role, Span, SpanKind, State,
};

#[derive(Clone, PartialEq, prost::Message)]
struct PacketFile {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

fn write(records: &[Record]) -> Vec<TracePacket> {
    let mut bytes = Vec::new();
    let mut writer = PftraceWriter::new(&mut bytes);
    for record in records {
        writer.write(record).unwrap();
    }
    writer.flush().unwrap();
    PacketFile::decode(bytes.as_slice()).unwrap().packet
}

fn lane(id: u32) -> Record {
    Record::Lane(Box::new(Lane {
        id: LaneId(id),
        group: Group::Streams,
        device: None,
        role: Role::Compute,
        name: "compute".to_owned(),
        order: 0,
        process: "".into(),
        thread: "".into(),
    }))
}

fn span(id: u32, kind: SpanKind, start: i64, end: i64) -> Record {
    Record::Span(Span {
        id: SpanId(id),
        lane: LaneId(0),
        name: NameId(0),
        call: CallId::NONE,
        kind,
        state: State::Done,
        enqueued: Nanos(start),
        start: Nanos(start),
        end: Nanos(end),
    })
}

fn tie(cause: u32, effect: u32) -> Record {
    Record::Dependency(Dependency::new(
        SpanId(cause),
        SpanId(effect),
        DependencyKind::Event,
        Basis::Enforced,
    ))
}

/// Begins and ends on lanes, with their track and the arrows that start and end there.
fn slices(packets: &[TracePacket]) -> Vec<(i32, Track, Vec<u64>, Vec<u64>)> {
    let events = packets
        .iter()
        .filter_map(|packet| packet.track_event.as_ref());
    events
        .filter_map(|event| {
            let track = Track::from_uuid(event.track_uuid?)?;
            let slice = matches!(track, Track::Lane(..));
            let (out, into) = (event.flow_ids.clone(), event.terminating_flow_ids.clone());
            slice.then(|| (event.r#type(), track, out, into))
        })
        .collect()
}

#[test]
fn an_arrow_arrives_at_the_end_of_what_blocks() {
    let packets = write(&[
        lane(0),
        tie(0, 1),
        span(1, SpanKind::EventWait, 0, 9),
        span(0, SpanKind::EventRecord, 9, 9),
        span(2, SpanKind::Kernel, 9, 12),
        tie(1, 2),
    ]);
    let row = Track::Lane(LaneId(0), 0);
    let (begin, end, mark) = (event_type::BEGIN, event_type::END, event_type::INSTANT);
    assert_eq!(
        slices(&packets),
        [
            // The record is written behind the wait that it ends in the same instant, and arrows go forwards in the file.
            (mark, row, vec![1], vec![]),
            (begin, row, vec![2], vec![]),
            (mark, row, vec![], vec![1]),
            (end, row, vec![], vec![]),
            (begin, row, vec![], vec![]),
            (end, row, vec![], vec![]),
            (begin, row, vec![], vec![2]),
            (end, row, vec![], vec![]),
        ]
    );
    let list = packets
        .iter()
        .filter_map(|packet| packet.track_event.as_ref());
    let listed = list.filter(|event| event.track_uuid == Some(Track::Dependencies.uuid()));
    assert_eq!(listed.count(), 2);
}

#[test]
fn an_arrow_between_spans_that_are_written_apart_joins_two_marks() {
    let mut bytes = Vec::new();
    let mut writer = PftraceWriter::new(&mut bytes);
    for record in [lane(0), tie(0, 1), span(0, SpanKind::Call, 0, 9)] {
        writer.write(&record).unwrap();
    }
    writer.flush().unwrap();
    writer.write(&span(1, SpanKind::Kernel, 5, 20)).unwrap();
    writer.flush().unwrap();
    drop(writer);
    let packets = PacketFile::decode(bytes.as_slice()).unwrap().packet;
    let (row, mark) = (|row| Track::Lane(LaneId(0), row), event_type::INSTANT);
    let found = slices(&packets).split_off(4);
    assert_eq!(
        found,
        [
            (mark, row(0), vec![1], vec![]),
            (mark, row(1), vec![], vec![1])
        ]
    );
}

#[test]
fn no_two_dependencies_are_listed_in_one_instant() {
    let mut records = vec![lane(0)];
    records.extend((0..9).map(|it| tie(it, it + 1)));
    records.extend((0..10).map(|it| span(it, SpanKind::Kernel, 7, 7)));
    let packets = write(&records);
    let listed = packets.iter().filter(|it| {
        let event = it.track_event.as_ref();
        event.is_some_and(|it| it.track_uuid == Some(Track::Dependencies.uuid()))
    });
    let times: HashSet<u64> = listed.map(TracePacket::timestamp).collect();
    assert_eq!(times.len(), 9);
}

#[test]
fn what_overlaps_goes_to_a_row_that_shares_the_lane() {
    let packets = write(&[
        lane(0),
        span(0, SpanKind::Kernel, 0, 10),
        span(1, SpanKind::Kernel, 5, 15),
    ]);
    let tracks: Vec<Track> = slices(&packets).iter().map(|slice| slice.1).collect();
    assert_eq!(tracks[0], Track::Lane(LaneId(0), 0));
    assert_eq!(tracks[2], Track::Lane(LaneId(0), 1));
    let described = packets
        .iter()
        .filter_map(|packet| packet.track_descriptor.as_ref());
    let rows: Vec<_> = described
        .filter(|track| track.sibling_merge_key_int == Some(0))
        .map(TrackDescriptor::uuid)
        .collect();
    assert_eq!(rows, [tracks[0].uuid(), tracks[2].uuid()]);
}

#[test]
fn what_still_runs_is_written_at_a_flush_and_not_before() {
    let began = SpanStart {
        id: SpanId(0),
        lane: LaneId(0),
        name: NameId(0),
        kind: SpanKind::Kernel,
        enqueued: Nanos(0),
        start: Nanos(1),
    };
    let facts = |records: &[Record]| {
        let named = |packet: &TracePacket| {
            let event = packet.track_event.as_ref();
            event.is_some_and(|event| event.name() == "Began")
        };
        write(records).iter().filter(|packet| named(packet)).count()
    };
    assert_eq!(facts(&[Record::Began(began)]), 1);
    assert_eq!(
        facts(&[Record::Began(began), span(0, SpanKind::Kernel, 1, 2)]),
        0
    );
}
