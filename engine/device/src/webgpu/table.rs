//! The form of the outcome table: which call, in which condition, comes to what, and where that is decided.

use super::edition::SpecAuthority;
use super::outcome::{CallOutcome, GpuErrorKind, PromiseRejection};
use super::outcomes::outcomes;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $label:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// Every one, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The words for it on screen.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)* }
            }
        }
    };
}

words! {
    /// A call of the API that the table has rows for.
    Api {
        /// A compute pipeline, by promise.
        CreateComputePipelineAsync = "createComputePipelineAsync",
        /// A render pipeline, by promise.
        CreateRenderPipelineAsync = "createRenderPipelineAsync",
        /// A compute pipeline, at once.
        CreateComputePipeline = "createComputePipeline",
        /// A render pipeline, at once.
        CreateRenderPipeline = "createRenderPipeline",
        /// A buffer's numbers for the host to read or write.
        MapAsync = "mapAsync",
        /// The end of a mapping.
        Unmap = "unmap",
        /// The end of a buffer.
        DestroyBuffer = "buffer.destroy",
        /// A view of a mapping.
        GetMappedRange = "getMappedRange",
        /// A scope that captures errors of one kind.
        PushErrorScope = "pushErrorScope",
        /// The end of a scope, and what it captured.
        PopErrorScope = "popErrorScope",
        /// What compiling a module said.
        GetCompilationInfo = "getCompilationInfo",
        /// The end of what was submitted so far.
        OnSubmittedWorkDone = "onSubmittedWorkDone",
        /// Work for the queue.
        Submit = "queue.submit",
        /// Numbers or texels for the queue to write.
        Write = "queue.write",
        /// Any other object.
        Create = "create",
        /// The end of the device, by its owner.
        DestroyDevice = "device.destroy",
        /// The promise of the device's end.
        Lost = "device.lost",
        /// The event of an error that no scope captured.
        Uncaptured = "uncapturederror",
        /// A device, by promise.
        RequestDevice = "requestDevice",
    }
}

words! {
    /// What is the case when a call's outcome is decided.
    Condition {
        /// Nothing is wrong.
        Fine = "nothing is wrong",
        /// The driver had lost the device before the call.
        LostBefore = "device lost before the call",
        /// The driver lost the device while the promise was pending.
        LostMeanwhile = "device lost while pending",
        /// The device had been destroyed before the call.
        DestroyedBefore = "device destroyed before the call",
        /// The device was destroyed while the promise was pending.
        DestroyedMeanwhile = "device destroyed while pending",
        /// The call breaks a rule of the specification.
        Invalid = "validation error",
        /// The call breaks a rule, on a device that is lost.
        InvalidOnLost = "validation error on a lost device",
        /// The implementation fails at something that is valid.
        Internal = "internal error",
        /// Memory is short.
        OutOfMemory = "out of memory",
        /// The buffer is mapped already.
        Mapped = "buffer mapped already",
        /// Another map of the buffer is pending.
        MapPending = "another map pending",
        /// The buffer's creation had failed.
        InvalidBuffer = "buffer invalid",
        /// The buffer was unmapped or destroyed while its map was pending.
        Unmapped = "unmapped while pending",
        /// There is no scope.
        NoScope = "no scope pushed",
        /// A format needs a feature that the device has not.
        MissingFeature = "feature not enabled",
        /// More is asked for than the adapter can.
        OverLimit = "limit exceeded",
        /// The adapter has expired.
        Expired = "adapter expired",
        /// The adapter has given its device already.
        Consumed = "adapter consumed",
    }
}

words! {
    /// Where an outcome is decided.
    DecidingTimeline {
        /// On the content timeline, in the call itself or when its promise settles.
        Content = "content",
        /// On the device timeline.
        Device = "device",
        /// On the queue timeline.
        Queue = "queue",
    }
}

impl Condition {
    /// Whether it is about a device that is lost, by its driver or by its owner.
    pub const fn is_loss(self) -> bool {
        matches!(
            self,
            Self::LostBefore
                | Self::LostMeanwhile
                | Self::DestroyedBefore
                | Self::DestroyedMeanwhile
        )
    }
}

/// One row of the outcome table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutcomeRow {
    /// The calls it is about, each with the anchor of its rule.
    pub apis: &'static [(Api, &'static str)],
    /// When it holds; the conditions of one row come to the same.
    pub conditions: &'static [Condition],
    /// The editions in which it holds.
    pub editions: &'static [SpecAuthority],
    /// What the call or its promise comes to.
    pub outcome: CallOutcome,
    /// Where that is decided.
    pub decided: DecidingTimeline,
    /// The error that it raises besides, for scopes to capture.
    pub raises: Option<GpuErrorKind>,
    /// Why, in one sentence for people.
    pub reason: &'static str,
}

impl OutcomeRow {
    /// The place in the specification that says so for `api`.
    pub fn anchor(&self, api: Api) -> String {
        let found = self.apis.iter().find(|(listed, _)| *listed == api);
        let anchor = found.or(self.apis.first()).map_or("", |(_, anchor)| anchor);
        format!("https://gpuweb.github.io/gpuweb/{anchor}")
    }

    fn is_about(&self, api: Api, condition: Condition, edition: SpecAuthority) -> bool {
        self.editions.contains(&edition)
            && self.conditions.contains(&condition)
            && self.apis.iter().any(|(listed, _)| *listed == api)
    }
}

/// What the model falls back to where the table has no row, which a test over all that it asks for rules out.
pub(super) static UNWRITTEN: OutcomeRow = OutcomeRow {
    apis: &[],
    conditions: &[],
    editions: &[],
    outcome: CallOutcome::Reject(PromiseRejection::Operation),
    decided: DecidingTimeline::Device,
    raises: None,
    reason: "the table of outcomes has no row for this; please report it",
};

/// The row for a call in a condition, by an edition of the specification.
pub fn look_up(
    api: Api,
    condition: Condition,
    edition: SpecAuthority,
) -> Option<&'static OutcomeRow> {
    outcomes()
        .iter()
        .find(|row| row.is_about(api, condition, edition))
}
