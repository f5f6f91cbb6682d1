//! Threads that submitted late because of the system's scheduler.

use super::*;
use record::{ThreadInterval, ThreadSchedule, ThreadState};

/// States of the thread, one after the other: how long each takes, and what woke it.
fn schedule(small: &mut SmallCapture, states: &[(i64, ThreadState, NameId)]) {
    let mut at = 0;
    let intervals = states.iter().map(|&(length, state, waker)| {
        let start = at;
        at += length;
        ThreadInterval {
            interval: Interval::new(Nanos(start), Nanos(at)),
            state,
            core: None,
            waker,
        }
    });
    let intervals = intervals.collect();
    let lane = LaneId(THREAD);
    small
        .records
        .push(Record::Schedule(Box::new(ThreadSchedule {
            lane,
            intervals,
        })));
}

/// Two kernels on a stream, the second submitted 2 ms after the first was complete.
fn late() -> (SmallCapture, u32) {
    let mut small = SmallCapture::new();
    small.launched(LEFT, 0, [5_000, 100_000]);
    let late = small.launched(LEFT, 2_100_000, [2_105_000, 2_200_000]);
    (small, late)
}

fn said(small: SmallCapture, span: u32) -> String {
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let pieces = causes.read(&capture).sentence(SpanId(span)).unwrap();
    let words = pieces.iter().map(|it| match it {
        crate::SentencePiece::Time(time) => time.to_string(),
        crate::SentencePiece::Text(text) => text.clone(),
        _ => "…".to_owned(),
    });
    words.collect()
}

const NOBODY: NameId = NameId::NONE;

#[test]
fn a_thread_without_a_core_submits_late() {
    let (mut small, span) = late();
    let states = [
        (150_000, ThreadState::Running, NOBODY),
        (1_800_000, ThreadState::Runnable, NOBODY),
        (400_000, ThreadState::Running, NOBODY),
    ];
    schedule(&mut small, &states);
    let said = said(small, span);
    let late = "submitted late because its thread had no core for 1 800 000 ns of the 2 000 000 ns in which its stream";
    assert!(said.contains(late), "{said}");
}

#[test]
fn a_blocked_thread_was_woken_by_another() {
    let (mut small, span) = late();
    small
        .records
        .push(Record::Name(NameId(90), "loader 71".into()));
    let states = [
        (200_000, ThreadState::Running, NOBODY),
        (900_000, ThreadState::Blocked, NOBODY),
        (300_000, ThreadState::Runnable, NameId(90)),
        (900_000, ThreadState::Running, NOBODY),
    ];
    schedule(&mut small, &states);
    let said = said(small, span);
    let late = "had no core for 300 000 ns and was blocked for 900 000 ns, until loader 71 woke it, of the";
    assert!(said.contains(late), "{said}");
}

#[test]
fn a_thread_that_ran_is_not_blamed() {
    let (mut small, span) = late();
    let states = [
        (1_000_000, ThreadState::Running, NOBODY),
        (150_000, ThreadState::Runnable, NOBODY),
        (950_000, ThreadState::Running, NOBODY),
    ];
    schedule(&mut small, &states);
    let of_little = said(small, span);
    assert!(!of_little.contains("submitted late"), "{of_little}");
    let (unknown, span) = late();
    let of_nothing = said(unknown, span);
    assert!(!of_nothing.contains("submitted late"), "{of_nothing}");
}

/// What a call waits for is told as that, and not as what the scheduler did.
#[test]
fn a_call_that_is_known_to_wait_is_no_blocked_thread() {
    let mut small = SmallCapture::new();
    let first = small.launched(LEFT, 0, [5_000, 100_000]);
    let other = small.launched(RIGHT, 1_000, [6_000, 1_900_000]);
    let wait = small.span(THREAD, SpanKind::Synchronize, [110_000, 1_950_000]);
    small.tie(
        other,
        wait,
        DependencyKind::Synchronization,
        Basis::Enforced,
    );
    let late = small.launched(LEFT, 2_100_000, [2_105_000, 2_200_000]);
    assert!(first < late);
    let states = [
        (120_000, ThreadState::Running, NOBODY),
        (1_790_000, ThreadState::Blocked, NOBODY),
        (35_000, ThreadState::Runnable, NOBODY),
        (400_000, ThreadState::Running, NOBODY),
    ];
    schedule(&mut small, &states);
    let capture = small.capture();
    let causes = Causes::build(&capture);
    let reader = causes.read(&capture);
    assert_eq!(reader.late_submission(SpanId(late)), None);
    // But that it got no core once it was woken is told of the call.
    let pieces = format!("{:?}", reader.sentence(SpanId(wait)).unwrap());
    assert!(
        pieces.contains("of that its thread had no core for"),
        "{pieces}"
    );
}
