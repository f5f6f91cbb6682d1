//! What ran at the same time: roles of streams by device, and pairs of streams.

use std::collections::BTreeSet;

use eframe::egui::{Align, Grid, Label, Layout, RichText, ScrollArea, Ui, Vec2};
use engine::analysis::causes::CollectiveMember;
use engine::analysis::{Overlap, RoleOverlap, Statistics};
use engine::record::{Group, LaneId, Role};
use engine::time::Nanos;

use super::charts::{LISTED, title};
use crate::panel::Scene;
use crate::panel::widgets::{compact, hint};
use crate::text;
use crate::theme::GRID;

/// Devices that have rows.
const DEVICES: usize = 64;

/// Two roles, of all devices.
type RolePair = (Role, Role);

/// How much roles of streams, and pairs of streams, ran at the same time; the first in large.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, statistics: &Statistics) {
    title(ui, scene, "overlap");
    let has_roles = roles(ui, scene, &statistics.roles);
    let mut found: Vec<_> = statistics.overlaps.iter().collect();
    // Where each role has one stream, the streams say nothing that their roles did not.
    if has_roles && found.len() <= statistics.roles.len() {
        return;
    }
    found.sort_by_key(|pair| std::cmp::Reverse(pair.both));
    let name = |lane: LaneId| scene.capture.lane_title(lane);
    let mut found = found.into_iter();
    if !has_roles {
        let Some(first) = found.next() else {
            return nothing(ui, scene);
        };
        let (share, of, other) = shared(first);
        let words = format!("of the time {} was busy, {} was too", name(of), name(other));
        large(ui, share, &words);
    }
    compact(ui);
    for pair in found.take(LISTED) {
        let (share, of, other) = shared(pair);
        line(
            ui,
            scene,
            &format!("{} under {}", name(of), name(other)),
            share,
        );
    }
}

/// Why nothing is compared.
fn nothing(ui: &mut Ui, scene: &Scene<'_>) {
    let all = scene.capture.lanes().iter();
    let streams = all.filter(|lane| lane.group == Group::Streams && lane.role != Role::Queue);
    let count = streams.count();
    let words = if count == 0 {
        "There is no stream"
    } else if count == 1 {
        "There is one stream: nothing can overlap"
    } else {
        "Fewer than two streams of one device ran in this range"
    };
    hint(ui, scene.theme, words);
}

/// A share in large, and what it is of.
fn large(ui: &mut Ui, share: f64, words: &str) {
    ui.label(RichText::new(text::percent(share)).size(30.0).strong());
    ui.label(words);
    ui.add_space(2.0 * GRID);
}

/// How much each pair of roles ran at the same time, for each device; the first pair in large, of all devices. Says whether there
/// is any.
fn roles(ui: &mut Ui, scene: &Scene<'_>, found: &[RoleOverlap]) -> bool {
    let mut pairs: Vec<RolePair> = found.iter().map(|it| (it.first, it.second)).collect();
    pairs.dedup();
    let Some(&(first, second)) = pairs.first() else {
        return false;
    };
    let of_first = found
        .iter()
        .filter(|it| (it.first, it.second) == (first, second));
    let sum = |of: fn(&RoleOverlap) -> Nanos| of_first.clone().map(of).sum::<Nanos>();
    let share = sum(|it| it.both).0 as f64 / sum(|it| it.first_busy).0.max(1) as f64;
    let (first, second) = (first.label(), second.label());
    let words =
        format!("of the busy time of {first} streams overlaps with that of {second} streams");
    large(ui, share, &words);
    let members: BTreeSet<CollectiveMember> = found.iter().map(|it| it.member).collect();
    let members: Vec<CollectiveMember> = members.into_iter().collect();
    if members.len() > 1 {
        table(ui, scene, (&members, &pairs), found);
    } else {
        compact(ui);
        for overlap in found.iter().skip(1) {
            let words = format!("{} under {}", overlap.first.label(), overlap.second.label());
            line(ui, scene, &words, overlap.of_first());
        }
    }
    true
}

/// A row for each device and a column for each pair of roles.
fn table(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (members, pairs): (&[CollectiveMember], &[RolePair]),
    found: &[RoleOverlap],
) {
    let weak = |words: String| RichText::new(words).small().color(scene.theme.weak);
    ScrollArea::horizontal().show(ui, |ui| {
        let grid = Grid::new("roles").spacing(Vec2::new(3.0 * GRID, GRID));
        grid.show(ui, |ui| {
            ui.label("");
            for (first, second) in pairs {
                ui.label(weak(format!("{}\nunder {}", first.label(), second.label())));
            }
            ui.end_row();
            for member in members.iter().take(DEVICES) {
                ui.label(member.title(scene.capture, members));
                for (first, second) in pairs {
                    let own = found
                        .iter()
                        .find(|it| (it.member, it.first, it.second) == (*member, *first, *second));
                    cell(ui, scene, own);
                }
                ui.end_row();
            }
        });
    });
    if let Some(more) = members.len().checked_sub(DEVICES).filter(|it| *it > 0) {
        ui.label(weak(format!("and {more} more devices")));
    }
    ui.add_space(2.0 * GRID);
}

/// What is compared, and the share at the right.
fn line(ui: &mut Ui, scene: &Scene<'_>, words: &str, share: f64) {
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(text::percent(share)).monospace());
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(RichText::new(words).color(scene.theme.weak)).truncate());
            });
        });
    });
}

/// The share of one pair on one device.
fn cell(ui: &mut Ui, scene: &Scene<'_>, overlap: Option<&RoleOverlap>) {
    let Some(overlap) = overlap else {
        ui.label(RichText::new("–").color(scene.theme.weak))
            .on_hover_text("This device has no streams of one of the two");
        return;
    };
    let words = text::percent(overlap.of_first());
    ui.label(RichText::new(words).monospace())
        .on_hover_text(format!(
            "{} busy {}, {} of that while {} was busy too, which was busy {} in all",
            overlap.first.label(),
            text::duration(overlap.first_busy),
            text::duration(overlap.both),
            overlap.second.label(),
            text::duration(overlap.second_busy)
        ));
}

/// The share of the less busy stream's time in which the other was busy too, that stream, and the other.
fn shared(pair: &Overlap) -> (f64, LaneId, LaneId) {
    if pair.of_first >= pair.of_second {
        (pair.of_first, pair.first, pair.second)
    } else {
        (pair.of_second, pair.second, pair.first)
    }
}
