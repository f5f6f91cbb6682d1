//! Host threads that call into a capture which another began: what the order of calls is told of that.
//!
//! Where nothing orders such a call with the capture, it is captured or submitted by chance, and what it does in the
//! graph is chance as well. So it is told both ways, and the order of calls, which knows, takes one of them: there the
//! call counts as submitted, and the graph as without it.

use super::{Caller, CurrentCall, order};
use crate::launches::CapturedCall;
use ::order::{CallLog, CallOrigin, DeclaredUse, SyncOp};
use backend::{Operation, Replay};
use device::capture::StreamCaptures;
use record::StreamIndex;

impl Caller {
    /// Whether several host threads call.
    pub(super) fn is_among_others(&self) -> bool {
        self.shared.plan.hosts.len() > 1
    }

    /// A call on a stream that captures: what it would do were it submitted is told as well where another host thread began
    /// the capture.
    pub(super) fn note_capturing(
        &self,
        current: &CurrentCall,
        captures: &StreamCaptures<CapturedCall>,
        (stream, act): (StreamIndex, &SyncOp),
        uses: &[DeclaredUse],
    ) {
        let Some((host, call)) = captures.begun_by(stream).filter(|_| self.is_among_others())
        else {
            return;
        };
        self.note(current, SyncOp::Capturing(stream, call));
        match act {
            // No record is known from now on: this one is none outside of the capture.
            SyncOp::Record(event, _) => self.note(current, SyncOp::Forget(*event)),
            SyncOp::Join(from, _) => self.note(current, SyncOp::Capturing(*from, call)),
            _ => {}
        }
        let own = self.host.0 as u32;
        let is_submitted = matches!(
            act,
            SyncOp::Work(_)
                | SyncOp::Record(..)
                | SyncOp::Wait(..)
                | SyncOp::Join(..)
                | SyncOp::Allocate(..)
                | SyncOp::Free(..)
        );
        if host != own && is_submitted {
            let act = only(call, true, act.clone());
            let origin = order::origin(current, current.span);
            self.shared.order.push(own, origin, act, uses);
        }
    }
}

/// An act that counts only where it is chance which calls of others the capture holds, or only where it is not.
pub(super) fn only(begun_by: u32, is_chance: bool, act: SyncOp) -> SyncOp {
    SyncOp::InCapture {
        begun_by,
        is_chance,
        act: Box::new(act),
    }
}

/// What a replay does as one operation of its stream, and what conflicts inside.
pub(super) fn tell_replay(
    log: &CallLog,
    (host, origin): (u32, CallOrigin),
    stream: StreamIndex,
    replay: &Replay,
) {
    let graph = &replay.graph;
    let Some(own) = &graph.own else { return };
    let begun_by = own.guests.begun_by;
    let push = |is_chance, act, uses: &[DeclaredUse]| {
        log.push(host, origin, only(begun_by, is_chance, act), uses);
    };
    let both = [
        (false, graph.reaches_out, &graph.uses, &graph.conflicts),
        (true, own.reaches_out, &own.uses, &own.conflicts),
    ];
    for (is_chance, _, uses, conflicts) in both.into_iter().filter(|it| !it.1) {
        push(is_chance, SyncOp::Work(stream), uses);
        let conflicts = replay.hazards(conflicts, stream, host);
        if !conflicts.is_empty() {
            push(is_chance, SyncOp::Conflicts(conflicts), &[]);
        }
    }
    for (place, node) in graph.nodes.iter().enumerate() {
        if own.guests.nodes.get(place) == Some(&true) {
            let origin = CallOrigin {
                site: node.call.0,
                span: replay.span(place),
            };
            log.push(host, origin, only(begun_by, true, SyncOp::ByChance), &[]);
        }
    }
}

/// The replay that an operation is, where other host threads called into its capture.
pub(super) fn shared_replay(operation: &Operation) -> Option<Replay> {
    match operation {
        Operation::Replay(replay) if replay.graph.own.is_some() => Some(replay.as_ref().clone()),
        _ => None,
    }
}
