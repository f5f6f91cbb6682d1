//! Calls as a table: a row for each way through the names, below its callers or its calls.

use eframe::egui::Ui;
use engine::analysis::{CallNode, CallTree};
use engine::time::Nanos;

use crate::panel::Scene;
use crate::panel::table::{
    CellEmphasis, FilteredTable, SortOrder, TableCell, TableColumn, TableLine, TableRevision,
};
use crate::text;

/// Rows of the table; of more nodes, those that come last are not listed, and that is said.
const MOST: usize = 50_000;
/// Steps by which names stand in.
const DEEPEST: usize = 40;

const COLUMNS: &[TableColumn] = &[
    TableColumn {
        width: 200.0,
        ..TableColumn::wide(
            "call",
            "What was called, below what called it; click to select all of these calls and to go to the longest",
        )
    },
    TableColumn::number("count", "How often it was called so", 62.0),
    TableColumn::time(
        "host total",
        "The time of the calls on the host; what calls itself counts once",
        84.0,
    ),
    TableColumn::time(
        "host self",
        "The part of it that lies in no call that it made",
        84.0,
    ),
    TableColumn::share(
        "self",
        "Its self time as a share of that of all calls",
        58.0,
    ),
    TableColumn::time(
        "device",
        "The lengths of what was launched within, added up",
        80.0,
    ),
    TableColumn::number("launches", "Calls within that launched something", 74.0),
    TableColumn::number(
        "bytes",
        "Bytes that copies moved and fills wrote that were launched within",
        80.0,
    ),
];

/// What a row stands for.
struct CallLine {
    node: usize,
    words: String,
}

impl TableLine for CallLine {
    type State = ();

    fn state(&self) {}

    fn words(&self) -> &str {
        &self.words
    }
}

/// The table of calls, in the order of the tree until it is sorted by something else.
pub struct CallTable(FilteredTable<CallLine>);

impl Default for CallTable {
    fn default() -> Self {
        Self(FilteredTable::new(SortOrder::by(0)))
    }
}

impl CallTable {
    /// Shows a tree, of which `version` is the number; gives the node that was clicked.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        (tree, version): (&CallTree, u64),
    ) -> Option<usize> {
        let now: TableRevision = (version, tree.nodes.len(), scene.theme.dark);
        let nodes = tree.nodes.iter().take(MOST).enumerate();
        self.0.read(
            now,
            nodes.map(|(place, node)| row(scene, (place, node), tree.self_time)),
        );
        let note = match tree.nodes.len().saturating_sub(MOST) {
            0 => String::new(),
            rest => format!("{} more are not listed", text::count(rest as u64)),
        };
        let selected = scene.state.selection.span;
        let longest = |line: &CallLine| tree.nodes.get(line.node).map(|it| it.longest);
        let is_chosen = |line: &CallLine| selected.is_some() && longest(line) == selected;
        let clicked = self
            .0
            .show(ui, scene, ("calls", &note), (COLUMNS, &[]), is_chosen);
        clicked.map(|(line, _)| line.node)
    }

    /// What is shown as comma-separated values, times in nanoseconds.
    pub fn csv(&self) -> String {
        self.0.csv(COLUMNS)
    }
}

fn row(
    scene: &Scene<'_>,
    (place, node): (usize, &CallNode),
    whole: Nanos,
) -> (CallLine, Vec<TableCell>) {
    let name = scene.capture.name(node.name);
    let indent = "   ".repeat((node.depth as usize).min(DEEPEST));
    let time = |time: Nanos| TableCell::number(Some(time.0), |_| text::duration(time));
    let count = |value: u64| {
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        TableCell::number(Some(value), |it| text::count(it.unsigned_abs()))
    };
    let share = node.host_self.0 as f64 / whole.0.max(1) as f64;
    let cells = vec![
        TableCell {
            rank: i64::try_from(place).ok(),
            ink: CellEmphasis::Link,
            ..TableCell::text(format!("{indent}{name}"))
        },
        count(node.count),
        time(node.host_total),
        time(node.host_self),
        TableCell::number(Some((share * 1e6) as i64), |_| text::percent(share)),
        time(node.device),
        count(node.launches),
        count(node.bytes),
    ];
    let line = CallLine {
        node: place,
        words: name.to_lowercase(),
    };
    (line, cells)
}
