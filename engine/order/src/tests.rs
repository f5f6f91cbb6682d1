//! Orders that come to pass later, the legacy stream among those that stand, and devices that are opened anew.

use super::*;
use record::{BufferIndex, EventIndex, SignalIndex, SpanId};

const A: StreamIndex = StreamIndex(0);
const B: StreamIndex = StreamIndex(1);
const C: StreamIndex = StreamIndex(2);
const E: EventIndex = EventIndex(0);
const GO: SignalIndex = SignalIndex(0);

/// Calls of host 0 in order, each a site of its own; uses are of one buffer.
fn found(acts: Vec<(u32, SyncOp)>) -> (Vec<(&'static str, u32, u32)>, Order) {
    let mut order = Order::of_hosts(2);
    let write = [DeclaredUse::write(BufferIndex(0))];
    for (site, (host, act)) in acts.into_iter().enumerate() {
        let origin = CallOrigin {
            site: site as u32,
            span: SpanId::NONE,
        };
        let uses: &[DeclaredUse] = if matches!(act, SyncOp::Work(_)) {
            &write
        } else {
            &[]
        };
        order.take(&HostOp { host, origin, act }, uses);
    }
    let hazards = order.hazards().into_iter();
    let hazards = hazards.map(|it| (it.kind.label(), it.first.origin.site, it.second.origin.site));
    (hazards.collect(), order)
}

fn of_one(acts: Vec<SyncOp>) -> Vec<(&'static str, u32, u32)> {
    found(acts.into_iter().map(|act| (0, act)).collect()).0
}

#[test]
fn what_stands_behind_a_signal_is_compared_once_it_is_raised() {
    let acts = vec![
        (0, SyncOp::Hold(GO, B)),
        (0, SyncOp::Work(B)),
        (0, SyncOp::Record(E, B)),
        (0, SyncOp::Wait(E, C)),
        (0, SyncOp::Work(C)),
        (1, SyncOp::Work(A)),
        (1, SyncOp::Begin(HostWaitTarget::Stream(A), 7)),
        (1, SyncOp::End(7)),
    ];
    let (hazards, order) = found(acts.clone());
    assert!(hazards.is_empty());
    // What was called after something that stands is compared when that was.
    assert_eq!((order.operations(), order.standing()), (0, 6));
    let (hazards, order) = found([acts, vec![(1, SyncOp::Raise(GO))]].concat());
    assert_eq!(hazards, [], "the host waited before it raised the signal");
    assert_eq!((order.operations(), order.standing()), (3, 0));
}

#[test]
fn a_signal_that_is_raised_too_early_orders_nothing_after_it() {
    let acts = vec![
        SyncOp::Hold(GO, B),
        SyncOp::Work(B),
        SyncOp::Raise(GO),
        SyncOp::Work(A),
    ];
    assert_eq!(of_one(acts), [("WAW", 1, 3)]);
}

#[test]
fn a_wait_keeps_to_its_record_even_while_that_stands() {
    let acts = vec![
        SyncOp::Hold(GO, A),
        SyncOp::Work(A),
        SyncOp::Record(E, A),
        SyncOp::Wait(E, B),
        SyncOp::Record(E, C),
        SyncOp::Work(B),
        SyncOp::Raise(GO),
    ];
    assert_eq!(of_one(acts), []);
}

#[test]
fn a_synchronisation_is_for_what_was_submitted_when_it_began() {
    let acts = vec![
        (0, SyncOp::Begin(HostWaitTarget::Stream(A), 0)),
        (1, SyncOp::Work(A)),
        (0, SyncOp::End(0)),
        (0, SyncOp::Work(B)),
    ];
    assert_eq!(found(acts).0, [("WAW", 1, 3)]);
    let acts = vec![
        (0, SyncOp::Begin(HostWaitTarget::Device(0), 0)),
        (1, SyncOp::Work(A)),
        (0, SyncOp::End(0)),
        (0, SyncOp::Work(B)),
    ];
    assert_eq!(found(acts).0, [("WAW", 1, 3)]);
}

#[test]
fn the_legacy_stream_stands_with_those_it_waits_for() {
    let blocking = StreamOrderTraits {
        is_blocking: true,
        ..StreamOrderTraits::default()
    };
    let legacy = StreamOrderTraits {
        is_legacy: true,
        ..StreamOrderTraits::default()
    };
    let acts = vec![
        SyncOp::Create(A, blocking),
        SyncOp::Create(B, legacy),
        SyncOp::Create(C, blocking),
        SyncOp::Hold(GO, A),
        SyncOp::Work(A),
        SyncOp::Work(B),
        SyncOp::Work(C),
        SyncOp::Raise(GO),
    ];
    let acts: Vec<_> = acts.into_iter().map(|act| (0, act)).collect();
    let (hazards, order) = found(acts.clone());
    assert_eq!(hazards, []);
    assert_eq!((order.operations(), order.standing()), (3, 0));
    let early = acts.get(..7).unwrap().to_vec();
    assert_eq!(found(early).1.operations(), 0, "all three stand");
}

/// What was made anew before the first call is of the host threads that begin again, the legacy stream among it.
#[test]
fn a_replay_knows_what_hosts_tell_each_other_about_the_legacy_stream() {
    let legacy = StreamOrderTraits {
        is_legacy: true,
        ..StreamOrderTraits::default()
    };
    let attempt = [
        (0, SyncOp::Work(A)),
        (0, SyncOp::Raise(GO)),
        (1, SyncOp::Begin(HostWaitTarget::Signal(GO), 7)),
        (1, SyncOp::End(7)),
        (1, SyncOp::Work(A)),
    ];
    let anew = [
        (0, SyncOp::Restart),
        (0, SyncOp::Create(A, legacy)),
        (0, SyncOp::Lower),
    ];
    let acts = [
        &[(0, SyncOp::Create(A, legacy))][..],
        &attempt,
        &anew,
        &attempt,
    ]
    .concat();
    assert_eq!(found(acts).0, []);
    // And it is told where they tell each other nothing.
    let silent: Vec<_> = attempt
        .iter()
        .filter(|(_, act)| matches!(act, SyncOp::Work(_)))
        .cloned()
        .collect();
    let acts = [&anew[1..2], &silent, &anew, &silent].concat();
    assert_eq!(found(acts).0.len(), 2);
}

#[test]
fn a_device_that_is_opened_anew_has_no_past() {
    let acts = vec![SyncOp::Work(A), SyncOp::Restart, SyncOp::Work(B)];
    assert_eq!(of_one(acts), []);
    let acts = vec![
        SyncOp::Raise(GO),
        SyncOp::Restart,
        SyncOp::Hold(GO, A),
        SyncOp::Work(A),
        SyncOp::Work(B),
    ];
    assert_eq!(of_one(acts), [("WAW", 3, 4)], "the signal is still raised");
}

#[test]
fn a_wait_for_another_host_thread_goes_on_while_the_device_is_opened_anew() {
    let used = || SyncOp::Use(SharedResource::Stream(A), ResourceAccess::Changes);
    let wait = SyncOp::Begin(HostWaitTarget::Signal(GO), 7);
    let meets = |acts: Vec<(u32, SyncOp)>| {
        let (_, mut order) = found(acts);
        !order.meetings().is_empty()
    };
    let (begins, restart) = ((1, wait), (0, SyncOp::Restart));
    let after = [
        (0, used()),
        (0, SyncOp::Raise(GO)),
        (1, SyncOp::End(7)),
        (1, used()),
    ];
    // It begins before, and what it waits for is called after.
    let around = [begins.clone(), restart.clone()].into_iter();
    assert!(!meets(around.chain(after.clone()).collect()));
    let before = [begins.clone()].into_iter();
    assert!(!meets(before.chain(after.clone()).collect()));
    // Without the signal the two meet.
    let without = [begins, restart].into_iter().chain(after);
    let without = without.filter(|it| !matches!(it.1, SyncOp::Raise(_)));
    assert!(meets(without.collect()));
}

#[test]
fn a_log_hands_on_each_call_with_its_uses() {
    let log = CallLog::default();
    let uses = [
        DeclaredUse::read(BufferIndex(1)),
        DeclaredUse::write(BufferIndex(2)),
    ];
    log.push(0, CallOrigin::default(), SyncOp::Work(A), &uses);
    log.push(3, CallOrigin::default(), SyncOp::Touch, &[]);
    let mut seen = Vec::new();
    log.take()
        .each(|op, uses| seen.push((op.host, uses.to_vec())));
    assert_eq!(seen, [(0, uses.to_vec()), (3, Vec::new())]);
    assert!(log.take().is_empty());
}

/// The same of the only host thread.
fn of_the_only(acts: &[SyncOp]) -> Vec<(&'static str, u32, u32)> {
    let mut order = Order::new();
    for (site, act) in acts.iter().enumerate() {
        let (site, span) = (site as u32, SpanId::NONE);
        let uses = [DeclaredUse::write(BufferIndex(0))];
        let is_work = matches!(act, SyncOp::Work(_));
        let op = HostOp {
            host: 0,
            origin: CallOrigin { site, span },
            act: act.clone(),
        };
        order.take(&op, if is_work { &uses } else { &[] });
    }
    let hazards = order.hazards().into_iter();
    let hazards = hazards.map(|it| (it.kind.label(), it.first.origin.site, it.second.origin.site));
    hazards.collect()
}

#[test]
fn what_stands_while_its_memory_is_allocated_anew_is_compared_with_what_was_before() {
    let buffer = BufferIndex(0);
    let acts = [
        SyncOp::StreamOrdered(buffer),
        SyncOp::Allocate(buffer, Some(A), None),
        SyncOp::Record(E, A),
        SyncOp::Wait(E, B),
        SyncOp::Hold(GO, B),
        SyncOp::Work(B),
        SyncOp::Free(buffer, Some(A)),
        SyncOp::Allocate(buffer, Some(A), None),
        SyncOp::Raise(GO),
    ];
    assert_eq!(of_the_only(&acts), [("FREE_WHILE_IN_USE", 5, 6)]);
}

#[test]
fn memory_is_not_freed_by_what_was_called_before_it_was_allocated() {
    let buffer = BufferIndex(0);
    let acts = [
        SyncOp::StreamOrdered(buffer),
        SyncOp::Hold(GO, A),
        SyncOp::Free(buffer, Some(A)),
        SyncOp::Allocate(buffer, Some(C), None),
        SyncOp::Raise(GO),
        SyncOp::Work(C),
    ];
    assert_eq!(of_the_only(&acts), [("FREE_UNALLOCATED", 2, 2)]);
}

#[test]
fn what_stands_is_compared_in_the_order_of_the_calls() {
    let calls = |held: &[SyncOp]| {
        let acts = [
            held,
            &[
                SyncOp::Work(A),
                SyncOp::Work(B),
                SyncOp::Work(A),
                SyncOp::Raise(GO),
            ],
        ]
        .concat();
        let first = held.len() as u32;
        let found = of_the_only(&acts).into_iter();
        let mut found: Vec<_> = found.map(|it| (it.0, it.1 - first, it.2 - first)).collect();
        found.sort_unstable();
        found
    };
    let as_called = [("WAW", 0, 1), ("WAW", 1, 2)];
    assert_eq!(calls(&[]), as_called);
    assert_eq!(calls(&[SyncOp::Hold(GO, A)]), as_called);
    assert_eq!(calls(&[SyncOp::Hold(GO, B)]), as_called);
}

#[test]
fn what_has_run_before_a_signal_comes_before_what_stands_for_it() {
    let acts = [
        SyncOp::Hold(GO, A),
        SyncOp::Work(A),
        SyncOp::Work(B),
        SyncOp::Begin(HostWaitTarget::Stream(B), 1),
        SyncOp::End(1),
        SyncOp::Raise(GO),
    ];
    assert_eq!(of_the_only(&acts), []);
}

/// Whether these calls of two host threads are found to wait for each other by chance.
fn may_wait_for_each_other(acts: Vec<(u32, SyncOp)>) -> bool {
    let (_, order) = found(acts);
    !order.circular_waits().is_empty()
}

#[test]
fn a_hold_whose_signal_comes_after_a_synchronisation_beside_it_is_found_in_every_run() {
    let synchronize = || SyncOp::Circular(CircularCall::Synchronizes(Box::default()));
    let hold = || SyncOp::Circular(CircularCall::Holds(GO, A));
    let raise = || {
        [
            SyncOp::Circular(CircularCall::Raises(GO)),
            SyncOp::Raise(GO),
        ]
    };
    let host = |host: u32, acts: Vec<SyncOp>| acts.into_iter().map(move |act| (host, act));
    let after: Vec<_> = host(0, vec![synchronize()])
        .chain(host(0, raise().to_vec()))
        .collect();
    let holder: Vec<_> = host(1, vec![hold()]).collect();
    // Whichever comes first.
    for acts in [
        [after.clone(), holder.clone()].concat(),
        [holder.clone(), after.clone()].concat(),
    ] {
        assert!(may_wait_for_each_other(acts));
    }
    // A second one that raises it waits as well.
    let also: Vec<_> = host(2, vec![synchronize()])
        .chain(host(2, raise().to_vec()))
        .collect();
    assert!(may_wait_for_each_other(
        [after.clone(), holder.clone(), also].concat()
    ));

    // The signal may come before, by one of those that raise it.
    let before: Vec<_> = host(0, raise().to_vec())
        .chain(host(0, vec![synchronize()]))
        .collect();
    assert!(!may_wait_for_each_other([before, holder.clone()].concat()));
    let other: Vec<_> = host(2, raise().to_vec()).collect();
    let both = [after.clone(), other, holder.clone()].concat();
    assert!(!may_wait_for_each_other(both));

    // A further signal orders the two.
    let ready = SignalIndex(1);
    let told: Vec<_> = host(0, vec![synchronize(), SyncOp::Raise(ready)])
        .chain(host(0, raise().to_vec()))
        .collect();
    let await_it = vec![
        SyncOp::Begin(HostWaitTarget::Signal(ready), 7),
        SyncOp::End(7),
        hold(),
    ];
    let awaited: Vec<_> = host(1, await_it).collect();
    assert!(!may_wait_for_each_other([told, awaited].concat()));

    // What drops the hold ends it.
    let abort = SyncOp::Circular(CircularCall::Aborts(A));
    let dropped: Vec<_> = host(1, vec![hold(), abort]).collect();
    assert!(!may_wait_for_each_other([after, dropped].concat()));
}
