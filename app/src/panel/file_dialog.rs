//! A plain window that asks for a file, for systems that have no dialog of their own.

use std::path::{Path, PathBuf};

use eframe::egui::{Button, Key, RichText, ScrollArea, TextEdit, Ui};

use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command};
use crate::state::{FilePurpose, FileRequest, OverlayWindow};
use crate::text;
use crate::theme::GRID;

/// Entries of a folder that are listed at most.
const MOST: usize = 5_000;

/// A plain window that asks for a file.
#[derive(Default)]
pub struct FileDialog {
    /// What is asked for; another request begins anew.
    request: Option<FileRequest>,
    folder: PathBuf,
    /// The folder as it is typed.
    typed: String,
    entries: Vec<FolderEntry>,
    problem: String,
    name: String,
    shows_all: bool,
    /// Whether the cursor is still to be put where the name is typed.
    is_new: bool,
    /// The last frame that it was open in.
    seen: u64,
}

/// A file or a folder in the folder on screen.
struct FolderEntry {
    name: String,
    is_folder: bool,
}

impl Panel for FileDialog {
    fn id(&self) -> &'static str {
        "files"
    }

    fn title(&self) -> &'static str {
        "Files"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Window(OverlayWindow::Files)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let Some(request) = &scene.state.file else {
            self.request = None;
            return hint(ui, scene.theme, "No file is asked for now.");
        };
        let now = ui.ctx().cumulative_pass_nr();
        // Files may have come while it was closed.
        let was_closed = self.seen + 1 < now;
        self.seen = now;
        if was_closed || self.request.as_ref() != Some(request) {
            self.begin(request, scene);
            self.is_new = true;
        }
        ui.label(RichText::new(about(request.purpose)).color(scene.theme.weak));
        ui.add_space(GRID);
        self.folder_line(ui);
        let chosen = self.list(ui, scene, request);
        self.name_line(ui, scene, (request, chosen), actions);
    }
}

/// What is asked for, in words.
const fn about(purpose: FilePurpose) -> &'static str {
    match purpose {
        FilePurpose::Open => "Open a capture or a workload.",
        FilePurpose::OpenFolder => "Open the captures in a folder as one.",
        FilePurpose::OpenDataset => {
            "Show a dataset: the folder that `syncline convert --to` wrote."
        }
        FilePurpose::SearchCaptures => {
            "Look for the captures of the dataset in this folder, and in those below it."
        }
        FilePurpose::Add => "Open a capture together with the one on screen.",
        FilePurpose::SaveCapture => "Save the capture on screen.",
        FilePurpose::SavePiece => {
            "Save what touches the selected range, or the view; the ending says as what."
        }
        FilePurpose::Report => {
            "Save a report of the capture: a page with pictures (.html), or Markdown (.md)."
        }
        FilePurpose::SaveText => "Save the text of the chosen workload.",
        FilePurpose::Export => "Export the capture or the view; the ending says as what.",
        FilePurpose::Extract => "Write a workload that does what the capture shows.",
    }
}

impl FileDialog {
    fn begin(&mut self, request: &FileRequest, scene: &Scene<'_>) {
        self.name.clone_from(&request.name);
        self.request = Some(request.clone());
        let recent = scene.state.settings.recent.first();
        let beside = recent
            .and_then(|path| path.parent())
            .filter(|it| it.is_dir());
        let start = beside
            .map(Path::to_path_buf)
            .or(std::env::current_dir().ok());
        self.enter(start.unwrap_or_default());
    }

    /// Lists a folder.
    fn enter(&mut self, folder: PathBuf) {
        self.problem.clear();
        self.entries.clear();
        match std::fs::read_dir(&folder) {
            Ok(found) => {
                let entries = found
                    .take(MOST)
                    .filter_map(Result::ok)
                    .map(|it| FolderEntry {
                        name: it.file_name().to_string_lossy().into_owned(),
                        is_folder: it.path().is_dir(),
                    });
                self.entries = entries.filter(|it| !it.name.starts_with('.')).collect();
                self.entries
                    .sort_by_cached_key(|it| (!it.is_folder, it.name.to_lowercase()));
            }
            Err(error) => {
                self.problem = format!(
                    "{} cannot be listed: {error}. Name another folder",
                    folder.display()
                );
            }
        }
        self.typed = folder.display().to_string();
        self.folder = folder;
    }

    fn folder_line(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            let label = ui.label("Folder");
            let up = self.folder.parent().map(Path::to_path_buf);
            if ui.add_enabled(up.is_some(), Button::new("Up")).clicked() {
                self.enter(up.unwrap_or_default());
            }
            let field = TextEdit::singleline(&mut self.typed).desired_width(f32::INFINITY);
            let response = ui.add(field).labelled_by(label.id);
            // What was typed counts, whether Enter or a click on the button ends it.
            let typed = PathBuf::from(self.typed.trim());
            if response.lost_focus() && typed != self.folder {
                self.enter(typed);
            }
        });
    }

    /// The folder's entries; says whether a file was chosen by a double click.
    fn list(&mut self, ui: &mut Ui, scene: &Scene<'_>, request: &FileRequest) -> bool {
        let fits = |name: &str| {
            let mut endings = request.endings.iter();
            endings.any(|it| name.to_lowercase().ends_with(&format!(".{it}")))
        };
        let shown = |it: &&FolderEntry| {
            it.is_folder || self.shows_all || request.endings.is_empty() || fits(&it.name)
        };
        let (mut next, mut is_chosen) = (None, false);
        ui.add_space(GRID);
        let area = ScrollArea::vertical()
            .max_height(320.0)
            .auto_shrink([false, false]);
        area.show(ui, |ui| {
            let mut count = 0;
            for entry in self.entries.iter().filter(shown) {
                count += 1;
                let label = if entry.is_folder {
                    format!("{}/", entry.name)
                } else {
                    entry.name.clone()
                };
                let response = ui.selectable_label(self.name == entry.name, label);
                if response.clicked() && entry.is_folder {
                    next = Some(self.folder.join(&entry.name));
                } else if response.clicked() {
                    self.name.clone_from(&entry.name);
                    is_chosen = response.double_clicked();
                }
            }
            if !self.problem.is_empty() {
                ui.label(RichText::new(&self.problem).color(scene.theme.bad));
            } else if count == 0 {
                hint(ui, scene.theme, "This folder has nothing of this kind.");
            }
        });
        if let Some(next) = next {
            self.enter(next);
        }
        is_chosen
    }

    fn name_line(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (request, is_chosen): (&FileRequest, bool),
        actions: &mut Vec<Action>,
    ) {
        ui.add_space(GRID);
        if request.purpose.is_folder() {
            return self.whole_folder(ui, request, actions);
        }
        let is_read = matches!(request.purpose, FilePurpose::Open | FilePurpose::Add);
        let path = self.folder.join(self.name.trim());
        let is_named = !self.name.trim().is_empty() && !path.is_dir();
        let is_there = is_named && path.is_file();
        ui.horizontal(|ui| {
            let label = ui.label("Name");
            let field = TextEdit::singleline(&mut self.name).desired_width(320.0);
            let field = ui.add(field).labelled_by(label.id);
            if std::mem::take(&mut self.is_new) {
                field.request_focus();
            }
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            let word = match (is_read, is_there) {
                (true, _) => "Open",
                (false, true) => "Replace",
                (false, false) => "Save",
            };
            let can = if is_read { is_there } else { is_named };
            let button = ui.add_enabled(can, Button::new(word)).clicked();
            // A file is never replaced by a key or a double click alone.
            let by_hand = (entered || is_chosen) && (is_read || !is_there);
            if can && (button || by_hand) {
                actions.push(Action::PickFiles(request.purpose, vec![path.clone()]));
            }
            if ui.button("Cancel").clicked() {
                actions.push(Command::Clear.into());
            }
            if !request.endings.is_empty() {
                ui.checkbox(&mut self.shows_all, "All files");
            }
        });
        if !self.shows_all && !request.endings.is_empty() {
            let words = format!("Shown: {}", text::patterns(&request.endings));
            hint(ui, scene.theme, &words);
        }
        if is_read && is_named && !is_there {
            let words = format!("{} is not in this folder.", self.name.trim());
            ui.label(RichText::new(words).color(scene.theme.warning));
        }
        if !is_read && is_there {
            let words = format!(
                "{} is there already: Replace writes over it.",
                self.name.trim()
            );
            ui.label(RichText::new(words).color(scene.theme.warning));
        }
    }

    /// The choice of the folder on screen.
    fn whole_folder(&self, ui: &mut Ui, request: &FileRequest, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            let can = self.problem.is_empty();
            let words = match request.purpose {
                FilePurpose::SearchCaptures => "Look in this folder",
                _ => "Open this folder",
            };
            if ui.add_enabled(can, Button::new(words)).clicked() {
                let folder = vec![self.folder.clone()];
                actions.push(Action::PickFiles(request.purpose, folder));
            }
            if ui.button("Cancel").clicked() {
                actions.push(Command::Clear.into());
            }
        });
    }
}
