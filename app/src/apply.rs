//! The only code that changes the state: each action, applied.

mod bookmarks;
mod documents;
mod fleet;
mod lanes;
mod lesson;
mod loss;
mod navigation;
mod playback;
mod topic;
mod view;

use engine::capture::Capture;
use engine::runner::RecoveryMode;
use engine::workload::LossMoment;

use crate::action::{Action, AppRequest, Command, FleetRequest, InterfaceScale, LessonAction};
use crate::state::{
    AppState, DockSide, Docks, OverlayWindow, Selection, Switch, ThemeChoice, ViewChange,
};

pub use view::keep_up;

/// Applies `action` to `state`; what is no matter of the state comes back as a request.
pub fn apply(state: &mut AppState, capture: &Capture, action: Action) -> Option<AppRequest> {
    match action {
        Action::Command(command) => return apply_command(state, capture, command),
        Action::Show(interval, motion) => view::show(state, interval, motion),
        Action::PauseView(is_paused) => state.is_paused = is_paused,
        Action::Scroll(points) => view::scroll(state, points),
        Action::Home(points) => view::home(state, points),
        Action::Select(span) => navigation::select(state, span),
        Action::SelectAlso(span) => navigation::select_also(state, span),
        Action::SelectGroup(spans) => navigation::select_group(state, spans),
        Action::SelectOperations(wanted) => navigation::select_operations(state, capture, wanted),
        Action::Reveal(span) => navigation::reveal(state, capture, span),
        Action::OpenGuide(name) => {
            state.window = Some(OverlayWindow::Guides);
            name.clone_into(&mut state.guide);
        }
        Action::SelectDependency(dependency) => {
            state.selection = Selection {
                dependency: Some(dependency),
                range: state.selection.range,
                ..Selection::default()
            };
        }
        Action::SelectTopic(topic) => topic::select(state, capture, topic),
        Action::SelectRange(range) => state.selection.range = range,
        Action::Hover(hover) => state.next_hover = hover,
        Action::Set(switch, on) => set(state, switch, on),
        Action::OpenTab(tab) => state.settings.open_tab(tab),
        Action::Survey(panel) => state.settings.docks.turn_to(panel),
        Action::Arrange(side, tree) => {
            state.settings.docks.tabs_mut(side).arrangement = Some(*tree);
        }
        Action::Dock(panel, side) => state.settings.move_to(panel, side),
        Action::SetPlayback(None) => state.playback = None,
        Action::SetPlayback(Some(play)) => playback::go(state, play),
        Action::AdvancePlayback(seconds) => playback::advance(state, capture, seconds),
        Action::Search(text) => state.search = text,
        Action::Lesson(action) => return lesson::apply(state, action),
        Action::Fleet(action) => return fleet::apply(state, action),
        Action::Bookmark(action) => return bookmarks::apply(state, capture, action),
        Action::SetDevice(backend, adapter) => {
            state.settings.backend = backend;
            state.settings.adapter = adapter;
        }
        Action::SetDial(name, value) => state.settings.paced.set(name, value),
        Action::SetLanguage(language) => {
            state.settings.language = language.map(|it| it.code().to_owned());
        }
        Action::SetSynchronization(how) => state.settings.synchronization = how,
        Action::SetPace(pace) => {
            state.settings.pace = pace;
            return Some(AppRequest::Pace(pace));
        }
        Action::Connect(place) => {
            state.window = None;
            documents::remember_place(state, place.as_deref());
            return Some(AppRequest::Connect(place));
        }
        Action::Record(line, window) => {
            state.window = None;
            documents::remember_program(state, &line);
            return Some(AppRequest::Record(line, window));
        }
        Action::Window(control) => return Some(AppRequest::Window(control)),
        Action::OpenFile(path) => return Some(AppRequest::Open(vec![path])),
        Action::OpenFiles(paths) => return Some(AppRequest::Open(paths)),
        Action::Align(part, by) => return view::align(state, part, by),
        Action::Cancel => return Some(AppRequest::Cancel),
        Action::Copy(text) => return Some(AppRequest::Copy(text)),
        Action::ShowTab(place) => return Some(AppRequest::ShowTab(place)),
        Action::CloseTab(place) => return Some(AppRequest::CloseTab(Some(place))),
        Action::ChooseShown => return Some(AppRequest::ChooseShown),
        Action::RestoreView(kept) => kept.restore(state),
        Action::Renumber(numbers) => numbers.apply(state),
        Action::Ask(sql) => return Some(AppRequest::Ask(sql)),
        Action::StopAsking => return Some(AppRequest::StopAsking),
        Action::Notify(Some(notice)) => state.notice = Some(notice),
        Action::Notify(None) => put_away(state),
        Action::Renew => {
            view::renew(state);
            // What was said of the capture before is no longer to be seen; what went wrong still went wrong.
            state.notice = state.notice.take().filter(|notice| notice.is_error);
        }
        other => {
            return match lanes::apply(state, capture, other) {
                Ok(()) => None,
                Err(other) => match loss::apply(state, other) {
                    Ok(request) => request,
                    Err(other) => documents::apply(state, other),
                },
            };
        }
    }
    None
}

/// What a command asks for that is about files and the tabs in which they are open.
const fn file_command(command: Command) -> Option<AppRequest> {
    Some(match command {
        Command::Open => AppRequest::ChooseFile,
        Command::OpenFolder => AppRequest::ChooseFolder,
        Command::OpenDataset => AppRequest::Fleet(FleetRequest::ChooseDataset),
        Command::Add => AppRequest::ChooseMore,
        Command::Reload => AppRequest::Reload,
        Command::ReloadChanged => AppRequest::ToggleReloading,
        Command::SaveCapture => AppRequest::SaveCapture,
        Command::SavePiece => AppRequest::SavePiece,
        Command::SaveReport => AppRequest::SaveReport,
        Command::Export => AppRequest::Export,
        Command::Extract => AppRequest::Extract,
        Command::SaveText => AppRequest::SaveText,
        Command::CloseTab => AppRequest::CloseTab(None),
        Command::NextTab => AppRequest::StepTab { forward: true },
        Command::PreviousTab => AppRequest::StepTab { forward: false },
        Command::Quit => AppRequest::Quit,
        _ => return None,
    })
}

fn apply_command(state: &mut AppState, capture: &Capture, command: Command) -> Option<AppRequest> {
    if state.fleet.is_shown() && command.needs_capture() {
        return None;
    }
    match command {
        Command::Rerun => return Some(AppRequest::Run),
        Command::RunOrPause => return Some(AppRequest::RunOrPause),
        Command::HoldCalls => return Some(AppRequest::HoldCalls),
        Command::Step => return Some(AppRequest::Step),
        Command::Stop => return Some(AppRequest::Stop),
        Command::LoseDevice => return loss::lose(state, LossMoment::Now),
        Command::Recover => return Some(AppRequest::Recover(RecoveryMode::Resume)),
        Command::Replay => return Some(AppRequest::Recover(RecoveryMode::Replay)),
        Command::Search => return Some(AppRequest::FocusSearch),
        Command::NextMatch => return Some(AppRequest::Match { forward: true }),
        Command::PreviousMatch => return Some(AppRequest::Match { forward: false }),
        Command::ZoomIn => view::zoom(state, capture, 1.0 / view::ZOOM_STEP),
        Command::ZoomOut => view::zoom(state, capture, view::ZOOM_STEP),
        Command::PanLeft => view::pan(state, capture, -view::PAN_STEP),
        Command::PanRight => view::pan(state, capture, view::PAN_STEP),
        Command::ScrollUp => view::scroll(state, state.view.scroll - view::SCROLL_STEP),
        Command::ScrollDown => view::scroll(state, state.view.scroll + view::SCROLL_STEP),
        Command::Focus => view::focus(state, capture),
        Command::Fit => view::show(state, None, ViewChange::Jump),
        Command::Undo => return view::undo(state),
        Command::Redo => return view::redo(state),
        Command::Follow => state.follow = !state.follow,
        Command::AllArrows => toggle(state, Switch::AllArrows),
        Command::Path => toggle(state, Switch::Path),
        Command::Dense => toggle(state, Switch::Dense),
        Command::Legend => toggle(state, Switch::Legend),
        Command::ThreadStates => toggle(state, Switch::ThreadStates),
        Command::ProjectNvtx => toggle(state, Switch::ProjectNvtx),
        Command::ProjectPython => toggle(state, Switch::ProjectPython),
        Command::ProjectOperators => toggle(state, Switch::ProjectOperators),
        Command::ColourByKind => colour(state, Switch::ColourByKind, Switch::ColourByName),
        Command::ColourByName => colour(state, Switch::ColourByName, Switch::ColourByKind),
        Command::Play | Command::NextEdge | Command::PreviousEdge => {
            playback::command(state, capture, command);
        }
        Command::PinLane
        | Command::HideLane
        | Command::ShowAllLanes
        | Command::ExpandAll
        | Command::CollapseAll => lanes::command(state, capture, command),
        Command::FilterLanes => return Some(AppRequest::FocusFilter),
        Command::Left => toggle(state, Switch::Left),
        Command::Right => toggle(state, Switch::Right),
        Command::Bottom => toggle(state, Switch::Bottom),
        Command::ResetPanels => reset_panels(state),
        Command::ReduceMotion => toggle(state, Switch::ReduceMotion),
        Command::LargerInterface => return Some(AppRequest::Scale(InterfaceScale::Larger)),
        Command::SmallerInterface => return Some(AppRequest::Scale(InterfaceScale::Smaller)),
        Command::ResetInterface => return Some(AppRequest::Scale(InterfaceScale::Normal)),
        Command::Theme => {
            state.settings.theme = match state.settings.theme {
                ThemeChoice::Dark => ThemeChoice::Light,
                ThemeChoice::Light => ThemeChoice::Dark,
            };
        }
        Command::NextSpan => navigation::along_lane(state, capture, true),
        Command::PreviousSpan => navigation::along_lane(state, capture, false),
        Command::Cause => return navigation::along_dependency(state, capture, false),
        Command::Effect => return navigation::along_dependency(state, capture, true),
        Command::NextOnPath => return Some(AppRequest::WalkPath { forward: true }),
        Command::PreviousOnPath => return Some(AppRequest::WalkPath { forward: false }),
        Command::NextIteration => return Some(AppRequest::WalkIterations { forward: true }),
        Command::PreviousIteration => return Some(AppRequest::WalkIterations { forward: false }),
        Command::MarkRange => navigation::mark(state, capture, false),
        Command::WidenRange => navigation::mark(state, capture, true),
        Command::Bookmark | Command::NextBookmark | Command::PreviousBookmark => {
            return bookmarks::command(state, capture, command);
        }
        Command::Clear => clear(state),
        Command::Palette => open(state, OverlayWindow::Palette),
        Command::Help => open(state, OverlayWindow::Keys),
        Command::Guides => open(state, OverlayWindow::Guides),
        Command::LessonStep => return lesson::apply(state, LessonAction::GoOn),
        Command::NextLesson => return lesson::apply(state, LessonAction::Next),
        Command::Connect => open(state, OverlayWindow::Connect),
        Command::Record => open(state, OverlayWindow::Program),
        of_files => return file_command(of_files),
    }
    None
}

/// Colours spans in one way, or ends that, in place of another way or of a field's values.
fn colour(state: &mut AppState, by: Switch, other: Switch) {
    toggle(state, by);
    set(state, other, false);
    state.view.colour_field.clear();
}

fn set(state: &mut AppState, switch: Switch, on: bool) {
    if on {
        state.settings.switches.insert(switch);
    } else {
        state.settings.switches.remove(&switch);
    }
}

fn toggle(state: &mut AppState, switch: Switch) {
    let on = state.settings.is_on(switch);
    set(state, switch, !on);
}

/// Puts every panel back to where it is at the first start.
fn reset_panels(state: &mut AppState) {
    let tab = std::mem::take(&mut state.settings.docks.bottom.tab);
    state.settings.docks = Docks::default();
    if DockSide::home(&tab) == DockSide::Bottom {
        state.settings.docks.bottom.tab = tab;
    }
    for side in DockSide::ALL {
        set(state, side.switch(), true);
    }
}

/// Opens a window, or closes it where it is open.
fn open(state: &mut AppState, window: OverlayWindow) {
    state.window = Some(window).filter(|_| state.window != Some(window));
}

/// Puts the notice away. The first start's line is a note; once read, it is not said again.
fn put_away(state: &mut AppState) {
    let notice = state.notice.take();
    state.settings.greeted |= notice.is_some_and(|notice| !notice.is_error);
}

/// Closes what is open, the topmost first; only then forgets what is chosen.
fn clear(state: &mut AppState) {
    if state.window.is_some() {
        state.window = None;
    } else if state.notice.is_some() {
        put_away(state);
    } else if !state.search.is_empty() {
        state.search.clear();
    } else {
        state.selection = Selection::default();
        state.fleet.cell = None;
    }
}

/// Ends a frame: what was pointed at in it is what the next one shows as pointed at.
pub fn end_frame(state: &mut AppState) {
    state.hover = std::mem::take(&mut state.next_hover);
}

#[cfg(test)]
mod tests;
