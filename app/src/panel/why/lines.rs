//! The rows of the tables of where time went, and the spans that they lead to.

use engine::analysis::causes::{
    CausesTable, CollectiveMember, IdleUse, LaneIdle, PathOperation, PathUse,
};
use engine::analysis::{IterationRow, IterationTable};
use engine::capture::Capture;
use engine::record::SpanId;
use engine::time::{Interval, Nanos};

use super::WhyTable;
use crate::panel::table::{CellEmphasis, SortOrder, TableCell, TableColumn};
use crate::text;

/// A column of numbers.
const fn number(title: &'static str, help: &'static str) -> TableColumn {
    TableColumn::number(title, help, 84.0)
}

/// A column of a use of a stream's time.
const fn of(what: IdleUse) -> TableColumn {
    TableColumn {
        width: 102.0,
        ..number(what.label(), what.help())
    }
}

const IDLE: &[TableColumn] = &[
    TableColumn::wide("lane", "The stream or engine"),
    of(IdleUse::Busy),
    of(IdleUse::HostLate),
    of(IdleUse::HostBlocked),
    of(IdleUse::Dependency),
    of(IdleUse::Latency),
    of(IdleUse::Unknown),
    of(IdleUse::After),
    of(IdleUse::OtherRanks),
];

/// A column of a use of a host thread's time.
const fn of_thread(what: IdleUse) -> TableColumn {
    let title = match what.thread_label() {
        Some(title) => title,
        None => "",
    };
    TableColumn {
        width: 102.0,
        ..number(title, what.thread_help())
    }
}

/// The uses of a host thread's time, in the order of columns.
const OF_THREADS: [IdleUse; 6] = [
    IdleUse::Busy,
    IdleUse::HostLate,
    IdleUse::Dependency,
    IdleUse::Latency,
    IdleUse::Unknown,
    IdleUse::After,
];

const THREADS: &[TableColumn] = &[
    TableColumn::wide(
        "host thread",
        "The thread, as its process and it are called",
    ),
    of_thread(IdleUse::Busy),
    of_thread(IdleUse::HostLate),
    of_thread(IdleUse::Dependency),
    of_thread(IdleUse::Latency),
    of_thread(IdleUse::Unknown),
    of_thread(IdleUse::After),
];

const REASONS: &[TableColumn] = &[
    TableColumn::wide("lane", "The stream, engine or host thread"),
    TableColumn {
        width: 96.0,
        ..TableColumn::wide("of its", "The sum that this is a part of")
    },
    TableColumn {
        width: 110.0,
        ..TableColumn::wide(
            "by",
            "What it waited for, what the latency came after, or which rank came last",
        )
    },
    narrow("time", "How long, all together"),
    narrow("share", "Of the stretch"),
    TableColumn::wide("longest", "The operation or call that waited longest"),
];

const PATH: &[TableColumn] = &[
    TableColumn::wide(
        "spent on",
        "What this part of the critical path was spent on",
    ),
    number("time", "How long, all together"),
    number("share", "Of the stretch"),
    number("segments", "How many parts of the path"),
    TableColumn::wide(
        "longest",
        "The operation or call that the longest part lies in, or before",
    ),
];

const OPERATIONS: &[TableColumn] = &[
    TableColumn::wide(
        "operation",
        "Operations of this name that ran on the critical path",
    ),
    number("time", "How long they ran on it, all together"),
    number("share", "Of the stretch"),
    number("times", "How many of them"),
];

/// Rows of the path and of its operations by their time.
pub const LONGEST_FIRST: SortOrder = SortOrder {
    column: 1,
    is_descending: true,
};

/// A narrow column of numbers.
const fn narrow(title: &'static str, help: &'static str) -> TableColumn {
    TableColumn {
        width: 78.0,
        ..number(title, help)
    }
}

const ITERATIONS: &[TableColumn] = &[
    TableColumn {
        width: 62.0,
        ..narrow("number", "As --iteration takes it on the command line")
    },
    TableColumn::wide("iteration", "Its mark, or its first operation"),
    TableColumn {
        width: 66.0,
        ..narrow("took", "From its start to its end")
    },
    narrow(IdleUse::HostLate.label(), IdleUse::HostLate.help()),
    narrow(IdleUse::HostBlocked.label(), IdleUse::HostBlocked.help()),
    narrow(IdleUse::Dependency.label(), IdleUse::Dependency.help()),
    narrow(IdleUse::Latency.label(), IdleUse::Latency.help()),
    narrow(IdleUse::Unknown.label(), IdleUse::Unknown.help()),
    TableColumn {
        width: 96.0,
        ..TableColumn::wide("critical", "What most of its critical path was spent on")
    },
    TableColumn {
        width: 58.0,
        ..TableColumn::wide("outlier", "It took much longer, or shorter, than most")
    },
];

/// The rows of a table.
#[derive(Default)]
pub struct WhyLines {
    /// The columns.
    pub columns: &'static [TableColumn],
    /// The rows.
    pub cells: Vec<Vec<TableCell>>,
    /// For each cell of each row the span that it leads to.
    places: Vec<Vec<Option<SpanId>>>,
    /// For each row the stretch of time that it leads to, in place of a span.
    stretches: Vec<Interval>,
}

impl WhyLines {
    /// The rows of one of the tables.
    pub fn new(
        capture: &Capture,
        (found, steps): (&CausesTable, Option<&IterationTable>),
        which: WhyTable,
    ) -> Self {
        let whole = found.within.length();
        let mut lines = Self {
            columns: match which {
                WhyTable::Idle => IDLE,
                WhyTable::Threads => THREADS,
                WhyTable::Reasons => REASONS,
                WhyTable::Path => PATH,
                WhyTable::Operations => OPERATIONS,
                WhyTable::Iterations => ITERATIONS,
            },
            ..Self::default()
        };
        match which {
            WhyTable::Idle => {
                for row in found.streams.iter().chain(&found.engines) {
                    lines.idle(capture, row, (whole, &IdleUse::ALL));
                }
            }
            WhyTable::Threads => {
                for row in &found.threads {
                    lines.idle(capture, row, (whole, &OF_THREADS));
                }
            }
            WhyTable::Reasons => {
                for row in found.streams.iter().chain(&found.engines) {
                    lines.reasons(capture, row, (whole, IdleUse::label));
                }
                for row in &found.threads {
                    let label = |what: IdleUse| what.thread_label().unwrap_or_default();
                    lines.reasons(capture, row, (whole, label));
                }
            }
            WhyTable::Path => {
                for row in &found.uses {
                    lines.part(capture, row, whole);
                }
            }
            WhyTable::Operations => {
                for row in &found.operations {
                    lines.operation(capture, row, whole);
                }
            }
            WhyTable::Iterations => {
                for row in steps.iter().flat_map(|it| &it.rows) {
                    lines.iteration(row);
                }
            }
        }
        lines
    }

    fn idle(&mut self, capture: &Capture, row: &LaneIdle, (whole, uses): (Nanos, &[IdleUse])) {
        let longest = uses.iter().map(|what| Some(row.longest_of(*what)?.span));
        let longest: Vec<Option<SpanId>> = longest.collect();
        let first = uses
            .iter()
            .filter(|it| it.is_idle())
            .filter_map(|it| row.longest_of(*it))
            .max();
        let first = first
            .map(|it| it.span)
            .or(longest.first().copied().flatten());
        let title = capture.lane_title(row.lane).into_owned();
        let mut cells = vec![linked(TableCell::text(title), first)];
        cells.extend(uses.iter().map(|what| timed(what.of(&row.time), whole)));
        self.cells.push(cells);
        self.places
            .push(std::iter::once(first).chain(longest).collect());
    }

    fn reasons(
        &mut self,
        capture: &Capture,
        row: &LaneIdle,
        (whole, label): (Nanos, impl Fn(IdleUse) -> &'static str),
    ) {
        let members: Vec<CollectiveMember> = row.ranks.iter().map(|it| it.0).collect();
        let ranks = row.ranks.iter().map(|(member, time)| {
            let title = member.title(capture, &members);
            let longest = row.longest_of(IdleUse::OtherRanks).map(|it| it.span);
            (IdleUse::OtherRanks, title, *time, longest)
        });
        let reasons = row.reasons.some().map(|(reason, time)| {
            let longest = row.reasons.longest_of(reason);
            (reason.sum(), reason.label().to_owned(), time, longest)
        });
        let title = capture.lane_title(row.lane);
        for (sum, by, time, longest) in reasons.chain(ranks) {
            let name = longest.and_then(|span| capture.span(span));
            let name = name.map(|it| capture.name(it.span.name).to_owned());
            self.cells.push(vec![
                TableCell::text(title.as_ref()),
                TableCell::text(label(sum)),
                TableCell::text(by),
                duration(time),
                share(time, whole),
                linked(TableCell::text(name.unwrap_or_default()), longest),
            ]);
            self.places.push(vec![longest; REASONS.len()]);
        }
    }

    fn part(&mut self, capture: &Capture, row: &PathUse, whole: Nanos) {
        let name = row.longest.and_then(|span| capture.span(span));
        let name = name.map(|it| {
            let before = if row.is_inside { "" } else { "before " };
            format!("{before}{}", text::shown(capture.name(it.span.name)))
        });
        self.cells.push(vec![
            TableCell::text(row.what.label()),
            duration(row.time),
            share(row.time, whole),
            count(row.count),
            linked(TableCell::text(name.unwrap_or_default()), row.longest),
        ]);
        self.places.push(vec![row.longest; PATH.len()]);
    }

    fn operation(&mut self, capture: &Capture, row: &PathOperation, whole: Nanos) {
        let longest = Some(row.longest);
        self.cells.push(vec![
            linked(TableCell::text(capture.name(row.name)), longest),
            duration(row.time),
            share(row.time, whole),
            count(row.count),
        ]);
        self.places.push(vec![longest; OPERATIONS.len()]);
    }

    fn iteration(&mut self, row: &IterationRow) {
        let within = row.iteration.interval;
        let name = TableCell::text(&*row.iteration.name);
        let mut cells = vec![
            count(u64::from(row.iteration.number)),
            linked(name, Some(row.iteration.span)),
            duration(within.length()),
        ];
        let idle = IdleUse::ALL.into_iter().filter(|it| it.is_idle());
        cells.extend(idle.map(|what| {
            let time = what.of(&row.time);
            TableCell::number((time > Nanos::ZERO).then_some(time.0), |_| {
                text::duration(time)
            })
        }));
        let critical = row.critical.map(|(what, time)| {
            let share = time.0 as f64 / within.length().0.max(1) as f64;
            format!("{} {}", what.label(), text::percent(share))
        });
        cells.push(TableCell::text(critical.unwrap_or_default()));
        cells.push(TableCell::text(row.remark()));
        self.cells.push(cells);
        self.stretches.push(within);
    }

    /// The stretch of time that a row leads to, where it is of one.
    pub fn stretch(&self, row: usize) -> Option<Interval> {
        self.stretches.get(row).copied()
    }

    /// The span that a cell leads to.
    pub fn place(&self, row: usize, column: usize) -> Option<SpanId> {
        let places = self.places.get(row)?;
        places.get(column).copied().flatten()
    }

    /// These rows, in their order, with the titles; tabs between columns.
    pub fn text(&self, shown: &[usize]) -> String {
        let titles = self.columns.iter().map(|it| it.title.to_owned());
        let mut lines = vec![titles.collect::<Vec<_>>().join("\t")];
        for cells in shown.iter().filter_map(|at| self.cells.get(*at)) {
            let texts = cells.iter().map(|it| it.text.replace(text::THIN, " "));
            lines.push(texts.collect::<Vec<_>>().join("\t"));
        }
        lines.join("\n")
    }
}

fn linked(cell: TableCell, place: Option<SpanId>) -> TableCell {
    TableCell {
        ink: if place.is_some() {
            CellEmphasis::Link
        } else {
            cell.ink
        },
        ..cell
    }
}

/// A time and its share; nothing for none.
fn timed(time: Nanos, whole: Nanos) -> TableCell {
    let share = time.0 as f64 / whole.0.max(1) as f64;
    TableCell::number((time > Nanos::ZERO).then_some(time.0), |_| {
        format!("{} {}", text::duration(time), text::percent(share))
    })
}

fn duration(time: Nanos) -> TableCell {
    TableCell::number(Some(time.0), |_| text::duration(time))
}

fn share(time: Nanos, whole: Nanos) -> TableCell {
    let share = time.0 as f64 / whole.0.max(1) as f64;
    TableCell::number(Some(time.0), |_| text::percent(share))
}

fn count(count: u64) -> TableCell {
    TableCell::number(Some(count as i64), |_| text::count(count))
}
