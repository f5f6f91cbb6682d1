//! Which segments a ring lets go, and what it says of that.

use cuda_recorder::{ListeningCounts, SegmentWriter};

use super::*;

/// A ring, and a writer of segments of one fact each.
fn ring(folder: &Path, nanos: u64, bytes: u64) -> (FactRing, SegmentWriter) {
    let limits = SegmentLimits {
        bytes: 1,
        ..SegmentLimits::default()
    };
    let writer = SegmentWriter::create(folder, 7, limits, 0).unwrap();
    let mut ring = FactRing::new(folder, RingLimit { nanos, bytes });
    ring.add(SegmentName {
        stem: "7-0".to_owned(),
        number: 0,
    });
    (ring, writer)
}

/// The texts of what is in a ring, with the fronts of its segments.
fn texts(ring: &mut FactRing) -> Vec<String> {
    let mut texts = Vec::new();
    ring.read(true, &mut |_, fact| {
        if let Fact::Silent(text) = fact {
            texts.push(text);
        }
    });
    texts
}

fn write(writer: &mut SegmentWriter, at: u64) {
    writer.append(&Fact::Silent(at.to_string())).unwrap();
    writer.begin_next(&Fact::Silent(format!("{at}-")), at);
}

#[test]
fn a_process_waits_for_room_at_twice_the_ring_and_not_before() {
    for bytes in [RingLimit::SMALLEST, 20 << 20, 1 << 30, 4 << 30] {
        let limits = segments_of(RingLimit {
            nanos: 10_000_000_000,
            bytes,
        });
        let room = limits.bytes * u64::from(limits.count);
        assert!((bytes..=2 * bytes).contains(&room), "{bytes}: {room}");
    }
}

#[test]
fn segments_go_when_they_ended_before_the_stretch() {
    let folder = tempfile::tempdir().unwrap();
    let (mut ring, mut writer) = ring(folder.path(), 25, 1 << 20);
    for at in [10, 20, 30, 40] {
        write(&mut writer, at);
        ring.trim(at, &|_| u32::MAX);
    }
    // From 15 on: what ended at 10 is gone.
    assert_eq!(
        texts(&mut ring),
        ["10-", "20", "20-", "30", "30-", "40", "40-"]
    );
    assert_eq!(ring.excess(40), None);
    // Whoever looks on has yet to read them.
    ring.trim(1000, &|_| 2);
    assert_eq!(texts(&mut ring).first().unwrap(), "20-");
    ring.trim(1000, &|_| u32::MAX);
    assert_eq!(texts(&mut ring), ["40-"]);
}

#[test]
fn what_a_program_did_last_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let (mut ring, mut writer) = ring(folder.path(), 25, 1 << 20);
    assert_eq!((ring.newest(), ring.latest()), (None, None));
    let counts = |at| {
        Fact::Counts(ListeningCounts {
            at,
            ..ListeningCounts::default()
        })
    };
    for at in [10, 20, 30] {
        writer.append(&counts(at + 5)).unwrap();
        write(&mut writer, at);
    }
    assert_eq!((ring.latest(), ring.newest()), (Some(35), Some(30)));
    writer.append(&counts(38)).unwrap();
    assert_eq!(ring.latest(), Some(38));
}

#[test]
fn the_oldest_go_where_there_is_no_room_and_that_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (mut ring, mut writer) = ring(folder.path(), 1000, 300);
    for at in (10..=100).step_by(10) {
        write(&mut writer, at);
        ring.trim(at, &|_| u32::MAX);
    }
    let left = std::fs::read_dir(folder.path()).unwrap().flatten();
    let left: u64 = left.map(|it| it.metadata().unwrap().len()).sum();
    assert!(left <= 300, "{left}");
    let excess = ring.excess(100).unwrap();
    let held = excess.held.unwrap();
    assert!(held <= 40 && excess.wanted > 300, "{excess:?}");
    // Of a stretch that begins later nothing is missing.
    assert_eq!(ring.excess(10_000), None);
}

#[test]
fn a_segment_that_is_larger_than_the_ring_is_kept_whole_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let (mut ring, mut writer) = ring(folder.path(), 1000, 100);
    let long = "x".repeat(5000);
    writer.append(&Fact::Silent(long.clone())).unwrap();
    ring.trim(5, &|_| u32::MAX);
    assert_eq!(texts(&mut ring), [long]);
    let excess = ring.excess(5).unwrap();
    assert!(excess.held.is_none() && excess.wanted > 5000, "{excess:?}");
}

#[test]
fn a_copy_has_what_the_ring_lets_go_and_what_comes_until_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (mut ring, mut writer) = ring(folder.path(), 1000, 1);
    for at in [10, 20] {
        write(&mut writer, at);
    }
    let mut copy = RingCopy::of(&mut ring).unwrap();
    for at in [30, 40] {
        write(&mut writer, at);
        copy.follow(&mut ring).unwrap();
        ring.trim(at, &|_| u32::MAX);
    }
    assert_eq!(texts(&mut ring).len(), 1, "the last is open still");
    write(&mut writer, 50);
    let told = texts(copy.ring());
    for at in [10, 20, 30, 40] {
        assert!(told.contains(&at.to_string()), "{at}: {told:?}");
    }
    assert_eq!(
        copy.ring().excess(40),
        None,
        "nothing had gone when it was made"
    );
}
