//! The text form of a capture: everything it holds, in one order, for golden texts and for comparing two.

use std::fmt::{Display, Write as _};

use super::{Capture, PlacedSpan, Repair};
use record::{SpanId, Value};

/// Everything that `capture` holds, line by line; two captures with the same text hold the same.
pub fn text(capture: &Capture) -> String {
    let mut out = String::new();
    if let Some(run) = capture.run() {
        line(
            &mut out,
            format_args!(
                "run {} on {} {:?} {}",
                run.name, run.backend, run.parameters, run.machine
            ),
        );
        line(
            &mut out,
            format_args!("source {:?} by {}", run.source, run.version),
        );
    }
    tables(capture, &mut out);
    for lane in capture.lane_order() {
        let Some(lane) = capture.lane(lane) else {
            continue;
        };
        line(
            &mut out,
            format_args!(
                "lane {} {:?} {} {:?}",
                lane.id.0,
                lane.name,
                lane.group.label(),
                lane.device
            ),
        );
        line(
            &mut out,
            format_args!("  role {} order {}", lane.role.label(), lane.order),
        );
    }
    for lane in capture.scheduled_lanes() {
        for it in capture.thread_states(lane) {
            let (at, state) = (it.interval, it.state.label());
            let waker = capture.name(it.waker);
            let (lane, core) = (lane.0, it.core);
            line(
                &mut out,
                format_args!(
                    "state of {lane} {}..{} {state} {core:?} {waker:?}",
                    at.start.0, at.end.0
                ),
            );
        }
    }
    for placed in capture.spans() {
        span(capture, &placed, &mut out);
    }
    for began in capture.open() {
        line(
            &mut out,
            format_args!("began {began:?} {:?}", capture.name(began.name)),
        );
    }
    dependencies(capture, &mut out);
    for counter in capture.counters() {
        let samples = capture.samples(counter.id);
        line(
            &mut out,
            format_args!(
                "counter {counter:?} {:?} {:?}",
                samples.times(),
                samples.values()
            ),
        );
    }
    for loss in capture.losses() {
        line(&mut out, format_args!("loss {loss:?}"));
    }
    all(&mut out, "recovery", capture.recoveries());
    all(&mut out, "pipeline", capture.pipelines());
    all(&mut out, "promise", capture.promises());
    all(&mut out, "launch", capture.launches());
    all(&mut out, "problem", capture.problems());
    all(&mut out, "finding", capture.findings());
    all(&mut out, "search", capture.searches());
    all(&mut out, "expectation", capture.expectations());
    all(&mut out, "log", capture.log());
    all(&mut out, "note", capture.notes());
    all(&mut out, "bookmark", capture.bookmarks());
    all(&mut out, "repair", capture.file_repairs());
    if let Some(end) = capture.end() {
        line(&mut out, format_args!("end {end:?}"));
    }
    out
}

fn line(out: &mut String, text: impl Display) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{text}");
}

fn all<T: std::fmt::Debug>(out: &mut String, what: &str, rows: &[T]) {
    for row in rows {
        line(out, format_args!("{what} {row:?}"));
    }
}

fn tables(capture: &Capture, out: &mut String) {
    all(out, "device", capture.devices());
    all(out, "clock", capture.clocks());
    for event in capture.events() {
        line(
            out,
            format_args!(
                "event {} {:?} timing {}",
                event.id.0,
                capture.name(event.name),
                event.timing
            ),
        );
        if event.options.is_some() {
            line(
                out,
                format_args!("  made with {:?}", capture.name(event.options)),
            );
        }
        for step in capture.event_steps(event.id) {
            let (change, generation, span) = (step.change.label(), step.generation, step.span.0);
            line(out, format_args!("  {change} {generation} by {span}"));
        }
    }
    for call in capture.calls() {
        line(
            out,
            format_args!(
                "call {} {:?} line {}",
                call.id.0,
                capture.name(call.name),
                call.line
            ),
        );
    }
    for used in capture.buffer_uses() {
        line(
            out,
            format_args!(
                "call {} {} {:?}{}",
                used.call.0,
                if used.is_write { "writes" } else { "reads" },
                capture.name(used.buffer),
                if used.is_host { " on the host" } else { "" },
            ),
        );
    }
}

fn span(capture: &Capture, placed: &PlacedSpan, out: &mut String) {
    let span = placed.span;
    let _ = write!(
        out,
        "span {} {:?} {} on {}.{} {} enqueued {} ran {}..{}",
        span.id.0,
        capture.name(span.name),
        span.kind.label(),
        span.lane.0,
        placed.depth,
        span.state.label(),
        span.enqueued.0,
        span.start.0,
        span.end.0
    );
    if span.call.is_some() {
        let _ = write!(out, " call {}", span.call.0);
    }
    if placed.repair != Repair::None {
        let _ = write!(out, " repaired: {}", placed.repair.label());
    }
    out.push('\n');
    arguments(capture, span.id, out);
}

fn arguments(capture: &Capture, span: SpanId, out: &mut String) {
    for (name, value) in capture.arguments(span) {
        match value {
            Value::Integer(value) => line(out, format_args!("  {name} = {value}")),
            Value::Number(value) => line(out, format_args!("  {name} = {value:?}")),
            Value::Text(value) => line(out, format_args!("  {name} = {value:?}")),
        }
    }
}

fn dependencies(capture: &Capture, out: &mut String) {
    for id in 0..capture.dependency_count() as u32 {
        let Some(tie) = capture.dependency(record::DependencyId(id)) else {
            continue;
        };
        let (kind, basis) = (tie.kind.label(), tie.basis.label());
        let _ = write!(
            out,
            "dependency {} -> {} {kind} {basis}",
            tie.cause.0, tie.effect.0
        );
        if tie.event.is_some() {
            let _ = write!(out, " event {} generation {}", tie.event.0, tie.generation);
        }
        out.push('\n');
    }
}

impl Display for Capture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&text(self))
    }
}
