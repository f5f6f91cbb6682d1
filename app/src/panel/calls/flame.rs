//! Calls as a flame graph: a bar for each way through the names, as wide as its time, below what it was called by, or from the bottom up
//! as wide as its self time, below what it called.

use std::ops::Range;

use eframe::egui::text::{LayoutJob, TextWrapping};
use eframe::egui::{
    FontId, Rect, Role as WidgetRole, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2,
    vec2,
};
use engine::analysis::{CallNode, CallTree};
use engine::time::Nanos;

use crate::panel::Scene;
use crate::panel::widgets::hint;
use crate::text;
use crate::theme::{GRID, SMALL};

/// The height of a bar and of the gap below it, in points.
const BAR: f32 = 18.0;
const GAP: f32 = 1.0;
/// The least width of a bar that is drawn, and of one that has a name, in points.
const LEAST: f32 = 0.5;
const NAMED: f32 = 24.0;
/// Letters of a name, at most.
const LETTERS: usize = 200;

/// A flame graph, and which of its bars fills the width.
#[derive(Default)]
pub struct FlameGraph {
    zoomed: Option<usize>,
    placed: PlacedCalls,
}

/// Where each node lies: from where on, as a time from the left, and up to which node it holds others.
#[derive(Default)]
struct PlacedCalls {
    version: Option<u64>,
    starts: Vec<Nanos>,
    ends: Vec<usize>,
    whole: Nanos,
}

impl PlacedCalls {
    /// Nodes come before those below them, so that one pass each way is enough.
    fn new(tree: &CallTree, version: u64) -> Self {
        let count = tree.nodes.len();
        let mut starts = vec![Nanos::ZERO; count];
        // From where on the next one below each node lies.
        let mut next = vec![Nanos::ZERO; count];
        let mut whole = Nanos::ZERO;
        for (place, node) in tree.nodes.iter().enumerate() {
            let above = node.parent.and_then(|it| next.get_mut(it as usize));
            let free = above.unwrap_or(&mut whole);
            let start = *free;
            *free += tree.width(node);
            for column in [&mut starts, &mut next] {
                if let Some(slot) = column.get_mut(place) {
                    *slot = start;
                }
            }
        }
        let mut ends: Vec<usize> = (1..=count).collect();
        for (place, node) in tree.nodes.iter().enumerate().rev() {
            let own = ends.get(place).copied().unwrap_or(place + 1);
            let above = node.parent.and_then(|it| ends.get_mut(it as usize));
            if let Some(end) = above {
                *end = own.max(*end);
            }
        }
        Self {
            version: Some(version),
            starts,
            ends,
            whole,
        }
    }

    fn start(&self, node: usize) -> Nanos {
        self.starts.get(node).copied().unwrap_or_default()
    }

    fn end(&self, node: usize) -> usize {
        self.ends.get(node).copied().unwrap_or(node + 1)
    }
}

impl FlameGraph {
    /// Shows a tree, of which `version` is the number; gives the node that was clicked, which fills the width from now on.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (tree, version): (&CallTree, u64),
    ) -> Option<usize> {
        if self.placed.version != Some(version) {
            self.placed = PlacedCalls::new(tree, version);
            self.zoomed = None;
        }
        self.heading(ui, scene, tree);
        let mut clicked = None;
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let deepest = tree.nodes.iter().map(|it| it.depth).max().unwrap_or(0);
            let height = (deepest + 1) as f32 * (BAR + GAP);
            // The scroll bar lies beside the bars, not on them.
            let size = vec2(ui.available_width() - 2.0 * GRID, height);
            let (area, response) = ui.allocate_exact_size(size, Sense::click());
            response.widget_info(|| WidgetInfo::labeled(WidgetRole::Image, true, "flame graph"));
            let shown = self.bars(tree, area, ui.clip_rect());
            let pointed = response.hover_pos();
            let pointed = pointed.and_then(|at| shown.iter().find(|(_, bar)| bar.contains(at)));
            let pointed = pointed.map(|it| it.0);
            paint(ui, scene, (tree, &shown), pointed);
            if let Some(node) = pointed {
                let told = told(scene, tree, node);
                response.clone().on_hover_ui_at_pointer(|ui| {
                    ui.label(told);
                });
            }
            if response.clicked() {
                clicked = pointed;
            }
        });
        if clicked.is_some() {
            self.zoomed = clicked;
        }
        clicked
    }

    /// What fills the width, and the way back.
    fn heading(&mut self, ui: &mut Ui, scene: &Scene<'_>, tree: &CallTree) {
        let node = self.zoomed.and_then(|it| tree.nodes.get(it));
        let Some(node) = node else {
            let words = "Click a bar to have it fill the width and to select its spans";
            return hint(ui, scene.theme, words);
        };
        ui.horizontal(|ui| {
            if ui.button("Show all").clicked() {
                self.zoomed = None;
            }
            let name = text::shorten(scene.capture.name(node.name), 80);
            ui.label(format!("{name} · {}", text::duration(tree.width(node))));
        });
        ui.add_space(GRID);
    }

    /// The bars in sight: what fills the width, what called it, and what lies below it.
    fn bars(&self, tree: &CallTree, area: Rect, clip: Rect) -> Vec<(usize, Rect)> {
        let mut shown = Vec::new();
        let node = |place: usize| tree.nodes.get(place);
        let (from, length, range) = match self.zoomed.and_then(|it| Some((it, node(it)?))) {
            Some((place, zoomed)) => {
                let mut above = zoomed.parent;
                while let Some(place) = above {
                    let Some(caller) = node(place as usize) else {
                        break;
                    };
                    shown.push((
                        place as usize,
                        row(area, caller.depth, area.left()..area.right()),
                    ));
                    above = caller.parent;
                }
                let range = place..self.placed.end(place);
                (self.placed.start(place), tree.width(zoomed), range)
            }
            None => (Nanos::ZERO, self.placed.whole, 0..tree.nodes.len()),
        };
        let scale = f64::from(area.width()) / length.0.max(1) as f64;
        self.below(tree, (from, scale), (area, clip), range, &mut shown);
        shown
    }

    fn below(
        &self,
        tree: &CallTree,
        (from, scale): (Nanos, f64),
        (area, clip): (Rect, Rect),
        range: Range<usize>,
        shown: &mut Vec<(usize, Rect)>,
    ) {
        let mut place = range.start;
        while let Some(found) = tree.nodes.get(place).filter(|_| place < range.end) {
            let left = (self.placed.start(place) - from).0 as f64 * scale;
            let width = tree.width(found).0 as f64 * scale;
            if width < f64::from(LEAST) {
                // What lies below it is narrower still.
                place = self.placed.end(place);
                continue;
            }
            let left = area.left() + left as f32;
            let bar = row(area, found.depth, left..left + width as f32);
            if bar.intersects(clip) {
                shown.push((place, bar));
            }
            place += 1;
        }
    }
}

/// The bar of a depth.
fn row(area: Rect, depth: u32, x: Range<f32>) -> Rect {
    let top = area.top() + depth as f32 * (BAR + GAP);
    Rect::from_min_max(pos2(x.start, top), pos2(x.end, top + BAR))
}

/// Paints bars in the colours that their longest spans have on the timeline.
fn paint(
    ui: &Ui,
    scene: &Scene<'_>,
    (tree, shown): (&CallTree, &[(usize, Rect)]),
    pointed: Option<usize>,
) {
    let (theme, painter) = (scene.theme, ui.painter());
    let font = FontId::proportional(SMALL);
    for (place, bar) in shown {
        let Some(node) = tree.nodes.get(*place) else {
            continue;
        };
        let fill = colour(scene, node);
        let gap = if bar.width() > 3.0 { 1.0 } else { 0.0 };
        let bar = bar.with_max_x(bar.right() - gap);
        painter.rect_filled(bar, 2.0, fill);
        if pointed == Some(*place) {
            let stroke = Stroke::new(1.0, theme.text);
            painter.rect_stroke(bar, 2.0, stroke, StrokeKind::Inside);
        }
        if bar.width() >= NAMED {
            let name = text::shorten(scene.capture.name(node.name), LETTERS);
            let mut job = LayoutJob::simple_singleline(name, font.clone(), theme.ink(fill));
            job.wrap = TextWrapping::truncate_at_width(bar.width() - 2.0 * GRID);
            let galley = painter.layout_job(job);
            let at = pos2(bar.left() + GRID, bar.center().y - galley.size().y / 2.0);
            painter.galley(at, galley, theme.text);
        }
    }
}

fn colour(scene: &Scene<'_>, node: &CallNode) -> eframe::egui::Color32 {
    let placed = scene.capture.span(node.longest);
    placed.map_or(scene.theme.accent, |placed| {
        let lane = scene.capture.lane(placed.span.lane);
        let role = lane.map(|it| it.role).unwrap_or_default();
        scene.theme.span(role, placed.span.kind, placed.span.name)
    })
}

/// What is told of a bar.
fn told(scene: &Scene<'_>, tree: &CallTree, node: usize) -> String {
    let Some(node) = tree.nodes.get(node) else {
        return String::new();
    };
    let lines = [
        scene.capture.name(node.name).to_owned(),
        format!(
            "{} · {} on the host, {} of that in itself",
            text::counted(node.count, "call"),
            text::duration(node.host_total),
            text::duration(node.host_self)
        ),
        format!(
            "{} on devices by {}",
            text::duration(node.device),
            text::counted(node.launches, "launch")
        ),
    ];
    lines.join("\n")
}
