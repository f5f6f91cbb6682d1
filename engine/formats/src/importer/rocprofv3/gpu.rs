//! Work of the GPU: kernels and copies, a lane a stream.

use std::collections::{HashMap, HashSet};

use super::row::{CounterCollection, DispatchFields, Rocprofv3Row};
use super::{ProcessRecord, Rocprofv3Reader};
use crate::importer::ImportError;
use crate::importer::sqlite::{
    LaneTitle, SqliteSpan, SubmissionStream, SubmittedOperation, WorkKind,
};
use record::{Dependency, Group, LaneId, SpanId, SpanKind, State, Value};

/// Rows of the work that one process put on one stream of one device.
type StreamRowCounts = HashMap<(u32, i64, i64), u32>;

/// So many streams of one operation each may lie between the others.
const LONELY: usize = 16;
/// Stands for the stream of copies where the file does not say on which they ran.
const COPIES: i64 = -1;

/// Where work ran.
#[derive(Clone, Copy, Debug)]
struct WorkSite {
    process: u32,
    agent: i64,
    queue: Option<i64>,
    /// The number of its stream, or of its queue where the file has no streams.
    number: i64,
    streamed: bool,
}

impl WorkSite {
    fn of((process, row): &ProcessRecord<Rocprofv3Row>, agent: i64) -> Self {
        let queue = row.dispatch_info.as_ref().and_then(|it| it.queue_id.0);
        Self {
            process: *process,
            agent,
            queue,
            number: row.stream_id.0.or(queue).unwrap_or(COPIES),
            streamed: row.stream_id.0.is_some(),
        }
    }

    fn title(self) -> String {
        match (self.streamed, self.queue) {
            (true, _) => format!("Stream {}", self.number),
            (_, Some(queue)) => format!("Queue {queue}"),
            _ => "Copies".to_owned(),
        }
    }
}

impl Rocprofv3Reader<'_, '_> {
    /// Hands over everything that ran on devices.
    pub(super) fn run_all(&mut self, read: u64) -> Result<(), ImportError> {
        let dispatch = |row: &Rocprofv3Row| row.dispatch_info.as_ref().map(|it| it.dispatch_id);
        self.work_of_counts();
        let mut counts = StreamRowCounts::new();
        for (process, (), row) in self.work.all() {
            let owned = (process, row);
            let site = WorkSite::of(&owned, self.agent(&owned));
            *counts
                .entry((site.process, site.agent, site.number))
                .or_default() += 1;
        }
        let lonely = self.lonely(&counts);
        let mut spans = HashMap::new();
        let counted = !self.collections.is_empty();
        while let Some((process, (), row)) = self.work.next() {
            let owned = (process, row);
            let span = self.run(&owned, &counts, lonely);
            if let (Some(span), Some(id), true) = (span, dispatch(&owned.1), counted) {
                spans.insert((process, id.or_zero()), span);
            }
            self.draft.sink.advance(read)?;
        }
        while let Some((process, (), collection)) = self.collections.next() {
            self.count(process, &collection, &spans);
        }
        Ok(())
    }

    /// Where kernels were only counted and not listed, what was counted says when they ran.
    fn work_of_counts(&mut self) {
        if self.collections.is_empty() {
            return;
        }
        let id = |process: u32, row: &Rocprofv3Row| {
            Some((process, row.dispatch_info.as_ref()?.dispatch_id))
        };
        let listed = self.work.all();
        let mut known: HashSet<_> = listed
            .filter_map(|(process, (), row)| id(process, &row))
            .collect();
        let collections = std::mem::take(&mut self.collections);
        for (process, (), collection) in collections.all::<CounterCollection>() {
            let mut row = collection.dispatch_data;
            if id(process, &row).is_some_and(|id| known.insert(id)) {
                row.thread_id = collection.thread_id;
                if row.times().is_none() {
                    self.unread.untimed("counter_collection");
                } else if let Ok(bytes) = serde_json::to_vec(&row) {
                    self.work.push(process, (), &bytes);
                }
            }
        }
        self.collections = collections;
    }

    /// Whether streams of one operation are so many that they are kept below the others, which is then said.
    fn lonely(&mut self, counts: &StreamRowCounts) -> bool {
        let lonely = counts.values().filter(|count| **count == 1).count();
        if lonely > LONELY && lonely < counts.len() {
            self.draft.receipt.note(format!(
                "{lonely} of {} streams ran one operation each; they lie below the others, in the order of the \
                 hardware queues that they share.",
                counts.len()
            ));
        }
        lonely > LONELY
    }

    /// The GPU that work ran on.
    fn agent(&self, (process, row): &ProcessRecord<Rocprofv3Row>) -> i64 {
        if let Some(dispatch) = &row.dispatch_info {
            return dispatch.agent_id.or_zero();
        }
        let ends = [row.dst_agent_id, row.src_agent_id].map(|it| it.0);
        let gpu = ends.into_iter().flatten().find(|agent| {
            let agent = self.facts.agent(*process, *agent);
            agent.is_some_and(super::facts::Rocprofv3Agent::is_gpu)
        });
        gpu.or(ends[0]).unwrap_or(0)
    }

    fn run(
        &mut self,
        owned: &ProcessRecord<Rocprofv3Row>,
        counts: &StreamRowCounts,
        lonely: bool,
    ) -> Option<SpanId> {
        let (process, row) = owned;
        let (start, end) = row.times()?;
        let site = WorkSite::of(owned, self.agent(owned));
        let (text, kind) = self.what(*process, row);
        let count = counts.get(&(site.process, site.agent, site.number));
        let lane = self.lane(site, lonely && count == Some(&1));
        self.draft.lanes.did(lane, WorkKind::of(kind, &text));
        let whose = i64::from(*process);
        let correlation = row.correlation_id.internal.0;
        let place = correlation.and_then(|it| self.launches.get(whose, it));
        let name = self.draft.name(&text);
        let span = self.draft.ran(SqliteSpan {
            lane,
            name,
            kind,
            state: State::Done,
            enqueued: place.and_then(|place| self.hosts.start(place)),
            start,
            end,
        });
        let stream = SubmissionStream {
            process: whose,
            context: site.agent,
            number: site.number,
        };
        if let Some(place) = place {
            let submission = Dependency::submission(self.hosts.span(place), span);
            self.draft.depends(submission);
            self.handles.ran(place, stream);
            let order = self.hosts.start(place).unwrap_or(start);
            self.operations
                .add(stream, SubmittedOperation::new(order, (start, end), span));
        } else {
            self.unlaunched += 1;
        }
        self.details(span, row);
        Some(span)
    }

    /// What an operation is called, and of what sort it is.
    fn what(&self, process: u32, row: &Rocprofv3Row) -> (String, SpanKind) {
        if let Some(dispatch) = &row.dispatch_info {
            let text = self.facts.kernel(process, dispatch.kernel_id.or_zero());
            return (text, SpanKind::Kernel);
        }
        let named = self.facts.operation(process, row.kind, row.operation);
        let text = named.unwrap_or("copy").to_owned();
        let kind = match text.as_str() {
            text if text.contains("HOST_TO_DEVICE") => SpanKind::Upload,
            text if text.contains("DEVICE_TO_HOST") => SpanKind::Download,
            _ => SpanKind::Copy,
        };
        (text, kind)
    }

    fn lane(&mut self, site: WorkSite, below: bool) -> LaneId {
        let order = if below {
            1 << 62 | site.queue.unwrap_or(0) << 40
        } else {
            0
        };
        let (owner, agent) = (i64::from(site.process), site.agent);
        let key = (Group::Streams, [owner, agent, order, site.number]);
        let (facts, devices) = (&self.facts, &mut self.draft.devices);
        self.draft.lanes.id(key, self.draft.sink, |sink| {
            let known = facts.agent(site.process, agent);
            let describe = || match known {
                Some(known) => (known.title(), known.architecture().to_owned()),
                None => (format!("GPU {agent}"), String::new()),
            };
            let device = devices.id(owner << 48 | agent, "hip", sink, describe);
            LaneTitle {
                name: site.title(),
                besides: format!("process {}", facts.process(site.process)),
                device: Some(device),
                process: facts.process(site.process).to_string(),
                thread: site.number.to_string(),
                rank: None,
            }
        })
    }

    fn details(&mut self, span: SpanId, row: &Rocprofv3Row) {
        if let Some(bytes) = row.bytes.0 {
            self.draft.field(span, "bytes", Value::Integer(bytes));
        }
        let Some(dispatch) = &row.dispatch_info else {
            return;
        };
        for (name, value) in numbers(dispatch) {
            self.draft.field(span, name, Value::Integer(value));
        }
        for (name, sizes) in [
            ("grid", dispatch.grid_size),
            ("workgroup", dispatch.workgroup_size),
        ] {
            let text = sizes.to_string();
            self.draft.field(span, name, Value::Text(text.into()));
        }
    }
}

/// What a kernel was launched with, as far as it is not nothing.
fn numbers(dispatch: &DispatchFields) -> impl Iterator<Item = (&'static str, i64)> + use<> {
    let fields = [
        ("queue", dispatch.queue_id),
        ("dispatch", dispatch.dispatch_id),
        ("local memory (bytes)", dispatch.group_segment_size),
        ("scratch memory (bytes)", dispatch.private_segment_size),
    ];
    let there = fields.into_iter();
    there.filter_map(|(name, value)| Some((name, value.0.filter(|it| *it != 0)?)))
}
