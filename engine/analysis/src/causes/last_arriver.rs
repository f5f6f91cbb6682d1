//! Who came last to collective operations, and how long the others waited.

use std::collections::BTreeMap;

use super::point::SpanPoint;
use super::reader::CauseReader;
use capture::Capture;
use record::time::{Interval, Nanos};
use record::{DeviceId, Group, LaneId, SpanId};

/// Who takes part in a collective operation: a device of a rank, as far as the capture tells, or a host thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectiveMember {
    /// The rank; nothing where the capture names none.
    pub rank: Option<u32>,
    /// The device.
    pub device: Option<DeviceId>,
    /// The host thread, where the part ran on one and not on a device.
    pub thread: Option<LaneId>,
}

impl CollectiveMember {
    /// What it is called: its rank, and its device or thread where a rank has several or the capture names no rank.
    pub fn title(self, capture: &Capture, all: &[Self]) -> String {
        let device = self.device.and_then(|id| capture.devices().get(id.index()));
        let device = device
            .map(|it| it.name.as_str())
            .filter(|it| !it.is_empty());
        let thread = self.thread.map(|lane| capture.lane_title(lane));
        let own = device.or(thread.as_deref());
        let is_alone = all.iter().filter(|it| it.rank == self.rank).count() < 2;
        // Without ranks the devices of one file are what is told apart, whoever of them is spoken of.
        let is_only = capture.devices().len() < 2;
        match (self.rank, own) {
            (Some(rank), Some(own)) if !is_alone => {
                // Of several files the names of devices begin with the rank already.
                let shared = format!("rank {rank} · ");
                format!("rank {rank}, {}", own.strip_prefix(&shared).unwrap_or(own))
            }
            (Some(rank), _) => format!("rank {rank}"),
            (None, Some(own)) if !is_alone || !is_only => own.to_owned(),
            (None, _) => "rank 0".to_owned(),
        }
    }
}

/// How one member came last to what several did together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastArriver {
    /// Who.
    pub member: CollectiveMember,
    /// To how many collective operations it came last.
    pub last: u64,
    /// How long the others had waited for it, all together.
    pub cost: Nanos,
    /// By how much it came after the one before it, all together: they would have waited so much less for it.
    pub behind: Nanos,
    /// How long each of the others waited, the longest first.
    pub waited: Vec<(CollectiveMember, Nanos)>,
    /// Where one waited longest: the part that came last, and the part that waited.
    pub worst: Option<(SpanId, SpanId, Nanos)>,
}

/// The collective operations of a stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectiveArrivals {
    /// How many there are.
    pub count: usize,
    /// Everyone who takes part in any, in order.
    pub members: Vec<CollectiveMember>,
    /// Who ever came last, in the order of members.
    pub last: Vec<LastArriver>,
}

/// A part of a collective operation.
type MemberPart = (Nanos, CollectiveMember, SpanId);

/// One that came last, and how long each other one waited for it.
type ArriverDraft = (LastArriver, BTreeMap<CollectiveMember, Nanos>);

impl CauseReader<'_> {
    /// Which member a lane is of.
    pub fn member(&self, lane: LaneId) -> CollectiveMember {
        CollectiveMember {
            rank: self.capture.lane_origin(lane).and_then(|it| it.rank),
            device: self.capture.lane(lane).and_then(|it| it.device),
            thread: None,
        }
    }

    /// Whose a part of a collective operation on a lane is: threads that meet without devices are members themselves.
    pub(super) fn party(&self, lane: LaneId) -> CollectiveMember {
        let known = self.capture.lane(lane);
        let is_thread = known.is_some_and(|it| it.group == Group::Host && it.device.is_none());
        CollectiveMember {
            thread: is_thread.then_some(lane),
            ..self.member(lane)
        }
    }

    /// The parts of each collective operation, by start.
    pub fn collectives(&self) -> impl Iterator<Item = Vec<SpanId>> {
        let all = self.causes.collectives.all().iter();
        all.map(|group| group.parts.iter().map(|it| SpanId(*it)).collect())
    }

    /// Who came last to the collective operations that began in a stretch.
    pub fn arrivals(&self, within: Interval) -> CollectiveArrivals {
        let mut found = CollectiveArrivals::default();
        let mut drafts: BTreeMap<CollectiveMember, ArriverDraft> = BTreeMap::new();
        for group in self.causes.collectives.all() {
            let spans = group.parts.iter().map(|it| SpanId(*it));
            let start = |span| self.time(SpanPoint::start(span));
            let mut parts: Vec<MemberPart> = spans
                .map(|it| (start(it), self.party(self.lane(it)), it))
                .collect();
            parts.sort_unstable();
            let Some(&(start, ..)) = parts.last() else {
                continue;
            };
            if start < within.start || start >= within.end {
                continue;
            }
            found.count += 1;
            found.members.extend(parts.iter().map(|it| it.1));
            note(&parts, &mut drafts);
        }
        found.members.sort_unstable();
        found.members.dedup();
        found.last = drafts.into_values().map(finished).collect();
        found
    }
}

/// Notes who came last to one collective operation; nobody where all came at one instant.
fn note(parts: &[MemberPart], drafts: &mut BTreeMap<CollectiveMember, ArriverDraft>) {
    let Some((&(start, member, span), others)) = parts.split_last() else {
        return;
    };
    let cost: Nanos = others.iter().map(|it| start - it.0).sum();
    if cost == Nanos::ZERO {
        return;
    }
    let (row, waited) = drafts.entry(member).or_default();
    row.member = member;
    row.last += 1;
    row.cost += cost;
    row.behind += others.last().map_or(Nanos::ZERO, |it| start - it.0);
    for (other, by, waiting) in others {
        *waited.entry(*by).or_default() += start - *other;
        if row.worst.is_none_or(|it| start - *other > it.2) {
            row.worst = Some((span, *waiting, start - *other));
        }
    }
}

fn finished((mut row, waited): ArriverDraft) -> LastArriver {
    row.waited = waited.into_iter().collect();
    row.waited.sort_by_key(|it| std::cmp::Reverse(it.1));
    row
}
