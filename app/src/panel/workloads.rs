//! The workloads: bundled, opened, and the files that were open lately.

use eframe::egui::{
    Align2, CornerRadius, FontId, Response, Role as WidgetRole, Sense, Ui, Vec2, WidgetInfo,
};
use engine::runner::Phase;

use super::scene::RunVerdict;
use super::widgets::section;
use super::{Panel, PanelPosition, Scene};
use crate::action::Action;
use crate::text;
use crate::theme::{BODY, GRID, SMALL};

/// The workloads: bundled, opened, and the files that were open lately.
pub struct WorkloadsPanel;

impl Panel for WorkloadsPanel {
    fn id(&self) -> &'static str {
        "workloads"
    }

    fn title(&self) -> &'static str {
        "Workloads"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Left
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let documents = &scene.state.documents;
        section(ui, scene.theme, "Workloads");
        ui.spacing_mut().item_spacing.y = 0.0;
        for at in 0..documents.texts.len() {
            if at == documents.bundled {
                section(ui, scene.theme, "Opened");
            }
            entry(ui, scene, at, actions);
        }
        recent(ui, scene, actions);
    }
}

fn entry(ui: &mut Ui, scene: &Scene<'_>, at: usize, actions: &mut Vec<Action>) {
    let Some(text) = scene.state.documents.texts.get(at) else {
        return;
    };
    let badge = badge(scene, &text.name);
    let title = if text.is_dirty() {
        format!("{} •", text.title)
    } else {
        text.title.clone()
    };
    let chosen = at == scene.state.documents.chosen && !scene.status.is_document;
    let reason = scene.status.fit.reason(&text.name);
    let response = row(
        ui,
        scene,
        &title,
        (chosen, reason.is_some()),
        badge.as_ref(),
    );
    let response = match reason {
        Some(reason) => response.on_hover_text(format!("This device cannot run it: {reason}")),
        None => response.on_hover_text("Click to choose, double-click to run"),
    };
    if response.double_clicked() && reason.is_none() {
        actions.push(Action::Run(at));
    } else if response.clicked() {
        actions.push(Action::Choose(at));
    }
}

/// What is written at the end of a workload's row, its colour, and what it means.
type Badge = (String, eframe::egui::Color32);

fn badge(scene: &Scene<'_>, name: &str) -> Option<Badge> {
    let status = scene.status;
    let theme = scene.theme;
    if status.running.as_deref() == Some(name) {
        match status.phase {
            Phase::Running => return Some((String::from("running"), theme.good)),
            Phase::Paused => return Some((String::from("paused"), theme.warning)),
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
            (held, open) => (format!("{held} passed, {open} not judged"), theme.weak),
        },
        RunVerdict::Missed(count) => (format!("{count} missed"), theme.bad),
        RunVerdict::Stopped => (String::from("stopped"), theme.weak),
        RunVerdict::Failed(_) => (String::from("failed"), theme.bad),
    })
}

/// A row of the list across the whole panel.
fn row(
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
    let fill = match (chosen, response.hovered()) {
        (true, _) => theme.chosen,
        (false, true) => theme.hovered,
        (false, false) => theme.panel,
    };
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, CornerRadius::same(4), fill);
    let mut room = rect.width() - 4.0 * GRID;
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
    // An average glyph of the body font is about half as wide as it is high.
    let title = text::shorten(title, (room / (BODY * 0.52)).max(4.0) as usize);
    let place = rect.left_center() + Vec2::new(2.0 * GRID, 0.0);
    painter.text(
        place,
        Align2::LEFT_CENTER,
        title,
        FontId::proportional(BODY),
        if is_grey { theme.weak } else { theme.text },
    );
    response
}

fn recent(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let files = &scene.state.settings.recent;
    let open = |path: &std::path::Path| {
        let mut texts = scene.state.documents.texts.iter();
        texts.any(|text| text.path.as_deref() == Some(path))
    };
    let files: Vec<_> = files.iter().filter(|path| !open(path)).collect();
    if files.is_empty() {
        return;
    }
    section(ui, scene.theme, "Recent");
    for path in files {
        let name = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy();
        let response = row(ui, scene, &name, (false, false), None);
        if response.on_hover_text(path.display().to_string()).clicked() {
            actions.push(Action::OpenFile(path.clone()));
        }
    }
}
