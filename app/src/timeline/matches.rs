//! Marks of what is searched for: around spans in view, and on the ruler's lower edge.

mod match_ticks;

use eframe::egui::{Painter, Rect, pos2};
use engine::record::SpanId;
use engine::time::Nanos;

use super::frame::PaintFrame;
use super::mesh_builder::MeshBuilder;
use super::scale::Scale;
use crate::theme::mixed;

pub use self::match_ticks::MatchTicks;

/// Spans that are outlined: of more in view only the ruler tells.
const OUTLINED: usize = 1_000;

/// The matches that start in view.
fn in_view<'a>(frame: &PaintFrame<'a>) -> &'a [(Nanos, SpanId)] {
    let all = frame.picture.matches.map_or(&[][..], |it| it);
    let view = frame.scale.interval();
    let first = all.partition_point(|(start, _)| *start < view.start);
    let last = all.partition_point(|(start, _)| *start <= view.end);
    all.get(first..last.max(first)).unwrap_or_default()
}

/// Outlines the matches in view, and marks them on the ruler.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    let found = in_view(frame);
    let theme = frame.picture.theme;
    let ruler = frame.areas.ruler;
    let line = ruler.with_min_y(ruler.bottom() - 3.0);
    let sheet = ticks(painter, (frame, &frame.scale), found, line);
    if !sheet.is_empty() {
        painter.add(sheet.into_shape());
    }
    if found.len() > OUTLINED {
        return;
    }
    let body = frame.areas.body;
    let mut sheet = MeshBuilder::new(painter.pixels_per_point());
    for (_, span) in found.iter().filter(|it| may_be_seen(frame, it.1)) {
        let Some(place) = frame.locate(*span) else {
            continue;
        };
        let mut rect = place.rect;
        rect.min.x = rect.min.x.max(body.left() - 8.0);
        rect.max.x = rect.max.x.min(body.right() + 8.0).max(rect.min.x + 2.0);
        let is_hidden = !frame.is_pinned(place.lane) && rect.bottom() < frame.scrolled().top();
        if rect.intersects(body) && !is_hidden {
            sheet.outline(rect, 1.5, theme.warning);
        }
    }
    if !sheet.is_empty() {
        painter.with_clip_rect(body).add(sheet.into_shape());
    }
}

/// Whether the lane of a span is on screen, which is quicker to tell than where the span is.
fn may_be_seen(frame: &PaintFrame<'_>, span: SpanId) -> bool {
    let Some(lane) = frame.picture.capture.span_lane(span) else {
        // It may still run.
        return true;
    };
    frame.layout.row_of(lane).is_some_and(|(_, row)| {
        let top = frame.bar_rect(row, 0, 0.0, 0.0).top();
        let body = frame.areas.body;
        top < body.bottom() && top + row.height > body.top()
    })
}

/// How many of `rest` start before `next`, at least one: looked for in steps that double, since it is few as a rule.
fn passed(rest: &[(Nanos, SpanId)], next: Nanos) -> usize {
    let is_before = |at: usize| rest.get(at).is_some_and(|(start, _)| *start < next);
    let mut step = 1;
    while is_before(step) {
        step *= 2;
    }
    let from = step / 2;
    let near = rest.get(from..rest.len().min(step)).unwrap_or_default();
    (from + near.partition_point(|(start, _)| *start < next)).max(1)
}

/// A tick for each pixel in which a match starts.
fn ticks(
    painter: &Painter,
    (frame, scale): (&PaintFrame<'_>, &Scale),
    found: &[(Nanos, SpanId)],
    line: Rect,
) -> MeshBuilder {
    let theme = frame.picture.theme;
    let color = mixed(theme.warning, theme.panel, 0.9);
    let mut sheet = MeshBuilder::new(painter.pixels_per_point());
    let from = scale.time_from_x(line.left());
    let mut rest = found
        .get(found.partition_point(|(start, _)| *start < from)..)
        .unwrap_or_default();
    // Ticks side by side are one rectangle.
    let mut run: Option<Rect> = None;
    while let Some((start, _)) = rest.first() {
        let x = sheet.snap(scale.x_from_time(*start));
        if x > line.right() {
            break;
        }
        let tick = Rect::from_min_max(pos2(x, line.top()), pos2(x + 1.0, line.bottom()));
        run = match run {
            Some(run) if x <= run.right() + 0.5 => Some(run.union(tick)),
            _ => {
                if let Some(run) = run {
                    sheet.rect(run, color);
                }
                Some(tick)
            }
        };
        // Those that start within the tick are passed over without a look.
        rest = rest
            .get(passed(rest, scale.time_from_x(x + 1.0))..)
            .unwrap_or_default();
    }
    if let Some(run) = run {
        sheet.rect(run, color);
    }
    sheet
}
