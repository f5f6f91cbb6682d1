//! Signs above the spans: records and resets of events, answers to queries, waits that nobody asked for, and barriers.

use std::collections::BTreeSet;

use eframe::egui::{Align2, Color32, Painter, Pos2, Rangef, Rect, Shape, Stroke, pos2, vec2};
use engine::analysis::ElapsedMeasure;
use engine::capture::Capture;
use engine::record::{
    DependencyKind, Group, Lane, LaneId, QUERY_ANSWER, QueryAnswer, Role, SpanId, SpanKind, State,
    Value,
};
use engine::time::Nanos;

use super::fold::{Bar, Folds};
use super::frame::PaintFrame;
use super::layout::{LayoutRow, RowContent};
use super::overlay::pill;
use crate::text;
use crate::theme::{GRID, Theme, mixed, mono};

/// How many spans are looked at in one frame.
const ASKED: usize = 3_000;
/// How many dependencies of one span are looked at.
const TIES: usize = 32;
/// Half of a sign, in points.
const HALF: f32 = 4.5;
/// How many measured times are drawn: the latest.
pub const MEASURED: usize = 512;

/// Paints the signs of all spans in view that are drawn alone.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>, folds: &Folds) {
    let capture = frame.picture.capture;
    let mut barriers = BTreeSet::new();
    let mut left = ASKED;
    for row in frame.visible() {
        let RowContent::Entry(entry) = row.content else {
            continue;
        };
        let Some(lane) = entry.lane().and_then(|lane| capture.lane(lane)) else {
            continue;
        };
        for depth in frame.depths(row) {
            for bar in alone(frame, folds, (lane, depth)).take(left) {
                left -= 1;
                sign(painter, frame, (row, lane, depth), bar, &mut barriers);
            }
        }
    }
    for call in barriers {
        barrier(painter, frame, call);
    }
}

/// The bars of a sub-lane in view that stand for one span each, of a sort that bears a sign.
fn alone<'a>(
    frame: &PaintFrame<'_>,
    folds: &'a Folds,
    (lane, depth): (&'a Lane, usize),
) -> impl Iterator<Item = &'a Bar> {
    let view = frame.scale.interval();
    let bars = folds.last_of((lane.id, depth), view, signed(lane));
    let bars = bars
        .iter()
        .take_while(move |bar| bar.cell.interval.start <= view.end);
    bars.filter(|bar| bar.cell.count == 1 && bears_sign(lane, bar.cell.kind))
}

/// The kinds of spans that bear a sign on a lane, each as the bit of its number.
fn signed(lane: &Lane) -> u64 {
    let kinds = SpanKind::ALL.iter().filter(|kind| bears_sign(lane, **kind));
    kinds.fold(0, |bits, kind| bits | 1 << (*kind as u32 % u64::BITS))
}

const fn bears_sign(lane: &Lane, kind: SpanKind) -> bool {
    match lane.group {
        Group::Streams => matches!(
            kind,
            SpanKind::EventRecord | SpanKind::EventReset | SpanKind::Join | SpanKind::Stub
        ),
        Group::Host => matches!(kind, SpanKind::Call | SpanKind::Stub),
        Group::Device => matches!(kind, SpanKind::Stub),
        Group::Counters => false,
    }
}

fn sign(
    painter: &Painter,
    frame: &PaintFrame<'_>,
    (row, lane, depth): (&LayoutRow, &Lane, usize),
    bar: &Bar,
    barriers: &mut BTreeSet<SpanId>,
) {
    let theme = frame.picture.theme;
    let cell = &bar.cell;
    let x = |time| frame.scale.x_from_time(time);
    let (left, right) = (x(cell.interval.start), x(cell.interval.end));
    let rect = frame.bar_rect(row, depth, left, right);
    let top = pos2(left, rect.top() + 1.0);
    match cell.kind {
        SpanKind::EventRecord if cell.state == State::Done => {
            diamond(painter, top, (theme.text, theme.text), theme);
        }
        SpanKind::EventRecord => diamond(painter, top, (theme.row, theme.bad), theme),
        SpanKind::EventReset => diamond(painter, top, (theme.row, theme.text), theme),
        SpanKind::Stub => square(painter, top, theme),
        SpanKind::Join => match join(frame.picture.capture, cell.span) {
            Some(DependencyKind::Automatic | DependencyKind::Legacy) => {
                inserted(painter, rect, theme);
            }
            Some(DependencyKind::Barrier) => {
                barriers.extend(call_of(frame.picture.capture, cell.span));
            }
            _ => {}
        },
        _ if lane.group == Group::Host => {
            if let Some(answer) = answer(frame.picture.capture, bar) {
                query(painter, pos2(right, rect.top() + 1.0), answer, theme);
            }
        }
        _ => {}
    }
}

/// A hollow square is a stub: what it stands for is not in the capture.
fn square(painter: &Painter, at: Pos2, theme: &Theme) {
    let half = HALF - 1.0;
    let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
    painter.add(Shape::convex_polygon(
        corners.map(|(x, y)| at + vec2(x, y)).to_vec(),
        theme.row,
        Stroke::new(1.0, theme.text),
    ));
}

/// A filled diamond is a record that was reached, a hollow one a reset; red where it never was.
fn diamond(painter: &Painter, at: Pos2, (fill, edge): (Color32, Color32), theme: &Theme) {
    let corners = |half: f32| {
        vec![
            at - vec2(0.0, half),
            at + vec2(half, 0.0),
            at + vec2(0.0, half),
            at - vec2(half, 0.0),
        ]
    };
    let around = mixed(theme.row, theme.canvas, 0.5);
    painter.add(Shape::convex_polygon(
        corners(HALF + 1.5),
        around,
        Stroke::NONE,
    ));
    painter.add(Shape::convex_polygon(
        corners(HALF),
        fill,
        Stroke::new(1.5, edge),
    ));
}

/// What a query of an event answered; nothing where the call is none.
fn answer(capture: &Capture, bar: &Bar) -> Option<QueryAnswer> {
    let mut arguments = capture.arguments(bar.cell.span);
    arguments.find_map(|(name, value)| match value {
        Value::Text(text) if name == QUERY_ANSWER => QueryAnswer::from_label(&text),
        _ => None,
    })
}

/// A full green disc is complete, a grey ring is not ready, a red cross has failed.
fn query(painter: &Painter, at: Pos2, answer: QueryAnswer, theme: &Theme) {
    painter.circle_filled(at, HALF + 1.0, theme.row);
    match answer {
        QueryAnswer::Failed => {
            for across in [vec2(3.0, 3.0), vec2(3.0, -3.0)] {
                painter.line_segment([at - across, at + across], Stroke::new(2.0, theme.bad));
            }
        }
        QueryAnswer::NotReady => {
            painter.circle_stroke(at, HALF - 1.5, Stroke::new(1.5, theme.weak));
        }
        _ => {
            painter.circle_filled(at, HALF - 0.5, theme.good);
        }
    }
}

/// Why a stream waits for others: the first reason that is known.
fn join(capture: &Capture, span: SpanId) -> Option<DependencyKind> {
    let ties = capture.causes(span).take(TIES);
    let kinds = ties.filter_map(|id| Some(capture.dependency(id)?.kind));
    let mut kinds = kinds.filter(|kind| *kind != DependencyKind::Submission);
    kinds.next()
}

/// The colour of what was inserted by a rule, and asked for by nobody.
pub fn inserted_hue(theme: &Theme) -> Color32 {
    theme.span(Role::LazyJob, SpanKind::Kernel, engine::record::NameId(0))
}

/// A wait that was inserted has a dashed outline in a colour of its own.
fn inserted(painter: &Painter, rect: Rect, theme: &Theme) {
    let rect = rect.with_max_x(rect.right().max(rect.left() + 3.0));
    let corners = [
        rect.left_top(),
        rect.right_top(),
        rect.right_bottom(),
        rect.left_bottom(),
        rect.left_top(),
    ];
    let stroke = Stroke::new(1.5, inserted_hue(theme));
    painter.extend(Shape::dashed_line(&corners, stroke, 4.0, 2.5));
}

/// The call that submitted an operation.
fn call_of(capture: &Capture, span: SpanId) -> Option<SpanId> {
    let ties = capture.causes(span).take(TIES);
    let mut ties = ties.filter_map(|id| capture.dependency(id));
    let submission = ties.find(|tie| tie.kind == DependencyKind::Submission);
    submission.map(|tie| tie.cause)
}

/// A line through the lanes that a barrier joins, where everything before it has ended.
fn barrier(painter: &Painter, frame: &PaintFrame<'_>, call: SpanId) {
    let capture = frame.picture.capture;
    let joins = capture
        .effects(call)
        .filter_map(|id| capture.dependency(id));
    let joins = joins.filter(|tie| tie.kind == DependencyKind::Submission);
    let mut joins: Vec<_> = joins
        .filter_map(|tie| Some(capture.span(tie.effect)?.span))
        .collect();
    joins.sort_by_key(|join| join.id);
    // The stream that the barrier is on waits for all others first, and they for it then.
    let Some(own) = joins.first().map(|join| join.lane) else {
        return;
    };
    let ends = joins.iter().filter(|join| join.lane == own);
    let Some(time) = ends.map(|join| join.end).max() else {
        return;
    };
    let lanes: BTreeSet<LaneId> = joins.iter().map(|join| join.lane).collect();
    double_line(painter, frame, &lanes, time);
}

/// A double line through rows, with a stroke across either end.
fn double_line(painter: &Painter, frame: &PaintFrame<'_>, lanes: &BTreeSet<LaneId>, time: Nanos) {
    let rows = lanes.iter().filter_map(|&lane| frame.layout.row_of(lane));
    let rects = rows.map(|(_, row)| frame.row_rect(row));
    let Some(whole) = rects.reduce(Rect::union) else {
        return;
    };
    let theme = frame.picture.theme;
    let x = frame.scale.x_from_time(time);
    let hue = theme.span(Role::Barrier, SpanKind::Kernel, engine::record::NameId(0));
    painter.vline(x, whole.y_range(), Stroke::new(5.0, theme.canvas));
    for side in [-1.5, 1.5] {
        painter.vline(x + side, whole.y_range(), Stroke::new(1.0, hue));
    }
    for end in [whole.top(), whole.bottom()] {
        painter.hline(x - 4.0..=x + 4.0, end, Stroke::new(1.5, hue));
    }
}

/// Paints a bracket from record to record where the time between two events was taken, below the spans of its lane.
pub fn brackets(painter: &Painter, frame: &PaintFrame<'_>) {
    let capture = frame.picture.capture;
    let body = frame.areas.body;
    let view = frame.scale.interval();
    let latest = capture.measured().iter().rev().take(MEASURED);
    for found in latest.filter_map(|id| ElapsedMeasure::of_shown(capture, *id, view)) {
        let Some((_, row)) = frame.layout.row_of(found.lane) else {
            continue;
        };
        let RowContent::Entry(entry) = row.content else {
            continue;
        };
        let place = frame.bar_rect(row, entry.depths().saturating_sub(1), 0.0, 0.0);
        if place.bottom() >= body.top() && place.top() <= body.bottom() {
            bracket(painter, frame, &found, place.y_range());
        }
    }
}

fn bracket(painter: &Painter, frame: &PaintFrame<'_>, found: &ElapsedMeasure, place: Rangef) {
    let theme = frame.picture.theme;
    let body = frame.areas.body;
    let x = |time| {
        let x = frame.scale.x_from_time(time);
        x.clamp(body.left() - 8.0, body.right() + 8.0)
    };
    let (left, right) = (x(found.interval.start), x(found.interval.end));
    let stroke = Stroke::new(1.0, theme.weak);
    let y = place.center();
    painter.hline(left..=right, y, stroke);
    for end in [left, right] {
        painter.vline(end, place.min + 1.0..=y, stroke);
    }
    let seen = Rect::from_x_y_ranges(left..=right, place).intersect(body);
    let short = text::duration(found.elapsed);
    let own = text::duration(found.own);
    let spans = text::counted(found.count as u64, "span");
    let long = format!("{short} · ran {own} in {spans}");
    for label in [long, short] {
        let galley = painter.layout_no_wrap(label.clone(), mono(), theme.text);
        let size = vec2(galley.size().x + 3.0 * GRID, place.span());
        if size.x + 3.0 * GRID <= seen.width() {
            let ground = Rect::from_center_size(seen.center(), size);
            painter.rect_filled(ground, 0.0, theme.row);
            let colors = (theme.text, theme.row);
            pill(
                painter,
                seen.center(),
                Align2::CENTER_CENTER,
                &label,
                colors,
            );
            break;
        }
    }
}
