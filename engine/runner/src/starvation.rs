//! For how long the threads that an expectation is about were ready to run and had no processor core: what it says of shares
//! of time is the machine's then as much as the workload's.

use std::sync::atomic::Ordering::Relaxed;

use record::StreamIndex;
use record::time::Nanos;
use workload::{ExpectationKind, Plan};

use super::shared::RunState;

/// How long that was of the streams of each expectation of a plan, before the attempt that counts began.
#[derive(Debug)]
pub struct Starvation(Vec<Option<Nanos>>);

/// How long threads were ready to run and had no processor core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StarvedTime {
    /// Those of the streams, which may have been in the middle of an operation: that counted as work and was none.
    pub streams: Nanos,
    /// Those of the host threads, whose calls came later for it.
    pub hosts: Nanos,
}

impl Starvation {
    /// An attempt begins.
    pub fn begin(shared: &RunState) -> Self {
        Self(of_streams(shared).collect())
    }

    /// For each expectation, how long that was since the attempt began; nothing where it is not about a share of time, or where
    /// that cannot be known.
    pub fn since(&self, shared: &RunState) -> Vec<Option<StarvedTime>> {
        let hosts = shared.hosts().iter();
        let hosts = hosts.map(|it| Nanos(it.starved.load(Relaxed)));
        let hosts = hosts.fold(Nanos::ZERO, |sum, it| sum + it);
        let both = self.0.iter().zip(of_streams(shared));
        let since = |(before, now): (&Option<Nanos>, Option<Nanos>)| {
            let streams = now? - (*before)?;
            Some(StarvedTime { streams, hosts })
        };
        both.map(since).collect()
    }
}

fn of_streams(shared: &RunState) -> impl Iterator<Item = Option<Nanos>> {
    let asked = about_shares(&shared.plan);
    asked.map(|streams| shared.device.starved(&streams?))
}

/// For each expectation the streams of whose time it expects a share.
fn about_shares(plan: &Plan) -> impl Iterator<Item = Option<Vec<StreamIndex>>> {
    let kinds = plan.expectations.iter().map(|it| &it.kind);
    kinds.map(|kind| match kind {
        ExpectationKind::Overlap { first, second, .. } => {
            Some(first.iter().chain(second).copied().collect())
        }
        ExpectationKind::Busy { streams, .. } => Some(streams.clone()),
        _ => None,
    })
}
