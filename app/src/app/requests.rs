//! What actions ask of the engine, the disk and the window.

use eframe::egui::{Context, ViewportCommand};
use engine::record::SpanId;
use engine::runner::far::{Connection, WorkerTarget};
use engine::runner::{Control, Phase, ProgramRequest, RankControl, RecoveryMode};
use engine::workload::{Injection, LossMoment};

use super::App;
use super::files::{self, FilePurpose};
use super::link::{EngineLink, pace};
use crate::action::{Action, AppRequest};
use crate::panel::{NOTHING_RUNS, words};
use crate::state::{Notice, Switch};

/// Said where a run is asked for while an opened capture is on screen, which a run would take away.
const NOTHING_TO_RUN: &str = "An opened capture is on screen. To run a workload in its place, choose one at the left; File ▸ \
    Extract workload makes one of the capture";

impl App {
    /// Does what an action asked for.
    pub(super) fn grant(&mut self, request: AppRequest, context: Option<&Context>) {
        let begins = matches!(
            request,
            AppRequest::Run | AppRequest::RunOrPause | AppRequest::Step
        );
        if begins && self.status.is_document && self.status.phase == Phase::Idle {
            return self.tell(false, NOTHING_TO_RUN.to_owned());
        }
        match request {
            AppRequest::Run => self.run(false),
            AppRequest::RunAllowed(consent) => self.run_allowed(&consent),
            AppRequest::RunOrPause => match self.status.phase {
                Phase::Running => self.control(Control::Pause),
                Phase::Paused => self.control(Control::Resume),
                Phase::Idle => self.run(false),
                Phase::Stopping => {}
            },
            AppRequest::Step => match self.status.phase {
                Phase::Idle => self.run(true),
                _ => self.control(Control::Step),
            },
            AppRequest::Stop => self.control(Control::Stop),
            AppRequest::Lose(injection) => self.lose(injection),
            AppRequest::Recover(how) => self.recover(how),
            AppRequest::Hurt(fault) => self.control(Control::Rank(RankControl::Fault(fault))),
            AppRequest::Pace(calls) => self.control(Control::Pace(pace(calls))),
            AppRequest::Connect(place) => self.connect(place.as_deref(), context),
            AppRequest::Record(line) => self.record(&line),
            AppRequest::ChooseFile => self.files.ask(FilePurpose::Open, ""),
            AppRequest::Open(paths) => {
                let first = paths.first().map(|path| files::name(path));
                let label = match (first, paths.len()) {
                    (Some(name), 1) => format!("Opening {name}"),
                    (_, count) => format!("Opening {count} files"),
                };
                self.begin_job(label);
                self.files.open(paths);
            }
            AppRequest::Align => self.align(),
            AppRequest::Export => {
                let name = self.file_name("json");
                self.files.ask(FilePurpose::Export, &name);
            }
            AppRequest::Extract => {
                let name = self.file_name("kdl");
                self.files.ask(FilePurpose::Extract, &name);
            }
            AppRequest::SaveCapture => {
                let name = self.file_name("pftrace");
                self.files.ask(FilePurpose::SaveCapture, &name);
            }
            AppRequest::SaveText => self.save_text(),
            AppRequest::Cancel => {
                self.files.cancel();
                self.status.job = None;
            }
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
            AppRequest::Copy(text) => {
                if let Some(context) = context {
                    context.copy_text(text);
                }
            }
            AppRequest::Ask(sql) => {
                let path = self.status.opened.clone();
                let of = (&self.capture, path);
                self.asking.begin(sql, of, &mut self.status, context);
            }
            AppRequest::StopAsking => self.asking.stop(),
            AppRequest::Quit => {
                if let Some(context) = context {
                    context.send_viewport_cmd(ViewportCommand::Close);
                }
            }
        }
    }

    /// Goes to the span before or after the selected one on the critical path; from a span that is not on it, to the next
    /// in time.
    fn walk_path(&mut self, forward: bool, context: Option<&Context>) {
        let Some(made) = self.status.why.conclusions.clone() else {
            return self.tell(
                false,
                String::from("The critical path is still being read; try again in a moment"),
            );
        };
        let selected = self.state.selection.span;
        let time = selected.and_then(|span| self.capture.span(span));
        let time = time.map(|placed| placed.span.start);
        let spans = made.path.iter().filter_map(|it| it.span);
        let mut spans: Vec<SpanId> = spans.collect();
        spans.dedup();
        let here = spans.iter().position(|it| Some(*it) == selected);
        let found = match here {
            Some(at) if forward => spans.get(at + 1),
            Some(at) => at.checked_sub(1).and_then(|at| spans.get(at)),
            None => {
                let start = |it: &SpanId| self.capture.span(*it).map(|it| it.span.start);
                let after = time.map(|time| spans.partition_point(|it| start(it) < Some(time)));
                let after = after.unwrap_or(0);
                let at = if forward {
                    Some(after)
                } else {
                    after.checked_sub(1)
                };
                at.and_then(|at| spans.get(at))
            }
        };
        if let Some(found) = found {
            let on = Action::Set(Switch::Path, true);
            self.act(vec![on, Action::Reveal(*found)], context);
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
                let from = shown.map_or(made.causes.extent().start, |it| it.start);
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
    fn record(&mut self, line: &str) {
        let command = words(line).unwrap_or_default().into_iter();
        self.conduct(ProgramRequest {
            command: command.map(Into::into).collect(),
            save: None,
            is_live: true,
        });
    }

    /// What a file made from the capture is called at first.
    fn file_name(&self, ending: &str) -> String {
        let name = self.capture.run().map_or("", |run| run.name.as_str());
        let stem = name.split('.').next().unwrap_or_default();
        let plain = |it: char| if "/\\:*?\"<>|".contains(it) { '-' } else { it };
        let stem: String = stem.chars().map(plain).collect();
        let stem = if stem.is_empty() { "capture" } else { &stem };
        format!("{stem}.{ending}")
    }

    /// Loses the device of the run under way; what is only armed for the next run needs none.
    fn lose(&mut self, injection: Injection) {
        let is_now = injection.at == LossMoment::Now;
        match (self.status.phase, is_now) {
            (Phase::Running | Phase::Paused, _) => {
                self.control(Control::Lose(injection));
                // Whoever loses a device by hand wants to see what it comes to before it goes on.
                if is_now && self.state.loss.recovery == RecoveryMode::Pause {
                    self.control(Control::Pause);
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
            let name = format!("{}.kdl", text.name.trim_end_matches(".kdl"));
            self.files.ask(FilePurpose::SaveText, &name);
        }
    }
}
