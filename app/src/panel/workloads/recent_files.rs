//! Files that were open lately, each by as much of its path as tells it from the others.

use std::path::{Path, PathBuf};

use eframe::egui::Ui;

use super::{heading, row};
use crate::action::Action;
use crate::panel::Scene;

/// So many are listed; the menu has them all.
const LISTED: usize = 4;

/// Lists those that are not open now.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let files = scene.state.settings.recent.iter();
    let files: Vec<&PathBuf> = files.filter(|path| !is_open(scene, path)).collect();
    let listed = files.get(..LISTED.min(files.len())).unwrap_or_default();
    if listed.is_empty() {
        return;
    }
    heading(scene, "Recent", "Recent", true).show_unindented(ui, |ui| {
        for (path, name) in listed.iter().zip(names(listed)) {
            let response = row(ui, scene, &name, (false, false), None);
            if response.on_hover_text(path.display().to_string()).clicked() {
                actions.push(Action::OpenFile((*path).clone()));
            }
        }
    });
}

fn is_open(scene: &Scene<'_>, path: &Path) -> bool {
    let mut texts = scene.state.documents.texts.iter();
    let name = path.file_name().map(|name| name.to_string_lossy());
    let mut tabs = scene.status.tabs.iter();
    texts.any(|text| text.path.as_deref() == Some(path))
        || tabs.any(|tab| name.as_deref() == Some(tab.name.as_str()))
}

/// What each is called: its own name, and where others have the same, as many of its folders as tell it from them.
fn names(paths: &[&PathBuf]) -> Vec<String> {
    let shown = |path: &Path, parts: usize| -> PathBuf {
        let all: Vec<_> = path.components().collect();
        let from = all.len().saturating_sub(parts);
        all.get(from..).unwrap_or_default().iter().collect()
    };
    let each = paths.iter().map(|path| {
        let most = path.components().count();
        let is_own = |parts: &usize| {
            let name = shown(path, *parts);
            let mut others = paths.iter().filter(|other| other != &path);
            others.all(|other| shown(other, *parts) != name)
        };
        let parts = (1..=most).find(is_own).unwrap_or(most);
        shown(path, parts).display().to_string()
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_name_are_told_apart_by_their_folders() {
        let paths = [
            "/home/me/run1/steps.json",
            "/home/me/run2/steps.json",
            "/home/me/run2/other.json",
            "steps.json",
        ]
        .map(PathBuf::from);
        let of: Vec<&PathBuf> = paths.iter().collect();
        let wanted = [
            "run1/steps.json",
            "run2/steps.json",
            "other.json",
            "steps.json",
        ];
        assert_eq!(names(&of), wanted);
    }
}
