//! Causes, parts and segments as objects of JSON.

use engine::analysis::causes::{
    Candidate, CauseReader, ChainSegment, SpanPoint, ThreadDelay, TimePart, TimeUse,
};
use engine::record::{Group, LaneId, SpanId};
use engine::time::Nanos;
use serde_json::{Map, Value, json};

/// An object under way.
pub(super) type JsonObject = Map<String, Value>;

/// Puts a lane into an object: what it is called, its rank, the number of its stream or thread, and its device.
pub(super) fn put_lane(reader: &CauseReader<'_>, lane: LaneId, object: &mut JsonObject) {
    let capture = reader.capture();
    object.insert("lane".to_owned(), json!(capture.lane_title(lane)));
    object.insert("rank".to_owned(), json!(reader.rank(lane)));
    let number = capture.lane_origin(lane).and_then(|it| it.number);
    let known = capture.lane(lane);
    let is_host = known.is_some_and(|it| it.group == Group::Host);
    let device = known.and_then(|it| capture.devices().get(it.device?.index()));
    if let Some(device) = device {
        object.insert("device".to_owned(), json!(device.name));
    }
    if let Some(number) = number {
        let what = if is_host { "thread" } else { "stream" };
        object.insert(what.to_owned(), json!(number));
    }
}

/// A span: what it is called, where it ran and when it began.
pub(super) fn put_span(reader: &CauseReader<'_>, span: SpanId, object: &mut JsonObject) {
    let Some(placed) = reader.capture().span(span) else {
        return;
    };
    let name = reader.capture().name(placed.span.name);
    object.insert("name".to_owned(), json!(name));
    object.insert("span".to_owned(), json!(span.0));
    put_lane(reader, placed.span.lane, object);
    object.insert("start_ns".to_owned(), json!(placed.span.start.0));
}

/// A cause of a point, with how it is known.
pub(super) fn cause(reader: &CauseReader<'_>, point: SpanPoint, candidate: &Candidate) -> Value {
    let mut object = JsonObject::new();
    object.insert("kind".to_owned(), json!(candidate.kind.label()));
    let known = reader.known(point, candidate);
    object.insert("known".to_owned(), json!(known.label()));
    put_span(reader, candidate.span(), &mut object);
    object.insert("at_ns".to_owned(), json!(candidate.at.0));
    if candidate.back > Nanos::ZERO {
        object.insert("ends_after_ns".to_owned(), json!(candidate.back.0));
    }
    Value::Object(object)
}

/// The parts of a wait.
pub(super) fn parts(reader: &CauseReader<'_>, parts: &[TimePart]) -> Value {
    let part = |part: &TimePart| {
        let mut object = JsonObject::new();
        object.insert("from_ns".to_owned(), json!(part.interval.start.0));
        object.insert("to_ns".to_owned(), json!(part.interval.end.0));
        object.insert("what".to_owned(), json!(part.what.label()));
        if let Some(by) = part.by.filter(|_| part.what == TimeUse::Blocked) {
            object.insert("kind".to_owned(), json!(by.kind.label()));
            put_span(reader, by.span(), &mut object);
        }
        Value::Object(object)
    };
    parts.iter().map(part).collect()
}

/// A segment of a chain or of the critical path.
pub(super) fn segment(reader: &CauseReader<'_>, segment: &ChainSegment) -> JsonObject {
    let mut object = JsonObject::new();
    object.insert("from_ns".to_owned(), json!(segment.interval.start.0));
    object.insert("to_ns".to_owned(), json!(segment.interval.end.0));
    object.insert("what".to_owned(), json!(segment.what.label()));
    if let Some(placed) = segment.span.and_then(|span| reader.capture().span(span)) {
        let name = reader.capture().name(placed.span.name);
        object.insert("name".to_owned(), json!(name));
        object.insert("span".to_owned(), json!(placed.span.id.0));
    }
    if let Some(lane) = segment.lane {
        put_lane(reader, lane, &mut object);
    }
    object
}

/// The segments of a chain.
pub(super) fn segments(reader: &CauseReader<'_>, all: &[ChainSegment]) -> Value {
    let all = all.iter().map(|it| Value::Object(segment(reader, it)));
    all.collect()
}

/// What kept a thread from running.
pub(super) fn thread_delay(reader: &CauseReader<'_>, delay: &ThreadDelay) -> Value {
    let mut object = JsonObject::new();
    put_lane(reader, delay.lane, &mut object);
    object.insert("from_ns".to_owned(), json!(delay.within.start.0));
    object.insert("to_ns".to_owned(), json!(delay.within.end.0));
    object.insert("runnable_ns".to_owned(), json!(delay.runnable.0));
    object.insert("blocked_ns".to_owned(), json!(delay.blocked.0));
    object.insert("off_cpu_ns".to_owned(), json!(delay.off_cpu.0));
    let waker = delay.waker.map(|it| reader.capture().name(it));
    object.insert("waker".to_owned(), json!(waker));
    Value::Object(object)
}
