//! The promise layer: what a call costs, and compiling by a pool against compiling on one thread.

use std::fmt::Write as _;
use std::time::Instant;

use engine::device::webgpu::{GpuErrorKind, ModelTimeline, PipelineShape, WebGpuModel};
use engine::record::{Record, SpanId, SpanKind};
use engine::runner::{RunRequest, run};

/// Calls of the model, and of a run.
const CALLS: u32 = 100_000;
/// Pipelines of a storm.
const PIPELINES: usize = 64;
const ROUNDS: usize = 5;

/// The least of some rounds: the one that the machine left alone.
fn least(mut round: impl FnMut() -> f64) -> f64 {
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds of an asynchronous creation by the model alone, from the call to its settled promise.
fn model_creation() -> f64 {
    let mut model = WebGpuModel::new(1);
    let (host, span) = (ModelTimeline::content(0), SpanId(0));
    let start = Instant::now();
    for _ in 0..CALLS {
        let (pipeline, _) = model.create_pipeline_async(host, span, PipelineShape::default());
        model.step_device(span);
        model.compiled(pipeline, span, None);
        model.step_device(span);
        model.step_content(host, span);
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}

/// Nanoseconds of a scope that is pushed and popped, by the model alone.
fn model_scope() -> f64 {
    let mut model = WebGpuModel::new(1);
    let (host, span) = (ModelTimeline::content(0), SpanId(0));
    let start = Instant::now();
    for _ in 0..CALLS {
        model.push_error_scope(host, span, GpuErrorKind::Validation);
        model.pop_error_scope(host, span);
        while model.step_device(span).is_some() {}
        model.step_content(host, span);
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}

/// When the last span of this kind, or of any, ended, in nanoseconds; infinite where the run could not be made.
fn length(source: &str, kind: Option<SpanKind>) -> f64 {
    let mut last = 0;
    let request = RunRequest {
        name: "promises".to_owned(),
        source: source.to_owned(),
        backend: "cpu".to_owned(),
        ..RunRequest::default()
    };
    let end = run(request, |batch| {
        for record in batch {
            if let Record::Span(span) = record
                && kind.is_none_or(|kind| kind == span.kind)
            {
                last = last.max(span.end.0);
            }
        }
    });
    end.map_or(f64::INFINITY, |_| last as f64)
}

/// Nanoseconds of a call that a host thread makes.
fn call(body: &str, calls: u32) -> f64 {
    let source = format!(
        "stream \"a\"\nevent \"e\"\npromise \"p\"\nhost \"main\" {{ repeat {calls} {{ {body} }} }}"
    );
    length(&source, None) / f64::from(calls)
}

/// Milliseconds of a storm of compiles, one after the other or by the pool.
fn storm(slow: u32, is_async: bool) -> f64 {
    let mut source = format!(
        "pipeline \"p\" kernel=\"nbody\" count={PIPELINES} slow-micros={slow}\npromise \"q\" count={PIPELINES}\n"
    );
    let create = if is_async {
        "create-pipeline-async \"p\" i promise=\"q[i]\""
    } else {
        "create-pipeline \"p\" i"
    };
    let _ = write!(
        source,
        "host \"main\" {{ repeat {PIPELINES} index=\"i\" {{ {create} }} }}"
    );
    length(&source, Some(SpanKind::Compile)) / 1e6
}

#[expect(clippy::print_stdout, reason = "a bench prints its table")]
fn main() {
    println!(
        "model alone: {:.0} ns an asynchronous creation (5 steps), {:.0} ns a scope (3 steps)",
        least(model_creation),
        least(model_scope)
    );
    let calls = 20_000;
    let base = least(|| call("query \"e\"", calls));
    let scope = least(|| call("push-error-scope \"validation\"", calls));
    let settled = least(|| call("pop-error-scope promise=\"p\"; settle \"p\"", calls));
    println!(
        "a call that is recorded: {base:.0} ns; with device steps {scope:.0} ns, {:.2}x; settled and waited for \
         {settled:.0} ns, {:.2}x",
        scope / base,
        settled / base
    );
    for slow in [0, 1_000] {
        let one = least(|| storm(slow, false));
        let pool = least(|| storm(slow, true));
        println!(
            "{PIPELINES} pipelines, {slow} us of driver each: {one:.1} ms on one thread, {pool:.1} ms by 4 workers, \
             {:.2}x",
            one / pool
        );
    }
}
