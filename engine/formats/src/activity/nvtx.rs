//! What a process called of NVTX: ranges and marks on the lanes of its threads, counters, and what things are called.
//!
//! A range that was pushed lies on its thread, within those that its domain has open there. One that was started lies on the
//! thread that started it, whoever ends it. Buffers of threads come in any order, so an end may come before its start.

mod occurrence;

use std::collections::{BTreeMap, HashMap, VecDeque};

use cuda_recorder::{
    NvtxAttributes, NvtxChunk, NvtxDefinition, NvtxEvent, NvtxEvents, NvtxField, NvtxResource,
    NvtxStep, NvtxValue,
};

use super::draft::ActivityDraft;
use super::process::ActivityProcess;
use occurrence::NvtxOccurrence;
use record::{
    Counter, CounterId, LaneId, NameId, Record, SpanId, SpanKind, SpanStart, Value, counted,
};

/// A range that has begun.
#[derive(Debug)]
struct OpenNvtxRange {
    start: u64,
    thread: u32,
    lane: LaneId,
    name: NameId,
    /// Its number, once somebody was shown that it runs.
    shown: Option<SpanId>,
    /// Whether the window is open for it.
    opens: bool,
    /// Whether nobody ended it.
    is_unended: bool,
    fields: Vec<(NameId, Value)>,
}

/// The end of a range whose beginning is still to come.
#[derive(Debug)]
struct EarlyEnd {
    at: u64,
    thread: u32,
    fields: Vec<NvtxField>,
}

/// A counter, which is told of with its first sample.
#[derive(Debug)]
struct NamedCounter {
    name: String,
    unit: String,
    id: Option<CounterId>,
}

/// What a process called so far.
#[derive(Debug, Default)]
pub(super) struct ActivityNvtx {
    domains: HashMap<u32, String>,
    texts: HashMap<u32, String>,
    categories: HashMap<(u32, u32), String>,
    counters: HashMap<(u32, u64, u32), NamedCounter>,
    /// By the number of the thread that no other had, and by domain.
    pushed: BTreeMap<(u32, u32), Vec<OpenNvtxRange>>,
    started: BTreeMap<u64, OpenNvtxRange>,
    ends: BTreeMap<u64, EarlyEnd>,
    /// Names of streams and events by their addresses, which CUPTI does not tell.
    unplaced: Vec<(&'static str, String)>,
    /// What waits until the window is known, and the flush with which it is looked at.
    undecided: VecDeque<(u64, NvtxOccurrence)>,
    pub tally: NvtxTally,
}

/// What it came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NvtxTally {
    pub ranges: u64,
    pub marks: u64,
    pub samples: u64,
    /// Ends of ranges that never began.
    stray_ends: u64,
    stray_pops: u64,
    unended: u64,
    unknown_texts: u64,
    unknown_counters: u64,
    unread_bytes: u64,
}

impl NvtxTally {
    /// How much was recorded.
    pub const fn events(&self) -> u64 {
        self.ranges + self.marks + self.samples
    }

    /// In words; nothing where nothing was called.
    pub fn words(&self) -> Option<String> {
        let all = [
            (self.ranges, "{range|ranges}"),
            (self.marks, "{mark|marks}"),
            (self.samples, "{sample of counters|samples of counters}"),
        ];
        let said = all.into_iter().filter(|(count, _)| *count > 0);
        let said: Vec<String> = said.map(|(count, words)| counted(count, words)).collect();
        (!said.is_empty()).then(|| format!("{} by NVTX", said.join(", ")))
    }
}

/// A value as captures have it.
fn value(value: NvtxValue) -> Value {
    match value {
        // What has no room among signed numbers is told by its digits.
        NvtxValue::Unsigned(it) => match i64::try_from(it) {
            Ok(it) => Value::Integer(it),
            Err(_) => Value::Text(it.to_string().into()),
        },
        NvtxValue::Integer(it) => Value::Integer(it),
        NvtxValue::Number(it) => Value::Number(it),
        NvtxValue::Text(it) => Value::Text(it.into()),
    }
}

/// A colour as it is written, without its alpha where that is full.
fn color_text(color: u32) -> String {
    match color >> 24 {
        0xFF => format!("#{:06x}", color & 0xFF_FFFF),
        _ => format!("#{color:08x}"),
    }
}

impl ActivityProcess {
    /// Takes what was named or registered.
    pub(super) fn define(&mut self, definitions: Vec<NvtxDefinition>, draft: &mut ActivityDraft) {
        for definition in definitions {
            match definition {
                NvtxDefinition::Domain { domain, name } => {
                    self.nvtx.domains.insert(domain, name);
                }
                NvtxDefinition::Text { text, string } => {
                    self.nvtx.texts.insert(text, string);
                }
                NvtxDefinition::Category {
                    domain,
                    category,
                    name,
                } => {
                    self.nvtx.categories.insert((domain, category), name);
                }
                NvtxDefinition::Counter {
                    domain,
                    counter,
                    place,
                    name,
                    unit,
                } => {
                    let named = NamedCounter {
                        name,
                        unit,
                        id: None,
                    };
                    self.nvtx.counters.insert((domain, counter, place), named);
                }
                NvtxDefinition::Name {
                    resource,
                    handle,
                    name,
                } => self.name_resource(resource, handle, name, draft),
            }
        }
    }

    /// A counter that was registered.
    fn counter(&mut self, key: (u32, u64, u32), draft: &mut ActivityDraft) -> Option<CounterId> {
        let title = self.title();
        let whose = match self.nvtx.domains.get(&key.0) {
            Some(domain) => format!("{domain}, {title}"),
            None => title,
        };
        let named = self.nvtx.counters.get_mut(&key)?;
        let id = *named.id.get_or_insert_with(|| {
            let id = CounterId(draft.next_counter());
            draft.out.push(Record::Counter(Box::new(Counter {
                id,
                name: format!("{} ({whose})", named.name),
                unit: named.unit.clone(),
                device: None,
            })));
            id
        });
        Some(id)
    }

    fn name_resource(
        &mut self,
        resource: NvtxResource,
        handle: u64,
        name: String,
        draft: &mut ActivityDraft,
    ) {
        let number = u32::try_from(handle).unwrap_or(u32::MAX);
        match resource {
            NvtxResource::Thread => self.name_thread(number, name, draft),
            NvtxResource::Device => draft.devices.name(self.place, number, &name),
            NvtxResource::Stream => self.name_stream(number, &name, draft),
            NvtxResource::StreamAddress => self.nvtx.unplaced.push(("stream", name)),
            NvtxResource::Event => self.nvtx.unplaced.push(("event", name)),
            NvtxResource::Context => self.nvtx.unplaced.push(("context", name)),
            NvtxResource::Other => self.nvtx.unplaced.push(("resource", name)),
        }
    }

    /// Takes what a thread called.
    pub(super) fn called_nvtx(&mut self, chunk: &NvtxChunk, draft: &mut ActivityDraft) {
        let mut events = NvtxEvents::new(&chunk.events);
        for event in events.by_ref() {
            draft.latest = draft.latest.max(event.time);
            match event.step {
                NvtxStep::Push => {
                    let range = self.open(chunk.thread, event, draft);
                    let key = (chunk.ordinal, range.1);
                    self.nvtx.pushed.entry(key).or_default().push(range.0);
                }
                NvtxStep::Pop => self.pop(chunk.ordinal, event, draft),
                NvtxStep::Start => self.start_range(chunk.thread, event, draft),
                NvtxStep::End => self.end_range(chunk.thread, event, draft),
                NvtxStep::Mark => {
                    let at = event.time;
                    let (range, _) = self.open(chunk.thread, event, draft);
                    self.occurred(NvtxOccurrence::Mark { range, at }, draft);
                }
                NvtxStep::Sample => self.occurred(NvtxOccurrence::sample(event), draft),
                NvtxStep::ThreadEnd => {
                    let all = (chunk.ordinal, 0)..=(chunk.ordinal, u32::MAX);
                    let keys: Vec<_> = self.nvtx.pushed.range(all).map(|(key, _)| *key).collect();
                    for key in keys {
                        let left = self.nvtx.pushed.remove(&key).unwrap_or_default();
                        self.leave_open(left, event.time, "its thread ended before it", draft);
                    }
                }
            }
        }
        self.nvtx.tally.unread_bytes += events.left() as u64;
    }

    /// What begins with a call, and the domain that it is of.
    fn open(
        &mut self,
        thread: u32,
        event: NvtxEvent<'_>,
        draft: &mut ActivityDraft,
    ) -> (OpenNvtxRange, u32) {
        let lane = self.thread(thread, draft);
        let (text, fields) = self.said(event.domain, event.attributes, draft);
        let text = text.unwrap_or_else(|| "range".to_owned());
        let domain = self.nvtx.domains.get(&event.domain);
        let named = (text.as_str(), domain.map(String::as_str));
        let is_range = event.step != NvtxStep::Mark;
        let range = OpenNvtxRange {
            start: event.time,
            thread,
            lane,
            name: draft.name(&text),
            shown: None,
            is_unended: false,
            opens: is_range && draft.window.begin(lane, named, event.time),
            fields,
        };
        (range, event.domain)
    }

    /// The name and the fields that attributes give.
    fn said(
        &mut self,
        domain: u32,
        given: NvtxAttributes<'_>,
        draft: &mut ActivityDraft,
    ) -> (Option<String>, Vec<(NameId, Value)>) {
        let own = given.text.as_deref().map(String::from_utf8_lossy);
        let registered = given.registered.map(|text| self.nvtx.texts.get(&text));
        self.nvtx.tally.unknown_texts += u64::from(registered == Some(None));
        let text = own.as_deref().or(registered.flatten().map(String::as_str));
        let name = text.filter(|it| !it.is_empty()).map(str::to_owned);
        let mut fields = Vec::new();
        let mut add = |name: &str, value: Value| fields.push((draft.name(name), value));
        if domain != 0 {
            let known = self.nvtx.domains.get(&domain);
            let known = known.map(|it| Value::Text(it.as_str().into()));
            add("domain", known.unwrap_or(Value::Integer(i64::from(domain))));
        }
        if let Some(category) = given.category {
            let known = self.nvtx.categories.get(&(domain, category));
            let known = known.map(|it| Value::Text(it.as_str().into()));
            add(
                "category",
                known.unwrap_or(Value::Integer(i64::from(category))),
            );
        }
        if let Some(color) = given.color {
            add("color", Value::Text(color_text(color).into()));
        }
        if let Some(payload) = given.payload {
            add("payload", value(payload));
        }
        for field in given.fields {
            add(&field.name, value(field.value));
        }
        (name, fields)
    }

    fn pop(&mut self, ordinal: u32, event: NvtxEvent<'_>, draft: &mut ActivityDraft) {
        let open = self.nvtx.pushed.get_mut(&(ordinal, event.domain));
        let Some(mut range) = open.and_then(Vec::pop) else {
            self.nvtx.tally.stray_pops += 1;
            return;
        };
        let (name, more) = self.said(0, event.attributes, draft);
        range.name = name.map_or(range.name, |it| draft.name(&it));
        range.fields.extend(more);
        self.occurred(NvtxOccurrence::range(range, event.time), draft);
    }

    fn start_range(&mut self, thread: u32, event: NvtxEvent<'_>, draft: &mut ActivityDraft) {
        let id = event.id;
        let (range, _) = self.open(thread, event, draft);
        match self.nvtx.ends.remove(&id) {
            Some(end) => self.end_open(range, end, draft),
            None => {
                self.nvtx.started.insert(id, range);
            }
        }
    }

    fn end_range(&mut self, thread: u32, event: NvtxEvent<'_>, draft: &mut ActivityDraft) {
        let end = EarlyEnd {
            at: event.time,
            thread,
            fields: event.attributes.fields,
        };
        match self.nvtx.started.remove(&event.id) {
            Some(range) => self.end_open(range, end, draft),
            None => {
                self.nvtx.ends.insert(event.id, end);
            }
        }
    }

    fn end_open(&mut self, mut range: OpenNvtxRange, end: EarlyEnd, draft: &mut ActivityDraft) {
        if end.thread != range.thread {
            let other = Value::Integer(i64::from(end.thread));
            range.fields.push((draft.name("ended by thread"), other));
        }
        for field in end.fields {
            range
                .fields
                .push((draft.name(&field.name), value(field.value)));
        }
        self.occurred(NvtxOccurrence::range(range, end.at), draft);
    }

    /// Shows which ranges run, to whoever looks on.
    pub(super) fn show_open_ranges(&mut self, draft: &mut ActivityDraft) {
        let pushed = self.nvtx.pushed.values_mut().flatten();
        for range in pushed.chain(self.nvtx.started.values_mut()) {
            let is_in = draft.window.touches(range.start, u64::MAX, draft.origin);
            if range.shown.is_some() || !is_in {
                continue;
            }
            let id = draft.next_span();
            range.shown = Some(id);
            let start = draft.time(range.start);
            draft.out.push(Record::Began(SpanStart {
                id,
                lane: range.lane,
                name: range.name,
                kind: SpanKind::Scope,
                enqueued: start,
                start,
            }));
        }
    }

    /// Ranges that nobody ended last as long as what was told.
    fn leave_open(
        &mut self,
        ranges: Vec<OpenNvtxRange>,
        at: u64,
        why: &str,
        draft: &mut ActivityDraft,
    ) {
        // The innermost first, as they would have ended.
        for mut range in ranges.into_iter().rev() {
            range.is_unended = true;
            let why = Value::Text(why.into());
            range.fields.push((draft.name("not ended"), why));
            self.occurred(NvtxOccurrence::range(range, at), draft);
        }
    }

    /// Nothing more comes.
    pub(super) fn finish_nvtx(&mut self, draft: &mut ActivityDraft) {
        let at = self.counts.at.max(self.nvtx_latest(draft));
        let at = draft.window.until().map_or(at, |to| at.min(to));
        let why = "the program ended before it, or the capture did";
        for (_, left) in std::mem::take(&mut self.nvtx.pushed) {
            self.leave_open(left, at, why, draft);
        }
        let started = std::mem::take(&mut self.nvtx.started);
        self.leave_open(started.into_values().collect(), at, why, draft);
        self.decide_nvtx(u64::MAX, draft);
        self.nvtx.tally.stray_ends += self.nvtx.ends.len() as u64;
        self.nvtx.ends.clear();
    }

    /// The latest moment that is known, where the process said nothing of its end.
    const fn nvtx_latest(&self, draft: &ActivityDraft) -> u64 {
        if self.has_ended { 0 } else { draft.latest }
    }

    /// What a reader should know of it.
    pub(super) fn nvtx_notes(&self) -> Vec<String> {
        let (tally, counts) = (self.nvtx.tally, self.counts.nvtx);
        let said = [
            (
                tally.unended,
                "{range was never ended: it is|ranges were never ended: they are} shown up to the end of {its|their} thread or process",
            ),
            (
                tally.stray_pops,
                "{pop has no range that was pushed on its thread in its domain|pops have no range that was pushed on their thread in their domain}",
            ),
            (
                tally.stray_ends,
                "{end is of a range|ends are of ranges} that never started",
            ),
            (
                tally.unknown_texts,
                "{text was given by a handle that nobody registered|texts were given by handles that nobody registered}",
            ),
            (
                tally.unknown_counters,
                "{sample is of a counter|samples are of counters} that nobody registered, or no number",
            ),
            (
                tally.unread_bytes,
                "{byte of what was called was|bytes of what was called were} not understood",
            ),
            (
                counts.cut,
                "{text was|texts were} longer than 4096 bytes and {is|are} cut",
            ),
            (
                counts.misfit,
                "{structure has a size that no version of NVTX has; it was|structures have sizes that no version of NVTX has; they were} read as far as {it goes|they go}",
            ),
            (
                counts.unread_payloads,
                "{payload is|payloads are} of a schema that was not registered or is not understood",
            ),
            (
                counts.deferred,
                "{event or sample has a time of a clock of the program's own and is|events and samples have times of clocks of the program's own and are} not shown",
            ),
            (
                counts.missed,
                "{call was made by a signal handler in the middle of another and is|calls were made by signal handlers in the middle of others and are} missing",
            ),
        ];
        let said = said.into_iter().filter(|(count, _)| *count > 0);
        let title = self.title();
        let mut notes: Vec<String> = said
            .map(|(count, words)| format!("{title}, NVTX: {}.", counted(count, words)))
            .collect();
        if !self.nvtx.unplaced.is_empty() {
            let named = self.nvtx.unplaced.iter().take(20);
            let named: Vec<String> = named
                .map(|(what, name)| format!("{what} “{name}”"))
                .collect();
            notes.push(format!(
                "{title}, NVTX: {} named by an address, which nothing else that was told has: {}.",
                counted(self.nvtx.unplaced.len() as u64, "{thing was|things were}"),
                named.join(", ")
            ));
        }
        notes
    }
}
