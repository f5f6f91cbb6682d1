//! Ranges of the host: what each launched on streams, and what called what.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use engine::analysis::{
    CallNode, CallTree, DeviceStretch, HostLevel, HostRanges, HostScope, RangeProjection, TreeScope,
};
use engine::capture::Capture;
use engine::record::{SpanId, Value};

use super::row_list::{ListFormat, MOST, count, integer, more, text, time, write_rows};
use super::scope::{CapturePart, OpenedPart};
use crate::cli::table::TextTable;
use crate::cli::{CliFailure, FINE, OutputStreams, complain};
use crate::text::words;

/// Letters of names.
const LETTERS: usize = 60;
/// Steps by which names stand in.
const DEEPEST: usize = 20;

/// A sort of host ranges, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelOption {
    /// Operators of a framework, and other work of host threads
    Operators,
    /// What a program named: NVTX ranges, annotations, frames, steps
    Nvtx,
    /// Functions of a script
    Python,
}

impl From<LevelOption> for HostLevel {
    fn from(option: LevelOption) -> Self {
        match option {
            LevelOption::Operators => Self::Operators,
            LevelOption::Nvtx => Self::Nvtx,
            LevelOption::Python => Self::Python,
        }
    }
}

/// Which ranges are projected.
#[derive(Debug, Args)]
#[command(after_help = PROJECTED)]
pub struct ProjectOptions {
    /// The files, and which part of them: ranges that overlap the time; a lane of the host chooses ranges, a stream what they launched
    #[command(flatten)]
    pub part: CapturePart,
    /// Only ranges of this sort; may be given several times
    #[arg(long = "of", value_name = "SORT", value_enum)]
    pub levels: Vec<LevelOption>,
    /// Only what a range's own thread launched, without the backward pass of a forward pass
    #[arg(long)]
    pub same_thread: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}

const PROJECTED: &str = "A row for each range that launched something, in the order of the file. The fields are span, name, \
    level (nvtx, python or operators), lane, rank, start_ns and duration_ns of the range on the host; projected_start_ns, \
    projected_end_ns and projected_ns from the start of the first operation that was launched within it to the end of the \
    last; busy_ns, in which any of them ran, share of that, operations, and linked_operations, which are those among them \
    that were launched by what goes on with it on another thread or later, such as a backward pass. What nested ranges \
    launched counts for all around them.";

/// The columns of projections.
const PROJECTION_COLUMNS: [&str; 14] = [
    "span",
    "name",
    "level",
    "lane",
    "rank",
    "start_ns",
    "duration_ns",
    "projected_start_ns",
    "projected_end_ns",
    "projected_ns",
    "busy_ns",
    "share",
    "operations",
    "linked_operations",
];

/// Prints what ranges of the host launched.
pub(in crate::cli) fn project(
    options: &ProjectOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let scope = OpenedPart::open(&options.part, streams)?;
    let capture = &scope.capture;
    let wanted: Vec<HostLevel> = match options.levels.as_slice() {
        [] => HostLevel::ALL.to_vec(),
        levels => levels.iter().map(|it| (*it).into()).collect(),
    };
    let wanted: BTreeSet<HostLevel> = wanted.into_iter().collect();
    let ranges = HostRanges::new(capture, &host_scope(&scope, wanted.iter().copied()));
    let mut rows: Vec<(HostLevel, RangeProjection)> = Vec::new();
    for &level in &wanted {
        let found = ranges.project(level).into_iter().map(|it| (level, it));
        rows.extend(found.filter(|(_, it)| is_within(&scope, it.span)));
    }
    rows.retain(|(_, it)| !options.same_thread || it.own.operations > 0);
    rows.sort_by_key(|(_, it)| it.span);
    if options.format == ListFormat::Text {
        if rows.is_empty() {
            writeln!(streams.out, "{}", nothing(&ranges, &wanted))?;
        }
        write_projections(&scope, &rows, options, streams)?;
        return Ok(FINE);
    }
    let rows = rows.iter();
    let rows = rows.filter_map(|(level, it)| projection_row(&scope, *level, it, options));
    write_rows(&PROJECTION_COLUMNS, rows, options.format, streams)
}

/// What a range launched, as far as it is asked for, and how many of that links lead to.
fn stretch(projection: &RangeProjection, options: &ProjectOptions) -> (DeviceStretch, u64) {
    if options.same_thread {
        return (projection.own, 0);
    }
    let linked = projection.linked().map_or(0, |it| it.operations);
    (projection.whole(), linked)
}

/// Writes projections for people.
fn write_projections(
    scope: &OpenedPart,
    rows: &[(HostLevel, RangeProjection)],
    options: &ProjectOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    let mut table = TextTable::new(&[
        ">span",
        "range",
        "sort",
        "lane",
        ">began",
        ">took",
        ">operations",
        ">from",
        ">within",
        ">busy",
        ">share",
    ]);
    for (level, projection) in rows.iter().take(MOST) {
        let Some(placed) = scope.capture.span(projection.span) else {
            continue;
        };
        let (stretch, _) = stretch(projection, options);
        table.row([
            projection.span.0.to_string(),
            crate::text::shorten(scope.capture.name(placed.span.name), LETTERS),
            level.label().to_owned(),
            scope.capture.lane_title(placed.span.lane).into_owned(),
            words::length(placed.span.start),
            words::length(placed.interval().length()),
            crate::text::count(stretch.operations),
            words::length(stretch.interval.start),
            words::length(stretch.interval.length()),
            words::length(stretch.busy),
            words::share(stretch.busy, stretch.interval.length()),
        ]);
    }
    table.write(streams.out)?;
    more(rows.len(), streams)
}

/// Why no range launched anything.
fn nothing(ranges: &HostRanges, levels: &BTreeSet<HostLevel>) -> &'static str {
    if !ranges.has_launches() {
        "the capture ties no operation of a device to a call of the host, so that nothing can be projected"
    } else if levels.iter().all(|level| ranges.count(*level) == 0) {
        "the capture has no ranges of the host of this sort; --of chooses among operators, nvtx and python"
    } else {
        "no range of what is asked about launched anything"
    }
}

/// The lanes that are asked about, where they are not all.
fn host_scope(scope: &OpenedPart, levels: impl Iterator<Item = HostLevel>) -> HostScope {
    let asked = levels.fold(HostScope::default(), HostScope::of_level);
    match &scope.lanes {
        Some(lanes) => asked.of_lanes(&scope.capture, lanes),
        None => asked,
    }
}

/// Whether a span overlaps the time that is asked about, or lies in it without any length.
fn is_within(scope: &OpenedPart, span: SpanId) -> bool {
    let Some(within) = scope.within else {
        return true;
    };
    let placed = scope.capture.span(span).map(|it| it.interval());
    placed.is_some_and(|it| it.overlaps(within) || within.contains(it.start))
}

fn projection_row(
    scope: &OpenedPart,
    level: HostLevel,
    projection: &RangeProjection,
    options: &ProjectOptions,
) -> Option<Vec<Option<Value>>> {
    let capture = &scope.capture;
    let placed = capture.span(projection.span)?;
    let (stretch, linked) = stretch(projection, options);
    let rank = capture.lane_origin(placed.span.lane).and_then(|it| it.rank);
    Some(vec![
        Some(integer(i64::from(projection.span.0))),
        Some(text(capture.name(placed.span.name))),
        Some(text(level.label())),
        Some(text(&capture.lane_title(placed.span.lane))),
        rank.map(|it| integer(i64::from(it))),
        Some(time(placed.span.start)),
        Some(time(placed.interval().length())),
        Some(time(stretch.interval.start)),
        Some(time(stretch.interval.end)),
        Some(time(stretch.interval.length())),
        Some(time(stretch.busy)),
        Some(Value::Number(stretch.share())),
        Some(count(stretch.operations)),
        Some(count(linked)),
    ])
}

/// What a call tree is of.
#[derive(Debug, Args)]
#[command(after_help = TREE)]
pub struct TreeOptions {
    /// The files, and which part of them: of a range of time, calls count with what lies inside
    #[command(flatten)]
    pub part: CapturePart,
    /// The sort of ranges that the calls are
    #[arg(long = "of", value_name = "SORT", value_enum)]
    pub level: LevelOption,
    /// Only calls within these spans of the host, or those that these operations were launched in; may be given several times
    #[arg(long = "span", value_name = "NUMBER")]
    pub spans: Vec<u32>,
    /// What was called, and below it who called it, instead of the outermost calls and below them what they called
    #[arg(long)]
    pub bottom_up: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}

const TREE: &str = "A row for each way of calls through the names, its callers before it: node, from 0; name; depth; parent, a \
    node; count of calls; host_total_ns, their time on the host, in which what calls itself counts once; host_self_ns, the \
    part of it in no call within; device_ns, the lengths of what was launched within, added up; launches, calls within that \
    launched something; bytes that copies moved and fills wrote that were launched within. Of equal times the one that the file has first is \
    the caller. What took longest comes first, from the bottom up by its self time.";

/// The columns of a call tree.
const TREE_COLUMNS: [&str; 10] = [
    "node",
    "name",
    "depth",
    "parent",
    "count",
    "host_total_ns",
    "host_self_ns",
    "device_ns",
    "launches",
    "bytes",
];

/// Prints what called what.
pub(in crate::cli) fn tree(
    options: &TreeOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let scope = OpenedPart::open(&options.part, streams)?;
    let capture = &scope.capture;
    let level = HostLevel::from(options.level);
    let spans: BTreeSet<SpanId> = options.spans.iter().copied().map(SpanId).collect();
    if let Some(unknown) = spans.iter().find(|it| capture.span(**it).is_none()) {
        return Err(CliFailure::Wrong(format!(
            "the capture has no span {}; the inspector and `syncline query` show their numbers",
            unknown.0
        )));
    }
    let ranges = HostRanges::new(capture, &host_scope(&scope, std::iter::once(level)));
    let within = scope.within;
    let mut tree = ranges.tree(capture, level, &TreeScope { within, spans });
    if options.bottom_up {
        tree = tree.bottom_up();
    }
    if tree.is_cut {
        let words = "callers of callers are left out, since there are too many ways; choose a part by --range or --lane";
        complain(streams, words);
    }
    if options.format == ListFormat::Text {
        write_tree(capture, &tree, streams)?;
        return Ok(FINE);
    }
    let rows = tree.nodes.iter().enumerate();
    let rows = rows.map(|(place, node)| tree_row(place, node, capture.name(node.name)));
    write_rows(&TREE_COLUMNS, rows, options.format, streams)
}

/// Writes a call tree for people.
fn write_tree(
    capture: &Capture,
    tree: &CallTree,
    streams: &mut OutputStreams<'_>,
) -> Result<(), CliFailure> {
    if tree.nodes.is_empty() {
        let words = "no call of this sort lies in what is asked about; --of chooses among operators, nvtx and python";
        writeln!(streams.out, "{words}")?;
    }
    let mut table = TextTable::new(&[
        "call",
        ">count",
        ">host total",
        ">host self",
        ">device",
        ">launches",
        ">bytes",
    ]);
    for node in tree.nodes.iter().take(MOST) {
        let indent = "  ".repeat((node.depth as usize).min(DEEPEST));
        let name = crate::text::shorten(capture.name(node.name), LETTERS);
        table.row([
            format!("{indent}{name}"),
            crate::text::count(node.count),
            words::length(node.host_total),
            words::length(node.host_self),
            words::length(node.device),
            crate::text::count(node.launches),
            crate::text::count(node.bytes),
        ]);
    }
    table.write(streams.out)?;
    more(tree.nodes.len(), streams)
}

fn tree_row(place: usize, node: &CallNode, name: &str) -> Vec<Option<Value>> {
    vec![
        Some(count(place as u64)),
        Some(text(name)),
        Some(integer(i64::from(node.depth))),
        node.parent.map(|it| integer(i64::from(it))),
        Some(count(node.count)),
        Some(time(node.host_total)),
        Some(time(node.host_self)),
        Some(time(node.device)),
        Some(count(node.launches)),
        Some(count(node.bytes)),
    ]
}
