//! The check of a hand-in.

use std::time::{Duration, Instant};

use capture::Capture;
use crossbeam_channel::RecvTimeoutError;
use record::RunOutcome;
use runner::{Control, Engine, Message, RunRequest};

use super::conditions::{Condition, ConditionResult};
use super::document::{Lesson, LessonKind, wrong};
use super::error::LessonError;
use super::operations::OperationCounts;
use super::static_check::{StaticAnswer, compare};
use super::texts::LocalizedText;

/// How long a hand-in may run.
const LONGEST: Duration = Duration::from_mins(1);
/// How long it may take to stop then.
const GRACE: Duration = Duration::from_secs(10);
/// What is said of one that ran longer.
const TOO_LONG: &str = "it had not ended after a minute, which is how long a hand-in may run";

/// What became of a hand-in.
pub struct Judgement {
    /// Whether it passed.
    pub passed: bool,
    /// The id of the condition that it misses first.
    pub refused_by: Option<String>,
    /// What is said of that.
    pub says: LocalizedText,
    /// The line that it is about, where it is about one.
    pub line: Option<usize>,
    /// The labels of two operations, of which the first should come before the second and does not: the first such pair
    /// that the lesson asks for.
    pub unordered: Option<(String, String)>,
    /// Every condition that was looked at.
    pub conditions: Vec<ConditionResult>,
    /// Whether some of them could not be judged here.
    pub has_unjudged: bool,
    /// What ran; nothing where the text was refused before.
    pub capture: Option<Capture>,
}

/// What a run shows of a prediction.
#[derive(Clone, Debug)]
pub struct JudgedPrediction {
    /// Whether it shows what it should.
    pub holds: bool,
    /// The sentence, with what was found.
    pub says: LocalizedText,
}

impl Lesson {
    /// Judges a text on a backend.
    ///
    /// # Errors
    /// The lesson is not for that backend, it cannot be opened here, or the lesson's own solution does not run.
    pub fn judge(&self, text: &str, backend: &str) -> Result<Judgement, LessonError> {
        self.is_for(backend)?;
        if self.kind == LessonKind::Click {
            let text = format!(
                "{} is answered by clicking a span, which only the window could judge: it cannot be judged here",
                self.id
            );
            return Err(LessonError::NotHere(text));
        }
        self.mind_own_texts()?;
        if let Some(wrong) = workload_error(text) {
            return Ok(refused("reads", &says_reads(&wrong.1), Some(wrong.0)));
        }
        let source = match self.source_of(text) {
            Ok(source) => source,
            Err(refused) => return Ok(*refused),
        };
        let capture = match perform(&with_expectations(&source, &self.conditions), backend, None) {
            Ok(capture) => capture,
            // Where the text that everybody begins with does not run either, it is not this one's fault.
            Err(reason) if perform(self.start(), backend, None).is_err() => {
                return Err(LessonError::NotHere(reason));
            }
            Err(reason) => return Ok(refused("reads", &says_reads(&reason), None)),
        };
        let solution = self.solutions.first().map_or("", String::as_str);
        // Mock has one rank, whatever the text says.
        let has_ranks = solution.contains("placement");
        let apart = if has_ranks { backend } else { "mock" };
        let reference = perform(solution, apart, None).map_err(LessonError::NotHere)?;
        let mut judgement = self.judge_run(capture, &OperationCounts::of(&reference), backend);
        if judgement.passed {
            self.judge_other_orders(&source, &mut judgement);
        }
        Ok(judgement)
    }

    /// A run of the first solution on a backend, to be laid beside a learner's own.
    ///
    /// # Errors
    /// The lesson has no solution in text, is not for this backend, or the backend is not to be had here.
    pub fn reference(&self, backend: &str) -> Result<Capture, LessonError> {
        self.is_for(backend)?;
        let solution = self.solutions.first().filter(|it| !it.trim().is_empty());
        let solution = solution.ok_or_else(|| {
            LessonError::NotHere(format!("{} has no solution that could run", self.id))
        })?;
        perform(solution, backend, None).map_err(LessonError::NotHere)
    }

    /// Whether it is judged on a backend.
    pub(crate) fn is_for(&self, backend: &str) -> Result<(), LessonError> {
        let left_out = self.not_on.iter().find(|it| it.0 == backend);
        left_out.map_or(Ok(()), |(_, why)| {
            let text = format!("{} is not judged on {backend}: {why}", self.id);
            Err(LessonError::NotHere(text))
        })
    }

    /// Why a condition is none that the start text could be asked for.
    pub(crate) fn condition_error(&self, condition: &Condition) -> Option<String> {
        // What is wrong with the text itself is told of that.
        if workload_error(self.start()).is_some() {
            return None;
        }
        let source = with_expectations(self.start(), std::slice::from_ref(condition));
        let errors = workload::Document::check(&condition.id, &source);
        errors.first().map(|it| it.message.clone())
    }

    /// The lesson's own texts are workloads.
    fn mind_own_texts(&self) -> Result<(), LessonError> {
        let solution = self.solutions.first().map_or("", String::as_str);
        for (name, text) in [("start", self.start()), ("solution", solution)] {
            if let Some((line, what)) = workload_error(text) {
                let file = format!("{}/{name}.kdl", self.folder);
                return Err(wrong(&file, line, what));
            }
        }
        Ok(())
    }

    /// The text that is run for a hand-in, or why none is.
    fn source_of(&self, text: &str) -> Result<String, Box<Judgement>> {
        let (id, says, line) = match compare(text, self.start(), &self.may_change) {
            Some(StaticAnswer::Runs(source)) => return Ok(source),
            Some(StaticAnswer::Changed { line, node }) => (
                "may-change",
                says_changed(&node, &self.may_change),
                Some(line),
            ),
            Some(StaticAnswer::Added { line, verb }) => ("may-add", says_added(&verb), Some(line)),
            None => ("reads", says_reads("it is too long to be read"), None),
        };
        Err(Box::new(refused(id, &says, line)))
    }

    fn judge_run(&self, capture: Capture, reference: &OperationCounts, backend: &str) -> Judgement {
        let outcome = capture.end().map(|end| end.outcome.clone());
        let mut judgement = Judgement {
            passed: false,
            refused_by: None,
            says: LocalizedText::default(),
            line: None,
            unordered: None,
            conditions: Vec::new(),
            has_unjudged: false,
            capture: None,
        };
        if !matches!(outcome, Some(RunOutcome::Finished)) {
            let why = match outcome {
                Some(RunOutcome::Failed(why)) => why,
                _ => TOO_LONG.to_owned(),
            };
            judgement.miss("finishes", says_finishes(&why));
        }
        let own = OperationCounts::of(&capture);
        if judgement.refused_by.is_none()
            && let Some(odd) = own.difference(reference)
        {
            judgement.miss("keep-work", says_work(&odd));
        }
        if judgement.refused_by.is_none()
            && let Some(label) = own.moved_label(reference)
        {
            judgement.miss("labels", says_label(&label));
        }
        let mut verdicts = capture.expectations().iter();
        for condition in &self.conditions {
            let own: Vec<_> = verdicts.by_ref().take(condition.forms.len()).collect();
            let at = own.iter().position(|it| it.holds == Some(false));
            let missed = at.and_then(|at| own.get(at));
            let unjudged = own.iter().find(|it| it.holds.is_none());
            let told = missed.or(unjudged).or(own.first());
            let found = told.map(|it| it.found.clone()).unwrap_or_default();
            let holds = match (missed, unjudged) {
                (Some(_), _) => Some(false),
                (None, Some(_)) => None,
                (None, None) => (own.len() == condition.forms.len()).then_some(true),
            };
            // Times are no part of a text: they are judged where the device keeps a law, and shown elsewhere.
            let is_meant = condition.is_judged_on(backend);
            let holds = holds.filter(|_| is_meant);
            judgement.has_unjudged |= holds.is_none() && is_meant;
            if holds == Some(false) && judgement.refused_by.is_none() {
                judgement.miss(&condition.id, condition.says.filled(&found));
            }
            if holds == Some(false) && judgement.unordered.is_none() {
                judgement.unordered = at.and_then(|at| condition.order_of(at));
            }
            judgement.conditions.push(ConditionResult {
                id: condition.id.clone(),
                holds,
                found,
            });
        }
        judgement.passed = judgement.refused_by.is_none();
        judgement.capture = Some(capture);
        judgement
    }

    /// What a run of the start text, or of the solution, shows of the prediction; nothing where nothing is asked.
    ///
    /// # Errors
    /// The text does not run.
    pub fn predicted(&self, backend: &str) -> Result<Option<JudgedPrediction>, LessonError> {
        let Some(prediction) = &self.prediction else {
            return Ok(None);
        };
        let Some(shown) = &prediction.shown else {
            return Ok(None);
        };
        let text = if prediction.is_of_solution {
            self.solutions.first().map_or("", String::as_str)
        } else {
            self.start()
        };
        let source = with_expectations(text, std::slice::from_ref(shown));
        let capture = perform(&source, backend, None).map_err(LessonError::NotHere)?;
        let verdicts = capture.expectations();
        let holds = !verdicts.is_empty() && verdicts.iter().all(|it| it.holds != Some(false));
        let found = verdicts.first().map_or("", |it| &it.found);
        Ok(Some(JudgedPrediction {
            holds,
            says: shown.says.filled(found),
        }))
    }
}

impl Judgement {
    fn miss(&mut self, id: &str, says: LocalizedText) {
        self.refused_by = Some(id.to_owned());
        self.says = says;
    }
}

fn refused(id: &str, says: &LocalizedText, line: Option<usize>) -> Judgement {
    Judgement {
        passed: false,
        refused_by: Some(id.to_owned()),
        says: says.clone(),
        line,
        unordered: None,
        conditions: Vec::new(),
        has_unjudged: false,
        capture: None,
    }
}

/// What is wrong with a text as a workload, and where.
fn workload_error(text: &str) -> Option<(usize, String)> {
    let errors = workload::Document::check("the text", text);
    let first = errors.first()?;
    Some((first.line as usize, first.to_string()))
}

pub(crate) fn with_expectations(source: &str, conditions: &[Condition]) -> String {
    let forms = conditions.iter().flat_map(|it| &it.forms);
    let forms: Vec<String> = forms.map(|it| format!("    {it}\n")).collect();
    format!("{source}\nexpect {{\n{}}}\n", forms.concat())
}

/// Runs a text, for so long at most, in virtual time with the lengths of a seed where one is given; the reason where it is
/// refused.
pub(crate) fn perform(source: &str, backend: &str, seed: Option<u64>) -> Result<Capture, String> {
    let request = RunRequest {
        name: "hand-in".to_owned(),
        source: source.to_owned(),
        backend: backend.to_owned(),
        seed,
        ..RunRequest::default()
    };
    let engine = Engine::start(Box::new(|| ()));
    engine.send(Control::Run(Box::new(request)));
    let mut capture = Capture::new();
    let mut patience = LONGEST;
    let mut until = Instant::now() + patience;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match engine.messages().recv_timeout(left) {
            Ok(Message::Refused(reason)) => return Err(reason),
            Ok(Message::Batch(records)) => capture.apply(records),
            Ok(Message::Finished { .. }) => return Ok(capture),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if patience == LONGEST => {
                patience = GRACE;
                until = Instant::now() + patience;
                engine.send(Control::Stop);
            }
            Err(_) => return Err(TOO_LONG.to_owned()),
        }
    }
}

fn says_reads(why: &str) -> LocalizedText {
    LocalizedText::of_both(
        &format!("The text is no workload that runs: {why}"),
        &format!("这段文本不是能运行的工作负载：{why}"),
    )
}

fn says_changed(node: &str, may_change: &[String]) -> LocalizedText {
    let free = may_change.join(", ");
    LocalizedText::of_both(
        &format!(
            "Only {free} may change in this lesson, and this differs from the start text: {node}"
        ),
        &format!("本课只能修改 {free}，而这里与起始文本不同：{node}"),
    )
}

fn says_added(verb: &str) -> LocalizedText {
    LocalizedText::of_both(
        &format!("This lesson does without {verb}: use records and waits."),
        &format!("本课不使用 {verb}：请用 record 和 wait。"),
    )
}

pub(crate) fn says_finishes(why: &str) -> LocalizedText {
    LocalizedText::of_both(
        &format!("The run does not come to its end: {why}"),
        &format!("运行没有结束：{why}"),
    )
}

fn says_work(odd: &str) -> LocalizedText {
    LocalizedText::of_both(
        &format!(
            "The operations must stay the same, and as many. This one is new, missing, or counted differently: {odd}"
        ),
        &format!("操作及其次数必须保持不变。这一项是多出的、缺少的或次数不同：{odd}"),
    )
}

fn says_label(label: &str) -> LocalizedText {
    LocalizedText::of_both(
        &format!("The label {label} must stay on its operations: the check finds them by it."),
        &format!("标签 {label} 必须留在原来的操作上：检查靠它找到这些操作。"),
    )
}
