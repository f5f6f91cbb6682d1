//! The table of operations: how long the spans of each name took.

use eframe::egui::Ui;
use engine::analysis::{Durations, OperationKey, Statistics};
use engine::capture::{Capture, PlacedSpan};
use engine::record::{Group, SpanId};
use engine::time::Nanos;

use crate::action::{Action, SameOperations};
use crate::panel::Scene;
use crate::panel::table::{
    CellEmphasis, ChipState, FilteredTable, SortOrder, TableCell, TableColumn, TableLine,
    TableRevision,
};
use crate::state::{MOST_SELECTED, Notice};
use crate::text;

/// Rows of the table; what took least of all is left out, and that is said.
const MOST: usize = 100_000;

const COLUMNS: &[TableColumn] = &[
    TableColumn {
        width: 230.0,
        ..TableColumn::wide(
            "name",
            "What they are called; click to select all of them and to go to the longest",
        )
    },
    TableColumn::number(
        "count",
        "How many overlap the range; each counts with its whole length",
        70.0,
    ),
    TableColumn::time(
        "total",
        "Their whole lengths added up, also where they reach out of the range",
        82.0,
    ),
    TableColumn::time(
        "self",
        "Their time inside the range without that of what runs within them: of a call, the time outside of the calls that it makes",
        82.0,
    ),
    TableColumn::share(
        "share",
        "Their self time as a share of that of all streams, of all other device lanes, or of all host threads",
        66.0,
    ),
    TableColumn::time("mean", "The arithmetic mean", 78.0),
    TableColumn::time(
        "median",
        "The middle one of their lengths, or halfway between the two in the middle",
        78.0,
    ),
    TableColumn::time("p95", "95 % of them are at most as long", 78.0),
    TableColumn::time("max", "The longest", 78.0),
    TableColumn::text("kind", "What they are", 96.0),
    TableColumn {
        width: 150.0,
        ..TableColumn::wide("on", "The lane that they are on, or how many")
    },
];

/// The groups of lanes, and what an operation on their lanes is called.
const CHIPS: [ChipState<Group>; 3] = [
    (Group::Streams, "on streams", None),
    (Group::Device, "on device lanes", None),
    (Group::Host, "on host threads", None),
];

/// The most time of its own first.
const ORDER: SortOrder = SortOrder {
    column: 3,
    is_descending: true,
};

/// What a row stands for.
struct OperationLine {
    key: OperationKey,
    longest: SpanId,
    count: usize,
    words: String,
}

impl TableLine for OperationLine {
    type State = Group;

    fn state(&self) -> Group {
        self.key.group
    }

    fn words(&self) -> &str {
        &self.words
    }
}

/// The table of operations.
pub struct OperationsTable(FilteredTable<OperationLine>);

impl Default for OperationsTable {
    fn default() -> Self {
        Self(FilteredTable::new(ORDER))
    }
}

impl OperationsTable {
    /// Shows the operations of figures, of which `version` is the number.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (found, version): (&Statistics, u64),
        actions: &mut Vec<Action>,
    ) {
        let all = &found.durations;
        let now: TableRevision = (version, all.len(), scene.theme.dark);
        let wholes = Group::ALL.iter().map(|group| {
            let of_group = all.iter().filter(|it| it.group == *group);
            let own = of_group.fold(Nanos::ZERO, |sum, it| sum + it.own);
            (*group, own)
        });
        let wholes: Vec<(Group, Nanos)> = wholes.collect();
        let whole = |group: Group| {
            let found = wholes.iter().find(|it| it.0 == group);
            found.map_or(Nanos::ZERO, |it| it.1)
        };
        let shown = all.iter().take(MOST);
        let rows = shown.map(|it| row(scene.capture, it, whole(it.group)));
        self.0.read(now, rows);
        let note = match all.len().saturating_sub(MOST) {
            0 => String::new(),
            rest => format!("{} with less time are not listed", text::count(rest as u64)),
        };
        let selected = scene.state.selection.span;
        let placed = selected.and_then(|it| scene.capture.span(it));
        let key = placed.and_then(|it| key_of(scene.capture, &it));
        let is_chosen = |line: &OperationLine| key == Some(line.key);
        let table = (COLUMNS, CHIPS.as_slice());
        let clicked = self
            .0
            .show(ui, scene, ("operations", &note), table, is_chosen);
        if let Some((line, _)) = clicked {
            actions.push(Action::SelectOperations(SameOperations {
                key: line.key,
                within: found.within,
                longest: line.longest,
            }));
            actions.extend(cut(line.count));
        }
    }

    /// What is shown as comma-separated values, times in nanoseconds.
    pub fn csv(&self) -> String {
        self.0.csv(COLUMNS)
    }
}

/// That a row has more spans than can be selected; nothing where it has not.
fn cut(count: usize) -> Option<Action> {
    let text = format!(
        "{} of {} are selected, as many as can be at once: a range of time has fewer.",
        text::count(MOST_SELECTED as u64),
        text::count(count as u64)
    );
    let is_error = false;
    (count > MOST_SELECTED).then(|| Action::Notify(Some(Notice { is_error, text })))
}

/// The operations that a span is one of.
fn key_of(capture: &Capture, placed: &PlacedSpan) -> Option<OperationKey> {
    Some(OperationKey {
        group: capture.lane(placed.span.lane)?.group,
        name: placed.span.name,
        kind: placed.span.kind,
    })
}

fn row(capture: &Capture, of: &Durations, whole: Nanos) -> (OperationLine, Vec<TableCell>) {
    let name = capture.name(of.name);
    let on = match of.lanes {
        1 => capture.lane_title(of.lane).into_owned(),
        lanes => text::counted(lanes as u64, "lane"),
    };
    let time = |time: Nanos| TableCell::number(Some(time.0), |_| text::duration(time));
    let share = of.own.0 as f64 / whole.0.max(1) as f64;
    let words = format!("{name} {} {on}", of.kind.label()).to_lowercase();
    let cells = vec![
        TableCell {
            ink: CellEmphasis::Link,
            ..TableCell::text(name)
        },
        TableCell::number(Some(of.count() as i64), |it| text::count(it as u64)),
        time(of.total),
        time(of.own),
        TableCell::number(Some((share * 1e6) as i64), |_| text::percent(share)),
        time(of.mean()),
        time(of.median()),
        time(of.quantile(0.95)),
        time(of.quantile(1.0)),
        TableCell::weak(of.kind.label()),
        TableCell::weak(on),
    ];
    let line = OperationLine {
        key: of.key(),
        longest: of.longest,
        count: of.count(),
        words,
    };
    (line, cells)
}
