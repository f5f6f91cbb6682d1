//! The kinds of errors that calls can fail with: what they are called where a workload catches them, and the numbers that
//! runtimes return for them.

use crate::error_numbers::RuntimeError;

macro_rules! kinds {
    ($($(#[doc = $about:literal])+ $name:ident = $label:literal [$($number:literal),*],)+) => {
        /// Why a call failed, as `catch "…"` names it. A call that is refused leaves everything as it was (rule A46).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $($(#[doc = $about])+ $name,)*
        }

        impl ErrorKind {
            /// Every kind with the word for it.
            pub const LABELS: &'static [(&'static str, Self)] = &[$(($label, Self::$name)),*];

            /// The word for it, in files and on screen.
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$name => $label,)*
                }
            }

            /// What happened.
            pub(crate) const fn about(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($about),+),)*
                }
            }

            /// The numbers that runtimes return for it, as far as they are documented.
            const fn numbers(self) -> &'static [u32] {
                match self {
                    $(Self::$name => &[$($number),*],)*
                }
            }
        }
    };
}

impl ErrorKind {
    /// What runtimes return for it, as far as that is documented.
    pub fn runtime_errors(self) -> impl Iterator<Item = &'static RuntimeError> {
        let numbers = self.numbers().iter();
        numbers.filter_map(|number| RuntimeError::of(*number))
    }

    /// The kinds that a text means: its word, or the number or name of an error of a runtime, which may stand for several.
    pub(crate) fn named(text: &str) -> Vec<Self> {
        let is_meant = |kind: Self| {
            let mut errors = kind.runtime_errors();
            kind.label() == text
                || errors.any(|it| it.name == text || it.number.to_string() == text)
        };
        let all = Self::LABELS.iter().map(|it| it.1);
        all.filter(|kind| is_meant(*kind)).collect()
    }
}

kinds! {
    /// An event keeps no times (rule A15).
    TimingDisabled = "timing-disabled" [400, 107_006],
    /// An event was never recorded (rule A14).
    NotRecorded = "not-recorded" [400],
    /// A record has not been reached (rules A9, A16).
    NotReady = "not-ready" [600, 507_006],
    /// Two things belong to different devices (rules A4, A20).
    OtherDevice = "other-device" [400, 107_003],
    /// Work failed or was cancelled before, and this is the call that says so (rules A9, A48, F8).
    Failed = "failed" [719, 507_015],
    /// It was not reached within the time that was given (rules F8, F9).
    TimedOut = "timed-out" [507_046, 507_047, 107_019],
    /// What is used was destroyed, or is destroyed a second time (rules A11, A27).
    Destroyed = "destroyed" [400, 107_017],
    /// An event was made without what the call needs of it (rule F2).
    WrongCapability = "wrong-capability" [],
    /// The stream was aborted meanwhile (rule F14).
    Aborted = "aborted" [107_023],
    /// No thread takes the callbacks of this stream (rule F15).
    NotSubscribed = "not-subscribed" [107_015],
    /// A thread takes the callbacks of this stream already (rule F15).
    AlreadySubscribed = "already-subscribed" [107_011],
    /// Callbacks of this stream are still to come (rule F15).
    CallbacksPending = "callbacks-pending" [],
    /// Every event of the pool is in use.
    PoolEmpty = "pool-empty" [],
    /// The event was not taken from its pool, or was given back.
    NotAcquired = "not-acquired" [],
    /// The event was taken from its pool already.
    AlreadyAcquired = "already-acquired" [],
    /// There is no such thing.
    Unknown = "unknown" [400, 107_017],
    /// A launch does not fit its kernel.
    InvalidLaunch = "invalid-launch" [1],
    /// There is not enough memory.
    OutOfMemory = "out-of-memory" [2, 207_001],
    /// The device failed before and takes no more work (rule A47).
    DeviceFailed = "device-failed" [719],
    /// The device is gone.
    DeviceLost = "device-lost" [],
    /// An argument that the kernel has not, or of another sort (rule D3).
    InvalidArgument = "invalid-argument" [],
    /// A buffer that a launch was recorded with is gone (rule D10).
    StaleArgument = "stale-argument" [],
    /// It was not made ready, or not recorded or captured, before it was launched.
    NotMade = "not-made" [],
    /// A flag that means nothing here (rule A42), or a stream that the call cannot take (rule C15).
    InvalidValue = "invalid-value" [1, 107_000],
    /// A capture is begun where one is, or ended where none is (rule A36).
    IllegalState = "illegal-state" [401, 107_027, 107_029],
    /// A call that is not possible while a stream captures (rules A36, A38, A41).
    CaptureUnsupported = "capture-unsupported" [900, 107_030],
    /// An earlier call made the capture void (rule A38).
    CaptureInvalidated = "capture-invalidated" [901, 507_903],
    /// Two captures would become one (rule A40).
    CaptureMerge = "capture-merge" [902],
    /// The capture was begun on another stream (rule A36).
    CaptureUnmatched = "capture-unmatched" [903, 107_036],
    /// A stream that joined the capture was not joined back (rule A37).
    CaptureUnjoined = "capture-unjoined" [904, 107_025],
    /// A dependency would cross the border of a capture (rule A40).
    CaptureIsolation = "capture-isolation" [905],
    /// The legacy stream would wait for a stream that captures (rule A39).
    CaptureImplicit = "capture-implicit" [906, 107_031],
    /// The event was last recorded in a capture (rule A38).
    CapturedEvent = "captured-event" [907, 107_028],
    /// The capture was begun by another host thread (rule A36).
    CaptureWrongThread = "capture-wrong-thread" [908],
    /// A graph that is ready cannot take these nodes.
    GraphUpdate = "graph-update" [910],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_unique_and_lead_back() {
        for (place, (label, kind)) in ErrorKind::LABELS.iter().enumerate() {
            assert_eq!(kind.label(), *label);
            let mut others = ErrorKind::LABELS.iter().skip(place + 1);
            assert!(others.all(|(other, _)| other != label));
        }
    }
}
