//! The kinds of errors that calls can fail with: what they are called where a workload catches them.

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $label:literal,)*) => {
        /// Why a call failed, as `catch "…"` names it. A call that is refused leaves everything as it was (rule A46).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $($(#[$doc])* $name,)*
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
        }
    };
}

kinds! {
    /// An event keeps no times (rule A15).
    TimingDisabled = "timing-disabled",
    /// An event was never recorded (rule A14).
    NotRecorded = "not-recorded",
    /// A record has not been reached (rules A9, A16).
    NotReady = "not-ready",
    /// Two things belong to different devices (rules A4, A20).
    OtherDevice = "other-device",
    /// Work failed or was cancelled before, and this is the call that says so (rules A9, A48, F8).
    Failed = "failed",
    /// It was not reached within the time that was given (rules F8, F9).
    TimedOut = "timed-out",
    /// What is used was destroyed, or is destroyed a second time (rules A11, A27).
    Destroyed = "destroyed",
    /// An event was made without what the call needs of it (rule F2).
    WrongCapability = "wrong-capability",
    /// The stream was aborted meanwhile (rule F14).
    Aborted = "aborted",
    /// No thread takes the callbacks of this stream (rule F15).
    NotSubscribed = "not-subscribed",
    /// A thread takes the callbacks of this stream already (rule F15).
    AlreadySubscribed = "already-subscribed",
    /// Callbacks of this stream are still to come (rule F15).
    CallbacksPending = "callbacks-pending",
    /// Every event of the pool is in use.
    PoolEmpty = "pool-empty",
    /// The event was not taken from its pool, or was given back.
    NotAcquired = "not-acquired",
    /// The event was taken from its pool already.
    AlreadyAcquired = "already-acquired",
    /// There is no such thing.
    Unknown = "unknown",
    /// A launch does not fit its kernel.
    InvalidLaunch = "invalid-launch",
    /// There is not enough memory.
    OutOfMemory = "out-of-memory",
    /// The device failed before and takes no more work (rule A47).
    DeviceFailed = "device-failed",
    /// The device is gone.
    DeviceLost = "device-lost",
    /// An argument that the kernel has not, or of another sort (rule D3).
    InvalidArgument = "invalid-argument",
    /// A buffer that a launch was recorded with is gone (rule D10).
    StaleArgument = "stale-argument",
    /// It was not made ready, or not recorded or captured, before it was launched.
    NotMade = "not-made",
    /// A flag that means nothing here (rule A42), or a stream that the call cannot take (rule C15).
    InvalidValue = "invalid-value",
    /// A capture is begun where one is, or ended where none is (rule A36).
    IllegalState = "illegal-state",
    /// A call that is not possible while a stream captures (rules A36, A38, A41).
    CaptureUnsupported = "capture-unsupported",
    /// An earlier call made the capture void (rule A38).
    CaptureInvalidated = "capture-invalidated",
    /// Two captures would become one (rule A40).
    CaptureMerge = "capture-merge",
    /// The capture was begun on another stream (rule A36).
    CaptureUnmatched = "capture-unmatched",
    /// A stream that joined the capture was not joined back (rule A37).
    CaptureUnjoined = "capture-unjoined",
    /// A dependency would cross the border of a capture (rule A40).
    CaptureIsolation = "capture-isolation",
    /// The legacy stream would wait for a stream that captures (rule A39).
    CaptureImplicit = "capture-implicit",
    /// The event was last recorded in a capture (rule A38).
    CapturedEvent = "captured-event",
    /// The capture was begun by another host thread (rule A36).
    CaptureWrongThread = "capture-wrong-thread",
    /// A graph that is ready cannot take these nodes.
    GraphUpdate = "graph-update",
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
