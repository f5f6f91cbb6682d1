//! The critical path, drawn as one line through the lanes: along what it was spent on, and across where it goes on because of
//! another.

mod path_line;

use eframe::egui::{Painter, Pos2, pos2};
use engine::analysis::causes::{ChainSegment, TimeUse};

use super::frame::PaintFrame;
use path_line::{PathLine, WIDTH};

/// Paints the part of the path in view. The cost follows the points on screen: segments narrower than one are passed over.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    let path = frame.picture.path;
    let view = frame.scale.interval();
    let first = path.partition_point(|it| it.interval.end <= view.start);
    let mut rest = path.get(first..).unwrap_or_default();
    let mut at: Option<Pos2> = None;
    let mut line = PathLine::new(painter.pixels_per_point());
    while let Some(segment) = rest.first() {
        if segment.interval.start >= view.end {
            break;
        }
        at = step(&mut line, frame, segment, at);
        // The next that ends at least a point further right.
        let from = frame
            .scale
            .x_from_time(segment.interval.end.max(view.start));
        let until = frame.scale.time_from_x(from + 1.0);
        let next = rest.partition_point(|it| it.interval.end < until);
        rest = rest.get(next.max(1)..).unwrap_or_default();
    }
    line.paint(painter);
}

/// Paints one segment from where the line has come to, and says where it ends.
fn step(
    line: &mut PathLine,
    frame: &PaintFrame<'_>,
    segment: &ChainSegment,
    before: Option<Pos2>,
) -> Option<Pos2> {
    let body = frame.areas.body;
    let y = height(frame, segment).or(before.map(|it| it.y))?;
    let x = |time| {
        let x = frame.scale.x_from_time(time);
        x.clamp(body.left() - WIDTH, body.right() + WIDTH)
    };
    let from = pos2(x(segment.interval.start), y);
    let to = pos2(x(segment.interval.end).max(from.x), y);
    let theme = frame.picture.theme;
    let ink = if segment.what == TimeUse::Unknown {
        theme.weak
    } else {
        theme.warning
    };
    // What nothing ran in is no work that could be shorter by itself.
    let is_whole = matches!(segment.what, TimeUse::Run | TimeUse::Host);
    let shown = body.expand(2.0 * WIDTH);
    let across = before.map(|it| [pos2(from.x, it.y), from]);
    let across = across.filter(|it| it[0] != it[1]);
    for part in across.into_iter().chain([[from, to]]) {
        line.add(part, shown, (ink, theme.canvas), is_whole);
    }
    Some(to)
}

/// How far down the line is in a segment: on the lower edge of its span, or of its lane, where no name is under it.
fn height(frame: &PaintFrame<'_>, segment: &ChainSegment) -> Option<f32> {
    if let Some(place) = segment.span.and_then(|span| frame.locate(span)) {
        return Some(place.rect.bottom());
    }
    let (_, row) = frame.layout.row_of(segment.lane?)?;
    let y = frame.bar_rect(row, 0, 0.0, 0.0).bottom();
    // Of a lane whose beginning is scrolled away the line stays in sight.
    let top = frame.areas.body.top() + WIDTH;
    let is_in_sight = frame.y(row.y + row.height) > top;
    Some(if is_in_sight { y.max(top) } else { y })
}
