//! How much ran at the same time, as a matrix: devices by pairs of roles; of one device, roles by roles.

use std::collections::BTreeSet;

use eframe::egui::{Align, Color32, Grid, Label, Layout, Response, RichText, ScrollArea, Ui, Vec2};
use engine::analysis::causes::CollectiveMember;
use engine::analysis::{RoleOverlap, Statistics};
use engine::record::Role;
use engine::time::Nanos;

use super::overlaps::{nothing, streams};
use crate::panel::Scene;
use crate::text;
use crate::theme::{GRID, mixed};

/// Devices that have rows.
const DEVICES: usize = 512;
/// Least size of a cell, in points.
const CELL: Vec2 = Vec2::new(116.0, 22.0);
/// Width of the list of streams, in points.
const STREAMS: f32 = 320.0;

/// A share of the time that one role was busy in which another was, too.
#[derive(Clone, Copy)]
struct SharedTime {
    of: (Role, Nanos),
    under: (Role, Nanos),
    both: Nanos,
}

impl SharedTime {
    /// Of the first of two roles, or of the second.
    fn of(pair: &RoleOverlap, is_first: bool) -> Self {
        let ends = [
            (pair.first, pair.first_busy),
            (pair.second, pair.second_busy),
        ];
        let [of, under] = ends;
        let (of, under) = if is_first { (of, under) } else { (under, of) };
        let both = pair.both;
        Self { of, under, both }
    }

    fn share(self) -> f64 {
        self.both.0 as f64 / self.of.1.0.max(1) as f64
    }
}

/// Shows the matrix of roles, and below it the pairs of streams that ran together longest.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, statistics: &Statistics) {
    let found = &statistics.roles;
    ScrollArea::both().auto_shrink(false).show(ui, |ui| {
        if found.is_empty() && statistics.overlaps.is_empty() {
            return nothing(ui, scene);
        }
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 8.0 * GRID;
            if !found.is_empty() {
                ui.vertical(|ui| roles(ui, scene, found));
            }
            ui.vertical(|ui| {
                ui.set_max_width(STREAMS);
                streams(ui, scene, statistics);
            });
        });
    });
}

fn roles(ui: &mut Ui, scene: &Scene<'_>, found: &[RoleOverlap]) {
    let members: BTreeSet<CollectiveMember> = found.iter().map(|it| it.member).collect();
    let members: Vec<CollectiveMember> = members.into_iter().collect();
    let grid = Grid::new("overlap").spacing(Vec2::splat(GRID / 2.0));
    if members.len() > 1 {
        heading(
            ui,
            scene,
            "by device: of the first role's busy time, what ran under the second",
        );
        grid.show(ui, |ui| by_device(ui, scene, &members, found));
    } else {
        heading(
            ui,
            scene,
            "of the busy time of a row's role, what ran under that of a column",
        );
        grid.show(ui, |ui| by_role(ui, scene, found));
    }
    let rest = members.len().saturating_sub(DEVICES);
    if rest > 0 {
        heading(ui, scene, &format!("and {rest} more devices"));
    }
}

fn heading(ui: &mut Ui, scene: &Scene<'_>, words: &str) {
    let words = RichText::new(words).small().color(scene.theme.weak);
    ui.add(Label::new(words).extend());
    ui.add_space(GRID);
}

/// A row for each device and a column for each pair of roles.
fn by_device(ui: &mut Ui, scene: &Scene<'_>, members: &[CollectiveMember], found: &[RoleOverlap]) {
    let mut pairs: Vec<(Role, Role)> = found.iter().map(|it| (it.first, it.second)).collect();
    pairs.dedup();
    ui.label("");
    for (first, second) in &pairs {
        title(
            ui,
            scene,
            &format!("{}\nunder {}", first.label(), second.label()),
        );
    }
    ui.end_row();
    for member in members.iter().take(DEVICES) {
        ui.add(Label::new(member.title(scene.capture, members)).extend());
        for pair in &pairs {
            let mut own = found.iter().filter(|it| it.member == *member);
            let own = own.find(|it| (it.first, it.second) == *pair);
            cell(ui, scene, own.map(|it| SharedTime::of(it, true)));
        }
        ui.end_row();
    }
}

/// A row and a column for each role of the one device.
fn by_role(ui: &mut Ui, scene: &Scene<'_>, found: &[RoleOverlap]) {
    let mut roles: Vec<Role> = Vec::new();
    for role in found.iter().flat_map(|it| [it.first, it.second]) {
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    ui.label("");
    for role in &roles {
        title(ui, scene, &format!("under\n{}", role.label()));
    }
    ui.end_row();
    for of in &roles {
        ui.add(Label::new(of.label()).extend());
        for under in &roles {
            let shared = found.iter().find_map(|it| match (it.first, it.second) {
                pair if pair == (*of, *under) => Some(SharedTime::of(it, true)),
                pair if pair == (*under, *of) => Some(SharedTime::of(it, false)),
                _ => None,
            });
            cell(ui, scene, shared);
        }
        ui.end_row();
    }
}

fn title(ui: &mut Ui, scene: &Scene<'_>, words: &str) {
    let words = RichText::new(words).small().color(scene.theme.weak);
    ui.with_layout(Layout::right_to_left(Align::Max), |ui| {
        ui.set_min_width(CELL.x);
        ui.add_space(2.0 * GRID);
        ui.add(Label::new(words).extend());
    });
}

/// A share on a ground that is the stronger the greater it is.
fn cell(ui: &mut Ui, scene: &Scene<'_>, shared: Option<SharedTime>) {
    let Some(shared) = shared else {
        written(ui, scene, ("–", 0.0, scene.theme.weak));
        return;
    };
    let share = shared.share();
    let words = text::percent(share);
    let response = written(ui, scene, (&words, share, scene.theme.text));
    response.on_hover_text(format!(
        "{} busy {}, {} of that while {} was busy too, which was busy {} in all",
        shared.of.0.label(),
        text::duration(shared.of.1),
        text::duration(shared.both),
        shared.under.0.label(),
        text::duration(shared.under.1)
    ));
}

fn written(ui: &mut Ui, scene: &Scene<'_>, (words, share, ink): (&str, f64, Color32)) -> Response {
    let theme = scene.theme;
    let fill = mixed(
        theme.accent,
        theme.panel,
        share.clamp(0.0, 1.0) as f32 * 0.45,
    );
    let layout = Layout::right_to_left(Align::Center);
    let frame = eframe::egui::Frame::new().fill(fill).corner_radius(3);
    let shown = frame.show(ui, |ui| {
        ui.allocate_ui_with_layout(CELL, layout, |ui| {
            ui.set_min_size(CELL);
            ui.add_space(2.0 * GRID);
            ui.label(RichText::new(words).monospace().color(ink));
        });
    });
    shown.response
}
