//! Which ranges are written around, within and beside windows.

use super::super::deferred_starts::{DeferredStarts, StartOutcome};
use super::super::event::NvtxEvents;
use super::*;
use crate::control::{CapturePurpose, SegmentLimits};

fn page(flips: &[u64]) -> (tempfile::TempDir, ControlPage) {
    let folder = tempfile::tempdir().unwrap();
    let limits = SegmentLimits::default();
    let page = ControlPage::create(folder.path(), CapturePurpose::Switched, limits).unwrap();
    for at in flips {
        assert!(page.flip(*at));
    }
    (folder, page)
}

fn event(step: NvtxStep, time: u64, domain: u32) -> NvtxEvent<'static> {
    NvtxEvent {
        step,
        time,
        domain,
        ..NvtxEvent::default()
    }
}

/// Steps and times of what is written of some events, and how many lie outside.
fn written(flips: &[u64], events: &[NvtxEvent<'_>]) -> (Vec<(NvtxStep, u64)>, u64) {
    let (_folder, page) = page(flips);
    let mut thread = ThreadEvents::new(Vec::new());
    let all = events.iter();
    let outside = all.map(|it| thread.note(it, &page, false)).sum();
    let read = NvtxEvents::new(&thread.bytes);
    (read.map(|it| (it.step, it.time)).collect(), outside)
}

#[test]
fn ranges_that_reach_into_a_window_are_written_and_others_are_not() {
    use NvtxStep::{Mark, Pop, Push};
    // Before, around, within, from within, and after a window from 10 to 20.
    let events = [
        event(Push, 1, 0),
        event(Push, 2, 0),
        event(Mark, 3, 0),
        event(Pop, 4, 0),
        event(Push, 12, 0),
        event(Pop, 13, 0),
        event(Push, 14, 5),
        event(Pop, 21, 5),
        event(Push, 22, 0),
        event(Pop, 23, 0),
        event(Pop, 24, 0),
    ];
    let (written, outside) = written(&[10, 20], &events);
    let wanted = [
        (Push, 1),
        (Push, 12),
        (Pop, 13),
        (Push, 14),
        (Pop, 21),
        (Pop, 24),
    ];
    assert_eq!((written.as_slice(), outside), (wanted.as_slice(), 3));
}

#[test]
fn a_range_around_a_window_in_which_its_thread_calls_nothing_is_written() {
    let events = [event(NvtxStep::Push, 1, 0), event(NvtxStep::Pop, 30, 0)];
    assert_eq!(written(&[10, 20], &events).0.len(), 2);
    assert_eq!(written(&[40], &events), (Vec::new(), 1));
}

#[test]
fn starts_are_written_where_their_ranges_reach_into_a_window() {
    let (_folder, page) = page(&[10, 20]);
    let mut starts = DeferredStarts::default();
    let mut note = |step, time, id| {
        let event = NvtxEvent {
            id,
            ..event(step, time, 0)
        };
        starts.note(&event, &page, (3, 1))
    };
    assert_eq!(note(NvtxStep::Start, 1, 1), StartOutcome::Deferred);
    assert_eq!(note(NvtxStep::End, 5, 1), StartOutcome::Outside);
    assert_eq!(note(NvtxStep::Start, 6, 2), StartOutcome::Deferred);
    let around = note(NvtxStep::End, 25, 2);
    assert!(matches!(around, StartOutcome::After(chunk) if chunk.thread == 3));
    assert_eq!(note(NvtxStep::Start, 11, 3), StartOutcome::Written);
    assert_eq!(note(NvtxStep::End, 26, 3), StartOutcome::Written);
    assert_eq!(note(NvtxStep::Start, 7, 4), StartOutcome::Deferred);
    assert_eq!(note(NvtxStep::Start, 30, 5), StartOutcome::Deferred);
    assert_eq!(starts.release(2).len(), 1, "one reaches into the window");
    assert_eq!(starts.release(2).len(), 0);
}
