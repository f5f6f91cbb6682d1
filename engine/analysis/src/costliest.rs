//! Which wait cost the most time, and what was waited for?

use super::causes::{CauseReader, WaitCost};
use super::needed_order;
use super::pace::law;
use super::sentence_piece::plain;
use super::used_buffers::UsedBuffers;
use super::words::{counted, finding, length, span};
use super::{Analysis, Answer, WeighedAnswer};
use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{CallId, DependencyKind, LaneId, Severity, SpanId};

const CODE: &str = "costliest-wait";

/// Which wait cost the most time?
pub(super) struct CostliestWait;

impl Analysis for CostliestWait {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Costliest wait"
    }

    fn about(&self) -> &'static str {
        "The wait that alone held a stream longest, and the one that blocked a host thread longest, where that is longer and \
         the thread submitted more after it, or where none held a stream; their binding causes and what being without them \
         would save at most, by the graph of causes"
    }

    fn look(&mut self, _capture: &Capture, _placed: &PlacedSpan) {}

    fn weigh(&mut self, reader: &CauseReader<'_>) -> WeighedAnswer {
        let (mut count, mut total) = (0, Nanos::ZERO);
        let mut stream: Option<WaitCost> = None;
        let mut hosts: Vec<WaitCost> = Vec::new();
        for wait in reader.waits() {
            count += 1;
            total += wait.cost;
            if wait.is_host {
                hosts.push(wait);
            } else if stream.is_none_or(|known| wait.cost > known.cost) {
                stream = Some(wait);
            }
        }
        hosts.sort_by_key(|it| (std::cmp::Reverse(it.cost), it.span));
        let longer = hosts
            .iter()
            .filter(|it| stream.is_none_or(|of| it.cost > of.cost));
        // The wait for the end of everything holds nothing up.
        let held = longer.clone().find(|it| submits_after(reader, it.span));
        let host = held.or_else(|| hosts.first().filter(|_| stream.is_none()));
        let capture = reader.capture();
        // Whoever sees a longer wait than the one that is told should know why it is not that.
        let longest = hosts.first().filter(|of| {
            let told = host.map_or(Nanos::ZERO, |it| it.cost);
            of.cost > told.max(stream.map_or(Nanos::ZERO, |it| it.cost))
        });
        let longest = longest.and_then(|it| Some((it.cost, capture.span(it.span)?)));
        let longest = longest.map_or_else(String::new, |(cost, placed)| {
            format!(
                "; the longest, {} in {}, delayed nothing: its thread submitted nothing after it",
                length(cost),
                span(capture, &placed)
            )
        });
        let looked = format!(
            "{} that took any time, {} in all{longest}",
            counted(count, "wait"),
            length(total)
        );
        // Times of a paced device are about its law.
        let of_pace = law(capture).map_or_else(String::new, |law| {
            format!("; these are times of a paced run ({law})")
        });
        let buffers = UsedBuffers::of(capture);
        let (mut findings, mut savings) = (Vec::new(), Vec::new());
        for wait in host.copied().into_iter().chain(stream) {
            let Some(pieces) = reader.sentence(wait.span) else {
                continue;
            };
            let Some(placed) = capture.span(wait.span) else {
                continue;
            };
            let mut said = plain(&pieces);
            if let Some(first) = said.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            let (saved, verdict) = verdict(reader, &buffers, wait, &placed);
            let text = format!("{}: {said}; {verdict}{of_pace}", span(capture, &placed));
            let mut spans = vec![wait.span];
            spans.extend(reader.cause_of(wait.span));
            findings.push(finding(capture, CODE, Severity::Info, text, &spans));
            savings.push(saved);
        }
        let answer = Answer::new(findings, looked);
        WeighedAnswer { answer, savings }
    }
}

/// What being without a wait would save at most, in time and in words.
fn verdict(
    reader: &CauseReader<'_>,
    buffers: &UsedBuffers,
    wait: WaitCost,
    placed: &PlacedSpan,
) -> (Nanos, String) {
    if wait.is_host && !submits_after(reader, wait.span) {
        let verdict = if others_submit_after(reader, wait.span) {
            "its thread submitted nothing after it; whether another waited for its return is not told"
        } else {
            "it delayed nothing, as its thread submitted nothing after it"
        };
        return (Nanos::ZERO, verdict.to_owned());
    }
    let capture = reader.capture();
    let of_line = others_of_its_line(reader, placed, wait);
    let slack = reader.slack_of_held(wait.span).unwrap_or_default();
    // A later wait with a time limit may end sooner where it begins, or what it waits for comes, sooner; and what is done because
    // a time ran out is not done where it does not.
    if reader.has_limit_after(placed.span.start) {
        let verdict = format!(
            "what would be saved without this wait is not told, as a wait with a time limit may end otherwise then{of_line}"
        );
        return (Nanos::ZERO, verdict);
    }
    if reader.has_shared_thread_after(placed.span.start) {
        let verdict = format!(
            "what would be saved without this wait is not told, as functions of several streams share a thread, which may call \
             them in another order then{of_line}"
        );
        return (Nanos::ZERO, verdict);
    }
    if slack > Nanos::ZERO && !wait.is_host {
        let verdict = format!(
            "without this wait nothing would end sooner: what waited could have begun {} later without delaying anything{of_line}",
            length(slack)
        );
        return (Nanos::ZERO, verdict);
    }
    let saved = wait.cost.min(reader.beside_busiest());
    let needed = match needed_order::tied(reader, buffers, placed) {
        Some((first, second)) => format!(
            "; the order that it makes is needed, as {} and {} use one buffer",
            span(capture, &first),
            span(capture, &second)
        ),
        None => "; whether anything needs it is not told".to_owned(),
    };
    let verdict = format!(
        "without this wait at most {} would be saved{of_line}{needed}",
        length(saved)
    );
    (saved, verdict)
}

/// Says of a wait in a loop that it is one of several, and what those took together: what is saved is said of it alone.
fn others_of_its_line(reader: &CauseReader<'_>, placed: &PlacedSpan, told: WaitCost) -> String {
    let call = placed.span.call;
    let capture = reader.capture();
    let is_of_line = |it: &WaitCost| {
        let placed = capture.span(it.span);
        it.is_host == told.is_host && placed.is_some_and(|it| it.span.call == call)
    };
    let others = reader.waits().filter(|_| call != CallId::NONE);
    let (count, total) = others
        .filter(is_of_line)
        .fold((0, Nanos::ZERO), |(count, total), it| {
            (count + 1, total + it.cost)
        });
    if count < 2 {
        return String::new();
    }
    let total = length(total);
    format!("; this line of the workload waited {count} times, {total} in all")
}

/// Whether a host thread submitted anything after a call of it had returned.
fn submits_after(reader: &CauseReader<'_>, call: SpanId) -> bool {
    let placed = reader.capture().span(call);
    placed.is_some_and(|it| submits_from(reader, it.span.lane, it.span.end))
}

/// Whether any other host thread did.
fn others_submit_after(reader: &CauseReader<'_>, call: SpanId) -> bool {
    let Some(placed) = reader.capture().span(call) else {
        return false;
    };
    let mut others = reader.threads().into_iter();
    others.any(|lane| lane != placed.span.lane && submits_from(reader, lane, placed.span.end))
}

/// Whether a host thread submitted anything from an instant on.
fn submits_from(reader: &CauseReader<'_>, lane: LaneId, instant: Nanos) -> bool {
    let capture = reader.capture();
    let after = Interval {
        start: instant,
        end: Nanos::MAX,
    };
    let later = capture.spans_in(lane, after);
    let mut later = later.filter(|it| it.span.start >= instant);
    later.any(|it| {
        let effects = capture.effects(it.span.id);
        let mut effects = effects.filter_map(|id| capture.dependency(id));
        effects.any(|it| it.kind == DependencyKind::Submission)
    })
}
