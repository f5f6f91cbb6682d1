//! The matches of the search, as a table that sorts.

use eframe::egui::Ui;
use engine::capture::Capture;
use engine::record::{Group, SpanId};

use super::table::{
    CellEmphasis, FilteredTable, SortOrder, TableCell, TableColumn, TableLine, TableRevision,
};
use super::widgets::hint;
use super::{Panel, PanelPosition, Scene};
use crate::action::{Action, Command};
use crate::text;

/// Matches that are listed: those that come first in time.
const LISTED: usize = 2_000;

const COLUMNS: &[TableColumn] = &[
    TableColumn {
        width: 260.0,
        ..TableColumn::wide(
            "name",
            "What it is called; click to go to it at the same zoom",
        )
    },
    TableColumn::text("kind", "What it is", 110.0, 3),
    TableColumn::text("lane", "The lane that it is on", 180.0, 2),
    TableColumn::number("start", "When it began, from the capture's start", 110.0, 0),
    TableColumn::number("duration", "How long it took", 100.0, 0),
];

/// A match.
struct MatchLine {
    span: SpanId,
    group: Group,
    words: String,
}

impl TableLine for MatchLine {
    type State = Group;

    fn state(&self) -> Group {
        self.group
    }

    fn words(&self) -> &str {
        &self.words
    }
}

/// The matches of the search.
pub struct MatchesPanel(FilteredTable<MatchLine>);

impl Default for MatchesPanel {
    fn default() -> Self {
        Self(FilteredTable::new(SortOrder::by(3)))
    }
}

impl Panel for MatchesPanel {
    fn id(&self) -> &'static str {
        "matches"
    }

    fn title(&self) -> &'static str {
        "Matches"
    }

    fn place(&self) -> PanelPosition {
        PanelPosition::Bottom
    }

    fn is_idle(&self, scene: &Scene<'_>) -> bool {
        scene.state.search.is_empty()
    }

    fn count(&self, scene: &Scene<'_>) -> Option<usize> {
        let found = &scene.status.found;
        (!scene.state.search.is_empty()).then_some(found.count)
    }

    fn ui(&mut self, ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
        let found = &scene.status.found;
        if scene.state.search.is_empty() {
            let words = format!(
                "What is searched for is listed here; {} goes to the field",
                Command::Search.key()
            );
            return hint(ui, scene.theme, &words);
        }
        let listed = found.matches.iter().take(LISTED);
        let now: TableRevision = (found.version, found.count, scene.theme.dark);
        self.0.read(
            now,
            listed.filter_map(|(_, span)| row(scene.capture, *span)),
        );
        let note = match found.count.saturating_sub(LISTED.min(found.matches.len())) {
            0 => String::new(),
            rest => format!("and {} more", text::count(rest as u64)),
        };
        let groups: Vec<_> = Group::ALL
            .iter()
            .map(|it| (*it, it.label(), None))
            .collect();
        let selected = scene.state.selection.span;
        let is_chosen = |line: &MatchLine| Some(line.span) == selected;
        let table = (COLUMNS, groups.as_slice());
        let clicked = self.0.show(ui, scene, ("matches", &note), table, is_chosen);
        if let Some((line, _)) = clicked {
            actions.push(Action::Reveal(line.span));
        }
    }
}

fn row(capture: &Capture, id: SpanId) -> Option<(MatchLine, Vec<TableCell>)> {
    let placed = capture.span(id)?;
    let span = placed.span;
    let name = capture.name(span.name);
    let on = capture.lane_title(span.lane).into_owned();
    let time =
        |time: engine::time::Nanos| TableCell::number(Some(time.0), |_| text::duration(time));
    let line = MatchLine {
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
        time(span.start),
        time(placed.interval().length()),
    ];
    Some((line, cells))
}
