//! Races: two uses of one buffer that nothing orders, each in a broken outline, with a jagged line between them that names
//! the buffer.

use eframe::egui::{Align2, Painter, Pos2, Rect, Shape, Stroke, pos2, vec2};
use engine::capture::Capture;
use engine::record::{CallId, SpanId};

use super::frame::PaintFrame;
use super::missing_order;
use super::overlay::pill;
use crate::text;

/// What findings of races are called.
const CODE: &str = "race";
/// Races that are drawn; the tab Findings has them all.
const MOST: usize = 256;
/// Height and depth of a tooth of the line, in points.
const TOOTH: [f32; 2] = [5.0, 3.5];
/// Characters of a buffer's name that are written.
const SHOWN: usize = 24;

/// Two uses of a buffer that nothing orders.
#[derive(Clone, Debug, PartialEq)]
pub struct RacePair {
    first: SpanId,
    second: SpanId,
    /// The buffer's name; empty where the capture does not tell it.
    buffer: String,
}

/// The races of a capture, as far as they are drawn.
pub fn races(capture: &Capture) -> Vec<RacePair> {
    let found = capture.findings().iter().filter(|it| it.code == CODE);
    let pairs = found.filter_map(|finding| {
        let [first, second, ..] = finding.spans.as_slice() else {
            return None;
        };
        Some(RacePair {
            first: *first,
            second: *second,
            buffer: buffer(capture, *first, *second),
        })
    });
    pairs.take(MOST).collect()
}

/// The buffer that both use and one of them writes.
fn buffer(capture: &Capture, first: SpanId, second: SpanId) -> String {
    let call = |span| capture.span(span).map_or(CallId::NONE, |it| it.span.call);
    let (first, second) = (call(first), call(second));
    let uses = |call: CallId| {
        capture
            .buffer_uses()
            .iter()
            .filter(move |it| it.call == call)
    };
    let shared = uses(first).find(|one| {
        let mut others = uses(second);
        others.any(|it| {
            it.buffer == one.buffer && it.is_host == one.is_host && (it.is_write || one.is_write)
        })
    });
    shared.map_or_else(String::new, |it| capture.name(it.buffer).to_owned())
}

/// Paints the races in view.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    let theme = frame.picture.theme;
    let body = frame.areas.body;
    let wanted = missing_order::pair(frame);
    for race in frame.races {
        let (Some(first), Some(second)) = (frame.locate(race.first), frame.locate(race.second))
        else {
            continue;
        };
        let both = first.rect.union(second.rect);
        if !both.intersects(body) {
            continue;
        }
        for place in [&first, &second] {
            outline(painter, frame, place.rect);
        }
        // The order that a lesson wants is drawn between the two as an arrow.
        let pair = (race.first, race.second);
        let is_wanted = wanted == Some(pair) || wanted == Some((pair.1, pair.0));
        if is_wanted || (first.rect.center().y - second.rect.center().y).abs() < 1.0 {
            continue;
        }
        let (upper, lower) = if first.rect.top() < second.rect.top() {
            (first.rect, second.rect)
        } else {
            (second.rect, first.rect)
        };
        let (from, to) = ends(upper, lower);
        if !body.x_range().contains(from.x) && !body.x_range().contains(to.x) {
            continue;
        }
        let stroke = Stroke::new(1.6, theme.bad);
        painter.add(Shape::line(jagged(from, to), stroke));
        if !race.buffer.is_empty() {
            let words = format!("race: {}", text::shorten(&race.buffer, SHOWN));
            let middle = from + (to - from) * 0.5 + vec2(10.0, 0.0);
            let colors = (theme.bad, theme.panel);
            pill(painter, middle, Align2::LEFT_CENTER, &words, colors);
        }
    }
}

/// Where the line between two bars begins and ends: in the time that they share, or from the end of one to the beginning of
/// the other.
fn ends(upper: Rect, lower: Rect) -> (Pos2, Pos2) {
    let left = upper.left().max(lower.left());
    let right = upper.right().min(lower.right());
    if left <= right {
        let x = f32::midpoint(left, right);
        return (pos2(x, upper.bottom()), pos2(x, lower.top()));
    }
    let x = |own: Rect, other: Rect| {
        if own.right() < other.left() {
            own.right()
        } else {
            own.left()
        }
    };
    (
        pos2(x(upper, lower), upper.bottom()),
        pos2(x(lower, upper), lower.top()),
    )
}

/// The points of a jagged line.
fn jagged(from: Pos2, to: Pos2) -> Vec<Pos2> {
    let [length, depth] = TOOTH;
    let way = to - from;
    let teeth = (way.length() / length).floor().clamp(1.0, 400.0) as usize;
    let across = way.normalized().rot90() * depth;
    let inner = (1..teeth).map(|tooth| {
        let side = if tooth % 2 == 0 { across } else { -across };
        from + way * (tooth as f32 / teeth as f32) + side
    });
    [from].into_iter().chain(inner).chain([to]).collect()
}

/// A broken outline around a bar.
fn outline(painter: &Painter, frame: &PaintFrame<'_>, rect: Rect) {
    let body = frame.areas.body;
    let mut rect = rect;
    rect.min.x = rect.min.x.max(body.left() - 8.0);
    rect.max.x = rect.max.x.min(body.right() + 8.0).max(rect.min.x + 3.0);
    if !rect.intersects(body) {
        return;
    }
    let corners = [
        rect.left_top(),
        rect.right_top(),
        rect.right_bottom(),
        rect.left_bottom(),
        rect.left_top(),
    ];
    let stroke = Stroke::new(2.0, frame.picture.theme.bad);
    painter.extend(Shape::dashed_line(&corners, stroke, 4.0, 3.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_joins_bars_where_they_meet_in_time() {
        let bar = |left, right, top| Rect::from_min_max(pos2(left, top), pos2(right, top + 20.0));
        let (from, to) = ends(bar(0.0, 100.0, 0.0), bar(60.0, 200.0, 40.0));
        assert_eq!((from, to), (pos2(80.0, 20.0), pos2(80.0, 40.0)));
        let (from, to) = ends(bar(0.0, 50.0, 0.0), bar(60.0, 200.0, 40.0));
        assert_eq!((from, to), (pos2(50.0, 20.0), pos2(60.0, 40.0)));
        let line = jagged(from, to);
        assert_eq!((line.first(), line.last()), (Some(&from), Some(&to)));
        assert!(line.len() > 3);
    }
}
