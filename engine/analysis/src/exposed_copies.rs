//! Which copies could have run while kernels did?

use std::collections::BTreeMap;

use super::causes::{CauseKind, CauseReader, ChainSegment, CollectiveMember, TimeUse};
use super::used_buffers::UsedBuffers;
use super::words::{finding, length, span};
use super::{Analysis, Answer, WeighedAnswer};
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos, shared, union};
use record::{Finding, Severity, SpanId, SpanKind};

const CODE: &str = "exposed-copies";
/// Less than this part of the whole time, in all, is no finding.
const LITTLE: i64 = 100;
/// What the name of a copy of memory that is not pinned says, in CUPTI's words: it blocks its call.
const PAGEABLE: &str = "Pageable";

/// Which copies could have run while kernels did?
pub(super) struct ExposedCopies;

/// A copy and a kernel that ran one after the other only because they were on one stream.
#[derive(Clone, Copy, Debug)]
struct SerialPair {
    first: PlacedSpan,
    second: PlacedSpan,
    /// How long the copy ran beside no kernel, which is what it can save at most.
    gain: Nanos,
}

impl SerialPair {
    const fn copy(&self) -> &PlacedSpan {
        if is_copy(self.first.span.kind) {
            &self.first
        } else {
            &self.second
        }
    }
}

impl Analysis for ExposedCopies {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Copies that could have overlapped"
    }

    fn about(&self) -> &'static str {
        "A copy and a kernel came after each other on one stream, only the order of that stream held the second back, and no \
         other kernel of the device ran meanwhile. Not where a buffer ties them; where the capture tells of no buffers, that \
         is said. Less than a hundredth of the whole time does not count"
    }

    fn look(&mut self, _: &Capture, _: &PlacedSpan) {}

    fn weigh(&mut self, reader: &CauseReader<'_>) -> WeighedAnswer {
        let capture = reader.capture();
        let whole = reader.causes().extent();
        let buffers = UsedBuffers::of(capture);
        let mut devices: BTreeMap<CollectiveMember, Vec<PlacedSpan>> = BTreeMap::new();
        for lane in reader.streams() {
            let works = capture.spans_in(lane, whole);
            let works = works.filter(|it| reader.is_operation(it.span.id));
            devices
                .entry(reader.member(lane))
                .or_default()
                .extend(works);
        }
        let (mut findings, mut savings, mut looked) = (Vec::new(), Vec::new(), 0);
        let mut beside_copies = None;
        for works in devices.values() {
            let kernels = works.iter().filter(|it| it.span.kind == SpanKind::Kernel);
            let kernels = union(kernels.map(PlacedSpan::interval).collect());
            let copies = works.iter().filter(|it| is_copy(it.span.kind));
            looked += copies.count();
            let pairs = pairs(reader, works, &kernels, &buffers);
            let [gain, saved] = alone(&pairs, &kernels);
            if gain.0 <= whole.length().0 / LITTLE {
                continue;
            }
            let most = *beside_copies.get_or_insert_with(|| without_others(reader));
            let saved = saved.min(most);
            if saved.0 <= whole.length().0 / LITTLE {
                continue;
            }
            if let Some(found) = make_finding(capture, &pairs, [gain, saved], buffers.is_known()) {
                findings.push(found);
                savings.push(saved);
            }
        }
        WeighedAnswer {
            answer: Answer::new(
                findings,
                format!(
                    "{} looked at",
                    record::counted(looked as u64, "{copy|copies}")
                ),
            ),
            savings,
        }
    }
}

/// The most that copies can save: what of the critical path is neither another operation nor the host's own time, which still
/// follow each other without them.
fn without_others(reader: &CauseReader<'_>) -> Nanos {
    let is_other = |part: &ChainSegment| {
        let of = part.span.and_then(|it| reader.capture().span(it));
        let is_work = of.is_some_and(|it| !is_copy(it.span.kind));
        part.what == TimeUse::Host || part.what == TimeUse::Run && is_work
    };
    let path = reader.path();
    let others = path.iter().filter(|it| !is_other(it));
    others.map(|it| it.interval.length()).sum()
}

const fn is_copy(kind: SpanKind) -> bool {
    matches!(kind, SpanKind::Copy | SpanKind::Upload | SpanKind::Download)
}

/// The pairs of a copy and a kernel that only stream order held apart. A copy has a share in one pair at most.
fn pairs(
    reader: &CauseReader<'_>,
    works: &[PlacedSpan],
    kernels: &[Interval],
    buffers: &UsedBuffers,
) -> Vec<SerialPair> {
    let mut found: Vec<SerialPair> = Vec::new();
    let mut taken = None;
    let copies = works.iter().filter(|it| is_copy(it.span.kind));
    let mut copies: Vec<SpanId> = copies.map(|it| it.span.id).collect();
    copies.sort_unstable();
    for second in works {
        // Most are neither a copy nor behind one.
        let before = reader.before_on_stream(second.span.id);
        let is_behind = before.is_some_and(|it| copies.binary_search(&it).is_ok());
        if !is_behind && !is_copy(second.span.kind) {
            continue;
        }
        if reader.binds(second.span.id) != Some(CauseKind::Stream) {
            continue;
        }
        let first = reader.cause_of(second.span.id);
        let Some(first) = first.and_then(|it| reader.capture().span(it)) else {
            continue;
        };
        // Nodes of one launch are held apart by an edge of their graph, whether or not the file tells it.
        let launches = [first.span.id, second.span.id].map(|it| reader.launch(it));
        if launches[0].is_some() && launches[0] == launches[1] {
            continue;
        }
        let kinds = (first.span.kind, second.span.kind);
        let copy = match kinds {
            (SpanKind::Kernel, kind) if is_copy(kind) => second,
            (kind, SpanKind::Kernel) if is_copy(kind) => &first,
            _ => continue,
        };
        let covered = shared(&[copy.interval()], overlapping(kernels, copy.interval()));
        // On a stream of its own it may run beside more than the one kernel next to it.
        let gain = copy.interval().length() - covered;
        let is_tied = buffers.share_a_write(first.span.call, second.span.call);
        if gain > Nanos::ZERO && !is_tied && taken != Some(copy.span.id) {
            taken = Some(copy.span.id);
            found.push(SerialPair {
                first,
                second: *second,
                gain,
            });
        }
    }
    found
}

/// How long any of these copies ran beside no kernel, and how long any ran, by which what comes after it on its stream can begin
/// sooner: copies that run at once take their time once.
fn alone(pairs: &[SerialPair], kernels: &[Interval]) -> [Nanos; 2] {
    let copies = union(pairs.iter().map(|it| it.copy().interval()).collect());
    let length = |all: &[Interval]| all.iter().map(|it| it.length()).sum::<Nanos>();
    let all = length(&copies);
    [all - shared(&copies, kernels), all]
}

/// Those of a union that lie in an interval at least in part, found without a look at the others: a capture may have as many
/// copies as kernels.
fn overlapping(union: &[Interval], interval: Interval) -> &[Interval] {
    let first = union.partition_point(|it| it.end <= interval.start);
    let rest = union.get(first..).unwrap_or_default();
    let count = rest.partition_point(|it| it.start < interval.end);
    rest.get(..count).unwrap_or_default()
}

fn make_finding(
    capture: &Capture,
    pairs: &[SerialPair],
    [gain, saved]: [Nanos; 2],
    knows: bool,
) -> Option<Finding> {
    let longest = pairs.iter().max_by_key(|it| it.gain)?;
    let (first, second) = (longest.first, longest.second);
    let pageable = pairs.iter().filter(|it| {
        let name = capture.name(it.copy().span.name);
        name.contains(PAGEABLE)
    });
    let pinned = match pageable.count() {
        0 => String::new(),
        count => {
            format!("; {count} of them are of memory that is not pinned, which has to be first")
        }
    };
    let unless = if knows {
        "no buffer ties the two"
    } else {
        "the capture does not tell whether one needs what the other wrote, which has to be looked at first"
    };
    let text = format!(
        "{} right before or after a kernel of the same stream, {} of {} while no kernel ran, and only the order of that stream \
         kept the two apart: the longest is {} before {}, and {unless}{pinned}. A stream of their own, with an event before \
         each copy where its buffers were used before and one where something needs it, would save at most {}",
        record::counted(pairs.len() as u64, "{copy ran|copies ran}"),
        length(gain),
        if pairs.len() == 1 { "it" } else { "them" },
        span(capture, &first),
        span(capture, &second),
        length(saved),
    );
    let copy = longest.copy().span.id;
    let mut spans = [first.span.id, second.span.id];
    // What it is about comes first.
    spans.sort_by_key(|it| *it != copy);
    let mut found = finding(capture, CODE, Severity::Info, text, &spans);
    found.count = pairs.len() as u64;
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_compared_with_the_kernels_beside_it_alone() {
        let of = |start, end| Interval::new(Nanos(start), Nanos(end));
        let kernels: Vec<Interval> = (0..100).map(|at| of(at * 10, at * 10 + 8)).collect();
        assert_eq!(
            overlapping(&kernels, of(515, 531)),
            kernels.get(51..54).unwrap()
        );
        assert_eq!(overlapping(&kernels, of(518, 520)), []);
        assert_eq!(overlapping(&kernels, of(5_000, 6_000)), []);
        for (start, end) in [(0, 4), (515, 531), (-9, 2_000), (998, 1_200)] {
            let copy = of(start, end);
            let near = shared(&[copy], overlapping(&kernels, copy));
            assert_eq!(near, shared(&[copy], &kernels), "{start}..{end}");
        }
    }
}
