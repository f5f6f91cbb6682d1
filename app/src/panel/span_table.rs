//! A table of spans, a row each: name, kind, lane, start and duration.

use eframe::egui::Ui;
use engine::capture::Capture;
use engine::record::{Group, SpanId};
use engine::time::Nanos;

use super::Scene;
use super::table::{
    CellEmphasis, FilteredTable, SortOrder, TableCell, TableColumn, TableLine, TableRevision,
};
use crate::text;

/// Spans that are listed.
const LISTED: usize = 20_000;

const COLUMNS: &[TableColumn] = &[
    TableColumn {
        width: 260.0,
        ..TableColumn::wide(
            "name",
            "What it is called; click to go to it at the same zoom",
        )
    },
    TableColumn::text("kind", "What it is", 100.0),
    TableColumn::text("lane", "The lane that it is on", 160.0),
    TableColumn::time("start", "When it began, from the capture's start", 150.0),
    TableColumn::time("duration", "How long it took", 100.0),
];

/// What a row stands for.
struct SpanLine {
    span: SpanId,
    group: Group,
    words: String,
}

impl TableLine for SpanLine {
    type State = Group;

    fn state(&self) -> Group {
        self.group
    }

    fn words(&self) -> &str {
        &self.words
    }
}

/// A table of spans, the first in time first.
pub struct SpanListTable(FilteredTable<SpanLine>);

impl Default for SpanListTable {
    fn default() -> Self {
        Self(FilteredTable::new(SortOrder::by(3)))
    }
}

impl SpanListTable {
    /// Shows `spans`, of which there are `count` and of which `version` is the number; gives the one that was clicked.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        what: &str,
        (version, count, spans): (u64, usize, impl Iterator<Item = SpanId>),
    ) -> Option<SpanId> {
        let now: TableRevision = (version, count, scene.theme.dark);
        let listed = spans.take(LISTED);
        self.0
            .read(now, listed.filter_map(|span| row(scene.capture, span)));
        let note = match count.saturating_sub(LISTED) {
            0 => String::new(),
            rest => format!("{} later ones are not listed", text::count(rest as u64)),
        };
        let groups: Vec<_> = Group::ALL
            .iter()
            .map(|it| (*it, it.label(), None))
            .collect();
        let selected = scene.state.selection.span;
        let is_chosen = |line: &SpanLine| Some(line.span) == selected;
        let table = (COLUMNS, groups.as_slice());
        let clicked = self.0.show(ui, scene, (what, &note), table, is_chosen);
        clicked.map(|(line, _)| line.span)
    }
}

fn row(capture: &Capture, id: SpanId) -> Option<(SpanLine, Vec<TableCell>)> {
    let placed = capture.span(id)?;
    let span = placed.span;
    let name = capture.name(span.name);
    let on = capture.lane_title(span.lane).into_owned();
    let time = |time: Nanos| TableCell::number(Some(time.0), |_| text::duration(time));
    let line = SpanLine {
        span: id,
        group: capture.lane(span.lane)?.group,
        words: format!("{name} {} {on}", span.kind.label()).to_lowercase(),
    };
    let cells = vec![
        TableCell {
            ink: CellEmphasis::Link,
            ..TableCell::text(name)
        },
        TableCell::weak(span.kind.label()),
        TableCell::weak(on),
        TableCell::number(Some(span.start.0), |it| text::instant(Nanos(it))),
        time(placed.interval().length()),
    ];
    Some((line, cells))
}
