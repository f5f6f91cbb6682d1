//! How much streams of different roles of one device ran at the same time: communication under computation first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use capture::Capture;
use record::time::{Interval, Nanos, shared, total, union};
use record::{LaneId, Role};

use crate::causes::CollectiveMember;

/// Roles whose streams do work for somebody, those first that one wants to see hidden behind what comes after them.
const WORKING: [Role; 7] = [
    Role::Collective,
    Role::HostToDevice,
    Role::DeviceToHost,
    Role::DeviceToDevice,
    Role::PinnedCompute,
    Role::Compute,
    Role::CriticalSection,
];

/// How much streams of two roles of one device of a rank ran at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoleOverlap {
    /// The rank and the device.
    pub member: CollectiveMember,
    /// The role that is asked about.
    pub first: Role,
    /// The role that it may be hidden behind.
    pub second: Role,
    /// Time in which a stream of each was busy.
    pub both: Nanos,
    /// Time in which any stream of the first was busy.
    pub first_busy: Nanos,
    /// Time in which any stream of the second was busy.
    pub second_busy: Nanos,
}

impl RoleOverlap {
    /// The time of both as a part of the first one's busy time, from 0 to 1.
    pub fn of_first(&self) -> f64 {
        self.both.0 as f64 / self.first_busy.0.max(1) as f64
    }

    /// The same as a part of the second one's.
    pub fn of_second(&self) -> f64 {
        self.both.0 as f64 / self.second_busy.0.max(1) as f64
    }
}

/// When a stream was busy.
pub(super) struct BusyStream {
    pub lane: LaneId,
    pub member: CollectiveMember,
    pub role: Role,
    /// Without overlaps, by start.
    pub busy: Vec<Interval>,
    pub length: Nanos,
}

impl BusyStream {
    /// A lane of a capture, and when it was busy.
    pub fn new(capture: &Capture, lane: LaneId, busy: Vec<Interval>) -> Self {
        let known = capture.lane(lane);
        Self {
            lane,
            member: CollectiveMember {
                rank: capture.lane_origin(lane).and_then(|it| it.rank),
                device: known.and_then(|it| it.device),
                thread: None,
            },
            role: known.map_or(Role::None, |it| it.role),
            length: total(&busy),
            busy,
        }
    }
}

/// Each pair of roles of each device, by pair and then by device.
pub(super) fn role_overlaps(streams: &[BusyStream]) -> Vec<RoleOverlap> {
    let mut busy: BTreeMap<(CollectiveMember, usize), Vec<Interval>> = BTreeMap::new();
    for stream in streams {
        if let Some(place) = WORKING.iter().position(|it| *it == stream.role) {
            let of_role = busy.entry((stream.member, place)).or_default();
            of_role.extend(&stream.busy);
        }
    }
    let busy: Vec<_> = busy.into_iter().map(|(key, it)| (key, union(it))).collect();
    let mut found = Vec::new();
    for (at, ((member, place), first)) in busy.iter().enumerate() {
        let others = busy.iter().skip(at + 1);
        for ((_, other), second) in others.take_while(|((it, _), _)| it == member) {
            let overlap = RoleOverlap {
                member: *member,
                first: WORKING.get(*place).copied().unwrap_or_default(),
                second: WORKING.get(*other).copied().unwrap_or_default(),
                both: shared(first, second),
                first_busy: total(first),
                second_busy: total(second),
            };
            found.push(((*place, Reverse(*other)), overlap));
        }
    }
    found.sort_by_key(|(pair, overlap)| (*pair, overlap.member));
    found.into_iter().map(|it| it.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Statistics;
    use record::{CallId, DeviceId, Group, Lane, NameId, Record, Span, SpanId, SpanKind, State};

    const LENGTH: i64 = 200;
    /// The device and the role of each lane.
    const LANES: [(u32, Role); 6] = [
        (0, Role::Compute),
        (0, Role::Collective),
        (0, Role::Compute),
        (1, Role::Compute),
        (1, Role::HostToDevice),
        (1, Role::Queue),
    ];

    /// Random spans, and at which nanoseconds which lane is busy.
    fn draw(seed: u64) -> (Capture, Vec<[bool; LENGTH as usize]>) {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut below = |count: i64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % count as u64) as i64
        };
        let mut capture = Capture::new();
        for (id, (device, role)) in (0..).zip(LANES) {
            capture.apply([Record::Lane(Box::new(Lane {
                id: LaneId(id),
                group: Group::Streams,
                device: Some(DeviceId(device)),
                role,
                name: format!("stream {id}"),
                order: 0,
                process: "".into(),
                thread: "".into(),
            }))]);
        }
        let mut busy = vec![[false; LENGTH as usize]; LANES.len()];
        for id in 0..40 {
            let lane = below(LANES.len() as i64);
            let start = below(LENGTH - 1);
            let end = (start + 1 + below(30)).min(LENGTH);
            let is_wait = below(5) == 0;
            if !is_wait {
                busy[lane as usize][start as usize..end as usize].fill(true);
            }
            capture.apply([Record::Span(Span {
                id: SpanId(id),
                lane: LaneId(lane as u32),
                name: NameId(0),
                call: CallId::NONE,
                kind: if is_wait {
                    SpanKind::EventWait
                } else {
                    SpanKind::Kernel
                },
                state: State::Done,
                enqueued: Nanos(start),
                start: Nanos(start),
                end: Nanos(end),
            })]);
        }
        (capture, busy)
    }

    #[test]
    fn roles_of_one_device_are_counted_as_nanosecond_by_nanosecond() {
        for seed in 1..100 {
            let (capture, busy) = draw(seed);
            let within = Interval::new(Nanos(20), Nanos(170));
            let found = Statistics::of(&capture, within).roles;
            let at = |device: u32, role: Role, nano: usize| {
                let lanes = LANES.iter().zip(&busy);
                let mut own = lanes.filter(|(lane, _)| **lane == (device, role));
                own.any(|(_, busy)| busy[nano])
            };
            let asked = [
                (0, Role::Collective, Role::Compute),
                (1, Role::HostToDevice, Role::Compute),
            ];
            let mut expected = Vec::new();
            for (device, first, second) in asked {
                let count = |is: &dyn Fn(usize) -> bool| (20..170).filter(|it| is(*it)).count();
                let both = count(&|it| at(device, first, it) && at(device, second, it));
                let first_busy = count(&|it| at(device, first, it));
                let second_busy = count(&|it| at(device, second, it));
                if first_busy > 0 && second_busy > 0 {
                    let times = [both, first_busy, second_busy].map(|it| Nanos(it as i64));
                    expected.push((Some(DeviceId(device)), first, second, times));
                }
            }
            let found = found.iter().map(|it| {
                let times = [it.both, it.first_busy, it.second_busy];
                (it.member.device, it.first, it.second, times)
            });
            assert_eq!(found.collect::<Vec<_>>(), expected, "seed {seed}");
        }
    }
}
