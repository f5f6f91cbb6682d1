//! What a capture comes to in one screen: what is wrong, how busy devices were, where idle time went, what the critical path is made of,
//! what would save most, and what the capture cannot tell. The window and the command line show the same lines.

use std::collections::{BTreeMap, BTreeSet};

use super::causes::{CauseReader, CausesTotals, IdleUse, SpanPoint, TimeUse};
use super::sentence_piece::Sentence;
use super::{AnalysisResult, IterationRow, IterationTable, SentencePiece};
use capture::natural_key;
use record::time::{Interval, Nanos, union};
use record::{DeviceId, LaneId, Severity, SpanId};

/// Where there are more devices than this they share a line: the other answers are to be in sight.
const DEVICES: usize = 3;
/// Findings that are named: those that would save most.
const FINDINGS: usize = 3;
/// Outliers among iterations that are named.
const OUTLIERS: usize = 3;
/// Parts of the path, and of idle time, that are named.
const PARTS: usize = 4;

/// What an overview's line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OverviewTopic {
    /// What is wrong, such as a race, whatever it took.
    Errors,
    /// How busy a device was.
    Busy,
    /// Where idle time went.
    Idle,
    /// What the critical path is made of.
    Path,
    /// What would save most.
    Savings,
    /// Its steps and frames, and the outliers among them.
    Iterations,
    /// What the capture cannot tell.
    Unknown,
}

impl OverviewTopic {
    /// Its name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Errors => "errors",
            Self::Busy => "busy",
            Self::Idle => "idle",
            Self::Path => "critical path",
            Self::Iterations => "iterations",
            Self::Savings => "would save most",
            Self::Unknown => "not known",
        }
    }
}

/// A line of an overview.
#[derive(Clone, Debug, PartialEq)]
pub struct OverviewLine {
    /// What it is about.
    pub topic: OverviewTopic,
    /// What it says, with the places as spans.
    pub says: Vec<SentencePiece>,
}

/// What a capture comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    /// Its lines, in the order of topics.
    pub lines: Vec<OverviewLine>,
}

/// A device, and how long any of its streams ran something.
struct BusyDevice {
    name: String,
    streams: usize,
    time: Nanos,
}

/// An overview under way.
struct OverviewDraft<'a, 'b> {
    reader: &'a CauseReader<'b>,
    lines: Vec<OverviewLine>,
}

impl Overview {
    /// The overview of a whole capture by the totals of all of its time; empty where nothing ran in it.
    pub fn new(
        reader: &CauseReader<'_>,
        totals: &CausesTotals,
        answers: &[AnalysisResult],
        iterations: &IterationTable,
    ) -> Self {
        let mut draft = OverviewDraft {
            reader,
            lines: Vec::new(),
        };
        if totals.within.length() > Nanos::ZERO {
            draft.errors(answers);
            draft.busy(totals);
            draft.idle(totals);
            draft.path(totals);
            draft.savings(answers);
            draft.iterations(iterations);
            draft.unknown(totals);
        }
        Self { lines: draft.lines }
    }
}

impl OverviewDraft<'_, '_> {
    fn say(&mut self, topic: OverviewTopic, sentence: Sentence) {
        self.lines.push(OverviewLine {
            topic,
            says: sentence.0,
        });
    }

    /// What is wrong: a result that depends on luck comes before any time that could be saved.
    fn errors(&mut self, answers: &[AnalysisResult]) {
        let all = answers.iter().flat_map(|it| &it.answer.findings);
        let wrong = all.filter(|it| it.severity == Severity::Error);
        let count = wrong.clone().count();
        for finding in wrong.take(FINDINGS) {
            let mut says = Sentence::default();
            says.text(finding.code.clone());
            if let Some(span) = finding.spans.last() {
                says.text(", ").span(self.reader.capture(), *span);
            }
            says.text(format!(": {}", finding.text));
            self.say(OverviewTopic::Errors, says);
        }
        if count > FINDINGS {
            let mut says = Sentence::default();
            says.text(format!("and {} more", count - FINDINGS));
            self.say(OverviewTopic::Errors, says);
        }
    }

    /// How busy each device was, all of its streams together.
    fn busy(&mut self, totals: &CausesTotals) {
        let capture = self.reader.capture();
        let mut devices: BTreeMap<(u32, Option<DeviceId>), Vec<LaneId>> = BTreeMap::new();
        for lane in &totals.streams {
            let device = capture.lane(*lane).and_then(|it| it.device);
            let key = (self.reader.rank(*lane), device);
            devices.entry(key).or_default().push(*lane);
        }
        let name = |device: Option<DeviceId>| {
            let known = device.and_then(|id| capture.devices().get(id.index()));
            known.map_or("The device", |it| it.name.as_str())
        };
        let mut devices: Vec<_> = devices.into_iter().collect();
        devices.sort_by_cached_key(|((rank, device), _)| (*rank, natural_key(name(*device))));
        let count = devices.len();
        // Files that were opened together have named their devices apart already.
        let names: BTreeSet<&str> = devices.iter().map(|(key, _)| name(key.1)).collect();
        let has_ranks = devices.iter().any(|(key, _)| key.0 > 0) && names.len() < count;
        let devices = devices.into_iter().map(|((rank, device), lanes)| {
            let spans = lanes
                .iter()
                .flat_map(|lane| self.reader.busy(*lane, totals.within));
            let busy = union(spans.collect());
            let time = busy
                .iter()
                .fold(Nanos::ZERO, |sum, it| sum + Interval::length(*it));
            let name = name(device);
            BusyDevice {
                name: if has_ranks {
                    format!("rank {rank}, {name}")
                } else {
                    name.to_owned()
                },
                streams: lanes.len(),
                time,
            }
        });
        let devices: Vec<BusyDevice> = devices.collect();
        if count > DEVICES {
            self.say_together(&devices, totals.within.length());
            return;
        }
        for it in devices {
            let mut says = Sentence::default();
            says.text(format!("{}: ", it.name))
                .share(it.time, totals.within.length())
                .text(" of ")
                .time(totals.within.length());
            if it.streams > 1 {
                says.text(format!(", on {} streams", it.streams));
            }
            self.say(OverviewTopic::Busy, says);
        }
    }

    /// How busy many devices were: all together, the most and the least of them.
    fn say_together(&mut self, devices: &[BusyDevice], whole: Nanos) {
        let sum = devices.iter().fold(Nanos::ZERO, |sum, it| sum + it.time);
        let all = Nanos(whole.0.saturating_mul(devices.len() as i64));
        let mut says = Sentence::default();
        says.text(format!("{} devices: ", devices.len()))
            .share(sum, all)
            .text(" of ")
            .time(whole)
            .text(" each");
        let most = devices.iter().rev().max_by_key(|it| it.time);
        let least = devices.iter().min_by_key(|it| it.time);
        for (word, found) in [("most", most), ("least", least)] {
            if let Some(found) = found {
                says.text(format!("; {word} {}, ", found.name))
                    .share(found.time, whole);
            }
        }
        self.say(OverviewTopic::Busy, says);
    }

    /// Where the idle time of all streams went. Each use leads to the place where it was longest; that of the greatest is
    /// named.
    fn idle(&mut self, totals: &CausesTotals) {
        let idle = IdleUse::ALL.into_iter().filter(|it| it.is_idle());
        let mut parts: Vec<(Nanos, IdleUse)> = idle.map(|it| (it.of(&totals.idle), it)).collect();
        parts.sort_by_key(|it| std::cmp::Reverse(it.0));
        let whole = parts.iter().fold(Nanos::ZERO, |sum, it| sum + it.0);
        let mut says = Sentence::default();
        if totals.streams.is_empty() {
            says.text("the capture holds no stream of a device");
        } else if whole == Nanos::ZERO {
            says.text("no stream was idle while it had more to do");
        } else if totals.streams.len() > 1 {
            // Streams that wait at the same time have more idle time together than the capture is long.
            says.time(whole)
                .text(format!(" of {} streams together: ", totals.streams.len()));
        } else {
            says.time(whole).text(": ");
        }
        parts.retain(|it| it.0 > Nanos::ZERO);
        for (place, (time, what)) in parts.iter().take(PARTS).enumerate() {
            says.text(if place == 0 { "" } else { ", " });
            match totals.longest_of(*what) {
                Some(longest) => says.link(longest.span, what.label()),
                None => says.text(what.label()),
            };
            says.text(" ").share(*time, whole);
        }
        others(&mut says, parts.iter().map(|it| it.0), whole);
        let greatest = parts.first().map(|it| it.1);
        let place = greatest.and_then(|what| Some((what, totals.longest_of(what)?)));
        if let Some((what, longest)) = place {
            says.text(format!("; longest {} ", what.label()))
                .time(longest.time)
                .text(if longest.is_inside {
                    " in "
                } else {
                    " before "
                })
                .span(self.reader.capture(), longest.span);
        }
        let after = totals.idle.after;
        if after > Nanos::ZERO && whole > Nanos::ZERO {
            says.text("; not counted: ")
                .time(after)
                .text(" after last operations");
        }
        self.say(OverviewTopic::Idle, says);
    }

    fn path(&mut self, totals: &CausesTotals) {
        let whole = totals.within.length();
        let mut says = Sentence::default();
        for (place, row) in totals.uses.iter().take(PARTS).enumerate() {
            says.text(if place == 0 { "" } else { ", " })
                .text(format!("{} ", row.what.label()))
                .share(row.time, whole);
        }
        others(&mut says, totals.uses.iter().map(|it| it.time), whole);
        let mut operations = totals.operations.iter();
        if let Some(most) = operations.next() {
            says.text("; what runs longest on it is ")
                .span(self.reader.capture(), most.longest)
                .text(", ")
                .time(most.time);
            if most.count > 1 {
                says.text(format!(" in {} operations", most.count));
            }
            if most.is_on_several {
                says.text(" of that name on several lanes");
            }
        }
        self.say(OverviewTopic::Path, says);
    }

    /// The steps and frames: how many, how long, and those that took much longer or shorter than most.
    fn iterations(&mut self, table: &IterationTable) {
        let length = |row: &&IterationRow| row.iteration.interval.length();
        let is_whole = |row: &&IterationRow| !row.is_cut_off || table.cut_off >= table.rows.len();
        let rows = || table.rows.iter().filter(is_whole);
        let shortest = rows().min_by_key(length);
        let longest = rows().max_by_key(length);
        let (Some(shortest), Some(longest)) = (shortest, longest) else {
            return;
        };
        let mut says = Sentence::default();
        let count = table.rows.len() + table.left_out;
        if count == 1 {
            says.text(format!("1 by {}: it takes ", table.label()))
                .time(length(&longest))
                .text(", from ")
                .span(self.reader.capture(), longest.iteration.span);
            return self.say(OverviewTopic::Iterations, says);
        }
        let of_loops = match table.loops {
            0 | 1 => String::new(),
            loops => format!(", of {loops} loops"),
        };
        says.text(format!(
            "{count} by {}{of_loops}: half {}take at most ",
            table.label(),
            table.which()
        ))
        .time(table.median)
        .text(", the shortest ")
        .time(length(&shortest))
        .text(", the longest ")
        .time(length(&longest))
        .text(", ");
        self.iteration(&mut says, longest);
        self.say(OverviewTopic::Iterations, says);
        self.outliers(table);
    }

    /// Adds the number of an iteration, which leads to it.
    fn iteration(&self, says: &mut Sentence, row: &IterationRow) {
        let capture = self.reader.capture();
        let name = capture.span(row.iteration.span);
        let name = name.map(|it| super::words::name(capture, it.span.name));
        let number = row.iteration.number.to_string();
        // A name that ends in a number of its own, as that of a step does, is said as well.
        let name = name.filter(|name| name.ends_with(|it: char| it.is_ascii_digit()));
        let named = name.map_or_else(String::new, |name| format!(" ({name})"));
        says.link(row.iteration.span, format!("number {number}{named}"));
    }

    fn outliers(&mut self, table: &IterationTable) {
        let count = table.outliers().count();
        if count == 0 {
            return;
        }
        let mut says = Sentence::default();
        says.text(if count == 1 {
            "outlier: "
        } else {
            "outliers: "
        });
        for (place, row) in table.outliers().take(OUTLIERS).enumerate() {
            says.text(if place == 0 { "" } else { "; " });
            self.iteration(&mut says, row);
            says.text(" took ").time(row.iteration.interval.length());
            if table.loops > 1 {
                says.text(", half of its loop at most ").time(row.usual);
            }
            if let Some((what, time)) = row.critical {
                says.text(format!(", most of its critical path {}, ", what.label()))
                    .time(time);
            }
        }
        if count > OUTLIERS {
            let rest = (count - OUTLIERS) as u64;
            let more = record::counted(rest, "{more outlier|more outliers}");
            says.text(format!("; {more}"));
        }
        self.say(OverviewTopic::Iterations, says);
    }

    /// The findings that would save most, one of each sort: the same may be true of every device.
    fn savings(&mut self, answers: &[AnalysisResult]) {
        let weighed = answers.iter().filter_map(|it| {
            let pairs = it.answer.findings.iter().zip(&it.savings);
            let weighed = pairs.filter(|(_, saved)| **saved > Nanos::ZERO);
            let count = weighed.clone().count();
            let (finding, saved) = weighed.min_by_key(|(_, saved)| std::cmp::Reverse(**saved))?;
            Some((*saved, it, finding, count))
        });
        let mut weighed: Vec<_> = weighed.collect();
        weighed.sort_by_key(|it| std::cmp::Reverse(it.0));
        for (saved, answered, finding, count) in weighed.into_iter().take(FINDINGS) {
            let mut says = Sentence::default();
            says.text("at most ")
                .time(saved)
                .text(format!(": {}", answered.name.to_lowercase()));
            if let Some(span) = finding.spans.first() {
                says.text(", ").span(self.reader.capture(), *span);
            }
            if count > 1 {
                says.text(format!(", and {} more of this sort", count - 1));
            }
            self.say(OverviewTopic::Savings, says);
        }
    }

    /// What the capture cannot tell.
    fn unknown(&mut self, totals: &CausesTotals) {
        let capture = self.reader.capture();
        let whole = totals.within.length();
        let on_path = totals.uses.iter().find(|it| it.what == TimeUse::Unknown);
        if let Some(row) = on_path {
            let mut says = Sentence::default();
            says.share(row.time, whole).text(" of the critical path");
            if let Some(span) = row.longest {
                let is_call = self.reader.is_blocking(span);
                says.text(": the longest of it is ")
                    .text(if row.is_inside { "in " } else { "before " })
                    .span(capture, span)
                    .text(self.why_unknown(span, is_call));
            }
            self.say(OverviewTopic::Unknown, says);
        }
        let (unsubmitted, first) = self.unsubmitted(totals);
        if unsubmitted > 0 {
            let mut says = Sentence::default();
            says.text(format!(
                "which call submitted {unsubmitted} of the operations"
            ));
            if let Some(span) = first {
                says.text(", the first of them ").span(capture, span);
            }
            self.say(OverviewTopic::Unknown, says);
        }
        // One that is about an operation tells of that, and not of what was not recorded.
        let problems = capture.problems().iter();
        let problems = problems.filter(|it| !it.span.is_some()).count();
        if problems > 0 {
            let mut says = Sentence::default();
            let count = match problems {
                1 => "1 problem".to_owned(),
                many => format!("{many} problems"),
            };
            says.text(format!(
                "{count} found in the data: something in it is wrong or missing"
            ));
            self.say(OverviewTopic::Unknown, says);
        }
    }

    /// What the capture lacks where the time before a span is unknown.
    fn why_unknown(&self, span: SpanId, is_call: bool) -> &'static str {
        if is_call {
            ": the call returned later than the last cause in the capture explains"
        } else if self.reader.binding(SpanPoint::start(span)).is_none() {
            ", and nothing tells what that came after"
        } else {
            ": it began later than the last cause in the capture explains"
        }
    }

    /// How many operations no call is known for, and the first of them.
    fn unsubmitted(&self, totals: &CausesTotals) -> (usize, Option<SpanId>) {
        let capture = self.reader.capture();
        let lanes = totals.streams.iter();
        let spans = lanes.flat_map(|lane| capture.spans_in(*lane, totals.within));
        let works = spans.filter(|it| {
            let id = it.span.id;
            self.reader.is_operation(id) && !it.span.kind.is_waiting() && !it.is_stub()
        });
        let without = works.filter(|it| self.reader.has_no_call(it.span.id));
        let (mut count, mut first) = (0, None::<(Nanos, SpanId)>);
        for placed in without {
            count += 1;
            let key = (placed.span.start, placed.span.id);
            first = Some(first.map_or(key, |it| it.min(key)));
        }
        (count, first.map(|it| it.1))
    }
}

/// Says how much the parts are together that are not named.
fn others(says: &mut Sentence, parts: impl Iterator<Item = Nanos>, whole: Nanos) {
    let others = parts.skip(PARTS).fold(Nanos::ZERO, |sum, it| sum + it);
    if others > Nanos::ZERO {
        says.text(", other ").share(others, whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Conclusions;
    use capture::Capture;
    use record::{CallId, Device, Group, Lane, NameId, Record, Role, Span, SpanKind, State};

    /// Devices of one stream each; each ran something for so long, beginning at zero.
    fn capture(busy: &[i64]) -> Capture {
        let mut capture = Capture::new();
        for (id, end) in (0_u32..).zip(busy) {
            capture.apply([
                Record::Device(Box::new(Device {
                    id: DeviceId(id),
                    name: format!("GPU {id}"),
                    backend: String::new(),
                    detail: String::new(),
                    rank: None,
                    paced: None,
                })),
                Record::Lane(Box::new(Lane {
                    id: LaneId(id),
                    group: Group::Streams,
                    device: Some(DeviceId(id)),
                    role: Role::None,
                    name: "stream".into(),
                    order: 0,
                    process: "".into(),
                    thread: "".into(),
                })),
                Record::Span(Span {
                    id: SpanId(id),
                    lane: LaneId(id),
                    name: NameId::NONE,
                    call: CallId::NONE,
                    kind: SpanKind::Kernel,
                    state: State::Done,
                    enqueued: Nanos::ZERO,
                    start: Nanos::ZERO,
                    end: Nanos(*end),
                }),
            ]);
        }
        capture
    }

    fn busy(capture: &Capture) -> Vec<String> {
        let lines = Conclusions::of(capture).overview.lines.into_iter();
        let lines = lines.filter(|it| it.topic == OverviewTopic::Busy);
        lines.map(|it| format!("{:?}", it.says)).collect()
    }

    #[test]
    fn one_iteration_is_told_without_a_median() {
        let mut made = capture(&[100]);
        made.apply([
            Record::Name(NameId(1), "ProfilerStep#3".into()),
            Record::Lane(Box::new(Lane {
                id: LaneId(1),
                group: Group::Host,
                device: None,
                role: Role::None,
                name: "thread".into(),
                order: 0,
                process: "".into(),
                thread: "".into(),
            })),
            Record::Span(Span {
                id: SpanId(1),
                lane: LaneId(1),
                name: NameId(1),
                call: CallId::NONE,
                kind: SpanKind::Scope,
                state: State::Done,
                enqueued: Nanos::ZERO,
                start: Nanos::ZERO,
                end: Nanos(100),
            }),
        ]);
        let lines = Conclusions::of(&made).overview.lines.into_iter();
        let mut lines = lines.filter(|it| it.topic == OverviewTopic::Iterations);
        let said = crate::sentence_piece::plain(&lines.next().unwrap().says);
        assert_eq!(
            said,
            "1 by ranges: it takes 100 ns, from ProfilerStep#3 on thread"
        );
    }

    #[test]
    fn few_devices_have_a_line_each_and_many_share_one() {
        let [first, second] = &busy(&capture(&[100, 50]))[..] else {
            panic!("two lines");
        };
        assert!(first.contains("GPU 0") && second.contains("GPU 1"));
        let [all] = &busy(&capture(&[60, 100, 20, 40, 30]))[..] else {
            panic!("one line");
        };
        for said in ["5 devices", "most GPU 1", "least GPU 2"] {
            assert!(all.contains(said), "{all}");
        }
    }
}
