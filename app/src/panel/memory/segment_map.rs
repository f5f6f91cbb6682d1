//! The segments of an allocator as a map: a bar for each, as wide as it is large, with what is allocated in it.

use std::collections::HashMap;

use eframe::egui::{
    Align2, FontId, Pos2, Rect, RichText, Role as WidgetRole, ScrollArea, Sense, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};
use engine::analysis::memory::{MemoryOrigin, MemorySegment, SegmentBlock};
use engine::capture::Capture;
use engine::record::SpanId;

use super::loader::MemoryAnswer;
use crate::panel::Scene;
use crate::text;
use crate::theme::{GRID, SMALL, mixed};

/// The height of a segment and of the gap below it, in points.
const BAR: f32 = 22.0;
const GAP: f32 = 4.0;
/// The width of the words before the bars, in points.
const WORDS: f32 = 230.0;
/// How far the colour of what is free lies from that of the row, so that a bar is seen to its end.
const FREE: f32 = 0.3;
/// The least width of a bar, in points.
const LEAST: f32 = 2.0;

/// Shows segments, the largest first; gives the span of the block that was clicked.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, answer: &MemoryAnswer) -> Option<SpanId> {
    let segments = &answer.segments;
    let largest = segments.iter().map(|it| it.bytes).max().unwrap_or(1).max(1);
    let mut clicked = None;
    legend(ui, scene);
    let height = BAR + GAP;
    ScrollArea::vertical().auto_shrink(false).show_rows(
        ui,
        height - ui.spacing().item_spacing.y,
        segments.len(),
        |ui, rows| {
            for segment in segments.get(rows).unwrap_or_default() {
                clicked = row(ui, scene, (answer, segment), largest).or(clicked);
            }
        },
    );
    clicked
}

/// What the colours of blocks say.
fn legend(ui: &mut Ui, scene: &Scene<'_>) {
    let theme = scene.theme;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0 * GRID;
        let words = "Blocks of one colour: allocated from one place";
        ui.label(RichText::new(words).small().color(theme.weak));
        for (colour, words) in [
            (theme.weak, "allocated, unknown from where"),
            (mixed(theme.weak, theme.row, FREE), "free"),
        ] {
            let (sample, _) = ui.allocate_exact_size(Vec2::splat(2.0 * GRID), Sense::hover());
            ui.painter().rect_filled(sample, 2.0, colour);
            ui.label(RichText::new(words).small().color(theme.weak));
        }
    });
}

/// One segment; gives the span of the block that was clicked.
fn row(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (answer, segment): (&MemoryAnswer, &MemorySegment),
    largest: i64,
) -> Option<SpanId> {
    let theme = scene.theme;
    let size = vec2(ui.available_width() - 2.0 * GRID, BAR);
    let (area, response) = ui.allocate_exact_size(size, Sense::click());
    let told = told(segment);
    response.widget_info(|| WidgetInfo::labeled(WidgetRole::Image, true, &told));
    let font = FontId::proportional(SMALL);
    let middle = area.center().y;
    let at = pos2(area.left() + WORDS - 2.0 * GRID, middle);
    ui.painter()
        .text(at, Align2::RIGHT_CENTER, &told, font, theme.weak);
    let room = (area.width() - WORDS).max(LEAST);
    let width = (room * segment.bytes as f32 / largest as f32).max(LEAST);
    let left = area.left() + WORDS;
    let bar = Rect::from_min_max(pos2(left, area.top()), pos2(left + width, area.bottom()));
    let free = mixed(theme.weak, theme.row, FREE);
    ui.painter().rect_filled(bar, 2.0, free);
    let pointed = response.hover_pos().filter(|at| bar.contains(*at));
    let found = blocks(ui, (scene, answer), (segment, bar), pointed);
    let words = found.map_or_else(
        || format!("{told}\nfrom {:#x}", segment.address),
        |it| told_block(scene, it),
    );
    if pointed.is_some() {
        response.clone().on_hover_ui_at_pointer(|ui| {
            ui.label(words);
        });
    }
    found.filter(|_| response.clicked()).and_then(|it| it.span)
}

/// Draws what is allocated in a segment; gives the block under the pointer.
fn blocks<'a>(
    ui: &Ui,
    (scene, answer): (&Scene<'_>, &MemoryAnswer),
    (segment, bar): (&'a MemorySegment, Rect),
    pointed: Option<Pos2>,
) -> Option<&'a SegmentBlock> {
    let (theme, left) = (scene.theme, bar.left());
    let scale = bar.width() / segment.bytes.max(1) as f32;
    let mut found: Option<&SegmentBlock> = None;
    for block in &segment.blocks {
        let from = left + (block.address - segment.address) as f32 * scale;
        let to = from + (block.bytes as f32 * scale).max(0.5);
        // A hair between neighbours, so that they are seen as two.
        let gap = if to - from > 3.0 { 1.0 } else { 0.0 };
        let shown = Rect::from_min_max(pos2(from, bar.top()), pos2(to - gap, bar.bottom()));
        let number = block.span.and_then(|it| answer.askers.get(&it));
        let fill = number.map_or(theme.weak, |it| theme.class(*it));
        ui.painter().rect_filled(shown, 0.0, fill);
        if pointed.is_some_and(|at| shown.contains(at)) {
            found = Some(block);
        }
    }
    found
}

/// A number for the spans of blocks, the same for those that were asked for from one place.
pub fn askers(capture: &Capture, segments: &[MemorySegment]) -> HashMap<SpanId, usize> {
    let blocks = segments.iter().flat_map(|it| &it.blocks);
    let spans = blocks.filter_map(|it| it.span);
    spans
        .filter_map(|it| Some((it, asker(capture, it)?)))
        .collect()
}

fn asker(capture: &Capture, span: SpanId) -> Option<usize> {
    let origin = MemoryOrigin::of(capture, span);
    let name = origin.function.or(origin.operator)?;
    let sum = name.bytes().fold(0_usize, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(usize::from(byte))
    });
    Some(sum)
}

/// What is told of a segment.
fn told(segment: &MemorySegment) -> String {
    let bytes = |bytes: i64| text::amount(bytes as f64, "bytes");
    let used = segment.allocated() as f64 / segment.bytes.max(1) as f64;
    let stream = match segment.stream {
        None => String::new(),
        Some(0) => "default stream · ".to_owned(),
        Some(stream) => format!("stream {} · ", text::allocator_stream(stream)),
    };
    format!(
        "{stream}{} · {} used",
        bytes(segment.bytes),
        text::percent(used)
    )
}

/// What is told of a block.
fn told_block(scene: &Scene<'_>, block: &SegmentBlock) -> String {
    let bytes = text::amount(block.bytes as f64, "bytes");
    let mut lines = vec![format!("{:#x} · {bytes}", block.address)];
    if let Some(span) = block.span {
        let origin = MemoryOrigin::of(scene.capture, span);
        lines.extend(origin.stack.or(origin.operator).map(String::from));
    }
    lines.join("\n")
}
