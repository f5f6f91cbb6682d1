//! A promise as a line of the table.

use engine::capture::PromiseState;
use engine::record::{ObservedOutcome, PromiseId, Verdict};
use engine::time::Nanos;

use crate::panel::Scene;
use crate::panel::pipelines::generation;
use crate::panel::table::{CellEmphasis, ChipState, TableCell, TableColumn, TableLine};
use crate::panel::widgets::Sign;
use crate::text;
use crate::theme::Theme;

/// The columns.
pub const COLUMNS: &[TableColumn] = &[
    TableColumn::text("api", "The call that promised", 196.0),
    TableColumn::text("name", "What the workload calls it", 84.0),
    TableColumn::text("state", "How it ended", 84.0),
    TableColumn::text(
        "with",
        "The value that it was resolved with, or the error that it was rejected with",
        124.0,
    ),
    TableColumn::number("asked", "When it was asked for", 72.0),
    TableColumn::number("ended", "When it was resolved or rejected", 72.0),
    TableColumn::number(
        "took",
        "From the call until it was resolved or rejected",
        72.0,
    ),
    TableColumn::number("gen", "The generation of its device", 36.0),
    TableColumn::wide(
        "why",
        "The rule that decided it; the inspector has its place in the specification",
    ),
    TableColumn::text(
        "here",
        "What the implementation below did for the same call in this run, where that was observed",
        150.0,
    ),
];

/// How a promise ended, as far as chips tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PromiseEnding {
    /// It is pending.
    Pending,
    /// With a value.
    Resolved,
    /// With an error.
    Rejected,
    /// Other than the specification says.
    Differs,
}

/// What a line of the table stands for.
pub struct PromiseLine {
    /// The promise.
    pub id: PromiseId,
    /// How it ended.
    pub state: PromiseEnding,
    /// All its words in lower case, to be searched.
    pub words: String,
}

impl TableLine for PromiseLine {
    type State = PromiseEnding;

    fn state(&self) -> PromiseEnding {
        self.state
    }

    fn words(&self) -> &str {
        &self.words
    }
}

/// The ways in which promises end.
pub fn endings(theme: &Theme) -> [ChipState<PromiseEnding>; 4] {
    [
        (
            PromiseEnding::Pending,
            "pending",
            Some(Sign::of_verdict(None, theme)),
        ),
        (
            PromiseEnding::Resolved,
            "resolved",
            Some(Sign::of_verdict(Some(Verdict::Resolved), theme)),
        ),
        (
            PromiseEnding::Rejected,
            "rejected",
            Some(Sign::of_verdict(Some(Verdict::Rejected), theme)),
        ),
        (
            PromiseEnding::Differs,
            "differs here",
            Some((Sign::Dash, theme.warning)),
        ),
    ]
}

/// The line of a promise, and its cells.
pub fn line(scene: &Scene<'_>, pledge: &PromiseState) -> (PromiseLine, Vec<TableCell>) {
    let capture = scene.capture;
    let promise = &pledge.promise;
    let settlement = pledge.settlement.as_ref();
    let asked = capture.span(promise.call).map(|placed| placed.span.start);
    let settled = settlement.map(|settlement| settlement.time);
    let took = settled.zip(asked).map(|(settled, asked)| settled - asked);
    let time = |time: Option<Nanos>| {
        TableCell::number(time.map(|time| time.0), |nanos| {
            text::duration(Nanos(nanos))
        })
    };
    let verdict = settlement.map(|settlement| settlement.verdict);
    let said = |field: fn(&engine::record::PromiseOutcome) -> &str| settlement.map_or("", field);
    let cells = vec![
        TableCell::text(&promise.api),
        TableCell::text(&promise.name),
        TableCell {
            sign: Some(Sign::of_verdict(verdict, scene.theme)),
            ..TableCell::text(verdict.map_or("pending", Verdict::label))
        },
        TableCell::text(said(|settlement| &settlement.value)),
        time(asked),
        time(settled),
        time(took),
        TableCell::number(generation(scene, promise.generation), |number| {
            number.to_string()
        }),
        TableCell::weak(said(|settlement| &settlement.reason)),
        match settlement.map(|settlement| &settlement.observed) {
            Some(observed) if observed.agrees() == Some(false) => TableCell {
                ink: CellEmphasis::Bad,
                ..TableCell::text(observed.text())
            },
            observed => TableCell::weak(observed.map_or("", ObservedOutcome::text)),
        },
    ];
    let words: Vec<&str> = cells.iter().map(|cell| cell.text.as_str()).collect();
    let words = format!(
        "{} {}",
        words.join(" "),
        said(|settlement| &settlement.anchor)
    );
    let line = PromiseLine {
        id: promise.id,
        state: state(settlement),
        words: words.to_lowercase(),
    };
    (line, cells)
}

fn state(settlement: Option<&engine::record::PromiseOutcome>) -> PromiseEnding {
    match settlement {
        None => PromiseEnding::Pending,
        Some(settlement) if settlement.observed.agrees() == Some(false) => PromiseEnding::Differs,
        Some(settlement) if settlement.verdict == Verdict::Resolved => PromiseEnding::Resolved,
        Some(_) => PromiseEnding::Rejected,
    }
}
