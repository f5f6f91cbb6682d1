//! When did a device stand idle only because the host had not submitted more?

use std::collections::BTreeMap;

use super::causes::{CauseReader, CollectiveMember, ThreadShare, TimeUse};
use super::words::{counted, finding, length, name, span};
use super::{Analysis, Answer, WeighedAnswer};
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos, union};
use record::{Finding, LaneId, Severity, SpanId};

const CODE: &str = "host-bound";
/// A shorter stretch is what a launch takes.
const LAUNCH: Nanos = Nanos(50_000);
/// Less than this part of the whole time, in all, is no finding.
const LITTLE: i64 = 100;
/// So many of the things are named that a host thread did meanwhile.
const NAMED: usize = 3;
/// Devices about which something is said: those that lost most.
const MOST: usize = 8;

/// When did a device stand idle only because the host had not submitted more?
pub(super) struct HostBound;

/// What one device lost.
#[derive(Debug, Default)]
struct HostStretches {
    member: CollectiveMember,
    count: usize,
    total: Nanos,
    /// The same with what the starts of the next operations took then, which could have been over by then as well.
    with_starts: Nanos,
    longest: Option<HostStretch>,
}

/// A stretch in which a device was idle and the host had not submitted the next operation.
#[derive(Clone, Copy, Debug)]
struct HostStretch {
    interval: Interval,
    /// The operation that was next, and the call that submitted it.
    next: SpanId,
    call: SpanId,
    /// Of the stretch, the time in which the thread was not blocked.
    lost: Nanos,
}

impl Analysis for HostBound {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Device idle for the host"
    }

    fn about(&self) -> &'static str {
        "Between its first operation and its last no stream of a device ran anything, and the host thread that submitted the next operation had not done so yet and \
         was not blocked. Stretches shorter than 50 µs, and less than a hundredth of the whole time, do not count"
    }

    fn look(&mut self, _: &Capture, _: &PlacedSpan) {}

    fn weigh(&mut self, reader: &CauseReader<'_>) -> WeighedAnswer {
        let mut devices: BTreeMap<CollectiveMember, Vec<LaneId>> = BTreeMap::new();
        for lane in reader.streams() {
            devices.entry(reader.member(lane)).or_default().push(lane);
        }
        let members: Vec<CollectiveMember> = devices.keys().copied().collect();
        let all = devices.iter();
        let mut found: Vec<HostStretches> = all
            .map(|(member, lanes)| stretches(reader, *member, lanes))
            .collect();
        found.sort_by_key(|it| (std::cmp::Reverse(it.total), it.member));
        let least = Nanos(reader.causes().extent().length().0 / LITTLE);
        let total = found.iter().fold(Nanos::ZERO, |sum, it| sum + it.total);
        let count: usize = found.iter().map(|it| it.count).sum();
        found.retain(|it| it.total > least);
        found.truncate(MOST);
        let host = if found.is_empty() {
            Nanos::ZERO
        } else {
            host_on_path(reader)
        };
        let beside =
            |it: &HostStretches| devices.get(&it.member).map(|it| beside_busiest(reader, it));
        let saved =
            |it: &HostStretches| host.min(it.with_starts).min(beside(it).unwrap_or_default());
        let savings: Vec<Nanos> = found.iter().map(saved).collect();
        let findings = found.iter().zip(&savings);
        let findings =
            findings.filter_map(|(it, saved)| make_finding(reader, it, (&members, *saved)));
        WeighedAnswer {
            answer: Answer::new(
                findings.collect(),
                format!(
                    "{} in which a device waited for the host alone, {} in all, on {} looked at",
                    record::counted(count as u64, "{stretch|stretches}"),
                    length(total),
                    counted(members.len(), "device")
                ),
            ),
            savings,
        }
    }
}

/// What a host that takes no time would save at most, by the critical path. Were one of several threads quicker, others might
/// submit in another order, so of them nothing is known.
fn host_on_path(reader: &CauseReader<'_>) -> Nanos {
    if reader.threads().len() > 1 {
        return Nanos::MAX;
    }
    let path = reader.path();
    let host = path.iter().filter(|it| it.what == TimeUse::Host);
    host.map(|it| it.interval.length()).sum()
}

/// The time between a device's first operation and its last in which its busiest stream ran nothing: submitting earlier saves no
/// more of it, as a stream takes its time all the same.
fn beside_busiest(reader: &CauseReader<'_>, lanes: &[LaneId]) -> Nanos {
    let whole = reader.causes().extent();
    let (mut extent, mut busiest) = (None::<Interval>, Nanos::ZERO);
    for lane in lanes {
        let works = reader.capture().spans_in(*lane, whole);
        let works = works.filter(|it| reader.is_work(it.span.id));
        let ran = union(works.map(|it| it.interval()).collect());
        busiest = busiest.max(ran.iter().map(|it| it.length()).sum());
        extent = ran.into_iter().chain(extent).reduce(Interval::union);
    }
    extent.map_or(Nanos::ZERO, Interval::length) - busiest
}

/// The stretches in which nothing ran on a device and the host was late.
fn stretches(
    reader: &CauseReader<'_>,
    member: CollectiveMember,
    lanes: &[LaneId],
) -> HostStretches {
    let capture = reader.capture();
    let whole = reader.causes().extent();
    let mut found = HostStretches {
        member,
        ..HostStretches::default()
    };
    let spans = lanes.iter().flat_map(|lane| capture.spans_in(*lane, whole));
    let works = spans.filter(|it| reader.is_work(it.span.id));
    let mut works: Vec<(Nanos, SpanId, Nanos)> = works
        .map(|it| (it.span.start, it.span.id, it.span.end))
        .collect();
    // Those of each stream are in order already, which a stable sort makes use of.
    works.sort();
    let mut covered = None;
    for (start, next, end) in works {
        let before = covered.replace(covered.map_or(end, |covered| end.max(covered)));
        let Some(before) = before.filter(|before| *before < start) else {
            continue;
        };
        let Some(call) = reader.launch(next).and_then(|call| capture.span(call)) else {
            continue;
        };
        let interval = Interval {
            start: before,
            end: call.span.start.min(start),
        };
        if interval.end <= interval.start {
            continue;
        }
        let blocked = reader.blocked(call.span.lane, interval.start, interval.end);
        let lost = interval.length() - blocked;
        if lost < LAUNCH {
            continue;
        }
        found.count += 1;
        found.total += lost;
        found.with_starts += start - before - blocked;
        if found.longest.is_none_or(|it| lost > it.lost) {
            found.longest = Some(HostStretch {
                interval,
                next,
                call: call.span.id,
                lost,
            });
        }
    }
    found
}

/// What kept a thread from running in a stretch, as far as that is known and much.
fn kept(reader: &CauseReader<'_>, thread: LaneId, stretch: Interval) -> String {
    let Some(delay) = reader.delay(thread, stretch) else {
        return String::new();
    };
    let parts = [
        (delay.runnable, "had no core for"),
        (delay.blocked, "was blocked for"),
        (delay.off_cpu, "was off its core, blocked or ready, for"),
    ];
    let parts = parts.into_iter().filter(|it| it.0 > Nanos::ZERO);
    let told = parts.map(|(time, words)| format!("{words} {}", length(time)));
    let told: Vec<String> = told.collect();
    format!("; of that time it {}", told.join(" and "))
}

fn make_finding(
    reader: &CauseReader<'_>,
    found: &HostStretches,
    (members, saved): (&[CollectiveMember], Nanos),
) -> Option<Finding> {
    let capture = reader.capture();
    let longest = found.longest?;
    let (next, call) = (capture.span(longest.next)?, capture.span(longest.call)?);
    let mut spans = vec![longest.next, longest.call];
    let shares = reader.thread_shares(call.span.lane, longest.interval);
    let did = spent(capture, &shares, longest.interval.length());
    let did = did + &kept(reader, call.span.lane, longest.interval);
    spans.extend(shares.iter().find_map(|it| it.span));
    let title = found.member.title(capture, members);
    let device = match found.member.rank {
        _ if members.len() < 2 => "The device".to_owned(),
        Some(rank) if title == format!("rank {rank}") => format!("The device of {title}"),
        _ => title,
    };
    let text = format!(
        "{device} was idle for {} in all, {}, between its first operation and its last, because the host had not submitted \
         what came next. The longest was {}: before it submitted {}, the host thread {did}. Submitting earlier would save at most {}{}",
        length(found.total),
        match found.count {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        },
        length(longest.lost),
        span(capture, &next),
        length(saved),
        if saved > found.total {
            ", more than it was idle for this reason, since the latency of the starts after it would be hidden too"
        } else {
            ""
        },
    );
    let mut made = finding(capture, CODE, Severity::Warning, text, &spans);
    made.count = found.count as u64;
    Some(made)
}

/// What most of a stretch went to: `spent 70 % in aten::linear and 30 % in no call`.
fn spent(capture: &Capture, shares: &[ThreadShare], whole: Nanos) -> String {
    let percent = |time: Nanos| (time.0 as f64 * 100.0 / whole.0.max(1) as f64).round();
    let shares = shares.iter().take(NAMED);
    let mut of = Some(" of that time");
    let parts = shares.filter(|it| percent(it.time) >= 1.0).map(|it| {
        let place = match it.name {
            Some(id) => name(capture, id),
            None => "no call that the capture shows".to_owned(),
        };
        format!(
            "{} %{} in {place}",
            percent(it.time),
            of.take().unwrap_or_default()
        )
    });
    let parts: Vec<String> = parts.collect();
    match parts.split_last() {
        Some((last, [])) => format!("spent {last}"),
        Some((last, others)) => format!("spent {} and {last}", others.join(", ")),
        None => "spent that time in more calls than can be named".to_owned(),
    }
}
