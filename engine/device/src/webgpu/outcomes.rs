//! The outcome table: what every call, and the promise it gives, comes to, with the place in the specification that
//! says so. The model decides nothing by itself that a row here can say.
//!
//! Written from the specification's text of August 2026 and checked against its conformance suite. Where the two
//! disagree, the row of [`Edition::Present`] follows the text and that of [`Edition::Suite`] the suite.

use super::edition::SpecAuthority;
use super::loss::LossReason;
use super::outcome::{CallOutcome, GpuErrorKind, PromiseRejection, PromiseValue};
use super::table::{Api, Condition, DecidingTimeline, OutcomeRow};

const EVERY: &[SpecAuthority] = &[
    SpecAuthority::Former,
    SpecAuthority::Present,
    SpecAuthority::Suite,
];
const TODAY: &[SpecAuthority] = &[SpecAuthority::Present, SpecAuthority::Suite];
const TEXT: &[SpecAuthority] = &[SpecAuthority::Former, SpecAuthority::Present];
const BEFORE: &[SpecAuthority] = &[SpecAuthority::Former];
const PRESENT: &[SpecAuthority] = &[SpecAuthority::Present];
const SUITE: &[SpecAuthority] = &[SpecAuthority::Suite];
const STRICT: &[SpecAuthority] = &[SpecAuthority::Former, SpecAuthority::Suite];

macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

macro_rules! rows {
    ($({
        $($api:ident $anchor:literal),+ ;
        $($condition:ident)|+ , $editions:ident ;
        $outcome:expr, $decided:ident $(, raises $raises:ident)? ;
        $reason:literal
    })*) => {
        &[$(OutcomeRow {
            apis: &[$((Api::$api, $anchor)),+],
            conditions: &[$(Condition::$condition),+],
            editions: $editions,
            outcome: $outcome,
            decided: DecidingTimeline::$decided,
            raises: optional!($(GpuErrorKind::$raises)?),
            reason: $reason,
        }),*]
    };
}

/// Every row.
pub fn outcomes() -> &'static [OutcomeRow] {
    ROWS
}

static ROWS: &[OutcomeRow] = rows! {
    // Pipelines by promise.
    {
        CreateComputePipelineAsync "#dom-gpudevice-createcomputepipelineasync",
        CreateRenderPipelineAsync "#dom-gpudevice-createrenderpipelineasync";
        Fine, EVERY; CallOutcome::Resolve(PromiseValue::Pipeline), Device;
        "the pipeline compiled, so its promise resolves with it"
    }
    {
        CreateComputePipelineAsync "#dom-gpudevice-createcomputepipelineasync",
        CreateRenderPipelineAsync "#dom-gpudevice-createrenderpipelineasync";
        LostBefore | DestroyedBefore, EVERY; CallOutcome::Resolve(PromiseValue::Pipeline), Device;
        "on a lost device creation appears to succeed: the pipeline is invalid inside, and nobody can tell"
    }
    {
        CreateComputePipelineAsync "#abstract-opdef-listen-for-timeline-event",
        CreateRenderPipelineAsync "#abstract-opdef-listen-for-timeline-event";
        LostMeanwhile | DestroyedMeanwhile, TODAY; CallOutcome::Resolve(PromiseValue::Pipeline), Device;
        "the loss came before the completion was decided, so creation appears to succeed whatever the compile gives"
    }
    {
        CreateComputePipelineAsync "#dom-gpudevice-createcomputepipelineasync",
        CreateRenderPipelineAsync "#dom-gpudevice-createrenderpipelineasync";
        LostMeanwhile | DestroyedMeanwhile, BEFORE; CallOutcome::ByCompletion, Device;
        "the one block of device steps read the loss when it began, so the compile's own result counts"
    }
    {
        CreateComputePipelineAsync "#dom-gpudevice-createcomputepipelineasync",
        CreateRenderPipelineAsync "#dom-gpudevice-createrenderpipelineasync";
        Invalid, TODAY; CallOutcome::Reject(PromiseRejection::PipelineValidation), Device;
        "the descriptor or its shader breaks a rule; the promise alone says so, and no scope hears of it"
    }
    {
        CreateComputePipelineAsync "#dom-gpudevice-createcomputepipelineasync",
        CreateRenderPipelineAsync "#dom-gpudevice-createrenderpipelineasync";
        Invalid, BEFORE; CallOutcome::Reject(PromiseRejection::PipelineValidation), Device, raises Validation;
        "the steps ran the synchronous call as it is, and so raised its error besides (gpuweb #4714)"
    }
    {
        CreateComputePipelineAsync "#dom-gpudevice-createcomputepipelineasync",
        CreateRenderPipelineAsync "#dom-gpudevice-createrenderpipelineasync";
        Internal, TODAY; CallOutcome::Reject(PromiseRejection::PipelineInternal), Device;
        "the shader is valid, and the implementation failed at compiling it"
    }
    {
        CreateComputePipelineAsync "#dom-gpudevice-createcomputepipelineasync",
        CreateRenderPipelineAsync "#dom-gpudevice-createrenderpipelineasync";
        Internal, BEFORE; CallOutcome::Reject(PromiseRejection::PipelineInternal), Device, raises Internal;
        "the steps ran the synchronous call as it is, and so raised its error besides (gpuweb #4714)"
    }
    {
        CreateRenderPipelineAsync "#dom-gpudevice-createrenderpipelineasync";
        MissingFeature, EVERY; CallOutcome::Reject(PromiseRejection::Type), Content;
        "a target's format needs a feature that the device was made without, which the call finds at once"
    }
    // Pipelines at once.
    {
        CreateComputePipeline "#dom-gpudevice-createcomputepipeline",
        CreateRenderPipeline "#dom-gpudevice-createrenderpipeline";
        Fine, EVERY; CallOutcome::Handle, Device;
        "the handle can be used at once, though the first use may stall until the compile ends"
    }
    {
        CreateComputePipeline "#dom-gpudevice-createcomputepipeline",
        CreateRenderPipeline "#dom-gpudevice-createrenderpipeline";
        LostBefore | LostMeanwhile | DestroyedBefore | DestroyedMeanwhile, EVERY; CallOutcome::InvalidHandle, Device;
        "no errors surface on a lost device, so the handle is invalid inside and nobody is told"
    }
    {
        CreateComputePipeline "#dom-gpudevice-createcomputepipeline",
        CreateRenderPipeline "#dom-gpudevice-createrenderpipeline";
        Invalid, EVERY; CallOutcome::InvalidHandle, Device, raises Validation;
        "the descriptor or its shader breaks a rule: a validation error for the innermost scope that takes it"
    }
    {
        CreateComputePipeline "#dom-gpudevice-createcomputepipeline",
        CreateRenderPipeline "#dom-gpudevice-createrenderpipeline";
        Internal, EVERY; CallOutcome::InvalidHandle, Device, raises Internal;
        "the implementation failed at compiling a valid shader: an internal error for the innermost scope"
    }
    {
        CreateRenderPipeline "#dom-gpudevice-createrenderpipeline";
        MissingFeature, EVERY; CallOutcome::Reject(PromiseRejection::Type), Content;
        "a target's format needs a feature that the device was made without: the call throws"
    }
    // Maps.
    {
        MapAsync "#dom-gpubuffer-mapasync";
        Fine, EVERY; CallOutcome::Resolve(PromiseValue::Undefined), Device;
        "the queue's work that uses the buffer is done, so the host may have its numbers"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        LostBefore | DestroyedBefore, TODAY; CallOutcome::Reject(PromiseRejection::Abort), Device;
        "a lost device cannot supply the numbers, and a map must not pretend to"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        LostMeanwhile, TODAY; CallOutcome::Reject(PromiseRejection::Abort), Device;
        "the device was lost before the numbers were there: the map ends after device.lost has resolved"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        LostBefore | LostMeanwhile | DestroyedBefore, BEFORE; CallOutcome::Reject(PromiseRejection::Operation), Device;
        "a map that the loss ended was an OperationError until July 2024 (gpuweb #4785)"
    }
    {
        MapAsync "#dom-gpudevice-destroy";
        DestroyedMeanwhile, EVERY; CallOutcome::Reject(PromiseRejection::Abort), Content;
        "destroy() unmaps every buffer first, so the map ends inside the call and before device.lost"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        Invalid, EVERY; CallOutcome::Reject(PromiseRejection::Operation), Device, raises Validation;
        "its range, mode or the buffer's usage or state breaks a rule of mapAsync"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        InvalidOnLost, TEXT; CallOutcome::Reject(PromiseRejection::Operation), Device;
        "the arguments are tested before the loss is, and the validation error cannot be observed"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        InvalidOnLost, SUITE; CallOutcome::Reject(PromiseRejection::Abort), Device;
        "the loss is meant to come before every other reason (gpuweb #5114, cts #4295)"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        Mapped, PRESENT; CallOutcome::Reject(PromiseRejection::Operation), Content, raises Validation;
        "the buffer is not unmapped, which the call itself sees: it rejects at once, and raises an error too"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        Mapped, STRICT; CallOutcome::Reject(PromiseRejection::Operation), Device, raises Validation;
        "the buffer is mapped, which its internal state says on the device timeline"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        MapPending, PRESENT; CallOutcome::Reject(PromiseRejection::Operation), Content, raises Validation;
        "another map of the buffer is pending: the call rejects at once, and raises an error too"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        MapPending, STRICT; CallOutcome::Reject(PromiseRejection::Operation), Content;
        "another map of the buffer is pending: the call rejects at once"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        InvalidBuffer, PRESENT; CallOutcome::Reject(PromiseRejection::Abort), Device;
        "a buffer that is not valid counts as one of a lost device, and raises no error (gpuweb #5114)"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        InvalidBuffer, STRICT; CallOutcome::Reject(PromiseRejection::Operation), Device, raises Validation;
        "a buffer whose creation failed cannot be mapped (gpuweb cts #4708)"
    }
    {
        MapAsync "#dom-gpubuffer-unmap";
        Unmapped, EVERY; CallOutcome::Reject(PromiseRejection::Abort), Content;
        "unmap() or buffer.destroy() ended the map before the numbers were there"
    }
    {
        MapAsync "#dom-gpubuffer-mapasync";
        OutOfMemory, EVERY; CallOutcome::Reject(PromiseRejection::Range), Content;
        "the host has no memory for the mapping"
    }
    {
        Unmap "#dom-gpubuffer-unmap", DestroyBuffer "#dom-gpubuffer-destroy";
        Fine | LostBefore | LostMeanwhile | DestroyedBefore | DestroyedMeanwhile, EVERY; CallOutcome::Nothing, Device;
        "it is never an error, whatever state the buffer is in"
    }
    {
        GetMappedRange "#dom-gpubuffer-getmappedrange";
        Fine | LostBefore, EVERY; CallOutcome::Handle, Content;
        "a mapping lives on the content timeline, and a loss by the driver does not take it away"
    }
    {
        GetMappedRange "#dom-gpubuffer-getmappedrange";
        Invalid | DestroyedBefore, EVERY; CallOutcome::Reject(PromiseRejection::Operation), Content;
        "the buffer is not mapped, or not in this range: the call throws"
    }
    // Error scopes.
    {
        PushErrorScope "#dom-gpudevice-pusherrorscope";
        Fine | LostBefore | LostMeanwhile | DestroyedBefore | DestroyedMeanwhile, EVERY; CallOutcome::Nothing, Device;
        "the scope is pushed, on a lost device too, where it cannot be observed"
    }
    {
        PopErrorScope "#dom-gpudevice-poperrorscope";
        Fine, EVERY; CallOutcome::Resolve(PromiseValue::Null), Device;
        "the scope was popped, and had captured nothing"
    }
    {
        PopErrorScope "#dom-gpudevice-poperrorscope";
        Invalid, EVERY; CallOutcome::Resolve(PromiseValue::Error(GpuErrorKind::Validation)), Device;
        "the scope captured a validation error"
    }
    {
        PopErrorScope "#dom-gpudevice-poperrorscope";
        Internal, EVERY; CallOutcome::Resolve(PromiseValue::Error(GpuErrorKind::Internal)), Device;
        "the scope captured an internal error"
    }
    {
        PopErrorScope "#dom-gpudevice-poperrorscope";
        OutOfMemory, EVERY; CallOutcome::Resolve(PromiseValue::Error(GpuErrorKind::OutOfMemory)), Device;
        "the scope captured an out-of-memory error"
    }
    {
        PopErrorScope "#dom-gpudevice-poperrorscope";
        LostBefore | LostMeanwhile | DestroyedBefore | DestroyedMeanwhile, EVERY; CallOutcome::Resolve(PromiseValue::Null), Device;
        "a lost device has no errors: the scope was popped after the loss, and the test for it comes first"
    }
    {
        PopErrorScope "#dom-gpudevice-poperrorscope";
        NoScope, EVERY; CallOutcome::Reject(PromiseRejection::Operation), Device;
        "there is no scope to pop: every pop needs its push"
    }
    // What is told on completion.
    {
        GetCompilationInfo "#dom-gpushadermodule-getcompilationinfo";
        Fine, EVERY; CallOutcome::Resolve(PromiseValue::Messages), Content;
        "the module is compiled, with these messages; the promise never rejects"
    }
    {
        GetCompilationInfo "#dom-gpushadermodule-getcompilationinfo";
        LostBefore | LostMeanwhile | DestroyedBefore | DestroyedMeanwhile, TODAY;
        CallOutcome::Resolve(PromiseValue::NoMessages), Content;
        "the device was lost, so the list of messages is empty, that of a module compiled before too"
    }
    {
        GetCompilationInfo "#dom-gpushadermodule-getcompilationinfo";
        LostBefore | LostMeanwhile | DestroyedBefore | DestroyedMeanwhile, BEFORE; CallOutcome::ByCompletion, Content;
        "the text did not speak of a loss: the messages of the module's creation count"
    }
    {
        OnSubmittedWorkDone "#dom-gpuqueue-onsubmittedworkdone";
        Fine, EVERY; CallOutcome::Resolve(PromiseValue::Undefined), Queue;
        "everything submitted before the call is done"
    }
    {
        OnSubmittedWorkDone "#dom-gpuqueue-onsubmittedworkdone";
        LostBefore | LostMeanwhile | DestroyedBefore | DestroyedMeanwhile, EVERY;
        CallOutcome::Resolve(PromiseValue::Undefined), Device;
        "a lost device has nothing left to wait for, so the promise resolves at once"
    }
    // The queue and other objects.
    {
        Submit "#dom-gpuqueue-submit", Write "#dom-gpuqueue-writebuffer";
        Fine, EVERY; CallOutcome::Handle, Queue;
        "the work runs in the order of the queue"
    }
    {
        Submit "#dom-gpuqueue-submit", Write "#dom-gpuqueue-writebuffer";
        LostBefore | LostMeanwhile | DestroyedBefore | DestroyedMeanwhile, EVERY; CallOutcome::Nothing, Device;
        "the device is lost: the call does nothing, and what it had submitted is abandoned"
    }
    {
        Submit "#dom-gpuqueue-submit", Write "#dom-gpuqueue-writebuffer";
        Invalid, EVERY; CallOutcome::Nothing, Device, raises Validation;
        "the work breaks a rule: none of it runs"
    }
    {
        Create "#dom-gpudevice-createbuffer";
        Fine, EVERY; CallOutcome::Handle, Device;
        "the object is made, and its handle works"
    }
    {
        Create "#dom-gpudevice-createbuffer";
        LostBefore | LostMeanwhile | DestroyedBefore | DestroyedMeanwhile, EVERY; CallOutcome::InvalidHandle, Device;
        "no errors surface on a lost device, so the handle is invalid inside and nobody is told"
    }
    {
        Create "#dom-gpudevice-createbuffer";
        Invalid, EVERY; CallOutcome::InvalidHandle, Device, raises Validation;
        "what was asked for breaks a rule: the handle is invalid inside"
    }
    {
        Create "#dom-gpudevice-createbuffer";
        OutOfMemory, EVERY; CallOutcome::InvalidHandle, Device, raises OutOfMemory;
        "the device has no memory for it: the handle is invalid inside"
    }
    // The device.
    {
        Lost "#dom-gpudevice-lost";
        LostBefore | LostMeanwhile, EVERY; CallOutcome::Resolve(PromiseValue::Lost(LossReason::Unknown)), Device;
        "the implementation lost the device, which may jump the queue of device steps"
    }
    {
        Lost "#dom-gpudevice-lost";
        DestroyedBefore | DestroyedMeanwhile, EVERY; CallOutcome::Resolve(PromiseValue::Lost(LossReason::Destroyed)), Device;
        "destroy() was called, and its step had its turn on the device timeline"
    }
    {
        DestroyDevice "#dom-gpudevice-destroy";
        Fine | LostBefore | DestroyedBefore, EVERY; CallOutcome::Nothing, Device;
        "it may be called at any time, any number of times"
    }
    {
        Uncaptured "#eventdef-gpudevice-uncapturederror";
        Invalid | Internal | OutOfMemory, EVERY; CallOutcome::Handle, Content;
        "no scope takes an error of this kind, so the device's event says it"
    }
    {
        Uncaptured "#eventdef-gpudevice-uncapturederror";
        LostBefore | LostMeanwhile | DestroyedBefore | DestroyedMeanwhile, EVERY; CallOutcome::Nothing, Content;
        "no errors surface on a lost device"
    }
    {
        RequestDevice "#dom-gpuadapter-requestdevice";
        Fine, EVERY; CallOutcome::Resolve(PromiseValue::Device), Device;
        "the adapter gives its one device"
    }
    {
        RequestDevice "#dom-gpuadapter-requestdevice";
        MissingFeature, EVERY; CallOutcome::Reject(PromiseRejection::Type), Content;
        "the adapter has not the feature that is asked for"
    }
    {
        RequestDevice "#dom-gpuadapter-requestdevice";
        OverLimit, EVERY; CallOutcome::Reject(PromiseRejection::Operation), Device;
        "more is asked for than the adapter's limits allow"
    }
    {
        RequestDevice "#dom-gpuadapter-requestdevice";
        Expired, EVERY; CallOutcome::Resolve(PromiseValue::LostDevice), Device;
        "the adapter has expired: the device is lost before its promise resolves"
    }
    {
        RequestDevice "#adapters";
        Consumed, STRICT; CallOutcome::Reject(PromiseRejection::Operation), Device;
        "an adapter gives one device, and has given it"
    }
    {
        RequestDevice "#dom-gpuadapter-requestdevice";
        Consumed, PRESENT; CallOutcome::Resolve(PromiseValue::LostDevice), Device;
        "by the letter of the steps giving a device expires the adapter, so the next device is lost"
    }
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webgpu::look_up;

    #[test]
    fn a_call_in_a_condition_has_one_row() {
        for api in Api::ALL {
            for condition in Condition::ALL {
                for (_, edition) in SpecAuthority::LABELS {
                    let about = |row: &&OutcomeRow| {
                        row.apis.iter().any(|(listed, _)| listed == api)
                            && row.conditions.contains(condition)
                            && row.editions.contains(edition)
                    };
                    let found = ROWS.iter().filter(about).count();
                    assert!(
                        found <= 1,
                        "{api:?} {condition:?} {edition:?}: {found} rows"
                    );
                    assert_eq!(found == 1, look_up(*api, *condition, *edition).is_some());
                }
            }
        }
    }

    #[test]
    fn every_row_says_why_and_where() {
        for row in ROWS {
            assert!(row.reason.len() > 20, "{row:?}");
            assert!(!row.reason.ends_with('.'), "{row:?}");
            for (api, anchor) in row.apis {
                assert!(anchor.starts_with('#'), "{row:?}");
                assert!(
                    row.anchor(*api)
                        .starts_with("https://gpuweb.github.io/gpuweb/#")
                );
            }
        }
    }
}
