//! A table of the ranges of the host that selected operations came from.

use std::collections::BTreeSet;

use eframe::egui::Ui;
use engine::analysis::{HostLevel, HostRanges, HostScope, RangeProjection};
use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::Nanos;

use super::Scene;
use super::table::{
    CellEmphasis, FilteredTable, SortOrder, TableCell, TableColumn, TableLine, TableRevision,
};
use super::widgets::hint;
use crate::background::KeyedAnswer;
use crate::text;

/// Ranges that are listed.
const LISTED: usize = 20_000;

const COLUMNS: &[TableColumn] = &[
    TableColumn {
        width: 260.0,
        ..TableColumn::wide(
            "range",
            "What it is called; click to go to it at the same zoom",
        )
    },
    TableColumn::text("sort", "What sort of range it is", 130.0),
    TableColumn::text("thread", "The lane that it is on", 160.0),
    TableColumn::time("start", "When it began, from the capture's start", 150.0),
    TableColumn::time("duration", "How long it took on the host", 100.0),
    TableColumn::number(
        "operations",
        "How many of the selected operations were launched within it",
        90.0,
    ),
    TableColumn::time("busy", "The time in which any of them ran", 100.0),
];

/// What a row stands for.
struct RangeLine {
    span: SpanId,
    level: HostLevel,
    words: String,
}

impl TableLine for RangeLine {
    type State = HostLevel;

    fn state(&self) -> HostLevel {
        self.level
    }

    fn words(&self) -> &str {
        &self.words
    }
}

/// The ranges of each level that some operations came from.
type FoundOrigins = Vec<(HostLevel, RangeProjection)>;

/// What origins are of: a capture, its state, and a number of the selection.
type OriginKey = (u64, u64, u64);

/// A table of ranges, the first in time first.
pub struct OriginTable {
    table: FilteredTable<RangeLine>,
    found: KeyedAnswer<OriginKey, FoundOrigins>,
}

impl Default for OriginTable {
    fn default() -> Self {
        Self {
            table: FilteredTable::new(SortOrder::by(3)),
            found: KeyedAnswer::default(),
        }
    }
}

impl OriginTable {
    /// Shows the ranges that `spans` came from, of which `version` is the number; gives the one that was clicked.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (version, spans): (u64, &[SpanId]),
    ) -> Option<SpanId> {
        if scene.grows() {
            hint(
                ui,
                scene.theme,
                "Ranges appear here when what runs has ended",
            );
            return None;
        }
        let capture = scene.capture;
        let key = (capture.instance(), capture.revision(), version);
        let found = &mut self.found;
        found.advance(("origins", ui.ctx()), capture, key, |_| {
            let spans: BTreeSet<SpanId> = spans.iter().copied().collect();
            move |capture: &Capture| origins(capture, &spans)
        });
        let Some(found) = self.found.of(&key) else {
            hint(ui, scene.theme, "Reading ranges…");
            return None;
        };
        if found.is_empty() {
            let words = "No range of the host is known in which any of these was launched";
            hint(ui, scene.theme, words);
            return None;
        }
        let now: TableRevision = (self.found.version(), found.len(), scene.theme.dark);
        let listed = found.iter().take(LISTED);
        self.table
            .read(now, listed.filter_map(|it| row(capture, it)));
        let note = match found.len().saturating_sub(LISTED) {
            0 => String::new(),
            rest => format!("{} more are not listed", text::count(rest as u64)),
        };
        let chips = HostLevel::ALL.map(|it| (it, it.title(), None));
        let selected = scene.state.selection.span;
        let is_chosen = |line: &RangeLine| Some(line.span) == selected;
        let table = (COLUMNS, chips.as_slice());
        let clicked = self
            .table
            .show(ui, scene, ("ranges", &note), table, is_chosen);
        clicked.map(|(line, _)| line.span)
    }
}

fn origins(capture: &Capture, spans: &BTreeSet<SpanId>) -> FoundOrigins {
    let ranges = HostRanges::new(capture, &HostScope::default());
    let all = HostLevel::ALL.into_iter();
    let all = all.flat_map(|level| {
        ranges
            .origins(level, spans)
            .into_iter()
            .map(move |it| (level, it))
    });
    all.collect()
}

fn row(
    capture: &Capture,
    (level, range): &(HostLevel, RangeProjection),
) -> Option<(RangeLine, Vec<TableCell>)> {
    let placed = capture.span(range.span)?;
    let name = capture.name(placed.span.name);
    let on = capture.lane_title(placed.span.lane).into_owned();
    let time = |time: Nanos| TableCell::number(Some(time.0), |_| text::duration(time));
    let whole = range.whole();
    let operations = i64::try_from(whole.operations).unwrap_or(i64::MAX);
    let line = RangeLine {
        span: range.span,
        level: *level,
        words: format!("{name} {} {on}", level.title()).to_lowercase(),
    };
    let cells = vec![
        TableCell {
            ink: CellEmphasis::Link,
            ..TableCell::text(name)
        },
        TableCell::weak(level.title()),
        TableCell::weak(on),
        TableCell::number(Some(placed.span.start.0), |it| text::instant(Nanos(it))),
        time(placed.interval().length()),
        TableCell::number(Some(operations), |it| text::count(it.unsigned_abs())),
        time(whole.busy),
    ];
    Some((line, cells))
}
