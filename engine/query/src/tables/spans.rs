//! The spans: columns that cost one reading of the capture, and those that cost more and are made when they are needed.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::collectives::PART_NUMBER;
use super::draft::integers;
use super::steps::StepIndex;
use crate::column::{ColumnValues, NO_INTEGER, NO_NUMBER, TextWords};
use crate::guard::{QueryGuard, StopReason};
use crate::rows::TableRows;
use crate::schema::TableId;
use crate::source::QuerySource;
use analysis::{has_bytes, told_bytes};
use capture::Capture;
use record::time::Nanos;
use record::{
    Dependency, DependencyId, DependencyKind, LaneId, NameId, Span, SpanId, SpanKind, State, Value,
};

/// The table.
pub(super) const ID: TableId = TableId::SPANS;

/// Places of columns that are made when they are needed.
const STEP: usize = 10;
const LAUNCH: usize = 11;
const BYTES: usize = 12;
const COLLECTIVE: usize = 13;

/// Places of columns that others are made from.
const SPAN_ID: usize = 0;
const LANE_ID: usize = 1;
const KIND: usize = 3;
const TS: usize = 6;

/// Spans between two looks at whether to go on.
const STRIDE: usize = 1 << 16;
/// About so many bytes the columns take for each span.
const EACH: usize = 42;

/// The kinds of spans, by number.
static KINDS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| SpanKind::ALL.iter().map(|it| it.label()).collect());
/// How spans ended, by the number of their state, and that one still runs.
const STATES: &[&str] = &["completed", "failed", "cancelled", "lost", "running"];
const RUNNING: u8 = 4;

const fn state(state: State) -> u8 {
    match state {
        State::Done => 0,
        State::Failed => 1,
        State::Cancelled => 2,
        State::Lost => 3,
    }
}

/// The columns that one reading makes.
struct SpanDraft {
    ids: Vec<u32>,
    lanes: Vec<u32>,
    kinds: Vec<u8>,
    names: Vec<u32>,
    states: Vec<u8>,
    starts: Vec<i64>,
    lengths: Vec<i64>,
    enqueued: Vec<i64>,
    depths: Vec<u32>,
    /// Equal names have one code, whatever their numbers.
    codes: NameCodes,
}

/// The code of each name: the lowest number of those with its text.
pub(super) struct NameCodes(Vec<u32>);

impl NameCodes {
    /// The codes of a capture's names.
    pub fn new(capture: &Capture) -> Self {
        let mut first: HashMap<&str, u32> = HashMap::with_capacity(capture.name_count());
        let codes = (0..capture.name_count() as u32).map(|number| {
            let text = capture.name(NameId(number));
            *first.entry(text).or_insert(number)
        });
        Self(codes.collect())
    }

    /// The code of a name; none where it has not arrived.
    pub fn code(&self, name: NameId) -> u32 {
        self.0.get(name.index()).copied().unwrap_or(NO_NUMBER)
    }

    /// Whether a number is the code of its name.
    pub fn is_code(&self, number: u32) -> bool {
        self.0.get(number as usize) == Some(&number)
    }
}

impl SpanDraft {
    fn new(capture: &Capture) -> Self {
        let room = capture.span_count() + 16;
        Self {
            ids: Vec::with_capacity(room),
            lanes: Vec::with_capacity(room),
            kinds: Vec::with_capacity(room),
            names: Vec::with_capacity(room),
            states: Vec::with_capacity(room),
            starts: Vec::with_capacity(room),
            lengths: Vec::with_capacity(room),
            enqueued: Vec::with_capacity(room),
            depths: Vec::with_capacity(room),
            codes: NameCodes::new(capture),
        }
    }

    fn push(&mut self, span: &Span, state: u8, depth: u32) {
        self.ids.push(span.id.0);
        self.lanes.push(span.lane.0);
        self.kinds.push(span.kind as u8);
        self.names.push(self.codes.code(span.name));
        self.states.push(state);
        self.starts.push(span.start.0);
        self.lengths.push((span.end - span.start).0);
        self.enqueued.push(span.enqueued.0);
        self.depths.push(depth);
    }
}

/// Reads the spans, those that still run among them, by number.
pub(super) fn make(source: &QuerySource, guard: &QueryGuard) -> Result<TableRows, StopReason> {
    let capture = &source.capture;
    guard.take_room(capture.span_count().saturating_mul(EACH))?;
    let mut draft = SpanDraft::new(capture);
    let mut running = capture.open().peekable();
    let last = capture.extent().map_or(Nanos::ZERO, |it| it.end);
    let mut take_running = |draft: &mut SpanDraft, before: u32| {
        while let Some(began) = running.next_if(|it| it.id.0 < before) {
            let span = Span {
                id: began.id,
                lane: began.lane,
                name: began.name,
                call: record::CallId::NONE,
                kind: began.kind,
                state: State::Done,
                enqueued: began.enqueued,
                start: began.start,
                end: last.max(began.start),
            };
            let depth = depth_of_running(capture, began.lane);
            draft.push(&span, RUNNING, depth);
        }
    };
    for (place, placed) in capture.spans().enumerate() {
        if place % STRIDE == 0 {
            guard.check()?;
        }
        take_running(&mut draft, placed.span.id.0);
        draft.push(&placed.span, state(placed.span.state), placed.depth);
    }
    take_running(&mut draft, u32::MAX);
    guard.return_room(capture.span_count().saturating_mul(EACH));
    finish(source, draft)
}

/// Below all that ended on its lane.
fn depth_of_running(capture: &Capture, lane: LaneId) -> u32 {
    let all = record::time::Interval {
        start: Nanos::MIN,
        end: Nanos::MAX,
    };
    if capture.spans_in(lane, all).next().is_none() {
        0
    } else {
        capture.depth(lane) as u32
    }
}

fn finish(source: &QuerySource, draft: SpanDraft) -> Result<TableRows, StopReason> {
    let facts = source.lanes()?;
    let len = draft.ids.len();
    let of_lane = |codes: &[u32]| -> Vec<u32> {
        let code = |lane: &u32| codes.get(*lane as usize).copied().unwrap_or(NO_NUMBER);
        draft.lanes.iter().map(code).collect()
    };
    let lane_names = Arc::new(of_lane(&facts.codes));
    let only = facts.ranks();
    let ranks = match only.as_slice() {
        [] => ColumnValues::Same(Some(Value::Integer(0))),
        [only] => ColumnValues::Same(Some(Value::Integer(i64::from(*only)))),
        _ => {
            let rank = |lane: &u32| facts.rank(LaneId(*lane));
            ColumnValues::Numbers(draft.lanes.iter().map(rank).collect())
        }
    };
    let names = Arc::new(draft.names);
    let columns = vec![
        Some(ColumnValues::Numbers(draft.ids)),
        Some(ColumnValues::Numbers(draft.lanes)),
        Some(ColumnValues::Texts(lane_names, facts.words.clone())),
        Some(ColumnValues::Labels(draft.kinds, KINDS.as_slice())),
        Some(ColumnValues::Texts(
            Arc::clone(&names),
            TextWords::Names(Arc::clone(&source.capture)),
        )),
        Some(ColumnValues::Labels(draft.states, STATES)),
        Some(ColumnValues::Integers(draft.starts)),
        Some(ColumnValues::Integers(draft.lengths)),
        Some(ColumnValues::Integers(draft.enqueued)),
        Some(ColumnValues::Numbers(draft.depths)),
        None,
        None,
        None,
        None,
        Some(source.run()),
        Some(ranks),
        Some(ColumnValues::Shared(names)),
    ];
    Ok(TableRows::of(columns, len))
}

/// Makes the columns among those used that are not there yet.
pub(super) fn complete(
    source: &QuerySource,
    used: u64,
    rows: &TableRows,
    guard: &QueryGuard,
) -> Result<(), StopReason> {
    let is_missing = |place: usize| {
        let column = rows.columns.get(place);
        used & (1 << place) != 0 && column.is_some_and(|it| !it.is_made())
    };
    let fill = |place: usize, values: ColumnValues| {
        if let Some(column) = rows.columns.get(place) {
            column.fill(values);
        }
    };
    // Steps are told by the calls that submitted work.
    if is_missing(LAUNCH) || is_missing(STEP) {
        let launches = launches(source, rows, guard)?;
        if is_missing(STEP) {
            let index = source.steps(guard)?;
            fill(STEP, steps(&index, &launches, rows));
        }
        fill(LAUNCH, ColumnValues::Numbers(launches));
    }
    if is_missing(BYTES) {
        fill(BYTES, bytes(source, rows, guard)?);
    }
    if is_missing(COLLECTIVE) {
        let numbers = part_numbers(source, guard)?;
        let number = |row: usize| {
            let id = key(rows, SPAN_ID, row);
            numbers.get(&id).copied().unwrap_or(NO_INTEGER)
        };
        fill(COLLECTIVE, integers((0..rows.len).map(number).collect()));
    }
    Ok(())
}

/// The number in a column, as a number of 64 bits.
fn key(rows: &TableRows, column: usize, row: usize) -> i64 {
    let column = rows.columns.get(column);
    column.and_then(|it| it.key(row)).unwrap_or(NO_INTEGER)
}

/// The row of a span.
pub(super) fn row_of(rows: &TableRows, id: SpanId) -> Option<usize> {
    let id = i64::from(id.0);
    // Mostly no number is left out.
    if key(rows, SPAN_ID, id as usize) == id {
        return Some(id as usize);
    }
    let (mut low, mut high) = (0, rows.len);
    while low < high {
        let middle = low + (high - low) / 2;
        if key(rows, SPAN_ID, middle) < id {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (key(rows, SPAN_ID, low) == id && low < rows.len).then_some(low)
}

/// The call that submitted each span, by its first submission.
fn launches(
    source: &QuerySource,
    rows: &TableRows,
    guard: &QueryGuard,
) -> Result<Vec<u32>, StopReason> {
    guard.check()?;
    let mut launches = vec![NO_NUMBER; rows.len];
    for number in (0..source.capture.dependency_count() as u32).rev() {
        if (number as usize).is_multiple_of(STRIDE) {
            guard.check()?;
        }
        let found = source.capture.dependency(DependencyId(number));
        let is_launch = |it: &Dependency| it.kind == DependencyKind::Submission;
        let Some(found) = found.filter(is_launch) else {
            continue;
        };
        let row = row_of(rows, found.effect);
        if let Some(slot) = row.and_then(|row| launches.get_mut(row)) {
            *slot = found.cause.0;
        }
    }
    Ok(launches)
}

fn steps(index: &StepIndex, launches: &[u32], rows: &TableRows) -> ColumnValues {
    let step = |row: usize| {
        let lane = LaneId(key(rows, LANE_ID, row) as u32);
        let own = Nanos(key(rows, TS, row));
        let call = launches.get(row).filter(|it| **it != NO_NUMBER);
        let call = call.and_then(|call| row_of(rows, SpanId(*call)));
        let submitted = call.map(|row| Nanos(key(rows, TS, row)));
        index.step(lane, own, submitted).unwrap_or(NO_INTEGER)
    };
    integers((0..rows.len).map(step).collect())
}

fn bytes(
    source: &QuerySource,
    rows: &TableRows,
    guard: &QueryGuard,
) -> Result<ColumnValues, StopReason> {
    let parts = source.table(TableId::COLLECTIVES, u64::MAX, guard)?;
    let mut of_parts = HashMap::new();
    for row in 0..parts.len {
        let (id, bytes) = (
            key(&parts, super::collectives::SPAN, row),
            key(&parts, super::collectives::BYTES, row),
        );
        of_parts.insert(id, bytes);
    }
    let mut found = vec![NO_INTEGER; rows.len];
    for (row, slot) in found.iter_mut().enumerate() {
        if row % STRIDE == 0 {
            guard.check()?;
        }
        let id = key(rows, SPAN_ID, row);
        let kind = usize::try_from(key(rows, KIND, row)).unwrap_or(usize::MAX);
        if SpanKind::ALL.get(kind).copied().is_some_and(has_bytes) {
            *slot = told_bytes(&source.capture, SpanId(id as u32)).unwrap_or(NO_INTEGER);
        } else if let Some(bytes) = of_parts.get(&id) {
            *slot = *bytes;
        }
    }
    Ok(integers(found))
}

/// The numbers of collective operations, by the spans that are parts of them.
fn part_numbers(source: &QuerySource, guard: &QueryGuard) -> Result<HashMap<i64, i64>, StopReason> {
    let parts = source.table(TableId::COLLECTIVES, u64::MAX, guard)?;
    let part = |row: usize| {
        (
            key(&parts, super::collectives::SPAN, row),
            key(&parts, PART_NUMBER, row),
        )
    };
    Ok((0..parts.len).map(part).collect())
}
