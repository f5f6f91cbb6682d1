//! What was pending on a stream when its device was lost: struck through, beside the fault line.

use eframe::egui::{Align2, Painter, Rect, Stroke, pos2, vec2};
use engine::capture::Capture;
use engine::record::{DeviceId, LaneId, State};
use engine::time::{Interval, Nanos};

use super::frame::PaintFrame;
use super::layout::RowContent;
use crate::text;
use crate::theme::{GRID, mixed, small};

/// Names that are listed.
const NAMED: usize = 3;
/// Characters of the list that are written.
const SHOWN: usize = 40;
/// Lanes that are looked at for each loss.
const LANES: usize = 4_096;

/// Operations of a stream that a loss cancelled before they began.
#[derive(Clone, Debug, PartialEq)]
pub struct NeverRan {
    lane: LaneId,
    time: Nanos,
    words: String,
}

/// What each loss of a capture cancelled, lane by lane.
pub fn never_ran(capture: &Capture) -> Vec<NeverRan> {
    let mut found = Vec::new();
    for loss in capture.losses() {
        let at = Interval::new(loss.time, loss.time + Nanos(1));
        let is_of = |device: Option<DeviceId>| device == Some(loss.device);
        let lanes = capture.lanes().iter().filter(|lane| is_of(lane.device));
        for lane in lanes.take(LANES) {
            let spans = capture.spans_in(lane.id, at).map(|placed| placed.span);
            let cancelled = spans.filter(|span| {
                span.state == State::Cancelled && span.start == span.end && at.contains(span.start)
            });
            let mut spans: Vec<_> = cancelled.collect();
            spans.sort_by_key(|span| span.id);
            if !spans.is_empty() {
                let mut names: Vec<&str> = spans.iter().map(|it| capture.name(it.name)).collect();
                names.dedup();
                names.truncate(NAMED);
                let count = text::count(spans.len() as u64);
                let words = format!("{count} pending: {}", names.join(", "));
                found.push(NeverRan {
                    lane: lane.id,
                    time: loss.time,
                    words: text::shorten(&words, SHOWN),
                });
            }
        }
    }
    found
}

/// Writes beside the fault line what never ran on the rows in view.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    let theme = frame.picture.theme;
    let body = frame.areas.body;
    for pending in frame.never_ran {
        let x = frame.scale.x_from_time(pending.time);
        let row = frame.layout.row_of(pending.lane).map(|(_, row)| row);
        let row = row.filter(|row| matches!(row.content, RowContent::Entry(_)));
        let Some(row) = row.filter(|_| body.x_range().contains(x)) else {
            continue;
        };
        let ink = theme.ink(theme.lost);
        let galley = painter.layout_no_wrap(pending.words.clone(), small(), ink);
        let size = galley.size();
        let width = size.x + 4.0 * GRID;
        let bar = frame.bar_rect(row, 0, x, x);
        let (at, align) = if x + width <= body.right() {
            (x + 2.0 * GRID, Align2::LEFT_CENTER)
        } else {
            (x - 2.0 * GRID, Align2::RIGHT_CENTER)
        };
        let rect = align.anchor_size(pos2(at, bar.center().y), size);
        let ground = Rect::from_min_max(
            pos2(rect.left(), bar.top()),
            pos2(rect.right(), bar.bottom()),
        );
        let ground = ground.expand2(vec2(1.5 * GRID, 0.0));
        painter.rect_filled(ground, 3.0, mixed(theme.lost, theme.row, 0.9));
        painter.galley(rect.min, galley, ink);
        let middle = rect.center().y + 1.0;
        painter.hline(rect.x_range(), middle, Stroke::new(1.0, theme.bad));
    }
}
