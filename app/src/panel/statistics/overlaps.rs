//! What ran at the same time: roles of streams of all devices together, and pairs of streams.

use eframe::egui::{Align, Label, Layout, RichText, Ui};
use engine::analysis::{Overlap, RoleOverlap, Statistics};
use engine::record::{Group, LaneId, Role};
use engine::time::Nanos;

use super::charts::{LISTED, title};
use crate::panel::Scene;
use crate::panel::widgets::{compact, hint};
use crate::text;
use crate::theme::GRID;

/// How much roles of streams, or else pairs of streams, ran at the same time; the first in large.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, statistics: &Statistics) {
    title(ui, scene, "overlap");
    if !statistics.roles.is_empty() {
        return roles(ui, scene, &statistics.roles);
    }
    let Some(first) = statistics.overlaps.iter().max_by_key(|it| it.both) else {
        return nothing(ui, scene);
    };
    let (share, of, other) = shared(first);
    let name = |lane: LaneId| scene.capture.lane_title(lane);
    let words = format!("of the time {} was busy, {} was too", name(of), name(other));
    large(ui, share, &words);
    streams(ui, scene, statistics);
}

/// The pairs of streams that ran together longest.
pub fn streams(ui: &mut Ui, scene: &Scene<'_>, statistics: &Statistics) {
    let mut found: Vec<_> = statistics.overlaps.iter().collect();
    if found.is_empty() {
        return;
    }
    found.sort_by_key(|pair| std::cmp::Reverse(pair.both));
    title(ui, scene, "pairs of streams, the longest together first");
    compact(ui);
    for pair in found.into_iter().take(LISTED) {
        let (share, of, other) = shared(pair);
        let name = |lane: LaneId| scene.capture.lane_title(lane);
        let words = format!("{} under {}", name(of), name(other));
        line(ui, scene, &words, share);
    }
}

/// Why nothing is compared.
pub fn nothing(ui: &mut Ui, scene: &Scene<'_>) {
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

/// How much each pair of roles ran at the same time, of all devices together; the first pair in large.
fn roles(ui: &mut Ui, scene: &Scene<'_>, found: &[RoleOverlap]) {
    for (at, of_pair) in found
        .chunk_by(|a, b| (a.first, a.second) == (b.first, b.second))
        .enumerate()
    {
        let Some(pair) = of_pair.first() else {
            continue;
        };
        let sum = |of: fn(&RoleOverlap) -> Nanos| of_pair.iter().map(of).sum::<Nanos>();
        let share = sum(|it| it.both).0 as f64 / sum(|it| it.first_busy).0.max(1) as f64;
        let (first, second) = (pair.first.label(), pair.second.label());
        if at == 0 {
            let words = format!(
                "of the busy time of {first} streams overlaps with that of {second} streams"
            );
            large(ui, share, &words);
            compact(ui);
        } else {
            line(ui, scene, &format!("{first} under {second}"), share);
        }
    }
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

/// The share of the less busy stream's time in which the other was busy too, that stream, and the other.
fn shared(pair: &Overlap) -> (f64, LaneId, LaneId) {
    if pair.of_first >= pair.of_second {
        (pair.of_first, pair.first, pair.second)
    } else {
        (pair.of_second, pair.second, pair.first)
    }
}
