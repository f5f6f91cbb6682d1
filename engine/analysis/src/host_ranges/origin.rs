//! The ranges of the host that one operation came from, found without reading all others.

use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{DependencyKind, Group, Lane, LaneId, SpanId};

use super::HostLevel;
use super::level_names::LevelNames;

/// The ranges that were open on a host thread when it launched an operation, the outermost first, each with its level.
pub fn ranges_around_launch(capture: &Capture, operation: SpanId) -> Vec<(SpanId, HostLevel)> {
    let Some(call) = launching_call(capture, operation) else {
        return Vec::new();
    };
    ranges_open_at(capture, call.span.lane, call.span.start)
}

/// The ranges that are open at an instant on the host thread of a lane, the outermost first, each with its level.
pub fn ranges_open_at(capture: &Capture, lane: LaneId, at: Nanos) -> Vec<(SpanId, HostLevel)> {
    let Some(thread) = capture.lane(lane).filter(|it| it.group == Group::Host) else {
        return Vec::new();
    };
    let moment = Interval::new(at, at + Nanos(1));
    let mut levels = LevelNames::new(capture);
    let mut found: Vec<(PlacedSpan, HostLevel)> = Vec::new();
    for lane in capture
        .lanes()
        .iter()
        .filter(|it| is_of_thread(capture, it, thread))
    {
        let around = capture.spans_in(lane.id, moment);
        let around = around.filter(|it| it.span.start <= at && at < it.span.end);
        found.extend(around.filter_map(|it| Some((it, levels.of(lane, &it)?))));
    }
    found.sort_by_key(|(it, _)| (it.span.start, std::cmp::Reverse(it.span.end), it.span.id));
    found
        .into_iter()
        .map(|(it, level)| (it.span.id, level))
        .collect()
}

/// The call that launched an operation of a stream: what the file calls one, before what it merely ties.
fn launching_call(capture: &Capture, operation: SpanId) -> Option<PlacedSpan> {
    let lane = capture.lane(capture.span(operation)?.span.lane)?;
    if lane.group != Group::Streams {
        return None;
    }
    let call = |kind: DependencyKind| {
        let ties = capture
            .causes(operation)
            .filter_map(|it| capture.dependency(it));
        let mut calls = ties
            .filter(|it| it.kind == kind)
            .filter_map(|it| capture.span(it.cause));
        calls.find(|it| group(capture, it.span.lane) == Some(Group::Host))
    };
    call(DependencyKind::Submission).or_else(|| call(DependencyKind::Flow))
}

fn group(capture: &Capture, lane: LaneId) -> Option<Group> {
    capture.lane(lane).map(|it| it.group)
}

/// Whether a lane is of the same host thread as another one.
fn is_of_thread(capture: &Capture, lane: &Lane, thread: &Lane) -> bool {
    let rank = |lane: &Lane| capture.lane_origin(lane.id).and_then(|it| it.rank);
    let is_told = !lane.thread.is_empty() && lane.group == Group::Host;
    let is_same = (&lane.process, &lane.thread) == (&thread.process, &thread.thread);
    lane.id == thread.id || is_told && is_same && rank(lane) == rank(thread)
}
