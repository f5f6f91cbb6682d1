//! One process: what it said of itself, and what is known of its calls while activities come.

use std::collections::{BTreeMap, HashMap, VecDeque};

use cuda_recorder::{
    ActivityKind, ContinuationFact, CuptiContext, CuptiRecord, Fact, ListeningCounts,
    ListeningFact, ProcessFact,
};

use super::draft::ActivityDraft;
use super::event::ActivityEvents;
use super::memory::ActivityMemory;
use super::nvtx::ActivityNvtx;
use super::schedule::ActivitySchedule;
use super::wait::ActivityWaits;
use crate::submission::{SubmissionStream, SubmittedOperations};
use record::{Dependency, Group, LaneId, Severity, SpanId, counted};

/// Kinds that tell of calls.
const CALLS: [ActivityKind; 2] = [ActivityKind::Driver, ActivityKind::Runtime];
/// Flushes that an activity waits for its call, and a wait for what it waits for.
const PATIENCE: u64 = 2;

/// A stream: the number of its context, and its own.
pub(super) type ActivityStream = (u32, u32);

/// The same where streams of databases are told apart as well: here each process has lists of its own.
pub(super) fn submission_stream((context, number): ActivityStream) -> SubmissionStream {
    SubmissionStream {
        process: 0,
        context: i64::from(context),
        number: i64::from(number),
    }
}

/// A host call that can have launched something.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActivityCall {
    pub span: SpanId,
    pub start: u64,
    pub end: u64,
    /// Whether it is one that blocks.
    pub blocks: bool,
}

/// One process.
#[derive(Debug, Default)]
pub(super) struct ActivityProcess {
    /// Its place in the order of files: two processes may have had one number.
    pub place: u32,
    pub told: ProcessFact,
    pub ear: Option<ListeningFact>,
    pub silent: Option<String>,
    pub counts: ListeningCounts,
    pub has_ended: bool,
    /// Activities that were told.
    pub activities: u64,
    pub threads: HashMap<u32, String>,
    /// What the program itself calls its threads, and its streams by their numbers.
    pub own_threads: HashMap<u32, String>,
    pub own_streams: HashMap<u32, String>,
    pub contexts: HashMap<u32, CuptiContext>,
    pub priorities: HashMap<ActivityStream, i32>,
    /// By the numbers of their calls.
    pub calls: HashMap<u32, ActivityCall>,
    pub operations: SubmittedOperations,
    pub events: ActivityEvents,
    pub waits: ActivityWaits,
    pub memory: ActivityMemory,
    pub nvtx: ActivityNvtx,
    /// Nanoseconds of overhead, by what it is from.
    pub overheads: BTreeMap<&'static str, u64>,
    /// Activities whose calls are not known yet.
    orphans: HashMap<u32, Vec<CuptiRecord>>,
    /// From which flush on activities of a call need not wait for it any more.
    due: VecDeque<(u64, u32)>,
    /// What was shown before its call came.
    early: HashMap<u32, Vec<SpanId>>,
    pub(super) flushes: u64,
    /// What waits until the ranges are known that the window is of, and the flush with which it is looked at.
    undecided: VecDeque<(u64, Vec<CuptiRecord>)>,
    pub(super) schedule: ActivitySchedule,
    /// What lies outside of the window.
    pub outside: u64,
}

impl ActivityProcess {
    pub fn new(place: u32) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    /// The program's name without its folders and arguments.
    pub fn program(&self) -> &str {
        let first = self.told.command.first().map_or("", String::as_str);
        let name = first.rsplit('/').find(|part| !part.is_empty());
        name.unwrap_or("process")
    }

    /// What it is called on screen.
    pub fn title(&self) -> String {
        format!("{} {}", self.program(), self.told.process)
    }

    /// From which flush on a wait that is told now is looked at.
    pub const fn due(&self) -> u64 {
        self.flushes + PATIENCE
    }

    /// Takes a fact. Where `is_eager`, what need not wait any more is handed over with each flush.
    pub fn take(&mut self, fact: Fact, is_eager: bool, draft: &mut ActivityDraft) {
        match fact {
            Fact::Process(told) => {
                draft.devices.see(self.place, &told.visible);
                self.told = *told;
            }
            Fact::Listening(ear) => self.ear = Some(*ear),
            Fact::Silent(why) => self.silent = Some(why),
            Fact::Thread { thread, name } => {
                self.threads.insert(thread, name);
            }
            Fact::Records(activities) if draft.window.is_by_ranges() => {
                self.undecided.push_back((self.flushes + 2, activities));
            }
            Fact::Records(activities) => self.decide(activities, draft),
            Fact::Definitions(definitions) => self.define(definitions, draft),
            Fact::Nvtx(chunk) => self.called_nvtx(&chunk, draft),
            Fact::Switches { thread, states } => self.switched(thread, states),
            Fact::Unscheduled(why) => self.tell_unscheduled(&why, draft),
            Fact::Counts(counts) => {
                self.counts = counts;
                self.flushes += 1;
                while let Some((_, activities)) =
                    self.undecided.pop_front_if(|(due, _)| *due <= self.flushes)
                {
                    self.decide(activities, draft);
                }
                self.decide_nvtx(self.flushes, draft);
                self.decide_switches(self.flushes, draft);
                if is_eager {
                    self.show_due(draft);
                    self.show_open_ranges(draft);
                }
            }
            // Whoever has read what came before knows all of it.
            Fact::Continues(front) if self.told.process == 0 => self.resume(*front, draft),
            Fact::Continues(_) => {}
            Fact::End(counts) => {
                self.counts = counts;
                self.has_ended = true;
            }
        }
    }

    /// Begins with a segment of the file that others came before.
    fn resume(&mut self, front: ContinuationFact, draft: &mut ActivityDraft) {
        draft.devices.see(self.place, &front.process.visible);
        self.told = front.process;
        self.ear = front.listening;
        self.silent = front.silent;
        if let Some(why) = front.unscheduled {
            self.tell_unscheduled(&why, draft);
        }
        self.threads.extend(front.threads);
        self.counts = front.counts;
        self.define(front.definitions, draft);
    }

    /// Takes those activities that lie in the window.
    fn decide(&mut self, activities: Vec<CuptiRecord>, draft: &mut ActivityDraft) {
        for activity in activities {
            if activity
                .interval()
                .is_none_or(|(start, end)| draft.keeps(start, end))
            {
                self.activities += 1;
                self.activity(activity, draft);
            } else {
                self.outside += 1;
            }
        }
    }

    /// Takes an activity, or has it wait for the call that it belongs to.
    fn activity(&mut self, activity: CuptiRecord, draft: &mut ActivityDraft) {
        let awaited = number(&activity).filter(|number| self.waits_for(*number));
        if let Some(number) = awaited {
            self.due.push_back((self.due(), number));
            self.orphans.entry(number).or_default().push(activity);
        } else {
            self.show(activity, draft);
        }
    }

    /// Whether the call of a number is still to come.
    fn waits_for(&self, number: u32) -> bool {
        let ear = self.ear.as_ref();
        let is_call = |kind: &str| CALLS.iter().any(|it| it.words() == kind);
        let tells_calls = ear.is_none_or(|ear| {
            let mut kinds = ear.kinds.iter();
            kinds.any(|(kind, code)| is_call(kind) && *code == 0)
        });
        number != 0 && tells_calls && !self.calls.contains_key(&number)
    }

    fn show(&mut self, activity: CuptiRecord, draft: &mut ActivityDraft) {
        match activity {
            CuptiRecord::Api(api) => self.api(&api, draft),
            CuptiRecord::Kernel(kernel) => self.kernel(&kernel, draft),
            CuptiRecord::Copy(copy) => self.copy(&copy, draft),
            CuptiRecord::Set(set) => self.set(&set, draft),
            CuptiRecord::Graph(graph) => self.graph(&graph, draft),
            CuptiRecord::Sync(sync) => self.sync(&sync, draft),
            CuptiRecord::Event(event) => self.event(&event, draft),
            CuptiRecord::Overhead(overhead) => self.overhead(&overhead, draft),
            CuptiRecord::Compilation(compilation) => self.compilation(&compilation, draft),
            CuptiRecord::Memory(memory) => self.memory(&memory, draft),
            CuptiRecord::Context(context) => self.context(context, draft),
            CuptiRecord::Stream(stream) => self.made_stream(stream, draft),
            CuptiRecord::Device(device) => draft.devices.describe(self.place, &device),
            CuptiRecord::Correlation {
                external,
                correlation,
            } => self.correlation(external, correlation, draft),
            CuptiRecord::Other(kind) => *draft.tally.others.entry(kind).or_default() += 1,
        }
    }

    /// A call came: what waited for it is shown, and what did not wait is tied.
    pub fn called(&mut self, number: u32, call: ActivityCall, draft: &mut ActivityDraft) {
        // Of a call of the runtime and one of the driver within it that share a number, the first counts.
        if number == 0 || self.calls.contains_key(&number) {
            return;
        }
        self.calls.insert(number, call);
        for span in self.early.remove(&number).unwrap_or_default() {
            draft.tally.unlaunched -= 1;
            draft.depends(Dependency::submission(call.span, span));
        }
        for activity in self.orphans.remove(&number).unwrap_or_default() {
            self.show(activity, draft);
        }
    }

    /// Ties an operation to the call that launched it, once that is known.
    pub fn launched(&mut self, number: u32, span: SpanId, draft: &mut ActivityDraft) {
        if let Some(call) = self.calls.get(&number) {
            return draft.depends(Dependency::submission(call.span, span));
        }
        draft.tally.unlaunched += 1;
        if number != 0 {
            self.early.entry(number).or_default().push(span);
        }
    }

    /// CUPTI handed over what it had: who has waited long enough waits no more.
    fn show_due(&mut self, draft: &mut ActivityDraft) {
        while let Some((_, number)) = self.due.pop_front_if(|(due, _)| *due <= self.flushes) {
            for activity in self.orphans.remove(&number).unwrap_or_default() {
                self.show(activity, draft);
            }
        }
        self.memory.count_due(self.flushes, draft);
        self.resolve(Some(self.flushes), draft);
    }

    fn resolve(&mut self, flush: Option<u64>, draft: &mut ActivityDraft) {
        self.operations.sort();
        self.events.sort();
        self.waits
            .resolve(flush, &self.events, &self.operations, draft);
    }

    /// Nothing more comes.
    pub fn finish(&mut self, draft: &mut ActivityDraft) {
        let outside = self.counts.outside + self.counts.nvtx.outside;
        self.outside += outside;
        draft.window.outside += outside;
        for (_, activities) in std::mem::take(&mut self.undecided) {
            self.decide(activities, draft);
        }
        let mut left: Vec<(u32, Vec<CuptiRecord>)> = self.orphans.drain().collect();
        left.sort_unstable_by_key(|(number, _)| *number);
        for activity in left.into_iter().flat_map(|(_, activities)| activities) {
            self.show(activity, draft);
        }
        self.memory.finish(draft);
        self.finish_nvtx(draft);
        self.decide_switches(u64::MAX, draft);
        draft.tally.unfollowed += self.counts.unfollowed;
        self.resolve(None, draft);
        self.tell_missing(draft);
    }

    /// Says what CUPTI dropped, and what could not be read of what it told.
    fn tell_missing(&self, draft: &mut ActivityDraft) {
        let ListeningCounts {
            dropped,
            unread,
            lost_switches,
            ..
        } = self.counts;
        let title = self.title();
        if self.counts.has_given_up {
            let text = format!(
                "CUPTI gave up in {title} after an error of its own, such as a fault of a kernel: what came after that is \
                 not here."
            );
            draft.problem(Severity::DataLoss, "cupti-gave-up", text);
        }
        if dropped > 0 {
            let text = format!(
                "CUPTI dropped {dropped} activities of {title} by its own count: the program made them faster than they \
                 could be taken. Record a shorter part of it."
            );
            draft.problem(Severity::DataLoss, "activities-dropped", text);
        }
        if lost_switches > 0 {
            let text = format!(
                "{} of threads of {title} came at once, more than the kernel has room for: what the threads were meanwhile is not \
                 known.",
                counted(lost_switches, "{context switch|context switches}")
            );
            draft.problem(Severity::DataLoss, "thread-states-lost", text);
        }
        if unread > 0 {
            let text = format!(
                "{} that CUPTI wrote in {title}: activities there are not laid out as Syncline knows them, as of a CUPTI that \
                 is newer than it.",
                counted(unread, "{byte was left out|bytes were left out}")
            );
            draft.problem(Severity::DataLoss, "activities-unread", text);
        }
    }

    /// Notes once why it is not told when threads ran.
    fn tell_unscheduled(&self, why: &str, draft: &mut ActivityDraft) {
        let title = self.title();
        let said = || {
            format!("When threads of {title} ran, and when they had no core, is not known: {why}.")
        };
        draft.tally.unscheduled.get_or_insert_with(said);
    }

    /// The lane of a thread that is known by a number.
    pub fn thread(&self, thread: u32, draft: &mut ActivityDraft) -> LaneId {
        let key = (Group::Host, self.place, u64::from(thread), 0);
        draft.lanes.id(key, (self.told.process, None), || {
            (self.thread_title(thread), String::new())
        })
    }

    fn thread_title(&self, thread: u32) -> String {
        let title = self.title();
        let is_first = thread == self.told.process;
        let own = self.threads.get(&thread).filter(|_| !is_first);
        match self.own_threads.get(&thread).or(own) {
            Some(own) => format!("{title}: {own} {thread}"),
            None if is_first => title,
            None => format!("{title}: thread {thread}"),
        }
    }

    /// The program calls one of its threads so.
    pub fn name_thread(&mut self, thread: u32, name: String, draft: &mut ActivityDraft) {
        self.own_threads.insert(thread, name);
        let key = (Group::Host, self.place, u64::from(thread), 0);
        draft.lanes.rename(key, &self.thread_title(thread));
    }
}

/// The number of the call that an activity belongs to.
fn number(activity: &CuptiRecord) -> Option<u32> {
    let number = match activity {
        CuptiRecord::Kernel(it) => it.correlation,
        CuptiRecord::Copy(it) => it.correlation,
        CuptiRecord::Set(it) => it.correlation,
        CuptiRecord::Graph(it) => it.correlation,
        CuptiRecord::Sync(it) => it.correlation,
        CuptiRecord::Event(it) => it.correlation,
        CuptiRecord::Compilation(it) => it.correlation,
        CuptiRecord::Memory(it) => it.correlation,
        CuptiRecord::Correlation { correlation, .. } => *correlation,
        CuptiRecord::Api(_)
        | CuptiRecord::Overhead(_)
        | CuptiRecord::Context(_)
        | CuptiRecord::Stream(_)
        | CuptiRecord::Device(_)
        | CuptiRecord::Other(_) => return None,
    };
    Some(number)
}
