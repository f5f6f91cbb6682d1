//! Events: recorded, asked for, and how much time lies between two of them.

use std::ffi::{c_int, c_uint};

use super::{Handle, answer, handle, number};
use crate::codes::{CAPTURED_EVENT, ILLEGAL_STATE, INVALID_HANDLE, INVALID_VALUE, NOT_READY};
use crate::cupti::{self, api};
use crate::operation::{Action, Plan};
use crate::state::{Event, State, call, now, until};

/// Keeps no times.
const NO_TIMING: c_uint = 2;
/// In a capture: a node that records whenever the graph runs.
const EXTERNAL: c_uint = 1;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventCreate(event: *mut Handle, flags: c_uint) -> c_int {
    api(118, || {
        call(|state| {
            state.context()?;
            if flags > 7 {
                return Err(INVALID_VALUE);
            }
            let made = state.handle();
            let timing = flags & NO_TIMING == 0;
            state.events.insert(
                made,
                Event {
                    timing,
                    ..Event::default()
                },
            );
            // SAFETY: as the driver's documentation has it.
            unsafe { answer(event, handle(made)) };
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventDestroy_v2(event: Handle) -> c_int {
    api(325, || {
        call(|state| {
            let removed = state.events.remove(&number(event));
            removed.map(drop).ok_or(INVALID_HANDLE)
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventRecordWithFlags(event: Handle, stream: Handle, flags: c_uint) -> c_int {
    api(587, || {
        call(|state| record(state, number(event), number(stream), flags))
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventRecord(event: Handle, stream: Handle) -> c_int {
    api(119, || {
        call(|state| record(state, number(event), number(stream), 0))
    })
}

fn record(state: &mut State, event: usize, stream: usize, flags: c_uint) -> Result<(), i32> {
    let stream = state.stream(stream)?;
    if !state.events.contains_key(&event) {
        return Err(INVALID_HANDLE);
    }
    let captured = state.streams.get(&stream).and_then(|it| it.capture.clone());
    if captured.is_some() && flags & EXTERNAL != 0 {
        return state.give(stream, Plan::plain(Action::Record(event), 0));
    }
    if captured.is_none() {
        if flags & EXTERNAL != 0 {
            return Err(ILLEGAL_STATE);
        }
        state.records += 1;
        let mut plan = Plan::mark();
        plan.note.event = Some((event, state.records));
        state.give(stream, plan)?;
    }
    let tail = state.streams.get(&stream).and_then(|it| it.tail.clone());
    let record = state.records;
    if let Some(event) = state.events.get_mut(&event) {
        if captured.is_none() {
            event.place = tail;
            event.record = record;
        }
        event.capture = captured;
    }
    Ok(())
}

/// An event, which is in no capture.
fn plain(state: &State, event: usize) -> Result<&Event, i32> {
    let event = state.events.get(&event).ok_or(INVALID_HANDLE)?;
    match &event.capture {
        Some((capture, _)) if state.captures.get(*capture).is_some() => Err(CAPTURED_EVENT),
        _ => Ok(event),
    }
}

fn is_reached(event: &Event) -> bool {
    let place = event.place.as_ref();
    place.is_none_or(|(_, end)| end.get().is_some())
}

#[unsafe(no_mangle)]
extern "C" fn cuEventQuery(event: Handle) -> c_int {
    api(120, || {
        call(|state| {
            let event = plain(state, number(event))?;
            is_reached(event).then_some(()).ok_or(NOT_READY)
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventSynchronize(event: Handle) -> c_int {
    api(121, || {
        let (begun, mut record) = (now(), 0);
        let looked = call(|state| {
            record = plain(state, number(event))?.record;
            Ok(())
        });
        if looked != 0 {
            return looked;
        }
        let done = until(|state| state.events.get(&number(event)).is_none_or(is_reached));
        cupti::synced(1, begun, None, Some((number(event), record)), done);
        done
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventElapsedTime(millis: *mut f32, from: Handle, to: Handle) -> c_int {
    api(123, || {
        call(|state| {
            let (from, to) = (plain(state, number(from))?, plain(state, number(to))?);
            if !from.timing || !to.timing {
                return Err(INVALID_HANDLE);
            }
            let (Some((_, from)), Some((_, to))) = (&from.place, &to.place) else {
                return Err(INVALID_HANDLE);
            };
            let (from, to) = (from.get().ok_or(NOT_READY)?, to.get().ok_or(NOT_READY)?);
            // SAFETY: as the driver's documentation has it.
            unsafe { answer(millis, ((to as f64 - from as f64) / 1e6) as f32) };
            Ok(())
        })
    })
}
