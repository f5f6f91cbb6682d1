//! What it means for two captures to be the same: field by field, names by their text and real numbers by every bit.

use std::fmt::Debug;

use engine::capture::Capture;
use engine::record::{DependencyId, LaneId, NameId, SpanId, Value};

/// Everything in which two captures differ, a line each.
pub fn differences(before: &Capture, after: &Capture) -> Vec<String> {
    let mut found = Vec::new();
    same(&mut found, "run", &before.run(), &after.run());
    same(&mut found, "end", &before.end(), &after.end());
    rows(&mut found, "device", before.devices(), after.devices());
    rows(&mut found, "clock", before.clocks(), after.clocks());
    rows(&mut found, "lane", before.lanes(), after.lanes());
    for lane in (0..before.lanes().len() as u32).map(LaneId) {
        let what = format!("origin of lane {}", lane.0);
        same(
            &mut found,
            &what,
            &before.lane_origin(lane),
            &after.lane_origin(lane),
        );
        let what = format!("sub-lanes of lane {}", lane.0);
        same(&mut found, &what, &before.depth(lane), &after.depth(lane));
    }
    counters(&mut found, before, after);
    thread_states(&mut found, before, after);
    named(&mut found, before, after);
    spans(&mut found, before, after);
    dependencies(&mut found, before, after);
    rows(&mut found, "loss", before.losses(), after.losses());
    rows(
        &mut found,
        "recovery",
        before.recoveries(),
        after.recoveries(),
    );
    rows(&mut found, "problem", before.problems(), after.problems());
    rows(&mut found, "finding", before.findings(), after.findings());
    rows(&mut found, "search", before.searches(), after.searches());
    rows(
        &mut found,
        "expectation",
        before.expectations(),
        after.expectations(),
    );
    rows(&mut found, "log", before.log(), after.log());
    rows(&mut found, "note", before.notes(), after.notes());
    rows(
        &mut found,
        "bookmark",
        before.bookmarks(),
        after.bookmarks(),
    );
    rows(
        &mut found,
        "repair of a file",
        before.file_repairs(),
        after.file_repairs(),
    );
    histories(&mut found, before, after);
    found
}

fn same<T: PartialEq + Debug>(found: &mut Vec<String>, what: &str, before: &T, after: &T) {
    if before != after {
        found.push(format!("{what}: {before:?} became {after:?}"));
    }
}

fn rows<T: PartialEq + Debug>(found: &mut Vec<String>, what: &str, before: &[T], after: &[T]) {
    same(
        found,
        &format!("count of {what}"),
        &before.len(),
        &after.len(),
    );
    for (place, (before, after)) in before.iter().zip(after).enumerate() {
        same(found, &format!("{what} {place}"), before, after);
    }
}

fn counters(found: &mut Vec<String>, before: &Capture, after: &Capture) {
    rows(found, "counter", before.counters(), after.counters());
    for counter in before.counters() {
        let (old, new) = (before.samples(counter.id), after.samples(counter.id));
        let what = format!("samples of {}", counter.name);
        same(found, &what, &old.times(), &new.times());
        let bits = |values: &[f64]| values.iter().map(|it| it.to_bits()).collect::<Vec<u64>>();
        same(found, &what, &bits(old.values()), &bits(new.values()));
    }
}

/// How threads were scheduled, wakers by their text.
fn thread_states(found: &mut Vec<String>, before: &Capture, after: &Capture) {
    let lanes = |capture: &Capture| capture.scheduled_lanes().collect::<Vec<LaneId>>();
    rows(found, "scheduled lane", &lanes(before), &lanes(after));
    for lane in before.scheduled_lanes() {
        let states = |capture: &Capture| -> Vec<_> {
            let all = capture.thread_states(lane).iter();
            all.map(|it| (it.interval, it.state, it.core, text(capture, it.waker)))
                .collect()
        };
        let what = format!("thread state of lane {}", lane.0);
        rows(found, &what, &states(before), &states(after));
    }
}

/// Events and calls, which have names.
fn named(found: &mut Vec<String>, before: &Capture, after: &Capture) {
    let events = |capture: &Capture| -> Vec<_> {
        let rows = capture.events().iter();
        rows.map(|it| (it.id, text(capture, it.name), it.timing))
            .collect()
    };
    rows(found, "event", &events(before), &events(after));
    let calls = |capture: &Capture| -> Vec<_> {
        let rows = capture.calls().iter();
        rows.map(|it| (it.id, text(capture, it.name), it.line))
            .collect()
    };
    rows(found, "call", &calls(before), &calls(after));
}

fn text(capture: &Capture, name: NameId) -> String {
    capture.name(name).to_owned()
}

fn spans(found: &mut Vec<String>, before: &Capture, after: &Capture) {
    same(
        found,
        "count of spans",
        &before.span_count(),
        &after.span_count(),
    );
    for old in before.spans() {
        let id = old.span.id;
        let Some(new) = after.span(id) else {
            found.push(format!("span {} is missing", id.0));
            continue;
        };
        let what = |field: &str| format!("{field} of span {} {}", id.0, before.name(old.span.name));
        let (a, b) = (old.span, new.span);
        same(found, &what("lane"), &a.lane, &b.lane);
        same(
            found,
            &what("name"),
            &text(before, a.name),
            &text(after, b.name),
        );
        same(found, &what("kind"), &a.kind, &b.kind);
        same(found, &what("state"), &a.state, &b.state);
        same(found, &what("call"), &a.call, &b.call);
        same(found, &what("enqueue time"), &a.enqueued, &b.enqueued);
        same(found, &what("start"), &a.start, &b.start);
        same(found, &what("end"), &a.end, &b.end);
        same(found, &what("sub-lane"), &old.depth, &new.depth);
        same(found, &what("repair"), &old.repair, &new.repair);
        same(
            found,
            &what("arguments"),
            &arguments(before, id),
            &arguments(after, id),
        );
    }
    let open = |capture: &Capture| -> Vec<_> {
        let mut all: Vec<_> = capture.open().copied().collect();
        all.sort_by_key(|it| it.id);
        let row = |it: engine::record::SpanStart| {
            let name = text(capture, it.name);
            (
                it.id,
                it.lane,
                name,
                it.kind,
                it.enqueued,
                it.start,
                arguments(capture, it.id),
            )
        };
        all.into_iter().map(row).collect()
    };
    rows(found, "running span", &open(before), &open(after));
}

/// The value of an argument, real numbers as their bits.
#[derive(Debug, PartialEq)]
enum Exact {
    Integer(i64),
    Real(u64, f64),
    Text(Box<str>),
}

fn arguments(capture: &Capture, span: SpanId) -> Vec<(String, Exact)> {
    let exact = |value| match value {
        Value::Integer(value) => Exact::Integer(value),
        // Of what is no number there are many patterns, which mean the same.
        Value::Number(value) if value.is_nan() => Exact::Text("no number".into()),
        Value::Number(value) => Exact::Real(value.to_bits(), value),
        Value::Text(value) => Exact::Text(value),
    };
    let all = capture.arguments(span);
    all.map(|(name, value)| (name.to_owned(), exact(value)))
        .collect()
}

fn dependencies(found: &mut Vec<String>, before: &Capture, after: &Capture) {
    let count = before.dependency_count();
    same(
        found,
        "count of dependencies",
        &count,
        &after.dependency_count(),
    );
    for id in (0..count as u32).map(DependencyId) {
        let what = format!("dependency {}", id.0);
        same(found, &what, &before.dependency(id), &after.dependency(id));
    }
}

/// Pipelines, promises and launches, with all that became of each.
fn histories(found: &mut Vec<String>, before: &Capture, after: &Capture) {
    let pipelines = |capture: &Capture| format!("{:#?}", capture.pipelines());
    same(found, "pipelines", &pipelines(before), &pipelines(after));
    let promises = |capture: &Capture| format!("{:#?}", capture.promises());
    same(found, "promises", &promises(before), &promises(after));
    let launches = |capture: &Capture| format!("{:#?}", capture.launches());
    same(found, "launches", &launches(before), &launches(after));
}
