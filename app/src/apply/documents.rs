//! Actions that choose, edit and remember workloads and files.

use std::path::Path;

use super::lesson;
use crate::action::{Action, AppRequest};
use crate::capture_link::CaptureLink;
use crate::state::{AppState, OverlayWindow, WorkloadText};

/// How many recent files are kept.
const RECENT: usize = 8;

/// Applies the actions that are about workloads and files.
pub fn apply(state: &mut AppState, action: Action) -> Option<AppRequest> {
    match action {
        Action::Choose(at) => choose(state, at),
        Action::Run(at) => {
            choose(state, at);
            return Some(AppRequest::Run);
        }
        Action::Edit(source) => {
            let chosen = state.documents.chosen;
            if let Some(text) = state.documents.texts.get_mut(chosen) {
                text.source = source;
            }
            lesson::edited(state);
        }
        Action::SetParameter(name, value) => set_parameter(state, name, value),
        Action::Remember(path) => remember(state, &path),
        Action::Adopt(text) => adopt(state, *text),
        Action::Saved(path) => saved(state, &path),
        Action::AskRemote(consent) => {
            state.consent = Some(consent);
            state.window = Some(OverlayWindow::Consent);
        }
        Action::AllowRemote => return allow(state),
        Action::FollowLink(link) => return follow(state, link),
        Action::AllowLink => {
            state.window = None;
            return state.link.take().map(AppRequest::OpenLink);
        }
        Action::CopyLink(at, span) => return Some(AppRequest::CopyLink(at, span)),
        Action::AskFile(request) => {
            state.file = Some(request);
            state.window = Some(OverlayWindow::Files);
        }
        Action::PickFiles(purpose, paths) => {
            state.window = None;
            state.file = None;
            return Some(AppRequest::Picked(purpose, paths));
        }
        Action::AskUnsaved(risk) => {
            state.unsaved = Some(risk);
            state.window = Some(OverlayWindow::Unsaved);
        }
        Action::DiscardUnsaved => {
            state.window = None;
            return state.unsaved.take().map(AppRequest::Discard);
        }
        _ => {}
    }
    None
}

/// Keeps the answer for the workload's file, and runs it.
fn allow(state: &mut AppState) -> Option<AppRequest> {
    state.window = None;
    let consent = state.consent.take()?;
    state.settings.allowed.keep(&consent);
    Some(AppRequest::RunAllowed(consent))
}

/// A link comes from anywhere: only files that were opened here before are opened without a question.
fn follow(state: &mut AppState, link: CaptureLink) -> Option<AppRequest> {
    let recent = &state.settings.recent;
    if link.files.iter().all(|it| recent.contains(it)) {
        return Some(AppRequest::OpenLink(link));
    }
    state.link = Some(link);
    state.window = Some(OverlayWindow::Link);
    None
}

pub fn choose(state: &mut AppState, at: usize) {
    if at < state.documents.texts.len() {
        if at != state.documents.chosen {
            // It was said of the other one.
            state.settings.synchronization = None;
        }
        state.documents.chosen = at;
    }
}

fn set_parameter(state: &mut AppState, name: String, value: Option<f64>) {
    let Some(text) = state.documents.text() else {
        return;
    };
    let workload = text.name.clone();
    let values = state.documents.values.entry(workload).or_default();
    match value {
        Some(value) => values.insert(name, value),
        None => values.remove(&name),
    };
}

fn remember(state: &mut AppState, path: &Path) {
    let recent = &mut state.settings.recent;
    // Started from elsewhere, the same words would name another file.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    recent.retain(|known| *known != path);
    recent.insert(0, path);
    recent.truncate(RECENT);
}

/// Lists `place` among those that were connected to, the latest first.
pub fn remember_place(state: &mut AppState, place: Option<&str>) {
    if let Some(place) = place {
        put_first(&mut state.settings.places, place);
    }
}

/// Lists `line` among the programs that were recorded, the latest first.
pub fn remember_program(state: &mut AppState, line: &str) {
    put_first(&mut state.settings.programs, line);
}

fn put_first(list: &mut Vec<String>, new: &str) {
    list.retain(|known| known != new);
    list.insert(0, new.to_owned());
    list.truncate(RECENT);
}

pub fn adopt(state: &mut AppState, text: WorkloadText) {
    let known = state.documents.known(&text);
    let texts = &mut state.documents.texts;
    state.documents.chosen = known.unwrap_or(texts.len());
    match known.and_then(|at| texts.get_mut(at)) {
        Some(other) => *other = text,
        None => texts.push(text),
    }
}

/// A bundled workload cannot be written to: its edited text becomes a workload of its own.
fn saved(state: &mut AppState, path: &Path) {
    let documents = &mut state.documents;
    let Some(text) = documents.texts.get_mut(documents.chosen) else {
        return;
    };
    let name = path.file_name().map_or_else(
        || text.name.clone(),
        |name| name.to_string_lossy().into_owned(),
    );
    let written = WorkloadText {
        title: name.clone(),
        name,
        source: text.source.clone(),
        saved: text.source.clone(),
        path: Some(path.to_path_buf()),
        capture: None,
    };
    if documents.chosen < documents.bundled {
        text.source.clone_from(&text.saved);
        adopt(state, written);
    } else {
        *text = written;
    }
    remember(state, path);
}
