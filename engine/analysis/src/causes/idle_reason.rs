//! Why a stream, an engine or a host thread waited, in finer words than the sums of [`IdleTime`]: what it waited for.

use super::binding_cause::Candidate;
use super::idle::IdleTime;
use super::idle_use::IdleUse;
use super::kind::CauseKind;
use super::point::SpanPoint;
use super::reader::CauseReader;
use record::time::Nanos;
use record::{SpanId, SpanKind};

/// So many records of events in a row are passed over to find the work before them.
const RECORDS: usize = 32;

/// What a wait was for, or what the latency of a start came after. Reasons split one sum of idle time without a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdleReason {
    /// A kernel or a graph of another stream.
    Kernel,
    /// A copy or a fill of another stream.
    Copy,
    /// A collective operation of another stream.
    Collective,
    /// A pipeline that was not ready.
    Pipeline,
    /// Memory that was not allocated or not free.
    Memory,
    /// A signal or another step of a host thread.
    Host,
    /// A time limit that had to run out.
    Limit,
    /// An engine of a paced device.
    Engine,
    /// Anything else that had to come first.
    Other,
    /// A launch: the stream was empty.
    Launch,
    /// The operation before it on its stream.
    Next,
    /// A wait for something outside of it.
    Release,
}

impl IdleReason {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Every reason, in the order of its number.
    pub const ALL: [Self; 12] = [
        Self::Kernel,
        Self::Copy,
        Self::Collective,
        Self::Pipeline,
        Self::Memory,
        Self::Host,
        Self::Limit,
        Self::Engine,
        Self::Other,
        Self::Launch,
        Self::Next,
        Self::Release,
    ];

    /// The sum that it is a part of.
    pub const fn sum(self) -> IdleUse {
        match self {
            Self::Launch | Self::Next | Self::Release => IdleUse::Latency,
            _ => IdleUse::Dependency,
        }
    }

    /// Its name on screen and in files.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Copy => "copy",
            Self::Collective => "collective",
            Self::Pipeline => "pipeline",
            Self::Memory => "memory",
            Self::Host => "host",
            Self::Limit => "time limit",
            Self::Engine => "engine",
            Self::Other => "other",
            Self::Launch => "launch",
            Self::Next => "stream order",
            Self::Release => "release",
        }
    }

    /// What it means, in a sentence.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Kernel => "Waited for a kernel or a graph of another stream",
            Self::Copy => "Waited for a copy or a fill of another stream",
            Self::Collective => "Waited for a collective operation of another stream",
            Self::Pipeline => "Waited for a pipeline to be compiled",
            Self::Memory => "Waited for memory to be allocated or freed",
            Self::Host => "Waited for a signal, a function or a step of a host thread",
            Self::Limit => "Waited until the time that it was given ran out",
            Self::Engine => "Waited for an engine of a paced device, which ran something else",
            Self::Other => "Waited for something else that had to come first",
            Self::Launch => "What the start of an operation took after its launch",
            Self::Next => {
                "What the start of an operation took after the one before it on its stream"
            }
            Self::Release => "What going on took after a wait",
        }
    }
}

/// A sum of idle time by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReasonTimes {
    /// By reason, in the order of [`IdleReason::ALL`]: all of it, its longest part, and the operation that waited then.
    all: [(Nanos, Nanos, Option<SpanId>); IdleReason::COUNT],
}

impl ReasonTimes {
    pub(super) fn add(&mut self, reason: IdleReason, time: Nanos, at: SpanId) {
        if let Some((sum, longest, span)) = self.all.get_mut(reason as usize) {
            *sum += time;
            if time > *longest {
                (*longest, *span) = (time, Some(at));
            }
        }
    }

    /// How long it was idle for a reason, all together.
    pub fn of(&self, reason: IdleReason) -> Nanos {
        self.all.get(reason as usize).map_or(Nanos::ZERO, |it| it.0)
    }

    /// The operation that waited longest for a reason.
    pub fn longest_of(&self, reason: IdleReason) -> Option<SpanId> {
        self.all.get(reason as usize).and_then(|it| it.2)
    }

    /// The reasons for which it was idle at all, those of one sum together.
    pub fn some(&self) -> impl Iterator<Item = (IdleReason, Nanos)> + '_ {
        let all = IdleReason::ALL.into_iter();
        all.map(|reason| (reason, self.of(reason)))
            .filter(|it| it.1 > Nanos::ZERO)
    }

    /// Whether the reasons add up to the sums that they split.
    pub fn adds_up_to(&self, time: &IdleTime) -> bool {
        [IdleUse::Dependency, IdleUse::Latency].iter().all(|sum| {
            let parts = self.some().filter(|it| it.0.sum() == *sum);
            parts.fold(Nanos::ZERO, |all, it| all + it.1) == sum.of(time)
        })
    }
}

impl CauseReader<'_> {
    /// What a span waited for by a cause that held it.
    pub(super) fn reason(&self, by: &Candidate, effect: SpanId) -> IdleReason {
        match by.kind {
            CauseKind::Pipeline => return IdleReason::Pipeline,
            CauseKind::Signal => return IdleReason::Host,
            CauseKind::Limit if self.is_cut_off(effect) => return IdleReason::Other,
            CauseKind::Limit => return IdleReason::Limit,
            CauseKind::Engine => return IdleReason::Engine,
            _ => {}
        }
        let kind = |span: SpanId| self.capture.span(span).map(|it| it.span.kind);
        let is_memory =
            |kind: Option<SpanKind>| matches!(kind, Some(SpanKind::Allocate | SpanKind::Free));
        if is_memory(kind(effect)) {
            return IdleReason::Memory;
        }
        let mut at = by.span();
        for _ in 0..RECORDS {
            if kind(at) != Some(SpanKind::EventRecord) {
                break;
            }
            let before = self.binding(SpanPoint::start(at));
            match before.filter(|it| it.kind == CauseKind::Stream) {
                Some(before) => at = before.span(),
                None => break,
            }
        }
        match kind(at) {
            Some(SpanKind::Kernel | SpanKind::Graph) => IdleReason::Kernel,
            Some(SpanKind::HostFunction) => IdleReason::Host,
            Some(SpanKind::Upload | SpanKind::Download | SpanKind::Copy | SpanKind::Fill) => {
                IdleReason::Copy
            }
            Some(SpanKind::Collective) => IdleReason::Collective,
            Some(SpanKind::Compile | SpanKind::Stall) => IdleReason::Pipeline,
            found if is_memory(found) => IdleReason::Memory,
            _ if self.causes.class(at).is_call() => IdleReason::Host,
            _ => IdleReason::Other,
        }
    }
}
