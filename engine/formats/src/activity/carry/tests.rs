//! What stays of segments that go.

use super::*;
use cuda_recorder::{CuptiDevice, CuptiLocation};

fn event(step: NvtxStep, time: u64, id: u64) -> NvtxEvent<'static> {
    NvtxEvent {
        step,
        time,
        id,
        ..NvtxEvent::default()
    }
}

fn chunk(ordinal: u32, events: &[NvtxEvent<'_>]) -> Fact {
    let mut bytes = Vec::new();
    for event in events {
        event.encode(&mut bytes);
    }
    Fact::Nvtx(NvtxChunk {
        thread: 100 + ordinal,
        ordinal,
        events: bytes,
    })
}

/// Steps and times of the events that are carried, in their order.
fn carried(carry: &ActivityCarry) -> Vec<(NvtxStep, u64)> {
    let facts = carry.facts().into_iter();
    let chunks = facts.filter_map(|it| match it {
        Fact::Nvtx(chunk) => Some(chunk.events),
        _ => None,
    });
    let read = |bytes: Vec<u8>| -> Vec<_> {
        NvtxEvents::new(&bytes)
            .map(|it| (it.step, it.time))
            .collect()
    };
    chunks.flat_map(read).collect()
}

#[test]
fn what_is_open_when_a_segment_goes_stays_begun() {
    use NvtxStep::{End, Mark, Pop, Push, Start, ThreadEnd};
    let mut carry = ActivityCarry::default();
    let first = [
        event(Push, 1, 0),
        event(Push, 2, 0),
        event(Pop, 3, 0),
        event(Push, 4, 0),
        event(Start, 5, 1),
        event(Start, 6, 2),
        event(Mark, 7, 0),
    ];
    carry.take(chunk(0, &first));
    carry.take(chunk(1, &[event(Push, 8, 0), event(End, 9, 2)]));
    // One end is there before its start.
    carry.take(chunk(1, &[event(End, 10, 3), event(ThreadEnd, 11, 0)]));
    assert_eq!(
        carried(&carry),
        [(Push, 1), (Push, 4), (Start, 5), (End, 10)]
    );
    assert_eq!(carry.outside(), 4);
    carry.take(chunk(0, &[event(Start, 9, 3), event(Pop, 12, 0)]));
    assert_eq!(carried(&carry), [(Push, 1), (Start, 5)]);
    assert_eq!(carry.outside(), 6);
}

#[test]
fn devices_and_what_is_allocated_stay() {
    let step = |step, at, bytes| {
        CuptiRecord::Memory(CuptiMemory {
            step,
            at,
            address: 0,
            bytes,
            place: CuptiLocation::default(),
            is_async: false,
            correlation: 7,
        })
    };
    let mut carry = ActivityCarry::default();
    carry.take(Fact::Records(vec![
        CuptiRecord::Device(CuptiDevice {
            device: 0,
            name: String::new(),
            capability: [9, 0],
            memory: 0,
            processors: 1,
        }),
        step(MemoryStep::Allocate, 10, 100),
        step(MemoryStep::Allocate, 30, 50),
        step(MemoryStep::Free, 20, 100),
    ]));
    let [Fact::Records(records)] = &carry.facts()[..] else {
        panic!("records alone: {:?}", carry.facts())
    };
    let [CuptiRecord::Device(_), CuptiRecord::Memory(left)] = &records[..] else {
        panic!("{records:?}")
    };
    assert_eq!((left.bytes, left.at), (50, 30));
}
