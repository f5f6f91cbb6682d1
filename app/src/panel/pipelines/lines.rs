//! A pipeline as a line of the table.

use engine::analysis::PipelineReadiness;
use engine::capture::PipelineHistory;
use engine::record::{PipelineId, PipelineState, SpanId};
use engine::time::Nanos;

use crate::panel::Scene;
use crate::panel::table::{CellEmphasis, TableCell, TableColumn, TableLine};
use crate::panel::widgets::Sign;
use crate::text;

/// The columns.
pub const COLUMNS: &[TableColumn] = &[
    TableColumn::text("pipeline", "Its name", 106.0),
    TableColumn::text(
        "kind",
        "For kernels or for drawing, and whether its caller went on while it was compiled",
        98.0,
    ),
    TableColumn::text("state", "Its state", 88.0),
    TableColumn::number("requested", "When it was asked for", 74.0),
    TableColumn::number("compiled", "How long it was compiled", 72.0),
    TableColumn::text("cache", "Whether it came out of a cache", 46.0),
    TableColumn::text("worker", "The lane that compiled it", 70.0),
    TableColumn::number(
        "first use",
        "When the first operation that needed it began; click to go there",
        72.0,
    ),
    TableColumn::number(
        "stalled",
        "How long launches were blocked because it was not ready",
        66.0,
    ),
    TableColumn::number("gen", "The generation of its device", 36.0),
    TableColumn::wide(
        "detail",
        "What was said about it; click to go to its place in the source",
    ),
];

/// The column of the first use.
pub const FIRST_USE: usize = 7;
/// The column of what was said.
pub const DETAIL: usize = 10;

/// What a line of the table stands for.
pub struct PipelineLine {
    /// The pipeline.
    pub id: PipelineId,
    /// The state it is in.
    pub state: PipelineState,
    /// The first operation that needed it.
    pub first_use: Option<SpanId>,
    /// Whether its place in the source is known.
    pub source: bool,
    /// All its words in lower case, to be searched.
    pub words: String,
}

impl TableLine for PipelineLine {
    type State = PipelineState;

    fn state(&self) -> PipelineState {
        self.state
    }

    fn words(&self) -> &str {
        &self.words
    }
}

/// The line of a pipeline, and its cells.
pub fn line(scene: &Scene<'_>, stages: &PipelineHistory) -> (PipelineLine, Vec<TableCell>) {
    let capture = scene.capture;
    let found = PipelineReadiness::of(capture, stages);
    let pipeline = &stages.pipeline;
    let worker = found.worker.and_then(|lane| capture.lane(lane));
    let worker = worker.map_or("", |lane| lane.name.trim_start_matches("compile "));
    let call = capture.span(pipeline.call);
    let source = call.is_some_and(|placed| placed.span.call.is_some());
    let way = if pipeline.is_async { "async" } else { "sync" };
    let cache = match found.cached {
        Some(true) => "hit",
        Some(false) => "miss",
        None => "",
    };
    let cells = vec![
        TableCell::text(&pipeline.name),
        TableCell::weak(format!("{} {way}", pipeline.kind.label())),
        state(scene, stages.state()),
        TableCell::number(found.requested.map(|time| time.0), duration),
        TableCell::number(found.compile_time.map(|time| time.0), duration),
        TableCell::weak(cache),
        TableCell::weak(worker),
        TableCell {
            ink: CellEmphasis::Link,
            ..TableCell::number(found.first_use.map(|(_, time)| time.0), duration)
        },
        TableCell::number(Some(found.stalled.0).filter(|time| *time > 0), duration),
        TableCell::number(generation(scene, pipeline.generation), |number| {
            number.to_string()
        }),
        detail(stages.state(), &found.detail),
    ];
    let words: Vec<&str> = cells.iter().map(|cell| cell.text.as_str()).collect();
    let line = PipelineLine {
        id: pipeline.id,
        state: stages.state(),
        first_use: found.first_use.map(|(span, _)| span),
        source,
        words: words.join(" ").to_lowercase(),
    };
    (line, cells)
}

/// The generation of a device as a number, where there is more than one.
pub fn generation(scene: &Scene<'_>, generation: u32) -> Option<i64> {
    let is_told = !scene.capture.recoveries().is_empty() || generation > 1;
    is_told.then_some(i64::from(generation))
}

fn duration(nanos: i64) -> String {
    text::duration(Nanos(nanos))
}

fn state(scene: &Scene<'_>, state: PipelineState) -> TableCell {
    TableCell {
        rank: Some(state as i64),
        sign: Some(Sign::of_state(state, scene.theme)),
        ..TableCell::text(state.label())
    }
}

fn detail(state: PipelineState, words: &str) -> TableCell {
    let ink = match state {
        PipelineState::Failed | PipelineState::Lost => CellEmphasis::Bad,
        _ => CellEmphasis::Weak,
    };
    TableCell {
        ink,
        ..TableCell::text(words)
    }
}
