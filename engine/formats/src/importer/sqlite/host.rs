//! Calls and scopes of host threads: gathered first, since they come from several tables and have to nest.

mod fields;

use super::draft::{SqliteDraft, SqliteSpan};
use crate::importer::ImportError;
use fields::HostFields;
use record::{LaneId, NameId, Record, SpanId, SpanKind, SpanStart, State, Value};

/// Spans between two looks at whether the reader still wants them.
const STRIDE: usize = 1024;

/// Something that a host thread did, in the file's own time.
#[derive(Clone, Copy, Debug)]
pub(in crate::importer) struct HostSpan {
    pub start: i64,
    /// Nothing where it had not ended when the capture did.
    pub end: Option<i64>,
    pub name: NameId,
    pub kind: SpanKind,
    pub state: State,
}

/// One row of a host thread, by its place in the order of reading.
#[derive(Clone, Copy, Debug)]
struct HostEntry {
    lane: LaneId,
    start: i64,
    end: i64,
    place: u32,
    name: NameId,
    kind: SpanKind,
    state: State,
}

/// What stands for the end of what has not ended.
const OPEN: i64 = i64::MAX;

/// Everything that host threads did, until it is handed over.
#[derive(Debug, Default)]
pub(in crate::importer) struct HostSpans {
    /// Those of all lanes together: there may be as many lanes as spans.
    entries: Vec<HostEntry>,
    starts: Vec<i64>,
    /// How long each took, as far as that fits.
    lengths: Vec<u32>,
    lanes_of: Vec<(LaneId, SpanKind)>,
    spans: Vec<SpanId>,
    fields: HostFields,
}

impl HostSpans {
    /// Takes a span; answers its place.
    pub fn push(&mut self, lane: LaneId, span: HostSpan) -> u32 {
        let place = self.starts.len() as u32;
        self.starts.push(span.start);
        let length = span.end.map(|end| end.saturating_sub(span.start));
        self.lengths
            .push(length.map_or(u32::MAX, |it| u32::try_from(it).unwrap_or(u32::MAX)));
        self.lanes_of.push((lane, span.kind));
        self.entries.push(HostEntry {
            lane,
            start: span.start,
            end: span.end.unwrap_or(OPEN),
            place,
            name: span.name,
            kind: span.kind,
            state: span.state,
        });
        place
    }

    /// Adds a field to the span at a place.
    pub fn argument(&mut self, place: u32, name: NameId, value: Value) {
        self.fields.push(place, name, value);
    }

    /// When the span at a place began, in the file's own time.
    pub fn start(&self, place: u32) -> Option<i64> {
        self.starts.get(place as usize).copied()
    }

    /// When the span at a place began and ended, in the file's own time; nothing for one of more than four seconds.
    pub fn times(&self, place: u32) -> Option<(i64, i64)> {
        let length = self.lengths.get(place as usize).copied();
        let length = length.filter(|it| *it != u32::MAX)?;
        let start = self.start(place)?;
        Some((start, start.saturating_add(i64::from(length))))
    }

    /// Whether the span at a place had ended by then. Of one of more than four seconds that is not known.
    pub fn ended_by(&self, place: u32, instant: i64) -> bool {
        self.times(place).is_some_and(|(_, end)| end < instant)
    }

    /// The lane of the span at a place.
    pub fn lane(&self, place: u32) -> Option<LaneId> {
        self.lanes_of.get(place as usize).map(|(lane, _)| *lane)
    }

    /// What sort of span is at a place.
    pub fn kind(&self, place: u32) -> SpanKind {
        self.lanes_of
            .get(place as usize)
            .map_or(SpanKind::Call, |(_, kind)| *kind)
    }

    /// The span at a place, once it was handed over.
    pub fn span(&self, place: u32) -> SpanId {
        self.spans
            .get(place as usize)
            .copied()
            .unwrap_or(SpanId::NONE)
    }

    /// Hands everything over, each thread in order of time, an outer span before those within. `shown` says how far
    /// the file has been read.
    pub fn hand_over(
        &mut self,
        draft: &mut SqliteDraft<'_, '_>,
        read: u64,
    ) -> Result<(), ImportError> {
        self.spans.resize(self.starts.len(), SpanId::NONE);
        let mut entries = std::mem::take(&mut self.entries);
        // Lanes are numbered as they turn up.
        entries.sort_by_key(|it| (it.lane, it.start, std::cmp::Reverse(it.end)));
        for chunk in entries.chunks(STRIDE) {
            for entry in chunk {
                let id = put(draft, entry);
                if let Some(slot) = self.spans.get_mut(entry.place as usize) {
                    *slot = id;
                }
            }
            draft.sink.advance(read)?;
        }
        drop(entries);
        for (place, name, value) in std::mem::take(&mut self.fields).all() {
            draft.argument(self.span(place), name, value);
        }
        Ok(())
    }
}

fn put(draft: &mut SqliteDraft<'_, '_>, entry: &HostEntry) -> SpanId {
    let lane = entry.lane;
    if entry.end == OPEN {
        draft.unended += 1;
        let id = draft.next_span();
        let start = draft.time(entry.start);
        draft.sink.push(Record::Began(SpanStart {
            id,
            lane,
            name: entry.name,
            kind: entry.kind,
            enqueued: start,
            start,
        }));
        return id;
    }
    draft.ran(SqliteSpan {
        lane,
        name: entry.name,
        kind: entry.kind,
        state: entry.state,
        enqueued: None,
        start: entry.start,
        end: entry.end,
    })
}
