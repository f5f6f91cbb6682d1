//! Calls about events as compact code: names known, numbers still over variables.

use super::program::{Layout, Reference, length};
use super::{EventCall, Expression, Target, ThreadIndex};
use record::{EventIndex, StreamIndex};

/// What a call about events does. Times are in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum EventAct {
    Elapsed(Reference, Reference),
    Reset(Reference, Reference),
    RecordExternal(Reference, Reference),
    WaitExternal(Reference, Reference),
    DestroyEvent(Reference),
    DestroyStream(Reference),
    Abort(Reference),
    Wait(Reference, Reference, Expression),
    SynchronizeEvent(Reference, Expression),
    SynchronizeStream(Reference, Expression),
    SynchronizeDevice(Expression),
    Demand(Reference),
    Acquire(Reference),
    Release(Reference),
    BeginTime(Reference, Reference),
    EndTime(String, Reference, Reference, Reference),
    Subscribe(Reference, Reference),
    Unsubscribe(Reference, Reference),
    Callback(Function),
}

/// A function of the host.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Function {
    pub name: String,
    pub micros: Expression,
    pub stream: Reference,
    /// Whether later operations wait for it; none where the stream calls it by itself.
    pub is_blocking: Option<bool>,
    pub panics: bool,
}

impl EventAct {
    /// The call, for these values of the variables.
    pub fn call(&self, layout: &Layout, variables: &[f64]) -> EventCall {
        let stream = |r: &Reference| StreamIndex(layout.element(r, variables));
        let event = |r: &Reference| EventIndex(layout.element(r, variables));
        let thread = |r: &Reference| ThreadIndex(layout.element(r, variables));
        let time = |micros: &Expression| length(micros.evaluate(variables));
        match self {
            Self::Elapsed(start, end) => EventCall::Elapsed {
                start: event(start),
                end: event(end),
            },
            Self::Reset(it, on) => EventCall::Reset {
                event: event(it),
                stream: stream(on),
            },
            Self::RecordExternal(it, on) => EventCall::RecordExternal {
                event: event(it),
                stream: stream(on),
            },
            Self::WaitExternal(it, on) => EventCall::WaitExternal {
                event: event(it),
                stream: stream(on),
            },
            Self::DestroyEvent(it) => EventCall::DestroyEvent(event(it)),
            Self::DestroyStream(it) => EventCall::DestroyStream(stream(it)),
            Self::Abort(it) => EventCall::Abort(stream(it)),
            Self::Wait(it, on, micros) => EventCall::Wait {
                event: event(it),
                stream: stream(on),
                timeout: time(micros),
            },
            Self::SynchronizeEvent(it, micros) => EventCall::Synchronize {
                target: Target::Event(event(it)),
                timeout: time(micros),
            },
            Self::SynchronizeStream(it, micros) => EventCall::Synchronize {
                target: Target::Stream(stream(it)),
                timeout: time(micros),
            },
            Self::SynchronizeDevice(micros) => EventCall::Synchronize {
                target: Target::Device,
                timeout: time(micros),
            },
            Self::Demand(it) => EventCall::Demand(event(it)),
            Self::Acquire(it) => EventCall::Acquire(event(it)),
            Self::Release(it) => EventCall::Release(event(it)),
            Self::BeginTime(start, on) => EventCall::BeginTime {
                start: event(start),
                stream: stream(on),
            },
            Self::EndTime(name, start, end, on) => EventCall::EndTime {
                name: name.clone(),
                start: event(start),
                end: event(end),
                stream: stream(on),
            },
            Self::Subscribe(it, to) => EventCall::Subscribe {
                thread: thread(it),
                stream: stream(to),
            },
            Self::Unsubscribe(it, to) => EventCall::Unsubscribe {
                thread: thread(it),
                stream: stream(to),
            },
            Self::Callback(function) => {
                let (name, length) = (function.name.clone(), time(&function.micros));
                let stream = stream(&function.stream);
                match function.is_blocking {
                    Some(is_blocking) => EventCall::Callback {
                        name,
                        length,
                        stream,
                        is_blocking,
                        panics: function.panics,
                    },
                    None => EventCall::Panic {
                        name,
                        length,
                        stream,
                    },
                }
            }
        }
    }

    /// Every resource that the call uses.
    pub fn references(&self) -> Vec<&Reference> {
        match self {
            Self::SynchronizeDevice(_) => Vec::new(),
            Self::DestroyEvent(r)
            | Self::DestroyStream(r)
            | Self::Abort(r)
            | Self::SynchronizeEvent(r, _)
            | Self::SynchronizeStream(r, _)
            | Self::Demand(r)
            | Self::Acquire(r)
            | Self::Release(r) => vec![r],
            Self::Elapsed(one, two)
            | Self::Reset(one, two)
            | Self::RecordExternal(one, two)
            | Self::WaitExternal(one, two)
            | Self::Wait(one, two, _)
            | Self::BeginTime(one, two)
            | Self::Subscribe(one, two)
            | Self::Unsubscribe(one, two) => vec![one, two],
            Self::EndTime(_, start, end, on) => vec![start, end, on],
            Self::Callback(function) => vec![&function.stream],
        }
    }

    /// The number of microseconds that it is told, if it is told any.
    pub const fn micros(&self) -> Option<&Expression> {
        match self {
            Self::Wait(_, _, micros)
            | Self::SynchronizeEvent(_, micros)
            | Self::SynchronizeStream(_, micros)
            | Self::SynchronizeDevice(micros) => Some(micros),
            Self::Callback(function) => Some(&function.micros),
            _ => None,
        }
    }
}
