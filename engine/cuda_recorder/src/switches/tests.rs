//! Bytes as the kernel writes them.

use super::switch_records::SwitchRecords;
use super::*;

/// The flags of a thread that gets a core, that leaves it to wait, and that is preempted.
const IN: u16 = 0;
const OUT: u16 = 1 << 13;
const PREEMPTED: u16 = OUT | 1 << 14;

/// A record of a switch.
fn switch(flags: u16, time: u64, core: u32) -> Vec<u8> {
    let mut bytes = 14_u32.to_ne_bytes().to_vec();
    bytes.extend(flags.to_ne_bytes());
    bytes.extend(24_u16.to_ne_bytes());
    bytes.extend(time.to_ne_bytes());
    bytes.extend(u64::from(core).to_ne_bytes());
    bytes
}

/// A record of a sort, with so many numbers between its head and its end.
fn other(sort: u32, numbers: &[u64]) -> Vec<u8> {
    let mut bytes = sort.to_ne_bytes().to_vec();
    bytes.extend(0_u16.to_ne_bytes());
    let length = 24 + 8 * numbers.len() as u16;
    bytes.extend(length.to_ne_bytes());
    bytes.extend(numbers.iter().flat_map(|it| it.to_ne_bytes()));
    bytes.extend([0; 16]);
    bytes
}

/// Start, end, state and core.
type ToldState = (u64, u64, &'static str, Option<u32>);

fn told(bytes: &[u8], start: (u64, Option<SwitchState>), end: u64) -> (Vec<ToldState>, u64) {
    let mut timeline = SwitchTimeline::new(start.0, start.1);
    let records = SwitchRecords::new(bytes);
    let mut all: Vec<SwitchInterval> = records.filter_map(|it| timeline.take(it)).collect();
    all.extend(timeline.end(end));
    let told = all.iter().map(|it| match it.state {
        SwitchState::Running(core) => (it.start, it.end, "running", core),
        SwitchState::Runnable => (it.start, it.end, "runnable", None),
        SwitchState::OffCpu => (it.start, it.end, "off-cpu", None),
    });
    (told.collect(), timeline.lost)
}

/// Of a thread that runs on core 5 at an instant.
fn states(bytes: &[u8], start: u64, end: u64) -> (Vec<ToldState>, u64) {
    told(bytes, (start, Some(SwitchState::Running(Some(5)))), end)
}

#[test]
fn switches_become_states() {
    let bytes = [
        switch(OUT, 1_010, 5),
        switch(IN, 1_050, 2),
        // Something else that the kernel tells, which has no part in this.
        other(5, &[1, 2, 3]),
        switch(PREEMPTED, 1_070, 2),
        switch(IN, 1_075, 3),
    ];
    let expected = vec![
        (1_000, 1_010, "running", Some(5)),
        (1_010, 1_050, "off-cpu", None),
        (1_050, 1_070, "running", Some(2)),
        (1_070, 1_075, "runnable", None),
        (1_075, 1_100, "running", Some(3)),
    ];
    let bytes = bytes.concat();
    assert_eq!(states(&bytes, 1_000, 1_100), (expected.clone(), 0));
    // Of another thread it is not known what it is before its first switch.
    let later = expected[1..].to_vec();
    assert_eq!(told(&bytes, (1_000, None), 1_100), (later, 0));
}

#[test]
fn what_was_told_before_the_start_is_no_state() {
    let bytes = [
        switch(PREEMPTED, 940, 1),
        switch(IN, 980, 5),
        switch(OUT, 1_010, 5),
    ];
    let expected = vec![
        (1_000, 1_010, "running", Some(5)),
        (1_010, 1_030, "off-cpu", None),
    ];
    assert_eq!(states(&bytes.concat(), 1_000, 1_030), (expected, 0));
}

#[test]
fn states_follow_each_other_where_the_clock_goes_back() {
    let bytes = [switch(OUT, 10, 5), switch(IN, 20, 1), switch(OUT, 18, 1)];
    let expected = vec![
        (0, 10, "running", Some(5)),
        (10, 20, "off-cpu", None),
        (20, 20, "running", Some(1)),
        (20, 30, "off-cpu", None),
    ];
    assert_eq!(states(&bytes.concat(), 0, 30), (expected, 0));
}

#[test]
fn what_had_no_room_is_a_hole() {
    let bytes = [
        switch(OUT, 10, 0),
        other(2, &[7, 40]),
        switch(PREEMPTED, 60, 0),
        switch(IN, 90, 1),
    ];
    let expected = vec![
        (0, 10, "running", Some(5)),
        (60, 90, "runnable", None),
        (90, 95, "running", Some(1)),
    ];
    assert_eq!(states(&bytes.concat(), 0, 95), (expected, 40));
}

#[test]
fn bytes_that_are_cut_end_the_reading() {
    let bytes = [switch(OUT, 10, 0), switch(IN, 20, 0)].concat();
    let of_one = states(&bytes[..24], 0, 30);
    assert_eq!(of_one.0.len(), 2);
    for cut in 24..48 {
        assert_eq!(states(&bytes[..cut], 0, 30), of_one, "{cut}");
    }
}
