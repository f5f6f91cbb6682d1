//! What actions ask of the engine, the disk and the window.

use std::sync::atomic::Ordering;

use eframe::egui::{Context, ViewportCommand, gui_zoom};
use engine::activity::CaptureWindow;
use engine::analysis::causes::ChainSegment;
use engine::record::SpanId;
use engine::runner::far::{Connection, WorkerTarget};
use engine::runner::{Control, Phase, ProgramRequest, RankControl, RecoveryMode};
use engine::time::Nanos;
use engine::workload::{Injection, LossMoment};

use super::App;
use super::link::{EngineLink, pace};
use crate::action::{Action, AppRequest, Command, InterfaceScale};
use crate::apply::apply;
use crate::panel::{NOTHING_RUNS, words};
use crate::state::{FilePurpose, Notice, Switch, UnsavedRisk};

/// Said where a run is asked for while an opened capture is on screen, which a run would take away.
const NOTHING_TO_RUN: &str = "An opened capture is on screen. To run a workload in its place, choose one at the left; File ▸ \
    Extract workload makes one of the capture";

/// Said where something is to be done to a run while an opened capture is on screen.
const NO_RUN_HERE: &str = "An opened capture is on screen, and nothing runs in it. The run of this window, where there is one, is in a \
    tab of its own";

/// Whether it begins a run where none is under way.
const fn begins_run(request: &AppRequest) -> bool {
    matches!(
        request,
        AppRequest::Run | AppRequest::RunOrPause | AppRequest::Step
    )
}

/// Whether it does something to the run under way.
const fn is_of_run(request: &AppRequest) -> bool {
    matches!(
        request,
        AppRequest::Stop
            | AppRequest::HoldCalls
            | AppRequest::Lose(_)
            | AppRequest::Hurt(_)
            | AppRequest::Recover(_)
    )
}

/// Whether what runs then is another engine's.
const fn begins_anew(request: &AppRequest) -> bool {
    matches!(request, AppRequest::Connect(_) | AppRequest::Record(..))
}

/// Makes everything in the window larger or smaller.
fn scale(context: &Context, change: InterfaceScale) {
    match change {
        InterfaceScale::Larger => gui_zoom::zoom_in(context),
        InterfaceScale::Smaller => gui_zoom::zoom_out(context),
        InterfaceScale::Normal => context.set_zoom_factor(1.0),
    }
}

impl App {
    /// Does what an action asked for.
    pub(super) fn grant(&mut self, request: AppRequest, context: Option<&Context>) {
        let begins = begins_run(&request);
        if self.status.is_document && request == AppRequest::RunOrPause {
            return self.act(vec![Command::Play.into()], context);
        }
        if begins && self.status.is_document {
            return self.tell(false, NOTHING_TO_RUN.to_owned());
        }
        let acts_on_run = is_of_run(&request);
        if acts_on_run && self.status.opened.is_some() {
            return self.tell(false, NO_RUN_HERE.to_owned());
        }
        // Who does something to a run, or begins another, wants to see what becomes of it.
        if acts_on_run || begins && request != AppRequest::RunOrPause || begins_anew(&request) {
            self.act(vec![Action::PauseView(false)], context);
        }
        let Some(request) = self.grant_file(request, context) else {
            return;
        };
        match request {
            AppRequest::Run => self.run(false),
            AppRequest::RunAllowed(consent) => self.run_allowed(&consent),
            AppRequest::Keep => self.saves_now = true,
            AppRequest::CheckLesson => self.check_lesson(context),
            AppRequest::RunOrPause => match self.status.phase {
                Phase::Running => {
                    let pause = Action::PauseView(!self.state.is_paused);
                    self.act(vec![pause], context);
                }
                Phase::Paused => self.control(Control::Resume),
                Phase::Idle => self.run(false),
                Phase::Stopping => {}
            },
            AppRequest::HoldCalls => match self.status.phase {
                Phase::Running => self.control(Control::Pause),
                Phase::Paused => self.control(Control::Resume),
                Phase::Idle | Phase::Stopping => {}
            },
            AppRequest::Step => match self.status.phase {
                Phase::Idle => self.run(true),
                _ => self.control(Control::Step),
            },
            AppRequest::Stop => self.control(Control::Stop),
            AppRequest::Lose(injection) => self.lose(injection),
            AppRequest::Recover(how) => self.recover(how),
            AppRequest::Hurt(fault) => self.control(Control::Rank(RankControl::Fault(fault))),
            AppRequest::Pace(calls) => self.set_pace(calls),
            AppRequest::Connect(place) => self.connect(place.as_deref(), context),
            AppRequest::Record(line, window) => self.record(&line, window),
            AppRequest::Window(control) => self.control(Control::Window(control)),
            AppRequest::Align => self.align(),
            AppRequest::Match { forward } => {
                let from = self.state.selection.span;
                if let Some(span) = self.search.go(&self.capture, from, forward) {
                    self.act(vec![Action::Reveal(span)], context);
                }
            }
            AppRequest::Follow { forward } => self.follow(forward, context),
            AppRequest::WalkPath { forward } => self.walk_path(forward, context),
            AppRequest::WalkIterations { forward } => self.walk_iterations(forward, context),
            AppRequest::FocusSearch => self.search.take_focus(),
            AppRequest::FocusFilter => self.timeline.take_filter_focus(),
            AppRequest::Copy(text) => {
                if let Some(context) = context {
                    context.copy_text(text);
                }
            }
            AppRequest::CopyLink(at, span) => self.copy_link(at, span, context),
            AppRequest::Ask(sql) => self.ask_in_sql(sql, context),
            AppRequest::StopAsking => self.asking.stop(),
            AppRequest::Fleet(request) => self.grant_fleet(&request, context),
            AppRequest::ShowTab(place) => self.turn_to_tab(place),
            AppRequest::CloseTab(place) => self.close_tab(place.unwrap_or(self.shown_tab())),
            AppRequest::StepTab { forward } => self.step_tab(forward),
            AppRequest::ChooseShown => self.choose_shown(),
            // Done above.
            AppRequest::ChooseFile
            | AppRequest::ChooseFolder
            | AppRequest::ChooseMore
            | AppRequest::Reload
            | AppRequest::ToggleReloading
            | AppRequest::Open(_)
            | AppRequest::Export
            | AppRequest::Extract
            | AppRequest::SaveCapture
            | AppRequest::SavePiece
            | AppRequest::SaveReport
            | AppRequest::SaveText
            | AppRequest::Picked(..)
            | AppRequest::Cancel
            | AppRequest::Discard(_)
            | AppRequest::OpenLink(_)
            | AppRequest::Scale(_)
            | AppRequest::Quit => {}
        }
    }

    /// Does what is about files, texts and the window itself; gives back what is about something else.
    fn grant_file(&mut self, request: AppRequest, context: Option<&Context>) -> Option<AppRequest> {
        match request {
            AppRequest::Scale(change) => {
                if let Some(context) = context {
                    scale(context, change);
                }
            }
            AppRequest::ChooseFile => self.ask(FilePurpose::Open, ""),
            AppRequest::ChooseFolder => self.ask(FilePurpose::OpenFolder, ""),
            AppRequest::ChooseMore => self.ask(FilePurpose::Add, ""),
            AppRequest::Reload => self.reload(),
            AppRequest::ToggleReloading => self.toggle_reloading(),
            AppRequest::Open(paths) => self.open_files(paths),
            AppRequest::Export => self.ask(FilePurpose::Export, "json"),
            AppRequest::Extract => self.ask(FilePurpose::Extract, "kdl"),
            AppRequest::SaveCapture => self.ask(FilePurpose::SaveCapture, "pftrace"),
            AppRequest::SavePiece => self.ask(FilePurpose::SavePiece, "pftrace"),
            AppRequest::SaveReport => self.ask(FilePurpose::Report, "html"),
            AppRequest::SaveText => self.save_text(),
            AppRequest::Picked(purpose, paths) => self.chosen(purpose, paths),
            AppRequest::Cancel => {
                self.files.cancel();
                self.status.job = None;
                self.end_loading();
            }
            AppRequest::OpenLink(link) => self.open_link(link),
            AppRequest::Discard(UnsavedRisk::Replacing(text)) => self.take_text(*text),
            AppRequest::Discard(UnsavedRisk::Closing) => {
                self.may_close.store(true, Ordering::SeqCst);
                self.close(context);
            }
            AppRequest::Quit => self.close(context),
            other => return Some(other),
        }
        None
    }

    /// Asks the capture on screen in SQL.
    fn ask_in_sql(&mut self, sql: String, context: Option<&Context>) {
        let path = self.status.opened.clone();
        let parts = self.status.parts.iter();
        let files = parts.map(|it| (it.path.display().to_string(), it.lanes.clone()));
        let of = (&self.capture, path, files.collect());
        self.asking.begin(sql, of, &mut self.status, context);
    }

    /// Host threads make so many calls a second from now on.
    fn set_pace(&mut self, calls: Option<f64>) {
        if self.status.grows() {
            self.status.slow_down(calls);
        }
        self.control(Control::Pace(pace(calls)));
    }

    /// Closes the window, or asks first where that would throw away what was not saved.
    fn close(&mut self, context: Option<&Context>) {
        let is_asked = self.may_close.load(Ordering::SeqCst);
        if !is_asked && self.state.documents.unsaved().next().is_some() {
            return self.act(vec![Action::AskUnsaved(UnsavedRisk::Closing)], context);
        }
        if let Some(context) = context {
            context.send_viewport_cmd(ViewportCommand::Close);
        }
    }

    /// Chooses the workload again that the capture on screen is of.
    fn choose_shown(&mut self) {
        let run = self.capture.run().map(|run| run.name.clone());
        let texts = self.state.documents.texts.iter();
        let place = run.and_then(|name| texts.map(|it| &it.name).position(|it| *it == name));
        if let Some(place) = place {
            apply(&mut self.state, &self.capture, Action::Choose(place));
            self.check_text();
        }
    }

    /// Goes to the span before or after the selected one on the critical path, that of the range where one is chosen; from a
    /// span that is not on it, to the next in time. Where the path lies in a host's own time it goes to what the host called.
    fn walk_path(&mut self, forward: bool, context: Option<&Context>) {
        let scene = self.scene();
        let (Some(path), Some(reader)) = (scene.critical_path(), scene.reader()) else {
            return self.tell(
                false,
                String::from("The critical path is still being read; try again in a moment"),
            );
        };
        let selected = self.state.selection.span;
        let is_here = |it: &ChainSegment| it.span.is_some() && it.span == selected;
        let begun = selected.and_then(|span| self.capture.span(span));
        let begun = begun.map(|placed| (placed.span.lane, placed.span.start));
        let is_on_it = path.iter().any(is_here);
        // The part that the selected call began in, where it is not on the path itself.
        let at = begun.map(|it| path.partition_point(|part| part.interval.start <= it.1));
        let own = at.and_then(|at| path.get(at.checked_sub(1)?));
        let is_own = |it: &&ChainSegment| it.span.is_none() && it.lane == begun.map(|it| it.0);
        let own = own.filter(is_own).filter(|_| !is_on_it);
        let other = |found: SpanId| Some(found).filter(|it| Some(*it) != selected);
        let found = if forward {
            let within = own.and_then(|part| reader.next_place(part, selected?));
            let after = path.iter().rposition(is_here).map(|at| at + 1);
            let mut later = path.iter().skip(after.or(at).unwrap_or(0));
            within.or_else(|| later.find_map(|it| reader.first_place(it).and_then(other)))
        } else {
            let within = own.and_then(|part| reader.last_place(part, begun?.1));
            let before = path.iter().position(is_here);
            let before = before.or_else(|| at.map(|at| at.saturating_sub(1)));
            let mut earlier = path.iter().take(before.unwrap_or(0)).rev();
            let last = |it: &ChainSegment| reader.last_place(it, Nanos::MAX).and_then(other);
            within.or_else(|| earlier.find_map(last))
        };
        if let Some(found) = found {
            let on = Action::Set(Switch::Path, true);
            self.act(vec![on, Action::Reveal(found)], context);
        } else if path.iter().all(|it| reader.first_place(it).is_none()) {
            self.tell(
                false,
                String::from(
                    "The critical path goes through no operation and no call here; Critical path in Why lists its parts",
                ),
            );
        }
    }

    /// Makes the next or the previous iteration the range, from the one that is; without one, from the start of the view.
    fn walk_iterations(&mut self, forward: bool, context: Option<&Context>) {
        let Some(made) = self.status.why.conclusions.clone() else {
            return self.tell(
                false,
                String::from("Iterations are still being read; try again in a moment"),
            );
        };
        let all = &made.iterations.rows;
        if all.is_empty() {
            return self.tell(
                false,
                String::from(
                    "This capture has no iterations: nothing in it marks steps or frames, and nothing repeats itself",
                ),
            );
        }
        let range = self.state.selection.range;
        let here = all
            .iter()
            .position(|it| Some(it.iteration.interval) == range);
        let found = match here {
            Some(at) if forward => all.get(at + 1),
            Some(at) => at.checked_sub(1).and_then(|at| all.get(at)),
            None => {
                let shown = range.or(self.state.view.interval);
                // A mark may begin before anything that counts.
                let from = shown.map_or(Nanos::MIN, |it| it.start);
                let after = all.partition_point(|it| it.iteration.interval.start < from);
                let at = if forward {
                    Some(after)
                } else {
                    after.checked_sub(1)
                };
                at.and_then(|at| all.get(at))
            }
        };
        if let Some(row) = found {
            self.act(Action::visit(row.iteration.interval), context);
        }
    }

    /// Goes to the binding cause of the selected span, or to what it bound.
    fn follow(&mut self, forward: bool, context: Option<&Context>) {
        let Some(span) = self.state.selection.span else {
            return;
        };
        let Some(reader) = self.scene().reader() else {
            return self.tell(
                false,
                String::from("The causes are still being read; try again in a moment"),
            );
        };
        let found = if forward {
            reader.effect_of(span)
        } else {
            reader.cause_of(span)
        };
        if let Some(found) = found {
            self.act(vec![Action::Reveal(found)], context);
        }
    }

    /// Leaves the engine for one at `place`, or in this process. What is on screen stays.
    fn connect(&mut self, place: Option<&str>, context: Option<&Context>) {
        let Some(context) = context else { return };
        let target = match place.map(WorkerTarget::parse).transpose() {
            Ok(target) => target,
            Err(unreachable) => return self.say(&unreachable.to_string()),
        };
        // The engine before ends here, and what it runs with it.
        self.link = None;
        self.status.phase = Phase::Idle;
        self.status.backends.clear();
        self.status.connection = target.as_ref().map(|target| {
            Box::new(Connection {
                name: target.name.clone(),
                ..Connection::default()
            })
        });
        self.link = Some(if let Some(target) = target {
            EngineLink::connect(context, target)
        } else {
            self.files.probe();
            EngineLink::start(context)
        });
    }

    /// Records the program that a command line starts, while the window shows it.
    fn record(&mut self, line: &str, window: CaptureWindow) {
        let command = words(line).unwrap_or_default().into_iter();
        self.conduct(ProgramRequest {
            command: command.map(Into::into).collect(),
            is_live: true,
            window,
            ..ProgramRequest::default()
        });
    }

    /// What a file made from the capture is called at first: by the capture, with what follows its name and an ending.
    pub(super) fn file_name(&self, after: &str, ending: &str) -> String {
        let run = self.capture.run().map(|run| run.name.as_str());
        let name = self.status.opened.as_deref().or(run).unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        let plain = |it: char| if "/\\:*?\"<>|".contains(it) { '-' } else { it };
        let stem: String = stem.chars().map(plain).collect();
        let stem = if stem.is_empty() { "capture" } else { &stem };
        format!("{stem}{after}.{ending}")
    }

    /// Loses the device of the run under way; what is only armed for the next run needs none.
    fn lose(&mut self, injection: Injection) {
        let is_now = injection.at == LossMoment::Now;
        match (self.status.phase, is_now) {
            (Phase::Running | Phase::Paused, _) => {
                let then = self.state.loss.recovery;
                // Held before, so that a run whose last call was made does not end in between: whoever loses a device by hand
                // wants to see what it comes to before it goes on.
                if is_now && then != RecoveryMode::Stay {
                    self.control(Control::Pause);
                }
                self.control(Control::Lose(injection));
                if is_now && matches!(then, RecoveryMode::Resume | RecoveryMode::Replay) {
                    self.control(Control::Recover(then));
                }
            }
            (_, true) => self.say(NOTHING_RUNS),
            (_, false) => {}
        }
    }

    fn recover(&mut self, how: RecoveryMode) {
        match self.scene().why_not_recover() {
            Some(reason) => self.say(reason),
            None => self.control(Control::Recover(how)),
        }
    }

    fn say(&mut self, text: &str) {
        let notice = Notice {
            is_error: false,
            text: text.to_owned(),
        };
        self.act(vec![Action::Notify(Some(notice))], None);
    }

    fn save_text(&mut self) {
        let Some(text) = self.state.documents.text() else {
            return;
        };
        if let Some(path) = text.path.clone() {
            self.write_text(path);
        } else {
            self.ask(FilePurpose::SaveText, "kdl");
        }
    }
}
