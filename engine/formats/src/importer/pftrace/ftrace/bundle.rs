//! Reads a bundle of ftrace: events of the scheduler on one core, each for itself or packed by column.
//!
//! The numbers of fields are those of `ftrace_event_bundle.proto`, `ftrace_event.proto`, `sched.proto` and `task.proto`.

use std::collections::VecDeque;

use super::events::{BY_INTERRUPT, ON_CORE, SchedulerEventKind, UNKNOWN};
use crate::perfetto::view::each_field;

/// Flags of an event that say that it was told while an interrupt was served.
const INTERRUPTED: u64 = 0x08 | 0x10;
/// A flag of `clone`: a thread of the same process was made.
const CLONE_THREAD: u64 = 0x0001_0000;

/// The field of a bundle that holds an event, and the one that holds packed ones.
const EVENT: u32 = 2;
const COMPACT: u32 = 4;

/// The fields of an event that say what the scheduler did.
mod sort {
    pub const SWITCH: u32 = 4;
    pub const WAKEUP: u32 = 17;
    pub const WAKING: u32 = 20;
    pub const WAKEUP_NEW: u32 = 114;
    pub const NEW_TASK: u32 = 235;
}

/// The fields of an event that are read.
pub(in super::super) const READ: [u32; 5] = [
    sort::SWITCH,
    sort::WAKEUP,
    sort::WAKING,
    sort::WAKEUP_NEW,
    sort::NEW_TASK,
];

/// A bundle, its events unread.
pub(super) struct FtraceBundle<'a> {
    /// The core that it is of.
    pub core: Option<u32>,
    /// The clock of its times, by Perfetto's number for clocks of ftrace.
    pub clock: u64,
    /// What that clock was at an instant, and what the file's was then.
    pub snapshot: Option<(i64, i64)>,
    /// Whether events before it were lost.
    pub is_lossy: bool,
    bytes: &'a [u8],
}

/// An event of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FtraceEvent<'a> {
    pub kind: SchedulerEventKind,
    /// As in [`SchedulerEvent`](super::SchedulerEvent).
    pub thread: i32,
    pub other: i32,
    pub state: u16,
    /// What threads are called.
    pub names: [Option<(i32, &'a [u8])>; 2],
}

impl<'a> FtraceBundle<'a> {
    /// A bundle; nothing where the bytes are none.
    pub fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut found = Self {
            core: None,
            clock: 0,
            snapshot: None,
            is_lossy: false,
            bytes,
        };
        let (mut own, mut boot) = (None, None);
        each_field(bytes, |field, value| {
            match field {
                1 => found.core = u32::try_from(value.varint()?).ok(),
                3 => found.is_lossy = value.varint()? != 0,
                5 => found.clock = value.varint()?,
                6 => own = Some(value.varint()? as i64),
                7 => boot = Some(value.varint()? as i64),
                _ => {}
            }
            Some(())
        })?;
        found.snapshot = own.zip(boot);
        Some(found)
    }

    /// Whether it tells of the scheduler.
    pub fn has_scheduler_events(&self) -> bool {
        let mut has_some = false;
        let whole = self.each_event(|_, _| has_some = true);
        has_some || whole.is_none()
    }

    /// Calls `take` with each event of the scheduler and its time, those that are packed first. Nothing where they make no
    /// sense from some point on.
    pub fn each_event(&self, mut take: impl FnMut(u64, FtraceEvent<'a>)) -> Option<()> {
        each_field(self.bytes, |field, value| {
            if field == COMPACT {
                compact(value.bytes()?, &mut take)?;
            }
            Some(())
        })?;
        each_field(self.bytes, |field, value| {
            if field == EVENT {
                event(value.bytes()?, &mut take)?;
            }
            Some(())
        })
    }
}

/// An event that stands for itself.
fn event<'a>(bytes: &'a [u8], take: &mut impl FnMut(u64, FtraceEvent<'a>)) -> Option<()> {
    let (mut time, mut thread, mut flags, mut told) = (0, UNKNOWN, 0, None);
    each_field(bytes, |field, value| {
        match field {
            1 => time = value.varint()?,
            2 => thread = value.varint()? as i32,
            5 => flags = value.varint()?,
            _ if READ.contains(&field) => told = Some((field, value.bytes()?)),
            _ => {}
        }
        Some(())
    })?;
    let Some((field, body)) = told else {
        return Some(());
    };
    let waker = if flags & INTERRUPTED == 0 {
        thread
    } else {
        BY_INTERRUPT
    };
    let event = match field {
        sort::SWITCH => switch(body)?,
        // It is told where the thread will run, and not by whoever woke it.
        sort::WAKEUP => waking(body, UNKNOWN)?,
        sort::NEW_TASK => new_task(body, thread)?,
        _ => waking(body, waker)?,
    };
    take(time, event);
    Some(())
}

/// A thread left the core, and another got it.
fn switch(bytes: &[u8]) -> Option<FtraceEvent<'_>> {
    let (mut before, mut after, mut state) = ((0, None), (0, None), 0);
    each_field(bytes, |field, value| {
        match field {
            1 => before.1 = Some(value.bytes()?),
            2 => before.0 = value.varint()? as i32,
            4 => state = value.varint()?,
            5 => after.1 = Some(value.bytes()?),
            6 => after.0 = value.varint()? as i32,
            _ => {}
        }
        Some(())
    })?;
    let name = |(thread, name): (i32, Option<_>)| name.map(|name| (thread, name));
    Some(FtraceEvent {
        kind: SchedulerEventKind::Switch,
        thread: after.0,
        other: before.0,
        state: state as u16,
        names: [name(before), name(after)],
    })
}

/// A thread was woken.
fn waking(bytes: &[u8], by: i32) -> Option<FtraceEvent<'_>> {
    let (mut thread, mut name) = (0, None);
    each_field(bytes, |field, value| {
        match field {
            1 => name = Some(value.bytes()?),
            2 => thread = value.varint()? as i32,
            _ => {}
        }
        Some(())
    })?;
    Some(FtraceEvent {
        kind: SchedulerEventKind::Wake,
        thread,
        other: by,
        state: 0,
        names: [name.map(|name| (thread, name)), None],
    })
}

/// A thread made another one: where that is of the same process, by whom.
fn new_task(bytes: &[u8], by: i32) -> Option<FtraceEvent<'_>> {
    let (mut thread, mut name, mut flags) = (0, None, 0);
    each_field(bytes, |field, value| {
        match field {
            1 => thread = value.varint()? as i32,
            2 => name = Some(value.bytes()?),
            3 => flags = value.varint()?,
            _ => {}
        }
        Some(())
    })?;
    let is_thread = flags & CLONE_THREAD != 0;
    Some(FtraceEvent {
        kind: SchedulerEventKind::Fork,
        thread,
        other: if is_thread { by } else { UNKNOWN },
        state: 0,
        names: [name.map(|name| (thread, name)), None],
    })
}

/// The columns of packed events.
#[derive(Default)]
struct CompactColumns<'a> {
    names: Vec<&'a [u8]>,
    /// By the number of the field.
    columns: [VecDeque<u64>; 13],
}

/// Events that are packed by column: a column for each field, times as differences.
fn compact<'a>(bytes: &'a [u8], take: &mut impl FnMut(u64, FtraceEvent<'a>)) -> Option<()> {
    const NAMES: u32 = 5;
    let mut all = CompactColumns::default();
    each_field(bytes, |field, value| {
        if field == NAMES {
            all.names.push(value.bytes()?);
        } else if let Some(column) = all.columns.get_mut(field as usize) {
            value.varints(|number| column.push_back(number))?;
        }
        Some(())
    })?;
    let switches = all.each(
        [1, 2, 3, 6],
        None,
        |[time, state, thread, name], names, _| {
            let thread = thread as i32;
            let event = FtraceEvent {
                kind: SchedulerEventKind::Switch,
                thread,
                other: ON_CORE,
                state: state as u16,
                names: [Some((thread, name_at(names, name)?)), None],
            };
            take(time, event);
            Some(())
        },
    );
    let wakings = all.each(
        [7, 8, 9, 11],
        Some(12),
        |[time, thread, _, name], names, flags| {
            let thread = thread as i32;
            let event = FtraceEvent {
                kind: SchedulerEventKind::Wake,
                thread,
                other: if flags & INTERRUPTED == 0 {
                    ON_CORE
                } else {
                    BY_INTERRUPT
                },
                state: 0,
                names: [Some((thread, name_at(names, name)?)), None],
            };
            take(time, event);
            Some(())
        },
    );
    switches.and(wakings)
}

fn name_at<'a>(names: &[&'a [u8]], at: u64) -> Option<&'a [u8]> {
    names.get(usize::try_from(at).ok()?).copied()
}

impl<'a> CompactColumns<'a> {
    /// Calls `take` with the rows of some columns, the first of which is times, and the value of one more that may be shorter.
    /// Nothing where one of the columns is longer than others.
    fn each(
        &mut self,
        fields: [usize; 4],
        more: Option<usize>,
        mut take: impl FnMut([u64; 4], &[&'a [u8]], u64) -> Option<()>,
    ) -> Option<()> {
        let mut pop = |field: usize| self.columns.get_mut(field)?.pop_front();
        let mut time = 0_u64;
        loop {
            let values = fields.map(&mut pop);
            let flags = more.and_then(&mut pop).unwrap_or(0);
            match values {
                [None, None, None, None] => return Some(()),
                [Some(passed), Some(b), Some(c), Some(d)] => {
                    time = time.wrapping_add(passed);
                    take([time, b, c, d], &self.names, flags)?;
                }
                _ => return None,
            }
        }
    }
}
