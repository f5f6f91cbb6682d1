//! Losses of devices: the fault line through their lanes, the recovery after it, and what each is labelled.

use std::ops::Range;

use eframe::egui::{Align2, Color32, Painter, Rect, Shape, Stroke, pos2};
use engine::analysis::LossIndex;
use engine::capture::Capture;
use engine::record::{DeviceId, Loss, LossKind, Recovery};
use engine::time::Nanos;

use super::frame::PaintFrame;
use super::overlay::pill;
use crate::state::Topic;
use crate::text;
use crate::theme::{GRID, mixed};

/// A loss and the way back from it.
#[derive(Clone, Debug, PartialEq)]
pub struct LossMarker {
    /// Its position among the capture's losses.
    pub place: usize,
    device: DeviceId,
    time: Nanos,
    label: String,
    short: String,
    /// When the device could take work again, and the first operation ended on it.
    recovery: Option<(Recovery, Option<Nanos>)>,
}

/// The losses of a capture, as far as they are drawn.
pub fn faults(capture: &Capture) -> Vec<LossMarker> {
    let index = LossIndex::new(capture);
    let firsts = index.first_results();
    let fault = |(place, loss): (usize, &Loss)| LossMarker {
        place,
        device: loss.device,
        time: loss.time,
        label: label(capture, loss),
        short: if loss.kind == LossKind::Link {
            "× link".to_owned()
        } else {
            format!("× lost · generation {}", loss.generation)
        },
        recovery: index.recovery(loss).map(|recovery| {
            let first = firsts.get(&(recovery.device, recovery.generation));
            (recovery, first.map(|(_, end)| *end))
        }),
    };
    capture.losses().iter().enumerate().map(fault).collect()
}

fn label(capture: &Capture, loss: &Loss) -> String {
    if loss.kind == LossKind::Link {
        return format!("× {}", text::shorten(&loss.reason, 48));
    }
    let device = capture.devices().get(loss.device.index());
    let name = match device {
        Some(device) if capture.devices().len() > 1 => device.short_name(),
        _ => "device",
    };
    // What follows the first part is told by the inspector.
    let reason = loss.reason.split("; ").next().unwrap_or_default();
    let reason = text::shorten(reason, 36);
    let reason = if reason.is_empty() {
        loss.kind.label()
    } else {
        &reason
    };
    format!("× {name} lost: {reason} · generation {}", loss.generation)
}

/// The parts of the lanes of a device in view, from top to bottom.
fn parts(frame: &PaintFrame<'_>, device: DeviceId) -> Vec<Range<f32>> {
    let mut parts: Vec<Range<f32>> = Vec::new();
    for row in frame
        .visible()
        .iter()
        // What is of no device goes through all of them.
        .filter(|row| device == DeviceId::NONE || row.key.device == device.0)
    {
        let rect = frame.row_rect(row);
        match parts.last_mut() {
            Some(last) if (last.end - rect.top()).abs() < 0.5 => last.end = rect.bottom(),
            _ => parts.push(rect.top()..rect.bottom()),
        }
    }
    parts
}

/// Tints the time in which a device was lost; to be painted under the spans.
pub fn ground(painter: &Painter, frame: &PaintFrame<'_>) {
    let theme = frame.picture.theme;
    let body = frame.areas.body;
    for fault in frame.faults {
        let until = fault
            .recovery
            .map_or(frame.now(), |(recovery, _)| recovery.time);
        let x = |time| {
            frame
                .scale
                .x_from_time(time)
                .clamp(body.left(), body.right())
        };
        let (left, right) = (x(fault.time), x(until));
        for part in parts(frame, fault.device) {
            let rect = Rect::from_min_max(pos2(left, part.start), pos2(right, part.end));
            painter.rect_filled(rect, 0.0, mixed(theme.bad, theme.canvas, 0.07));
        }
    }
}

/// Paints the lines and their labels; returns where the labels lie, for the pointer.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) -> Vec<(Topic, Rect)> {
    let theme = frame.picture.theme;
    let body = frame.areas.body;
    let area = painter.with_clip_rect(body.union(frame.areas.ruler));
    let mut labels = RulerLabels {
        frame,
        free: body.left(),
        placed: Vec::new(),
    };
    for fault in frame.faults {
        let x = frame.scale.x_from_time(fault.time);
        if seen(frame, x) {
            line(&area, frame, fault.device, x, (theme.bad, 2.0));
            let topic = Topic::Loss(fault.place);
            let next = fault.recovery.map(|(recovery, _)| recovery.time);
            let room = next.map_or(body.right(), |time| frame.scale.x_from_time(time)) - x;
            labels.write(
                &area,
                (x, room),
                &[&fault.label, &fault.short],
                (topic, theme.bad),
            );
        }
        if let Some((recovery, first)) = fault.recovery {
            back(&area, frame, fault, (recovery, first), &mut labels);
        }
    }
    labels.placed
}

fn seen(frame: &PaintFrame<'_>, x: f32) -> bool {
    let body = frame.areas.body;
    (body.left() - 1.0..=body.right() + 1.0).contains(&x)
}

/// The line at which a device took work again, and the one at its first result.
fn back(
    painter: &Painter,
    frame: &PaintFrame<'_>,
    fault: &LossMarker,
    (recovery, first): (Recovery, Option<Nanos>),
    labels: &mut RulerLabels<'_, '_>,
) {
    let theme = frame.picture.theme;
    let x = frame.scale.x_from_time(recovery.time);
    if seen(frame, x) {
        line(painter, frame, fault.device, x, (theme.good, 2.0));
        let short = format!(
            "recovered in {}",
            text::duration(recovery.time - fault.time)
        );
        let first = first.map(|first| text::duration(first - fault.time));
        let words = first.map_or_else(
            || short.clone(),
            |first| format!("{short}, first result after {first}"),
        );
        let room = frame.areas.body.right() - x;
        let topic = Topic::Loss(fault.place);
        labels.write(
            painter,
            (x, room),
            &[&words, &short, "+"],
            (topic, theme.good),
        );
    }
    if let Some(x) = first.map(|first| frame.scale.x_from_time(first))
        && seen(frame, x)
    {
        line(painter, frame, fault.device, x, (theme.good, 1.0));
    }
}

/// A line through the lanes of a device; where others lie between it and the ruler it is only hinted at.
fn line(
    painter: &Painter,
    frame: &PaintFrame<'_>,
    device: DeviceId,
    x: f32,
    (ink, width): (Color32, f32),
) {
    let parts = parts(frame, device);
    let top = frame.areas.ruler.bottom() - 6.0;
    let bottom = parts
        .last()
        .map_or(frame.areas.body.bottom(), |part| part.end);
    let hint = Stroke::new(1.0, mixed(ink, frame.picture.theme.canvas, 0.7));
    painter.extend(Shape::dashed_line(
        &[pos2(x, top), pos2(x, bottom)],
        hint,
        2.0,
        3.0,
    ));
    for part in parts {
        painter.vline(x, part.start..=part.end, Stroke::new(width, ink));
    }
}

/// Labels on the ruler, none over another.
struct RulerLabels<'a, 'b> {
    frame: &'a PaintFrame<'b>,
    free: f32,
    placed: Vec<(Topic, Rect)>,
}

impl RulerLabels<'_, '_> {
    /// Writes the first of `words` that fits right of `x`, where there is `room`, or left of it; else only a sign.
    fn write(
        &mut self,
        painter: &Painter,
        (x, room): (f32, f32),
        words: &[&str],
        (topic, ink): (Topic, Color32),
    ) {
        let panel = self.frame.picture.theme.panel;
        let y = self.frame.areas.ruler.center().y;
        let font = crate::theme::small();
        let mut places = words.iter().filter_map(|words| {
            let galley = painter.layout_no_wrap((*words).to_owned(), font.clone(), ink);
            let width = galley.size().x + 4.0 * GRID;
            if width <= room && x >= self.free {
                Some((x + 2.0 * GRID, Align2::LEFT_CENTER, *words))
            } else if x - width >= self.free {
                Some((x - 2.0 * GRID, Align2::RIGHT_CENTER, *words))
            } else {
                None
            }
        });
        let sign = (x, Align2::CENTER_CENTER, "×");
        let (at, align, words) = places.next().unwrap_or(sign);
        let rect = pill(painter, pos2(at, y), align, words, (ink, panel));
        self.free = rect.right() + GRID;
        self.placed.push((topic, rect));
    }
}
