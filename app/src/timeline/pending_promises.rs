//! Promises that never settled: a dotted line on the lane that waits for them still.

use std::collections::BTreeMap;

use eframe::egui::{Align2, Painter, Shape, Stroke, pos2};
use engine::capture::{Capture, PromiseState};
use engine::record::LaneId;
use engine::time::Nanos;

use super::frame::PaintFrame;
use super::overlay::pill;
use crate::text;
use crate::theme::GRID;

/// The promises of one lane that never settled: since when the first is awaited, and how many there are.
pub type PendingPromises = BTreeMap<LaneId, (Nanos, u64)>;

/// The promises that cannot settle any more: the run is over, or their device is lost.
pub fn pending(capture: &Capture) -> PendingPromises {
    let is_over = |pledge: &&PromiseState| {
        let promise = &pledge.promise;
        let mut losses = capture.losses().iter();
        pledge.settlement.is_none()
            && (capture.end().is_some()
                || losses.any(|loss| {
                    (loss.device, loss.generation) == (promise.device, promise.generation)
                }))
    };
    let mut lanes = PendingPromises::new();
    for pledge in capture.promises().iter().filter(is_over) {
        if let Some(placed) = capture.span(pledge.promise.call) {
            let (since, count) = lanes
                .entry(placed.span.lane)
                .or_insert((placed.span.end, 0));
            *since = (*since).min(placed.span.end);
            *count += 1;
        }
    }
    lanes
}

/// Paints them: a line that leads nowhere, with an open end.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    let theme = frame.picture.theme;
    let body = frame.areas.body;
    for (lane, (since, count)) in frame.pending {
        let Some((_, row)) = frame.layout.row_of(*lane) else {
            continue;
        };
        let y = frame.row_rect(row).bottom() - 2.5;
        let left = frame.scale.x_from_time(*since).max(body.left());
        let right = frame.scale.x_from_time(frame.now()).min(body.right());
        if left >= right || !body.y_range().contains(y) {
            continue;
        }
        let stroke = Stroke::new(1.5, theme.warning);
        let line = [pos2(left, y), pos2(right - 4.0, y)];
        painter.extend(Shape::dashed_line(&line, stroke, 2.0, 4.0));
        painter.circle(pos2(right - 3.0, y - 1.0), 3.0, theme.canvas, stroke);
        let words = format!("never resolved: {}", text::counted(*count, "promise"));
        let at = pos2(right - 3.0 * GRID, y - 7.0);
        pill(
            painter,
            at,
            Align2::RIGHT_CENTER,
            &words,
            (theme.warning, theme.panel),
        );
    }
}
