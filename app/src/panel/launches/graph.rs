//! The nodes of a graph, drawn ghosted: what was captured ran nothing.

use eframe::egui::{Align2, CornerRadius, FontId, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, Vec2};
use engine::record::{LaunchNode, LaunchStep};

use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::hint;
use crate::theme::{GRID, SMALL};

/// Nodes that are drawn, at most.
const MOST: usize = 200;
/// A node, and the space around it.
const NODE: Vec2 = Vec2::new(92.0, 22.0);
const GAP: Vec2 = Vec2::new(28.0, 8.0);

/// Draws the nodes of a capture by how many come before each, a row a stream; each is a link to its call.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, step: &LaunchStep, actions: &mut Vec<Action>) {
    let nodes = step
        .nodes
        .get(..MOST.min(step.nodes.len()))
        .unwrap_or_default();
    let columns = columns(nodes);
    let mut lanes: Vec<_> = nodes.iter().map(|node| node.lane).collect();
    lanes.sort_unstable();
    lanes.dedup();
    let row = |node: &LaunchNode| lanes.iter().position(|it| *it == node.lane).unwrap_or(0);
    let width = columns.iter().max().map_or(0, |last| last + 1) as f32;
    let size = Vec2::new(width, lanes.len() as f32) * (NODE + GAP) + Vec2::splat(GRID);
    ui.add_space(GRID);
    let (whole, _) = ui.allocate_exact_size(size, Sense::hover());
    let place = |node: &LaunchNode, column: usize| {
        let at = Vec2::new(column as f32, row(node) as f32) * (NODE + GAP);
        Rect::from_min_size(whole.min + at + Vec2::splat(GRID / 2.0), NODE)
    };
    let places: Vec<Rect> = nodes
        .iter()
        .zip(&columns)
        .map(|(node, at)| place(node, *at))
        .collect();
    let edge = Stroke::new(1.0, scene.theme.weak);
    for (node, to) in nodes.iter().zip(&places) {
        for from in node.before.iter().filter_map(|it| places.get(*it as usize)) {
            arrow(ui, from.right_center(), to.left_center(), edge);
        }
    }
    for (at, (node, rect)) in nodes.iter().zip(&places).enumerate() {
        let response = ui.interact(*rect, ui.scope_id().with(("node", at)), Sense::click());
        let stroke = if response.hovered() {
            Stroke::new(1.5, scene.theme.accent)
        } else {
            edge
        };
        let painter = ui.painter_at(*rect);
        painter.rect_stroke(*rect, CornerRadius::same(4), stroke, StrokeKind::Inside);
        let font = FontId::proportional(SMALL);
        painter.text(
            rect.center(),
            Align2::CENTER_CENTER,
            &node.name,
            font,
            scene.theme.text,
        );
        let lane = scene.capture.lane(node.lane).map_or("?", |lane| &lane.name);
        let help = format!(
            "node {at}: {}, captured on {lane}; {}",
            node.name,
            after(node)
        );
        if response.on_hover_text(help).clicked() && node.span.is_some() {
            actions.push(Action::Reveal(node.span));
        }
    }
    if step.nodes.len() > MOST {
        let words = format!("and {} more nodes", step.nodes.len() - MOST);
        hint(ui, scene.theme, &words);
    }
}

fn after(node: &LaunchNode) -> String {
    match node.before.as_slice() {
        [] => "begins at once".to_owned(),
        [one] => format!("comes after node {one}"),
        several => {
            let several: Vec<String> = several.iter().map(ToString::to_string).collect();
            format!("joins nodes {}", several.join(" and "))
        }
    }
}

/// For each node, how many come before it one after the other.
fn columns(nodes: &[LaunchNode]) -> Vec<usize> {
    let mut columns: Vec<usize> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let before = node
            .before
            .iter()
            .filter_map(|it| columns.get(*it as usize));
        let column = before.max().map_or(0, |last| last + 1);
        columns.push(column);
    }
    columns
}

fn arrow(ui: &Ui, from: Pos2, to: Pos2, stroke: Stroke) {
    let painter = ui.painter();
    painter.line_segment([from, to], stroke);
    let way = (to - from).normalized() * 5.0;
    for turn in [0.5, -0.5] {
        let back = eframe::egui::emath::Rot2::from_angle(turn) * -way;
        painter.line_segment([to, to + back], stroke);
    }
}
