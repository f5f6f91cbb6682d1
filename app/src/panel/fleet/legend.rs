//! What the colours of a heatmap say.

use eframe::egui::{Align2, FontId, Mesh, Painter, Rect, Sense, Ui, pos2, vec2};

use super::fleet_words::time;
use super::heatmap::{HeatmapPlace, HeatmapScene, stripes};
use crate::text;
use crate::theme::{GRID, SMALL, Theme};

/// The colours, in points.
const BAR: [f32; 2] = [220.0, 10.0];
/// Height of the whole, in points.
pub const HEIGHT: f32 = 36.0;

/// Shows the scale with values, what stripes mean, and that a pixel shows the highest of several cells.
pub fn show(ui: &mut Ui, shown: &HeatmapScene<'_>, place: &HeatmapPlace) {
    let theme = shown.scene.theme;
    let size = vec2(ui.available_width(), HEIGHT);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let painter = ui.painter();
    let bar = Rect::from_min_size(pos2(place.rect.left(), rect.top() + GRID), BAR.into());
    gradient(painter, bar, theme);
    let write = |at, align: Align2, words: String| {
        painter.text(at, align, words, FontId::proportional(SMALL), theme.weak)
    };
    let below = bar.bottom() + 3.0;
    let scale = shown.scale;
    let middle = scale
        .low
        .saturating_add((scale.high.saturating_sub(scale.low)) / 2);
    if scale.low == scale.high {
        write(
            pos2(bar.center().x, below),
            Align2::CENTER_TOP,
            format!("all {}", time(scale.low)),
        );
    } else {
        let sign = if scale.is_cut() { "≥ " } else { "" };
        write(pos2(bar.left(), below), Align2::LEFT_TOP, time(scale.low));
        write(
            pos2(bar.center().x, below),
            Align2::CENTER_TOP,
            time(middle),
        );
        write(
            pos2(bar.right(), below),
            Align2::RIGHT_TOP,
            format!("{sign}{}", time(scale.high)),
        );
    }
    let mut x = bar.right() + 4.0 * GRID;
    if scale.has_gaps {
        let sample = Rect::from_min_size(pos2(x, bar.top()), vec2(20.0, BAR[1]));
        stripes(&painter.with_clip_rect(sample), sample, theme);
        let words = "no such step".to_owned();
        let told = write(
            pos2(sample.right() + GRID, bar.center().y),
            Align2::LEFT_CENTER,
            words,
        );
        x = told.right() + 4.0 * GRID;
    }
    let mut notes = Vec::new();
    if scale.is_cut() {
        notes.push(format!("a few values reach to {}", time(scale.most)));
    }
    let (rows, columns) = place.shared();
    if rows * columns > 1 {
        let of = |count: usize, noun| (count > 1).then(|| text::counted(count as u64, noun));
        let both = [of(rows, "rank"), of(columns, "step")];
        let words: Vec<String> = both.into_iter().flatten().collect();
        notes.push(format!(
            "a pixel shows the highest of up to {}",
            words.join(" in ")
        ));
    }
    if !notes.is_empty() {
        write(
            pos2(x, bar.center().y),
            Align2::LEFT_CENTER,
            notes.join("; "),
        );
    }
}

/// The colours from the least to the most.
fn gradient(painter: &Painter, bar: Rect, theme: &Theme) {
    let steps = theme.heat_steps();
    let mut mesh = Mesh::default();
    for (at, colour) in steps.into_iter().enumerate() {
        let x = bar.left() + bar.width() * at as f32 / (steps.len() - 1) as f32;
        for y in [bar.top(), bar.bottom()] {
            mesh.colored_vertex(pos2(x, y), colour);
        }
    }
    for at in 0..steps.len() as u32 - 1 {
        let first = 2 * at;
        mesh.add_triangle(first, first + 1, first + 2);
        mesh.add_triangle(first + 1, first + 2, first + 3);
    }
    painter.add(mesh);
    let line = eframe::egui::Stroke::new(1.0, theme.line);
    painter.rect_stroke(bar, 0, line, eframe::egui::StrokeKind::Outside);
}
