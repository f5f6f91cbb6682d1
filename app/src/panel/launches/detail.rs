//! One launch: what it runs with now, and its history, each line a link to its call.

use eframe::egui::{RichText, Ui};
use engine::capture::LaunchHistory;
use engine::record::{LaunchChange, LaunchInstance, LaunchKind, LaunchStep, SpanId};
use engine::time::Nanos;

use super::relaunch::LaunchEdits;
use super::{dimensions, graph};
use crate::action::Action;
use crate::panel::Scene;
use crate::panel::widgets::{field, hint, link, section};
use crate::text;

/// Lines of the history that are shown, the latest first.
const MOST: usize = 200;

/// Shows a launch.
pub fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    launched: &LaunchHistory,
    again: &mut LaunchEdits,
    actions: &mut Vec<Action>,
) {
    let Some(step) = launched.step() else {
        let words = "It was declared and never recorded: nothing can be launched";
        hint(ui, scene.theme, words);
        return;
    };
    match launched.launch.kind {
        LaunchKind::Kernel => {
            section(
                ui,
                scene.theme,
                &format!("{} · {}", launched.launch.name, step.kernel),
            );
            field(ui, scene.theme, "revision", &step.revision.to_string());
            field(ui, scene.theme, "dimensions", &dimensions(step));
            again.show(ui, scene, launched, step, actions);
        }
        LaunchKind::Graph => {
            let ready = launched.steps.iter().rev().find(|it| is_ready(it));
            section(
                ui,
                scene.theme,
                &format!("{} · graph", launched.launch.name),
            );
            field(ui, scene.theme, "revision", &step.revision.to_string());
            let words = ready.map_or_else(
                || "not instantiated".to_owned(),
                |it| format!("revision {} can be replayed", it.revision),
            );
            field(ui, scene.theme, "ready", &words);
            let captured = launched.steps.iter().rev().find(|it| !it.nodes.is_empty());
            if let Some(captured) = captured {
                graph::show(ui, scene, captured, actions);
            }
        }
    }
    section(ui, scene.theme, "History");
    history(ui, scene, launched, actions);
}

const fn is_ready(step: &LaunchStep) -> bool {
    matches!(
        step.change,
        LaunchChange::Instantiated | LaunchChange::Updated
    )
}

/// A line of the history: when, its words, and the span that it links to.
type HistoryLine = (Nanos, String, SpanId, bool);

fn history(ui: &mut Ui, scene: &Scene<'_>, launched: &LaunchHistory, actions: &mut Vec<Action>) {
    let steps = launched.steps.iter().enumerate().rev().take(MOST);
    let steps = steps.map(|(at, step)| {
        let before = at.checked_sub(1).and_then(|at| launched.steps.get(at));
        let is_bad = step.change == LaunchChange::Failed;
        (step.time, changed_text(step, before), step.span, is_bad)
    });
    let relaunches = launched.launches.iter().rev().take(MOST);
    let mut lines: Vec<HistoryLine> = steps.collect();
    lines.extend(relaunches.filter_map(|it| launch_line(scene, it)));
    lines.sort_by_key(|line| std::cmp::Reverse(line.0));
    let left = launched.steps.len() + launched.launches.len();
    for (time, words, span, is_bad) in lines.iter().take(MOST) {
        let colour = if *is_bad {
            scene.theme.bad
        } else {
            scene.theme.text
        };
        let words = format!("{:>9}  {words}", text::duration(*time));
        if !span.is_some() {
            ui.label(RichText::new(words).color(scene.theme.weak));
        } else if link(ui, &words, colour).clicked() {
            actions.push(Action::Reveal(*span));
        }
    }
    if left > MOST {
        let words = format!("{} more before these", text::count((left - MOST) as u64));
        hint(ui, scene.theme, &words);
    }
}

fn launch_line(scene: &Scene<'_>, relaunch: &LaunchInstance) -> Option<HistoryLine> {
    let placed = scene.capture.span(relaunch.operation)?;
    let lane = scene.capture.lane(placed.span.lane)?;
    let words = format!(
        "launched on {} with revision {}",
        lane.name, relaunch.revision
    );
    Some((placed.span.enqueued, words, relaunch.operation, false))
}

/// What a step did, as far as it differs from what was before.
fn changed_text(step: &LaunchStep, before: Option<&LaunchStep>) -> String {
    let mut parts = Vec::new();
    for (at, (name, value)) in step.arguments.iter().enumerate() {
        let old = before.and_then(|it| it.arguments.get(at));
        if old.is_none_or(|(_, old)| old != value) {
            parts.push(format!("{name} = {value}"));
        }
    }
    if before.is_some_and(|before| before.elements != step.elements) {
        parts.push(dimensions(step));
    }
    if !step.nodes.is_empty() {
        parts.push(text::counted(step.nodes.len() as u64, "node"));
    }
    if !step.detail.is_empty() {
        parts.push(step.detail.clone());
    }
    let what = format!("{}, revision {}", step.change.label(), step.revision);
    if parts.is_empty() {
        what
    } else {
        format!("{what}: {}", parts.join(", "))
    }
}
