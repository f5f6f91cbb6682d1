//! One rank as its parent sees it: an engine in another process.

use std::net::SocketAddr;

use crate::far::{Connection, ConnectionState, GONE};
use crate::{Control, Engine, Message};
use record::{EventId, LossKind, Problem, Record, RunOutcome, Severity, SpanId};

/// How far a rank is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankStage {
    /// Its process was started.
    Starting,
    /// It has its device and listens for the others.
    Seated,
    /// It makes its calls.
    Running,
    /// Its run is over.
    Over,
}

/// One rank as its parent sees it.
pub struct RankProcess {
    /// The engine in its process.
    pub engine: Engine,
    /// What it is called.
    pub label: String,
    /// How far it is.
    pub stage: RankStage,
    /// Where it listens for the others.
    pub address: Option<SocketAddr>,
    /// By what its machine is told from others.
    pub machine: String,
    /// How its run ended.
    pub outcome: Option<RunOutcome>,
    /// How the link to it is, in words.
    detail: String,
    is_dead: bool,
    /// Whether its device was lost.
    has_lost: bool,
}

impl RankProcess {
    /// Of the rank at place `rank`.
    pub fn new(rank: usize, engine: Engine) -> Self {
        Self {
            engine,
            label: format!("rank {rank}"),
            stage: RankStage::Starting,
            address: None,
            machine: String::new(),
            outcome: None,
            detail: String::new(),
            is_dead: false,
            has_lost: false,
        }
    }

    /// What it said next.
    pub fn next(&self) -> Option<Message> {
        self.engine.messages().try_recv().ok()
    }

    /// Hands a control to it.
    pub fn send(&self, control: Control) {
        self.engine.send(control);
    }

    /// Whether its process died, rather than its run ended.
    pub const fn is_dead(&self) -> bool {
        self.is_dead
    }

    /// Whether its device was lost.
    pub const fn has_lost(&self) -> bool {
        self.has_lost
    }

    /// Whether its run failed.
    pub const fn has_failed(&self) -> bool {
        self.is_dead || matches!(self.outcome, Some(RunOutcome::Failed(_)))
    }

    /// Takes note of how its run ends.
    pub fn note(&mut self, records: &[Record]) {
        for record in records {
            match record {
                Record::End(end) => self.outcome = Some(end.outcome.clone()),
                Record::Problem(problem) if problem.code == GONE => self.is_dead = true,
                Record::Loss(loss) if loss.kind != LossKind::Link => self.has_lost = true,
                _ => {}
            }
        }
    }

    /// Takes note of how the link is, and says whether the process is gone.
    pub fn connected(&mut self, connection: &Connection) -> bool {
        self.detail.clone_from(&connection.detail);
        let is_gone = connection.state == ConnectionState::Gone;
        if is_gone && self.stage != RankStage::Over {
            self.is_dead = true;
            let why = format!("the process that ran it is gone: {}", self.detail);
            self.outcome.get_or_insert(RunOutcome::Failed(why));
        }
        is_gone
    }

    /// How its process died, in a few words.
    pub fn death(&self) -> String {
        let Some(RunOutcome::Failed(why)) = &self.outcome else {
            return "its process is gone".to_owned();
        };
        let why = why.trim_start_matches("the process that ran it is gone: ");
        // What it complained of besides is where its own end is told.
        why.split("; it said: ").next().unwrap_or(why).to_owned()
    }

    /// That its process died before anything was heard of its run.
    pub fn unheard_death(&self) -> Record {
        let why = self.death();
        Record::Problem(Box::new(Problem {
            severity: Severity::DataLoss,
            code: GONE.to_owned(),
            text: format!(
                "the process that was to run this is gone: {why}; nothing had come of its run"
            ),
            span: SpanId::NONE,
            event: EventId::NONE,
        }))
    }

    /// Why nothing more comes from it, for those who wait.
    pub fn why_over(&self) -> String {
        match &self.outcome {
            Some(RunOutcome::Failed(_)) if self.is_dead => self.death(),
            Some(RunOutcome::Failed(why)) => why.clone(),
            Some(RunOutcome::Stopped) => "it was stopped".to_owned(),
            _ => "its run ended, and it never came to this".to_owned(),
        }
    }
}
