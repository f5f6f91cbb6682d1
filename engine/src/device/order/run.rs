//! An operation whose turn has come: what it knows, and what it conflicts with.

use super::clock::{Knowledge, Mark, Member};
use super::declared::{self, Use, WHOLE};
use super::hazard::HazardKind;
use super::history::{Access, Manner};
use super::stream::{Deed, Device, Gathering, Step, Stream};
use super::{Actor, Hazard, Order, Origin, Party, Traits};
use crate::workload::{BufferIndex, StreamIndex};

/// All streams of a device.
pub(super) const ALL: usize = 0;
/// Its blocking streams.
pub(super) const BLOCKING: usize = 1;

impl Order {
    pub(super) fn member(&mut self, actor: Actor) -> Member {
        self.actors.push(actor);
        self.actors.len() as Member - 1
    }

    /// A stream; where it is new, as one that was never made.
    #[expect(
        clippy::indexing_slicing,
        reason = "the loop before made sure of the place"
    )]
    pub(super) fn stream(&mut self, index: StreamIndex) -> &mut Stream {
        while self.streams.len() <= index.index() {
            let next = StreamIndex(self.streams.len() as u32);
            let member = self.member(Actor::Stream(next));
            self.streams.push(Stream::new(member));
        }
        &mut self.streams[index.index()]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the loop before made sure of the place"
    )]
    pub(super) fn device(&mut self, index: u32) -> &mut Device {
        while self.devices.len() <= index as usize {
            // What streams know together is kept like what one of them knows, and makes no use itself.
            let gatherings =
                [ALL, BLOCKING].map(|_| Gathering::new(self.member(Actor::Host(u32::MAX))));
            self.devices.push(Device {
                gatherings,
                legacy: None,
                legacy_done: None,
            });
        }
        &mut self.devices[index as usize]
    }

    pub(super) fn create(&mut self, index: StreamIndex, traits: Traits) {
        let legacy = self.device(traits.device).legacy.as_ref();
        let made_after = legacy.map_or(0, |mark| mark.time);
        let stream = self.stream(index);
        stream.traits = traits;
        stream.made_after = made_after;
        stream.known.forget();
    }

    /// What the streams of a gathering know together.
    pub(super) fn gather(&mut self, device: u32, which: usize) -> Mark {
        let take = |device: &mut Device| device.gatherings.get_mut(which).map(std::mem::take);
        let mut gathering = take(self.device(device)).unwrap_or_default();
        let mut has_news = false;
        for index in gathering.fresh.drain(..) {
            let stream = self.stream(index);
            if let Some(flag) = stream.is_fresh.get_mut(which) {
                *flag = false;
            }
            has_news |= gathering.known.join(&stream.known.mark());
        }
        if has_news {
            gathering.known.tick();
        }
        let mark = gathering.known.mark();
        if let Some(slot) = self.device(device).gatherings.get_mut(which) {
            *slot = gathering;
        }
        mark
    }

    /// The stream has come to the operation, and all that it needs has come to pass.
    pub(super) fn run(&mut self, index: StreamIndex, submitted: &Mark, step: &Step<'_>) {
        let traits = self.stream(index).traits;
        let legacy = self.legacy(index, traits);
        let is_point = matches!(step.deed, Deed::Point);
        let stream = self.stream(index);
        let known = &mut stream.known;
        let needs = step.needs.iter().filter_map(|need| need.mark());
        let before = needs.chain(legacy.as_ref());
        // A point is between two operations, so that whoever asked for it hands nothing on.
        let before = before.chain(Some(submitted).filter(|_| !is_point));
        let mut has_news = false;
        for mark in before {
            has_news |= known.join(mark);
        }
        if !is_point || has_news {
            known.tick();
            self.freshen(index, traits);
        }
        self.act(index, step);
        let mark = self.stream(index).known.mark();
        if traits.is_legacy && !is_point {
            self.device(traits.device).legacy = Some(mark.clone());
        }
        if let Some(done) = &step.done {
            self.reach(done, mark);
        }
    }

    /// What the rules of the legacy stream put before the next operation of a stream.
    fn legacy(&mut self, index: StreamIndex, traits: Traits) -> Option<Mark> {
        if traits.is_legacy {
            return Some(self.gather(traits.device, BLOCKING));
        }
        if !traits.is_blocking {
            return None;
        }
        let made_after = self.stream(index).made_after;
        let last = self.device(traits.device).legacy.clone();
        last.filter(|mark| mark.time > made_after)
    }

    /// What its device's streams know together is to be brought up to date with this one.
    fn freshen(&mut self, index: StreamIndex, traits: Traits) {
        let is_in = [true, traits.is_blocking && !traits.is_legacy];
        let flags = &mut self.stream(index).is_fresh;
        let was = *flags;
        for (flag, is_in) in flags.iter_mut().zip(is_in) {
            *flag |= is_in;
        }
        if was == is_in {
            return;
        }
        let gatherings = &mut self.device(traits.device).gatherings;
        for ((gathering, is_in), was) in gatherings.iter_mut().zip(is_in).zip(was) {
            if is_in && !was {
                gathering.fresh.push(index);
            }
        }
    }

    fn act(&mut self, index: StreamIndex, step: &Step<'_>) {
        let Self {
            streams,
            memory,
            hazards,
            actors,
            ..
        } = self;
        let Some(known) = streams.get(index.index()).map(|stream| &stream.known) else {
            return;
        };
        let mut check = |buffer: BufferIndex, access: Access| {
            let report = reporter(buffer, &access, actors, hazards);
            memory.check(buffer, access, known, report);
        };
        match &step.deed {
            Deed::Pass | Deed::Point => return,
            Deed::Work(uses) => {
                for it in declared::in_order(uses) {
                    check(it.buffer, access(known, step.origin, it));
                }
            }
            Deed::Allocate(buffer) => {
                let made = access(known, step.origin, &Use::write(*buffer));
                memory.note_made(*buffer, made);
            }
            Deed::Free(buffer) => {
                let mut free = access(known, step.origin, &Use::write(*buffer));
                (free.manner, free.bytes) = (Manner::Free, WHOLE);
                check(*buffer, free);
            }
        }
        self.operations += 1;
    }

    /// The host thread makes its uses itself.
    pub(super) fn touch(&mut self, op: &super::Op, uses: &[Use]) {
        self.host(op.host).tick();
        let Self {
            hosts,
            memory,
            hazards,
            actors,
            ..
        } = self;
        let Some(known) = hosts.get(op.host as usize) else {
            return;
        };
        for it in declared::in_order(uses) {
            let access = access(known, op.origin, it);
            let report = reporter(it.buffer, &access, actors, hazards);
            memory.check(it.buffer, access, known, report);
        }
        self.operations += 1;
    }
}

fn access(known: &Knowledge, origin: Origin, it: &Use) -> Access {
    Access {
        member: known.member,
        time: known.time,
        origin,
        manner: if it.writes {
            Manner::Write
        } else {
            Manner::Read
        },
        bytes: it.bytes.clone(),
        number: 0,
    }
}

/// Keeps what a use conflicts with.
fn reporter<'a>(
    buffer: BufferIndex,
    access: &Access,
    actors: &'a [Actor],
    hazards: &'a mut Vec<Hazard>,
) -> impl FnMut(HazardKind, &Access) + use<'a> {
    let party = move |member: Member, origin| Party {
        origin,
        actor: actors
            .get(member as usize)
            .copied()
            .unwrap_or(Actor::Host(u32::MAX)),
    };
    let second = party(access.member, access.origin);
    move |kind, earlier| {
        hazards.push(Hazard {
            kind,
            buffer,
            first: party(earlier.member, earlier.origin),
            second,
        });
    }
}
