//! The calls that host threads would have made had the run not failed or come to a standstill: what is found of host threads
//! is the same then as in a run that went well.

use std::collections::BTreeSet;

use crate::caller::acts;
use crate::shared::RunState;
use device::lock;
use order::{CallOrigin, HostWaitTarget, SyncOp};
use record::{SignalIndex, SpanId};
use std::sync::atomic::Ordering::Relaxed;
use workload::{Call, HostCall, PlacedCall};

/// Calls of each host thread that are looked at.
const MOST: usize = 100_000;

/// A host thread on its way to its end.
struct ForetoldHost {
    rest: Box<dyn Iterator<Item = PlacedCall>>,
    /// The signal that its call under way waits for.
    awaits: Option<SignalIndex>,
}

/// Tells the order of calls what is still to be called, as if every wait ended but those for signals that nobody raises.
pub fn foretell(shared: &RunState) {
    let raised = |place: u32| {
        let signal = SignalIndex(place);
        let is_raised =
            |it: &_| -> bool { lock::<crate::shared::SignalState>(it).raised.is_some() };
        shared
            .signal(signal)
            .is_some_and(is_raised)
            .then_some(signal)
    };
    let mut raised: BTreeSet<SignalIndex> = (0..shared.plan.signals.len() as u32)
        .filter_map(raised)
        .collect();
    let mut hosts: Vec<ForetoldHost> = (0..shared.hosts().len())
        .map(|host| begin(shared, host))
        .collect();
    let mut goes_on = true;
    while goes_on {
        goes_on = false;
        for (place, host) in hosts.iter_mut().enumerate() {
            goes_on |= host.go_on(shared, place as u32, &mut raised);
        }
    }
}

fn begin(shared: &RunState, host: usize) -> ForetoldHost {
    let made = shared
        .hosts()
        .get(host)
        .map_or(0, |it| it.calls.load(Relaxed) as usize);
    let mut calls = shared.plan.calls(host).skip(made.saturating_sub(1));
    let under_way = (made > 0).then(|| calls.next()).flatten();
    let awaits = match under_way.map(|it| it.call) {
        Some(Call::Host(HostCall::Await { signal })) => Some(signal),
        _ => None,
    };
    ForetoldHost {
        rest: Box::new(calls.take(MOST)),
        awaits,
    }
}

fn push(shared: &RunState, host: u32, origin: CallOrigin, act: SyncOp) {
    shared.order.push(host, origin, act, &[]);
}

impl ForetoldHost {
    /// Makes calls up to the next wait for a signal that is not raised; says whether there were any.
    fn go_on(&mut self, shared: &RunState, host: u32, raised: &mut BTreeSet<SignalIndex>) -> bool {
        // The number of its own waits, as the caller has it.
        let wait = u32::MAX - host;
        let mut any = false;
        loop {
            if let Some(signal) = self.awaits {
                if !raised.contains(&signal) {
                    return any;
                }
                self.awaits = None;
                push(shared, host, CallOrigin::default(), SyncOp::End(wait));
            }
            let Some(placed) = self.rest.next() else {
                return any;
            };
            any = true;
            let origin = CallOrigin {
                site: placed.place.call,
                span: SpanId::NONE,
            };
            for act in acts(shared, &placed.call) {
                push(shared, host, origin, act);
            }
            match placed.call {
                Call::Host(HostCall::Signal { signal }) => {
                    push(shared, host, origin, SyncOp::Raise(signal));
                    raised.insert(signal);
                }
                Call::Host(HostCall::Await { signal }) => {
                    let target = HostWaitTarget::Signal(signal);
                    push(shared, host, origin, SyncOp::Begin(target, wait));
                    self.awaits = Some(signal);
                }
                _ => {}
            }
        }
    }
}
