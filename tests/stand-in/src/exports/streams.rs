//! Streams, and functions of the host that they call.

use std::ffi::{c_int, c_uint, c_void};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::Once;

use super::{Handle, answer, handle, number};
use crate::codes::{
    CAPTURE_ISOLATION, CAPTURE_UNSUPPORTED, INVALID_HANDLE, INVALID_VALUE, NOT_READY,
};
use crate::cupti::{self, api};
use crate::operation::{Action, Function, Plan};
use crate::state::{Sort, State, call, now, until};

/// Names a file that every stream that is made is noted in, a line each: what it was asked to be.
const NOTES: &str = "SYNCLINE_STAND_IN_STREAMS";

/// Names a file that every function of the host is noted in which a stream has called, a line each.
const CALLED: &str = "SYNCLINE_STAND_IN_CALLED";
/// Holds the code of an earlier call, which the first launch of a function of the host answers: the driver's documentation
/// warns of such codes. The function is called all the same, so much later that its caller has had the answer, and before
/// its context is destroyed.
const EARLIER: &str = "SYNCLINE_STAND_IN_EARLIER";
/// From the launch that answered such a code to the call of its function, in nanoseconds.
const LATER: u64 = 20_000_000;

/// Writes a line into the file that `variable` names, where it names one.
pub(super) fn note(variable: &str, line: &str) {
    let file = std::env::var_os(variable);
    let file = file.map(|path| OpenOptions::new().create(true).append(true).open(path));
    if let Some(Ok(mut file)) = file {
        // A test that finds no line says so.
        let _ = writeln!(file, "{line}");
    }
}

/// Notes that a stream called a function of the host, which has returned.
pub fn note_call() {
    note(CALLED, "called");
}

/// Whether functions are called later than their launches failed.
pub fn calls_later() -> bool {
    std::env::var_os(EARLIER).is_some()
}

/// The code of an earlier call, for the first launch that asks for it.
fn earlier() -> Option<c_int> {
    static FIRST: Once = Once::new();
    let code = std::env::var(EARLIER).ok()?.parse().ok()?;
    let mut found = None;
    FIRST.call_once(|| found = Some(code));
    found
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamCreateWithPriority(
    stream: *mut Handle,
    flags: c_uint,
    priority: c_int,
) -> c_int {
    api(367, || {
        call(|state| {
            let context = state.context()?;
            if flags > 1 {
                return Err(INVALID_VALUE);
            }
            let sort = if flags == 0 {
                Sort::Blocking
            } else {
                Sort::Exempt
            };
            let made = state.make_stream(context, sort);
            cupti::stream(context, made, priority, flags == 0);
            note(NOTES, &format!("flags {flags} priority {priority}"));
            // SAFETY: as the driver's documentation has it.
            unsafe { answer(stream, handle(made)) };
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamDestroy_v2(stream: Handle) -> c_int {
    api(326, || {
        call(|state| {
            let removed = state.streams.remove(&number(stream));
            removed.map(drop).ok_or(INVALID_HANDLE)
        })
    })
}

fn not_capturing(state: &State, stream: usize) -> Result<(), i32> {
    let captures = state
        .streams
        .get(&stream)
        .is_some_and(|it| it.capture.is_some());
    if captures {
        Err(CAPTURE_UNSUPPORTED)
    } else {
        Ok(())
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamQuery(stream: Handle) -> c_int {
    api(125, || {
        call(|state| {
            let stream = state.stream(number(stream))?;
            not_capturing(state, stream)?;
            state.is_idle(stream).then_some(()).ok_or(NOT_READY)
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamSynchronize(stream: Handle) -> c_int {
    api(126, || {
        let mut found = 0;
        let looked = call(|state| {
            found = state.stream(number(stream))?;
            not_capturing(state, found)
        });
        if looked != 0 {
            return looked;
        }
        let begun = now();
        let done = until(|state| state.is_idle(found));
        cupti::synced(3, begun, Some(found), None, done);
        done
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamWaitEvent(stream: Handle, wanted: Handle, _flags: c_uint) -> c_int {
    api(295, || {
        call(|state| {
            let handle = state.stream(number(stream))?;
            let event = state.events.get(&number(wanted)).ok_or(INVALID_HANDLE)?;
            let (place, captured) = (event.place.clone(), event.capture.clone());
            let (which, begun) = (event.record, now());
            let event = number(wanted);
            let stream = state.streams.get_mut(&handle).ok_or(INVALID_HANDLE)?;
            match (&mut stream.capture, captured) {
                // The stream takes part in the capture from now on.
                (None, Some(captured)) => stream.capture = Some(captured),
                (Some((own, frontier)), Some((other, nodes))) if *own == other => {
                    frontier.extend(nodes);
                }
                (Some(_), Some(_)) => return Err(CAPTURE_ISOLATION),
                (Some(_), None) if place.is_some() => return Err(CAPTURE_ISOLATION),
                (Some(_), None) => {}
                (None, None) => {
                    stream.waits.extend(place);
                    state.give(handle, Plan::mark())?;
                    cupti::synced(2, begun, Some(handle), Some((event, which)), 0);
                }
            }
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuLaunchHostFunc(
    stream: Handle,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> c_int {
    api(527, || {
        call(|state| {
            let stream = state.stream(number(stream))?;
            let function = Function {
                function: function.ok_or(INVALID_VALUE)?,
                data: data.expose_provenance() as u64,
            };
            let earlier = earlier();
            let cost = earlier.map_or(2_000, |_| LATER);
            state.give(stream, Plan::plain(Action::Call(function), cost))?;
            earlier.map_or(Ok(()), Err)
        })
    })
}
