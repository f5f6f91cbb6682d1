//! Who comes last to what all do together, and how long do the others wait for it?

use super::causes::{CauseReader, CollectiveArrivals, LastArriver};
use super::words::{counted, finding, length, line};
use super::{Analysis, Answer, WeighedAnswer};
use capture::{Capture, PlacedSpan};
use record::time::Nanos;
use record::{Finding, Severity, SpanId};

const CODE: &str = "straggler";
/// Less than this, in all, is nobody's fault: processes never come at one instant.
const LITTLE: Nanos = Nanos(100_000);
/// So many of those that waited are named.
const NAMED: usize = 4;

/// Who comes last to what all do together?
pub(super) struct Straggler;

impl Analysis for Straggler {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Rank that others wait for"
    }

    fn about(&self) -> &'static str {
        "A collective operation ends on no rank before the last one has come to it: one that comes last most of the time \
         costs all others the time that they wait"
    }

    fn look(&mut self, _: &Capture, _: &PlacedSpan) {}

    fn weigh(&mut self, reader: &CauseReader<'_>) -> WeighedAnswer {
        let capture = reader.capture();
        let all = reader.arrivals(reader.causes().extent());
        let cost: Nanos = all.last.iter().map(|it| it.cost).sum();
        let Some(worst) = all.last.iter().max_by_key(|it| it.cost) else {
            let looked =
                "none: no two parts are known to be of one collective operation".to_owned();
            let answer = Answer::new(Vec::new(), looked);
            return WeighedAnswer {
                answer,
                savings: Vec::new(),
            };
        };
        let looked = format!(
            "{} looked at; {} came last to {} of them, and others waited {} for it",
            counted(all.count, "collective operation"),
            worst.member.title(capture, &all.members),
            worst.last,
            length(worst.cost)
        );
        let is_guilty = worst.cost > LITTLE && worst.cost + worst.cost > cost;
        let found = is_guilty.then(|| make_finding(capture, &all, worst));
        WeighedAnswer {
            savings: found.iter().map(|_| worst.behind).collect(),
            answer: Answer::new(found.into_iter().collect(), looked),
        }
    }
}

fn make_finding(capture: &Capture, all: &CollectiveArrivals, worst: &LastArriver) -> Finding {
    let few = worst.waited.iter().take(NAMED);
    let few = few.map(|(other, time)| {
        let name = other.title(capture, &all.members);
        format!("{name} {}", length(*time))
    });
    let few: Vec<String> = few.collect();
    let more = if worst.waited.len() > NAMED {
        ", …"
    } else {
        ""
    };
    let spans: Vec<SpanId> = worst.worst.map_or_else(Vec::new, |it| vec![it.0, it.1]);
    let place = spans.first().and_then(|id| capture.span(*id));
    let place = place.and_then(|placed| line(capture, &placed));
    let place = place.map_or_else(String::new, |line| format!(", most at line {line}"));
    let text = format!(
        "{} came last to {} of {}, and the others waited {} for it in all ({}{more}){place}; look at what it does before \
         them that the others do not. If it came with the last of the others, that would save at most {}",
        worst.member.title(capture, &all.members),
        worst.last,
        counted(all.count, "collective operation"),
        length(worst.cost),
        few.join(", "),
        length(worst.behind),
    );
    let mut found = finding(capture, CODE, Severity::Warning, text, &spans);
    found.count = worst.last;
    found
}
