//! What sort of cause a point has, and what a stretch of time was spent on.

use record::DependencyKind;

macro_rules! labels {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $label:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
        }

        impl $name {
            /// Every value, in the order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word for it, in files and on screen.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)* }
            }
        }
    };
}

labels! {
    /// What ties a cause to its effect.
    CauseKind {
        /// The start of an operation, and its end.
        Own = "own",
        /// The point before it on its host thread.
        Program = "none",
        /// The operation before it on its stream.
        Stream = "stream",
        /// The call that submitted it.
        Launch = "launch",
        /// What was waited for by way of an event.
        Event = "event",
        /// The legacy default stream, or a stream that waits for it.
        Legacy = "legacy",
        /// What another stream was joined from.
        Join = "join",
        /// An operation that a host call blocked for.
        Sync = "sync",
        /// Another part of the same collective operation, which began later.
        Collective = "collective",
        /// A wait that was inserted because a buffer was used last on another stream.
        Automatic = "automatic",
        /// A barrier between streams.
        Barrier = "barrier",
        /// A signal of the host.
        Signal = "signal",
        /// A pipeline that became ready.
        Pipeline = "pipeline",
        /// An edge of a graph.
        Edge = "edge",
        /// The step before it of an asynchronous API.
        Step = "step",
        /// A wait's own beginning, where nothing let it go: the time that it was given ran out, or it was cancelled or lost. Of a
        /// step that nothing in the run brought about, such as the loss of the device, what its timeline did before.
        Limit = "limit",
        /// The call that dropped what was waited for.
        Abort = "abort",
        /// What an engine of a paced device ran before.
        Engine = "engine",
    }
}

labels! {
    /// What a stretch of time was spent on.
    TimeUse {
        /// Something else had to be complete first.
        Blocked = "blocked",
        /// Nothing held it any more: what a start or a wake-up takes.
        Latency = "latency",
        /// More than a start takes, and the capture does not say why.
        Unknown = "unknown",
        /// A blocking call after what it waited for was complete.
        Return = "return",
        /// A blocking call that had nothing to wait for.
        Call = "call",
        /// An operation ran.
        Run = "run",
        /// The host was at work, or did nothing that the capture shows.
        Host = "host",
        /// A wait that nothing let go, until the time that it was given ran out, or it was cancelled or lost; and the time until
        /// something came from outside of the run, such as the loss of the device.
        Limit = "limit",
    }
}

impl TimeUse {
    /// What it means, in a sentence.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Blocked => "Something else had to be complete first",
            Self::Latency => "Nothing held it any more: what a start or a wake-up takes",
            Self::Unknown => "More than a start takes, and the capture does not tell why",
            Self::Return => "What a blocking call took to return after what it waited for",
            Self::Call => "A blocking call that had nothing to wait for",
            Self::Run => "An operation ran",
            Self::Host => "The host thread was at work, or in no call that the capture shows",
            Self::Limit => "A wait that nothing let go, or that something from outside ended",
        }
    }
}

impl CauseKind {
    /// Which of two that were complete at the same instant is named: the lower.
    pub(super) const fn precedence(self) -> u8 {
        match self {
            Self::Limit => 0,
            Self::Own | Self::Program | Self::Stream => 1,
            Self::Launch => 2,
            _ => 3,
        }
    }

    /// Whether the stream was held by something outside of it.
    pub const fn is_dependency(self) -> bool {
        matches!(self, Self::Limit) || self.precedence() == 3
    }

    /// What a dependency of the capture is as a cause; nothing where it holds nothing back, or has rules of its own.
    pub(super) const fn of(kind: DependencyKind) -> Option<Self> {
        Some(match kind {
            DependencyKind::Event => Self::Event,
            DependencyKind::Synchronization => Self::Sync,
            DependencyKind::Signal => Self::Signal,
            DependencyKind::Pipeline => Self::Pipeline,
            DependencyKind::Step => Self::Step,
            DependencyKind::Join => Self::Join,
            DependencyKind::Legacy => Self::Legacy,
            DependencyKind::Automatic => Self::Automatic,
            DependencyKind::Edge => Self::Edge,
            DependencyKind::Barrier => Self::Barrier,
            DependencyKind::Engine => Self::Engine,
            DependencyKind::Submission
            | DependencyKind::Collective
            | DependencyKind::Buffer
            | DependencyKind::Flow
            | DependencyKind::Elapsed
            | DependencyKind::Abort => return None,
        })
    }
}
