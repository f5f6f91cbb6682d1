//! The list on the left: what is open, the files that were open lately, and the workloads that come with the program, in
//! groups that fold.

mod recent_files;

use eframe::egui::{
    Align2, CollapsingHeader, CornerRadius, FontId, Response, RichText, Role as WidgetRole,
    ScrollArea, Sense, Ui, Vec2, WidgetInfo, style::ScrollAnimation,
};
use engine::runner::Phase;
use engine::workload::bundled_groups;

use super::scene::RunVerdict;
use super::widgets::shortened;
use super::{Panel, PanelPosition, Scene, lesson_list};
use crate::action::Action;
use crate::theme::{BODY, GRID, SMALL};

/// Groups that are open at first: where a newcomer begins.
const OPEN: &[&str] = &["First steps", "Overlap"];

/// So many frames after a row was asked into sight it may be seen elsewhere still: who asks again scrolls twice as far.
const SETTLES: u64 = 2;

/// The list on the left.
#[derive(Default)]
pub struct WorkloadsPanel {
    sight: ChosenRow,
}

/// A row that can be the chosen one, by its position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListedRow {
    Capture(usize),
    Workload(usize),
}

/// Keeps the row of the chosen workload, or of the capture on screen, in sight, unless the user scrolled it away.
#[derive(Default)]
struct ChosenRow {
    /// The row that was chosen when the list was last shown.
    seen: Option<ListedRow>,
    is_kept: bool,
    /// The frame in which it was last asked into sight.
    asked: Option<u64>,
}

impl ChosenRow {
    /// Another row is kept in sight from now on.
    fn choose(&mut self, chosen: Option<ListedRow>) {
        self.is_kept |= chosen.is_some() && chosen != self.seen;
        self.seen = chosen.or(self.seen);
    }

    fn show(&mut self, ui: &Ui, row: &Response) {
        let (clip, rect) = (ui.clip_rect(), row.rect);
        let frame = ui.ctx().cumulative_frame_nr();
        let is_seen = clip.y_range().expand(1.0).intersection(rect.y_range()) == rect.y_range();
        let is_scrolling =
            ui.input(|it| it.pointer.any_down() || it.smooth_scroll_delta() != Vec2::ZERO);
        if is_scrolling {
            self.is_kept = is_seen;
        } else if self.is_kept && !is_seen && self.asked.is_none_or(|it| frame > it + SETTLES) {
            self.asked = Some(frame);
            row.scroll_to_me_animation(None, ScrollAnimation::none());
        }
    }
}

impl Panel for WorkloadsPanel {
    fn id(&self) -> &'static str {
        "workloads"
    }

    fn title(&self) -> &'static str {
        "Workloads"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Docked
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let area = ScrollArea::vertical().auto_shrink(false);
        area.show(ui, |ui| {
            ui.set_max_width(ui.available_width() - 10.0);
            self.list(ui, scene, actions);
        });
    }
}

impl WorkloadsPanel {
    fn list(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let documents = &scene.state.documents;
        let chosen = scene.workload().map(|_| documents.chosen);
        let shown = scene.status.is_document.then_some(scene.status.tab);
        let row = shown.map(ListedRow::Capture);
        self.sight.choose(row.or(chosen.map(ListedRow::Workload)));
        let sight = &mut self.sight;
        let opened: Vec<usize> = (documents.bundled..documents.texts.len()).collect();
        let captures: Vec<usize> = (0..scene.status.tabs.len())
            .filter(|at| scene.status.tabs.get(*at).is_some_and(|it| !it.is_run))
            .collect();
        if !opened.is_empty() || !captures.is_empty() {
            heading(scene, "Opened", "Opened", true).show_unindented(ui, |ui| {
                for at in captures {
                    capture(ui, scene, (at, sight), actions);
                }
                for at in opened {
                    entry(ui, scene, (at, sight), actions);
                }
            });
        }
        recent_files::show(ui, scene, actions);
        lesson_list::show(ui, scene, actions);
        let mut first = 0;
        for group in bundled_groups() {
            let members = first..first + group.workloads.len();
            first = members.end;
            let header = heading(scene, group.name, group.name, OPEN.contains(&group.name));
            let shown = header.show_unindented(ui, |ui| {
                for at in members.clone() {
                    entry(ui, scene, (at, sight), actions);
                }
            });
            // The chosen one is in sight, although its group is folded.
            let hidden = chosen.filter(|at| members.contains(at) && shown.fully_closed());
            if let Some(at) = hidden {
                entry(ui, scene, (at, sight), actions);
            }
        }
    }
}

/// The name of a group, which folds it.
pub fn heading(scene: &Scene<'_>, id: &str, name: &str, is_open: bool) -> CollapsingHeader {
    let words = RichText::new(name.to_uppercase()).size(SMALL).strong();
    let words = words.color(scene.theme.weak);
    CollapsingHeader::new(words)
        .id_salt(id)
        .default_open(is_open)
}

/// A capture that is open in a tab.
fn capture(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (at, sight): (usize, &mut ChosenRow),
    actions: &mut Vec<Action>,
) {
    let Some(label) = scene.status.tabs.get(at) else {
        return;
    };
    let is_shown = at == scene.status.tab && scene.status.is_document;
    let response = row(ui, scene, &label.name, (is_shown, false), None);
    if is_shown {
        sight.show(ui, &response);
    }
    if response.on_hover_text("A capture that is open").clicked() {
        actions.push(Action::ShowTab(at));
    }
}

fn entry(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (at, sight): (usize, &mut ChosenRow),
    actions: &mut Vec<Action>,
) {
    let Some(text) = scene.state.documents.texts.get(at) else {
        return;
    };
    let badge = badge(scene, &text.name);
    let title = if text.is_dirty() {
        format!("{} •", text.title)
    } else {
        text.title.clone()
    };
    let chosen = at == scene.state.documents.chosen && scene.workload().is_some();
    let reason = scene.status.fit.reason(&text.name);
    let response = row(
        ui,
        scene,
        &title,
        (chosen, reason.is_some()),
        badge.as_ref(),
    );
    if chosen {
        sight.show(ui, &response);
    }
    let response = match reason {
        Some(reason) => response.on_hover_text(format!("This device cannot run it: {reason}")),
        None => response.on_hover_text(format!(
            "Click to choose, double-click to run{}",
            open_expectations(scene, &text.name)
        )),
    };
    if response.double_clicked() && reason.is_none() {
        actions.push(Action::Run(at));
    } else if response.clicked() {
        actions.push(Action::Choose(at));
    }
}

/// That the last run of a workload could not tell of some expectations; empty where it could of all.
fn open_expectations(scene: &Scene<'_>, name: &str) -> String {
    match scene.status.verdicts.get(name) {
        Some(RunVerdict::Passed { held, not_judged }) if *not_judged > 0 => {
            format!("\n\nIts last run: {held} passed, {not_judged} not judged; About says why")
        }
        _ => String::new(),
    }
}

/// What is written at the end of a workload's row, and its colour.
pub type Badge = (String, eframe::egui::Color32);

/// How the last run of a workload went, or how the one under way goes.
pub fn badge(scene: &Scene<'_>, name: &str) -> Option<Badge> {
    let status = scene.status;
    let theme = scene.theme;
    if status.running.as_deref() == Some(name) {
        match status.phase {
            Phase::Running | Phase::Paused if scene.is_lost() => {
                return Some((String::from("device lost"), theme.bad));
            }
            Phase::Running => return Some((String::from("running"), theme.good)),
            Phase::Paused => return Some((String::from("calls held"), theme.warning)),
            Phase::Stopping => return Some((String::from("stopping"), theme.warning)),
            Phase::Idle => {}
        }
    }
    if status.fit.reason(name).is_some() {
        return Some((String::from("does not fit"), theme.weak));
    }
    Some(match status.verdicts.get(name)? {
        RunVerdict::Passed { held, not_judged } => match (held, not_judged) {
            (0, 0) => (String::from("ran"), theme.weak),
            (held, 0) => (format!("{held} passed"), theme.good),
            (0, _) => (String::from("not judged"), theme.weak),
            // The pointer is told of the others.
            (held, open) => (format!("{held} of {} passed", held + open), theme.weak),
        },
        RunVerdict::Missed(count) => (format!("{count} missed"), theme.bad),
        RunVerdict::Stopped => (String::from("stopped"), theme.weak),
        RunVerdict::Failed(_) => (String::from("failed"), theme.bad),
    })
}

/// A row of the list across the whole panel.
pub fn row(
    ui: &mut Ui,
    scene: &Scene<'_>,
    title: &str,
    (chosen, is_grey): (bool, bool),
    badge: Option<&Badge>,
) -> Response {
    let theme = scene.theme;
    let size = Vec2::new(ui.available_width(), 6.0 * GRID);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::selected(WidgetRole::Button, true, chosen, title));
    let fill = match (chosen, response.hovered() || response.has_focus()) {
        (true, _) => theme.chosen,
        (false, true) => theme.hovered,
        (false, false) => theme.panel,
    };
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, CornerRadius::same(4), fill);
    let indent = 5.0 * GRID;
    let mut room = rect.width() - indent - 2.0 * GRID;
    if let Some((word, colour)) = badge {
        let place = rect.right_center() - Vec2::new(2.0 * GRID, 0.0);
        let drawn = painter.text(
            place,
            Align2::RIGHT_CENTER,
            word,
            FontId::proportional(SMALL),
            *colour,
        );
        room -= drawn.width() + 2.0 * GRID;
    }
    let short = shortened(ui, title, room);
    let place = rect.left_center() + Vec2::new(indent, 0.0);
    painter.text(
        place,
        Align2::LEFT_CENTER,
        short.as_deref().unwrap_or(title),
        FontId::proportional(BODY),
        if is_grey { theme.weak } else { theme.text },
    );
    response
}
