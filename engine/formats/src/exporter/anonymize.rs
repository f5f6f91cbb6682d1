//! A capture without the words of whoever made it: names, paths, arguments and texts become stable words, and structure, times
//! and kinds stay.

mod kept_words;
mod stable_words;

use std::collections::BTreeMap;

use super::records;
use capture::Capture;
use record::{
    Counter, Device, Expectation, Group, INTERRUPT, Lane, Launch, LaunchStep, MEMORY_OPERATOR,
    MEMORY_STACK, NameId, ObservedOutcome, Pipeline, Problem, Promise, PromiseOutcome, Record, Run,
    RunOutcome, STUB_KIND, SpanId, SpanKind, Value, counted, is_script_function,
};
use stable_words::{StableWords, WordKind};

/// So many records are handed over at once.
const BATCH: usize = 4_096;

/// What stands in the place of a workload's text, which names all that is replaced.
const SOURCE: &str = "// The text of the workload is left out: its names were replaced.\n";

/// A capture whose words were replaced, and what was.
pub struct AnonymousCapture {
    /// The capture: the same numbers of spans, lanes and names, with other words.
    pub capture: Capture,
    /// What was replaced and what was kept, in a sentence.
    pub note: String,
}

/// Replaces the words of a capture: the same text by the same word throughout. Names of API calls, of copies, and of a library's
/// collective operations are kept, and `notes` are told besides.
pub fn anonymize(capture: &Capture, notes: &[String]) -> AnonymousCapture {
    let mut anonymizer = Anonymizer::new(capture);
    let mut made = Capture::new();
    let mut batch = Vec::with_capacity(BATCH);
    for record in records(capture) {
        batch.extend(anonymizer.replace(record));
        if batch.len() >= BATCH {
            made.apply(batch.drain(..));
        }
    }
    let note = anonymizer.note();
    let notes = notes.iter().chain([&note]);
    batch.extend(notes.map(|it| Record::Note(it.as_str().into())));
    made.apply(batch);
    made.leave_out(capture.dropped());
    AnonymousCapture {
        capture: made,
        note,
    }
}

/// What a name is the name of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NameUse {
    /// A field of spans, or nothing.
    #[default]
    Field,
    /// Spans; of several kinds the first.
    Span(SpanKind),
    Event,
    /// A verb of the workload language.
    Verb,
    Buffer,
    /// Threads that woke others.
    Waker,
}

/// The kind of what a stub stands for.
fn kind_behind(capture: &Capture, stub: SpanId) -> SpanKind {
    let kind = capture.arguments(stub).find_map(|it| match it {
        (STUB_KIND, Value::Text(label)) => SpanKind::from_label(&label),
        _ => None,
    });
    kind.unwrap_or(SpanKind::Stub)
}

/// The words that were given out, and what each name is of.
struct Anonymizer<'a> {
    capture: &'a Capture,
    uses: Vec<NameUse>,
    words: StableWords,
    kept: u64,
}

impl<'a> Anonymizer<'a> {
    fn new(capture: &'a Capture) -> Self {
        let mut uses = vec![NameUse::default(); capture.name_count()];
        let mut note = |name: NameId, of: NameUse| {
            if let Some(slot) = uses.get_mut(name.index())
                && *slot == NameUse::Field
            {
                *slot = of;
            }
        };
        let mut stubs = Vec::new();
        for placed in capture.spans() {
            if placed.span.kind == SpanKind::Stub {
                stubs.push(placed.span);
            } else {
                note(placed.span.name, NameUse::Span(placed.span.kind));
            }
        }
        for began in capture.open() {
            note(began.name, NameUse::Span(began.kind));
        }
        // A stub has the name of what it stands for, whose kind says what the name is of.
        for stub in stubs {
            note(stub.name, NameUse::Span(kind_behind(capture, stub.id)));
        }
        for event in capture.events() {
            note(event.name, NameUse::Event);
        }
        for call in capture.calls() {
            note(call.name, NameUse::Verb);
        }
        for used in capture.buffer_uses() {
            note(used.buffer, NameUse::Buffer);
        }
        for lane in capture.scheduled_lanes() {
            for state in capture.thread_states(lane) {
                note(state.waker, NameUse::Waker);
            }
        }
        Self {
            capture,
            uses,
            words: StableWords::default(),
            kept: 0,
        }
    }

    /// A record with other words; nothing where it was words alone.
    fn replace(&mut self, record: Record) -> Option<Record> {
        Some(match record {
            Record::Name(id, text) => Record::Name(id, self.name(id, &text)),
            Record::Argument(span, name, Value::Text(text)) => {
                let text = self.value(name, &text);
                Record::Argument(span, name, Value::Text(text))
            }
            Record::Run(run) => Record::Run(Box::new(self.run(*run))),
            Record::Device(device) => Record::Device(Box::new(self.device(*device))),
            Record::Lane(mut lane) => {
                self.lane(&mut lane);
                Record::Lane(lane)
            }
            Record::Counter(counter) => Record::Counter(Box::new(self.counter(*counter))),
            Record::Pipeline(pipeline) => {
                let name = self.word(WordKind::Pipeline, &pipeline.name);
                Record::Pipeline(Box::new(Pipeline { name, ..*pipeline }))
            }
            Record::PipelineStep(mut step) => {
                step.detail = self.text(&step.detail);
                Record::PipelineStep(step)
            }
            Record::Promise(promise) => {
                let name = self.word(WordKind::Promise, &promise.name);
                Record::Promise(Box::new(Promise { name, ..*promise }))
            }
            Record::Settlement(settled) => Record::Settlement(Box::new(self.settled(*settled))),
            Record::Launch(launch) => {
                let name = self.word(WordKind::Launch, &launch.name);
                Record::Launch(Box::new(Launch { name, ..*launch }))
            }
            Record::LaunchStep(step) => Record::LaunchStep(Box::new(self.launch_step(*step))),
            other => return self.remark(other),
        })
    }

    /// The same of what is said of a capture.
    fn remark(&mut self, record: Record) -> Option<Record> {
        Some(match record {
            Record::Note(text) => {
                self.words.word(WordKind::Note, &text);
                return None;
            }
            Record::Problem(problem) => {
                let text = self.text(&problem.text);
                Record::Problem(Box::new(Problem { text, ..*problem }))
            }
            Record::Finding(mut finding) => {
                finding.text = self.text(&finding.text);
                Record::Finding(finding)
            }
            Record::Expectation(expectation) => {
                let (text, found) = (self.text(&expectation.text), self.text(&expectation.found));
                Record::Expectation(Box::new(Expectation {
                    text,
                    found,
                    ..*expectation
                }))
            }
            Record::Log(mut log) => {
                log.text = self.text(&log.text);
                Record::Log(log)
            }
            Record::Bookmark(mut bookmark) => {
                bookmark.text = self.text(&bookmark.text);
                Record::Bookmark(bookmark)
            }
            Record::Loss(mut loss) => {
                loss.reason = self.text(&loss.reason);
                Record::Loss(loss)
            }
            Record::End(mut end) => {
                if let RunOutcome::Failed(why) = &mut end.outcome {
                    *why = self.text(why);
                }
                Record::End(end)
            }
            other => other,
        })
    }

    fn word(&mut self, kind: WordKind, text: &str) -> String {
        self.words.word(kind, text)
    }

    /// A text that nothing goes by; an empty one says nothing.
    fn text(&mut self, text: &str) -> String {
        self.words.word(WordKind::Text, text)
    }

    fn name(&mut self, id: NameId, text: &str) -> Box<str> {
        let used = self.uses.get(id.index()).copied().unwrap_or_default();
        let kind = match used {
            NameUse::Verb => return text.into(),
            NameUse::Field if kept_words::is_field(text) => return text.into(),
            NameUse::Span(kind) if kept_words::is_operation(kind, text) => {
                self.kept += 1;
                return text.into();
            }
            NameUse::Field => WordKind::Field,
            NameUse::Span(kind) => return self.span(kind, text).into(),
            NameUse::Event => WordKind::Event,
            NameUse::Buffer => WordKind::Buffer,
            NameUse::Waker if text == INTERRUPT => return text.into(),
            NameUse::Waker => WordKind::Thread,
        };
        self.word(kind, text).into()
    }

    /// The value of a field: kept where analyses go by it, or it is one of few words.
    fn value(&mut self, field: NameId, text: &str) -> Box<str> {
        let field = self.capture.name(field);
        if field == STUB_KIND || kept_words::is_value(field, text) {
            return text.into();
        }
        match field {
            MEMORY_OPERATOR => self.span(SpanKind::HostWork, text).into(),
            MEMORY_STACK => {
                let calls = text.lines().map(|it| self.words.function(it));
                calls.collect::<Vec<_>>().join("\n").into()
            }
            _ => self.text(text).into(),
        }
    }

    /// The name of a span of a kind.
    fn span(&mut self, kind: SpanKind, text: &str) -> String {
        let step = self.words.step(text);
        step.unwrap_or_else(|| match kind {
            SpanKind::HostWork if is_script_function(text) => self.words.function(text),
            _ => self.word(WordKind::Span(kind), text),
        })
    }

    fn run(&mut self, run: Run) -> Run {
        let source = if run.source.is_empty() {
            String::new()
        } else {
            self.words.word(WordKind::Workload, &run.source);
            SOURCE.to_owned()
        };
        let parameters = run.parameters.into_iter();
        let parameters =
            parameters.map(|(name, value)| (self.word(WordKind::Parameter, &name), value));
        Run {
            parameters: parameters.collect(),
            name: self.word(WordKind::Capture, &run.name),
            source,
            machine: self.word(WordKind::Machine, &run.machine),
            ..run
        }
    }

    fn device(&mut self, mut device: Device) -> Device {
        device.name = self.word(WordKind::Device, &device.name);
        device.detail = self.text(&device.detail);
        if let Some(place) = &mut device.rank {
            place.machine_name = self.word(WordKind::Machine, &place.machine_name);
        }
        device
    }

    /// A lane. What its file calls its process and thread stays where it is a number.
    fn lane(&mut self, lane: &mut Lane) {
        let kind = match lane.group {
            Group::Host => WordKind::Host,
            Group::Streams => WordKind::Stream,
            Group::Device | Group::Counters => WordKind::Engine,
        };
        let mut number = |text: &str, kind: WordKind| {
            if text.parse::<i64>().is_ok() {
                text.to_owned()
            } else {
                self.words.word(kind, text)
            }
        };
        lane.process = number(&lane.process, WordKind::Process).as_str().into();
        lane.thread = number(&lane.thread, WordKind::Thread).as_str().into();
        lane.name = self.word(kind, &lane.name);
    }

    fn counter(&mut self, mut counter: Counter) -> Counter {
        counter.name = self.word(WordKind::Counter, &counter.name);
        if !kept_words::is_unit(&counter.unit) {
            counter.unit = self.word(WordKind::Unit, &counter.unit);
        }
        counter
    }

    fn settled(&mut self, settled: PromiseOutcome) -> PromiseOutcome {
        let observed = match settled.observed {
            ObservedOutcome::Same(text) => ObservedOutcome::Same(self.text(&text)),
            ObservedOutcome::Other(text) => ObservedOutcome::Other(self.text(&text)),
            other => other,
        };
        PromiseOutcome {
            reason: self.text(&settled.reason),
            observed,
            ..settled
        }
    }

    fn launch_step(&mut self, mut step: LaunchStep) -> LaunchStep {
        step.kernel = self.word(WordKind::Span(SpanKind::Kernel), &step.kernel);
        for (name, value) in &mut step.arguments {
            *name = self.word(WordKind::Field, name);
            // A number, or a buffer.
            if value.parse::<f64>().is_err() {
                *value = self.word(WordKind::Buffer, value);
            }
        }
        for node in &mut step.nodes {
            node.name = self.word(WordKind::Span(SpanKind::Kernel), &node.name);
        }
        step.detail = self.text(&step.detail);
        step
    }

    /// What was replaced and what was kept.
    fn note(&self) -> String {
        let counts: BTreeMap<&'static str, u64> = self.words.counts();
        let told: Vec<String> = counts
            .iter()
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        let told = if told.is_empty() {
            "nothing".to_owned()
        } else {
            told.join(", ")
        };
        let kept = counted(
            self.kept,
            "{name|names} of API calls, copies and collective operations",
        );
        format!(
            "Words were replaced by stable ones, of each kind so many: {told}; {kept} were kept, and so were times, kinds and numbers."
        )
    }
}
