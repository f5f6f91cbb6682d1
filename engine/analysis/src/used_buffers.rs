//! Which buffers the calls of a run use, and what that ties.

use std::collections::{BTreeMap, BTreeSet};

use capture::Capture;
use record::{BufferUse, CallId, LaneId, NameId};

/// Which calls use which buffers, as far as a capture tells.
pub(super) struct UsedBuffers(Vec<BufferUse>);

impl UsedBuffers {
    pub(super) fn of(capture: &Capture) -> Self {
        let mut uses = capture.buffer_uses().to_vec();
        uses.sort_unstable();
        uses.dedup();
        Self(uses)
    }

    /// Whether the capture tells of buffers at all.
    pub(super) const fn is_known(&self) -> bool {
        !self.0.is_empty()
    }

    fn by(&self, call: CallId) -> &[BufferUse] {
        let from = self.0.partition_point(|it| it.call < call);
        let to = self.0.partition_point(|it| it.call <= call);
        self.0.get(from..to).unwrap_or_default()
    }

    /// Whether two calls use one buffer, which one of them writes: their order matters.
    pub(super) fn share_a_write(&self, first: CallId, second: CallId) -> bool {
        let (firsts, seconds) = (self.by(first), self.by(second));
        firsts.iter().any(|one| {
            let ties =
                |other: &BufferUse| key(one) == key(other) && (one.is_write || other.is_write);
            seconds.iter().any(ties)
        })
    }

    /// The lanes that use a buffer which is written, and which another lane uses too.
    pub(super) fn shared_lanes(&self, capture: &Capture) -> BTreeSet<LaneId> {
        if !self.is_known() {
            return BTreeSet::new();
        }
        let mut lanes: BTreeMap<CallId, BTreeSet<LaneId>> = BTreeMap::new();
        let mut last = (CallId::NONE, LaneId(u32::MAX));
        for placed in capture.spans() {
            let now = (placed.span.call, placed.span.lane);
            // A loop makes one call many times.
            if std::mem::replace(&mut last, now) != now {
                lanes.entry(now.0).or_default().insert(now.1);
            }
        }
        // A call may be made on very many lanes and use very many buffers: neither is gone through for each of the other.
        let mut users: BTreeMap<(NameId, bool), BufferUsers> = BTreeMap::new();
        for (call, lanes) in &lanes {
            for used in self.by(*call) {
                users.entry(key(used)).or_default().add(lanes, used);
            }
        }
        let is_shared = |used: &BufferUse| {
            let users = users.get(&key(used));
            users.is_some_and(|it| it.are_several && it.is_written)
        };
        let shared = lanes.iter();
        let shared = shared.filter(|(call, _)| self.by(**call).iter().any(is_shared));
        shared.flat_map(|(_, lanes)| lanes).copied().collect()
    }
}

/// Who uses a buffer.
#[derive(Default)]
struct BufferUsers {
    /// The first lane.
    first: Option<LaneId>,
    /// Whether there are others.
    are_several: bool,
    is_written: bool,
}

impl BufferUsers {
    fn add(&mut self, lanes: &BTreeSet<LaneId>, used: &BufferUse) {
        let own = self.first.or(lanes.first().copied());
        self.are_several |= lanes.len() > 1 || lanes.first().copied() != own;
        self.first = own;
        self.is_written |= used.is_write;
    }
}

const fn key(used: &BufferUse) -> (NameId, bool) {
    (used.buffer, used.is_host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Record;

    fn capture() -> Capture {
        let mut capture = Capture::new();
        // The first writes buffer 0, the second reads it, the third reads it and writes its copy on the host.
        let uses = [
            (0, 0, false, true),
            (1, 0, false, false),
            (2, 0, false, false),
            (2, 0, true, true),
        ];
        capture.apply(uses.map(|(call, buffer, is_host, is_write)| {
            Record::BufferUse(BufferUse {
                call: CallId(call),
                buffer: NameId(buffer),
                is_host,
                is_write,
            })
        }));
        capture
    }

    #[test]
    fn what_is_written_ties_and_what_is_only_read_does_not() {
        let uses = UsedBuffers::of(&capture());
        let tied = |first, second| uses.share_a_write(CallId(first), CallId(second));
        assert!(tied(0, 1) && tied(1, 0) && tied(0, 2));
        assert!(!tied(1, 2) && !tied(1, 3));
    }
}
