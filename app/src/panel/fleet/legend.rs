//! What the colours of a heatmap say.

use eframe::egui::{
    Align2, FontId, Mesh, Painter, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2,
};
use engine::time::{Interval, Nanos};

use super::colour_scale::{ColourScale, USUAL};
use super::fleet_words::time;
use super::heatmap::{HeatmapPlace, HeatmapScene, stripes};
use crate::text;
use crate::theme::{GRID, SMALL, Theme};

/// The colours, in points.
const BAR: [f32; 2] = [280.0, 10.0];
/// Before the colour of values that lie far beyond the others, in points.
const GAP: f32 = 14.0;
/// From a part of the legend to the next, in points.
const APART: f32 = 9.0 * GRID;
/// Height of the whole, in points.
pub const HEIGHT: f32 = 36.0;
/// Colours of which the bar is mixed.
const MIXED: u32 = 28;

/// Shows the scale with values, what stripes mean, and that a pixel shows the highest of several cells.
pub fn show(ui: &mut Ui, shown: &HeatmapScene<'_>, place: &HeatmapPlace) {
    let theme = shown.scene.theme;
    let size = vec2(ui.available_width(), HEIGHT);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let painter = ui.painter();
    let bar = Rect::from_min_size(pos2(place.rect.left(), rect.top() + GRID), BAR.into());
    scale_bar(painter, bar, (shown.scale, theme));
    let mut x = bar.right() + APART;
    let write = |x: f32, words: String| {
        let at = pos2(x, bar.center().y);
        let told = write(painter, (at, Align2::LEFT_CENTER), words, theme);
        told.right() + APART
    };
    if shown.scale.has_gaps {
        let sample = Rect::from_min_size(pos2(x, bar.top()), vec2(20.0, BAR[1]));
        stripes(&painter.with_clip_rect(sample), sample, theme);
        x = write(sample.right() + GRID, "no value".to_owned());
    }
    let (rows, columns) = place.shared();
    if rows * columns > 1 {
        let of = |count: usize, noun| (count > 1).then(|| text::counted(count as u64, noun));
        let both = [of(rows, "rank"), of(columns, "step")];
        let words: Vec<String> = both.into_iter().flatten().collect();
        let words = words.join(" in ");
        write(x, format!("a pixel shows the highest of up to {words}"));
    }
}

fn write(
    painter: &Painter,
    (at, align): (eframe::egui::Pos2, Align2),
    words: String,
    theme: &Theme,
) -> Rect {
    painter.text(at, align, words, FontId::proportional(SMALL), theme.weak)
}

/// The colours with their values; where a few lie far beyond the others, these have a part of their own.
fn scale_bar(painter: &Painter, bar: Rect, (scale, theme): (ColourScale, &Theme)) {
    let below = bar.bottom() + 3.0;
    let label = |x: f32, align: Align2, words: String| {
        write(painter, (pos2(x, below), align), words, theme);
    };
    if scale.low == scale.most {
        painter.rect_filled(bar, 0, theme.heat(scale.share(scale.low) as f32));
        return label(
            bar.left(),
            Align2::LEFT_TOP,
            format!("all {}", time(scale.low)),
        );
    }
    let mut usual = bar;
    let mut most = 1.0;
    if scale.is_cut() {
        most = USUAL as f32;
        usual.set_width(bar.width() * most - GAP);
        let beyond = bar.with_min_x(usual.right() + GAP);
        painter.rect_filled(beyond, 0, theme.heat(1.0));
        outline(painter, beyond, theme);
        label(
            beyond.left(),
            Align2::LEFT_TOP,
            format!("to {}", time(scale.most)),
        );
    }
    gradient(painter, usual, (theme, most));
    outline(painter, usual, theme);
    let whole = Nanos(scale.high.saturating_sub(scale.low));
    // With the digits by which the ends differ.
    let written = |value: i64| {
        let range = text::range(Interval::new(Nanos(value), Nanos(value) + whole));
        range.split(" to ").next().unwrap_or_default().to_owned()
    };
    let middle = scale.low.saturating_add(whole.0 / 2);
    label(usual.left(), Align2::LEFT_TOP, written(scale.low));
    label(usual.center().x, Align2::CENTER_TOP, written(middle));
    label(usual.right(), Align2::RIGHT_TOP, written(scale.high));
}

fn outline(painter: &Painter, rect: Rect, theme: &Theme) {
    let line = Stroke::new(1.0, theme.line);
    painter.rect_stroke(rect, 0, line, StrokeKind::Outside);
}

/// The colours from that of the least value up to `most` of all.
fn gradient(painter: &Painter, bar: Rect, (theme, most): (&Theme, f32)) {
    let mut mesh = Mesh::default();
    for at in 0..=MIXED {
        let share = at as f32 / MIXED as f32;
        let x = bar.left() + bar.width() * share;
        for y in [bar.top(), bar.bottom()] {
            mesh.colored_vertex(pos2(x, y), theme.heat(share * most));
        }
    }
    for first in (0..2 * MIXED).step_by(2) {
        mesh.add_triangle(first, first + 1, first + 2);
        mesh.add_triangle(first + 1, first + 2, first + 3);
    }
    painter.add(mesh);
}
