//! The link to the engine: controls out, messages in, applied within a frame's budget.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use eframe::egui::Context;
use engine::capture::Capture;
use engine::record::{Record, RunOutcome};
use engine::runner::far::{BackendOffer, WorkerTarget};
use engine::runner::{Control, Engine, KeptCapture, Message, Pace, Phase, RunRequest, SAVE_FAILED};
use engine::workload::Document;

use super::{App, start};
use crate::action::Action;
use crate::panel::{AdapterChoice, BackendChoice, RunVerdict};
use crate::state::{Consent, Notice, RequestedMachine, WorkloadText};

/// Time between two frames that only show what the engine did: drawing takes processors from what is measured.
const PACE: Duration = Duration::from_millis(30);

/// How a program ended that could not be started: what the command line exits with where something is wrong.
const NOT_BEGUN: i32 = 2;
/// The same where it ended well, and what was recorded could not be written to its file.
const UNSAVED: i32 = 1;

/// The link to the engine. Dropped, it ends the engine and waits for it.
pub struct EngineLink {
    send: Box<dyn Fn(Control)>,
    messages: Receiver<Message>,
    /// A message that could not be taken yet.
    held: Option<Message>,
}

impl EngineLink {
    /// Starts an engine that wakes the window when it has something to say.
    pub fn start(context: &Context) -> Self {
        let context = context.clone();
        let engine = Engine::start(Box::new(move || context.request_repaint_after(PACE)));
        let messages = engine.messages().clone();
        Self::new(Box::new(move |control| engine.send(control)), messages)
    }

    /// Starts an engine in another process, that wakes the window when it has something to say.
    pub fn connect(context: &Context, target: WorkerTarget) -> Self {
        let context = context.clone();
        let wake = Box::new(move || context.request_repaint_after(PACE));
        let engine = Engine::connect(target, wake);
        let messages = engine.messages().clone();
        Self::new(Box::new(move |control| engine.send(control)), messages)
    }

    /// A link to whatever takes `send`'s controls and answers with `messages`.
    pub fn new(send: Box<dyn Fn(Control)>, messages: Receiver<Message>) -> Self {
        Self {
            send,
            messages,
            held: None,
        }
    }
}

impl App {
    /// Sends a control, where there is an engine.
    pub(super) fn control(&self, control: Control) {
        if let Some(link) = &self.link {
            (link.send)(control);
        }
    }

    /// Asks the engine to run the chosen workload from its beginning.
    pub(super) fn run(&mut self, paused: bool) {
        self.run_with(paused, Vec::new());
    }

    /// The same, once the user allowed what was asked for. Where another workload was chosen meanwhile, that is asked for
    /// its own.
    pub(super) fn run_allowed(&mut self, consent: &Consent) {
        // The answer holds for good.
        self.saves_now = true;
        let text = self.state.documents.text();
        let is_same =
            text.is_some_and(|text| text.name == consent.workload && file(text) == consent.file);
        let allowed = if is_same {
            consent.addresses()
        } else {
            Vec::new()
        };
        self.run_with(consent.paused, allowed);
    }

    /// Runs the chosen workload, or asks first where its text says that it is to connect to machines that are neither
    /// among the `allowed` ones nor were before.
    fn run_with(&mut self, paused: bool, mut allowed: Vec<String>) {
        self.turn_to_chosen();
        let documents = &self.state.documents;
        let Some(text) = documents.text() else {
            return;
        };
        let before = self.state.settings.allowed.of(file(text).as_deref());
        allowed.extend(before);
        allowed.sort_unstable();
        allowed.dedup();
        let asked = consent(text, &documents.overrides(), &allowed);
        if let Some(asked) = asked {
            let asked = Consent { paused, ..asked };
            return self.act(vec![Action::AskRemote(asked)], None);
        }
        let request = RunRequest {
            adapter: self.state.settings.adapter.clone(),
            name: text.name.clone(),
            source: text.source.clone(),
            parameters: documents.overrides(),
            backend: self.status.backend(&self.state.settings).to_owned(),
            save: None,
            paused,
            pace: pace(self.state.settings.pace),
            paced: self.state.settings.paced,
            lose: self.state.armed().to_vec(),
            recovery: self.state.loss.of_run(&text.name),
            synchronization: self.state.settings.of_run(&text.source),
            allowed,
            ..RunRequest::default()
        };
        self.act(vec![Action::PauseView(false)], None);
        self.control(Control::Run(Box::new(request)));
    }

    /// Applies messages until `end`, and says whether more wait. While the view is paused the engine keeps them.
    pub(super) fn drain(&mut self, end: Instant) -> bool {
        if self.state.is_paused {
            return false;
        }
        loop {
            let Some(link) = &mut self.link else {
                return false;
            };
            let next = link.held.take().or_else(|| link.messages.try_recv().ok());
            let Some(message) = next else {
                return false;
            };
            if let Some(message) = self.take(message) {
                // The capture is being written to a file: the engine keeps what comes meanwhile.
                if let Some(link) = &mut self.link {
                    link.held = Some(message);
                }
                return false;
            }
            if Instant::now() >= end {
                return true;
            }
        }
    }

    /// Takes a message, or gives it back where it cannot be taken yet. What a run tells belongs to its own tab.
    fn take(&mut self, message: Message) -> Option<Message> {
        match message {
            Message::Started { .. } => self.show_run_tab(),
            Message::Batch(_) | Message::Finished { .. } => {
                return self.in_run_tab(|app| app.take_in(message));
            }
            _ => {}
        }
        self.take_in(message)
    }

    fn take_in(&mut self, message: Message) -> Option<Message> {
        match message {
            Message::Started { .. } => {
                self.replace(Capture::new());
                self.status.is_live = true;
                self.status
                    .tab_at_start
                    .clone_from(&self.state.settings.docks.bottom.tab);
                self.status.is_unsaved = false;
                self.status.lost = 0;
                self.status.slowest = self.state.settings.pace;
                self.status.parts.clear();
            }
            Message::Batch(records) => match Arc::get_mut(&mut self.capture) {
                Some(capture) if self.status.is_live => {
                    let unsaved = unsaved(&records);
                    capture.apply(records);
                    let name = capture.run().map(|run| run.name.clone());
                    let is_news = self.status.running != name;
                    self.status.running = name;
                    if is_news {
                        self.label_tabs();
                    }
                    self.status.is_unsaved |= unsaved.is_some();
                    if let Some(text) = unsaved {
                        let notice = Notice {
                            is_error: true,
                            text,
                        };
                        self.act(vec![Action::Notify(Some(notice))], None);
                    }
                }
                // A file was opened over the run: its records have nowhere to go.
                Some(_) => {}
                None => return Some(Message::Batch(records)),
            },
            Message::Phase(phase) => self.status.phase = phase,
            Message::Seated { .. } => {}
            Message::Exited(code) => {
                let code = if code == 0 && self.status.is_unsaved {
                    UNSAVED
                } else {
                    code
                };
                // Whoever opened the window to record a program asks for that one.
                let _ = self.exit.set(code);
            }
            Message::Window(status) => self.status.window = Some(status),
            Message::Kept(kept) => self.show_kept(*kept),
            Message::Notice(text) => {
                let notice = Notice {
                    is_error: true,
                    text,
                };
                self.act(vec![Action::Notify(Some(notice))], None);
            }
            Message::Connection(connection) => self.status.connection = Some(connection),
            Message::Offers(offers) => {
                self.status.backends = offers.into_iter().filter_map(choice).collect();
                self.check_text();
            }
            Message::Refused(text) => {
                let is_idle = self.status.phase == Phase::Idle;
                if is_idle && self.status.program.take().is_some() {
                    let _ = self.exit.set(NOT_BEGUN);
                }
                self.act(
                    vec![Action::Notify(Some(Notice {
                        is_error: true,
                        text,
                    }))],
                    None,
                );
                self.lesson_job.refused();
            }
            Message::Finished { lost, .. } => {
                self.status.lost = lost;
                self.status.phase = Phase::Idle;
                self.status.program = None;
                self.status.window = None;
                self.judge();
            }
        }
        None
    }

    /// Notes how the run that just ended went.
    fn judge(&mut self) {
        let (Some(run), true) = (self.capture.run(), self.status.is_live) else {
            return;
        };
        let found = self.capture.expectations();
        let count = |holds| found.iter().filter(|it| it.holds == holds).count();
        let missed = count(Some(false));
        let verdict = match self.capture.end().map(|end| &end.outcome) {
            Some(RunOutcome::Failed(why)) => RunVerdict::Failed(why.clone()),
            Some(RunOutcome::Stopped) => RunVerdict::Stopped,
            _ if missed > 0 => RunVerdict::Missed(missed),
            _ => RunVerdict::Passed {
                held: count(Some(true)),
                not_judged: count(None),
            },
        };
        let name = run.name.clone();
        if let RunVerdict::Failed(why) = &verdict {
            let text = format!("{name} could not go on: {why}");
            self.act(
                vec![Action::Notify(Some(Notice {
                    is_error: true,
                    text,
                }))],
                None,
            );
        }
        let greeting = std::mem::take(&mut self.greeting);
        let shown = start::after_run(&self.capture, &self.state, greeting);
        self.act(shown, None);
        self.survey(&name);
        self.lesson_job.ran(&name);
        self.status.verdicts.insert(name, verdict);
    }
}

impl App {
    /// Shows what was kept of the program that is recorded, in a tab of its own.
    fn show_kept(&mut self, kept: KeptCapture) {
        let mut capture = Capture::new();
        capture.apply(kept.records);
        self.new_tab();
        self.status.opened = Some(kept.name);
        self.status.is_document = true;
        self.replace(capture);
        self.label_tabs();
        let text = match (kept.error, kept.path) {
            (Some(error), _) => Some((true, error)),
            (None, Some(path)) => Some((false, format!("kept as {}", path.display()))),
            (None, None) => None,
        };
        let notice = text.map(|(is_error, text)| Notice { is_error, text });
        if notice.is_some() {
            self.act(vec![Action::Notify(notice)], None);
        }
    }

    /// A run that ended begins with its overview, unless whoever ran it looks at something else: a tab opened meanwhile, the
    /// tab in which they watch one workload run again and again, or a lesson.
    fn survey(&mut self, name: &str) {
        let is_first = !self.status.verdicts.contains_key(name);
        let is_left_open = self.status.tab_at_start == self.state.settings.docks.bottom.tab;
        if is_first && is_left_open && self.state.lesson.is_none() {
            self.act(vec![Action::Survey("overview")], None);
        }
    }
}

/// The file that a workload came from, by the name that is its own wherever it is named from.
fn file(text: &WorkloadText) -> Option<PathBuf> {
    text.file()?.canonicalize().ok()
}

/// What a workload wants to connect to and may not yet; nothing where it wants nothing, or cannot be read.
fn consent(
    text: &WorkloadText,
    overrides: &[(String, f64)],
    allowed: &[String],
) -> Option<Consent> {
    let document = Document::parse(&text.name, &text.source).ok()?;
    let placement = document.plan(overrides).ok()?.placement?;
    let wanted = placement.unallowed(&[], allowed).into_iter();
    let machines = wanted.map(|(machine, at)| RequestedMachine {
        name: machine.name.clone(),
        address: at.to_string(),
        command: format!("ssh {} {} worker", at.host(), at.program()),
        line: machine.line,
    });
    let machines: Vec<_> = machines.collect();
    (!machines.is_empty()).then(|| Consent {
        workload: text.name.clone(),
        file: file(text),
        machines,
        paused: false,
    })
}

/// Why what runs could not be written to its file, where these records tell of that.
fn unsaved(records: &[Record]) -> Option<String> {
    records.iter().find_map(|record| match record {
        Record::Problem(problem) if problem.code == SAVE_FAILED => Some(problem.text.clone()),
        _ => None,
    })
}

/// A backend of another machine, to be chosen from. The one for tests is not offered.
pub fn choice(offer: BackendOffer) -> Option<BackendChoice> {
    let adapters = offer.adapters.into_iter();
    let adapters: Vec<AdapterChoice> = adapters
        .map(|(name, caps)| AdapterChoice { name, caps })
        .collect();
    let best = adapters.first().map(|it| it.name.clone());
    (offer.backend != "mock").then(|| BackendChoice {
        name: offer.backend,
        detail: offer.reason.or(best).unwrap_or_default(),
        opens: !adapters.is_empty(),
        adapters,
    })
}

/// How fast host threads make calls, as the engine is told.
pub fn pace(calls_a_second: Option<f64>) -> Pace {
    calls_a_second.map_or(Pace::Full, Pace::CallsPerSecond)
}
