//! Which rank comes last to what all do together, and how long do the others wait for it?

use std::collections::BTreeMap;

use super::words::{counted, finding, lane, length, line};
use super::{Analysis, Answer};
use crate::capture::{Capture, PlacedSpan};
use crate::record::{DependencyKind, Severity, SpanId};
use crate::time::Nanos;

const CODE: &str = "straggler";
/// Less than this, in all, is nobody's fault: processes never come at one instant.
const LITTLE: Nanos = Nanos(100_000);

/// Which rank comes last to what all do together?
#[derive(Default)]
pub(super) struct Straggler {
    looked: usize,
    /// By rank, how it came last.
    found: BTreeMap<String, Late>,
}

/// How a rank came last.
#[derive(Debug, Default)]
struct Late {
    times: u64,
    /// How long each other rank waited for it.
    waited: BTreeMap<String, Nanos>,
    /// The operation in which one waited longest: the last to come, the one that waited, and how long.
    worst: Option<(SpanId, SpanId, Nanos)>,
}

impl Late {
    fn all(&self) -> Nanos {
        Nanos(self.waited.values().map(|it| it.0).sum())
    }
}

/// What a lane's rank is called: what its name begins with.
fn rank(capture: &Capture, placed: &PlacedSpan) -> String {
    let name = lane(capture, placed.span.lane);
    name.split(" · ").next().unwrap_or(name).to_owned()
}

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

    fn look(&mut self, capture: &Capture, placed: &PlacedSpan) {
        let ties = capture.effects(placed.span.id);
        let ties = ties.filter_map(|id| capture.dependency(id));
        let ties = ties.filter(|tie| tie.kind == DependencyKind::Collective);
        let others: Vec<PlacedSpan> = ties.filter_map(|tie| capture.span(tie.effect)).collect();
        if others.is_empty() {
            return;
        }
        self.looked += 1;
        let late = self.found.entry(rank(capture, placed)).or_default();
        late.times += 1;
        for other in others {
            let waited = (placed.span.start - other.span.start).max(Nanos::ZERO);
            *late.waited.entry(rank(capture, &other)).or_default() += waited;
            if late.worst.is_none_or(|(_, _, worst)| waited > worst) {
                late.worst = Some((placed.span.id, other.span.id, waited));
            }
        }
    }

    fn conclude(&mut self, capture: &Capture) -> Answer {
        let all: i64 = self.found.values().map(|it| it.all().0).sum();
        let worst = self.found.iter().max_by_key(|(_, late)| late.all());
        let looked = match worst {
            None => "none: no collective operation is tied here".to_owned(),
            Some((rank, late)) => format!(
                "{} looked at; {rank} came last to {} of them, and others waited {} for it",
                counted(self.looked, "collective operation"),
                late.times,
                length(late.all())
            ),
        };
        let is_guilty =
            |late: &Late| late.times > 1 && late.all() > LITTLE && late.all().0 * 2 > all;
        let guilty = worst.filter(|(_, late)| is_guilty(late));
        let findings = guilty.map(|(rank, late)| self.told(capture, rank, late));
        Answer {
            findings: findings.into_iter().collect(),
            looked,
        }
    }
}

impl Straggler {
    fn told(&self, capture: &Capture, rank: &str, late: &Late) -> crate::record::Finding {
        let mut waited: Vec<_> = late.waited.iter().collect();
        waited.sort_by_key(|(_, time)| -time.0);
        let few = waited.iter().take(4);
        let few = few.map(|(other, time)| format!("{other} {}", length(**time)));
        let few: Vec<String> = few.collect();
        let more = match waited.len() {
            5.. => ", …",
            _ => "",
        };
        let spans: Vec<SpanId> = late.worst.map_or_else(Vec::new, |it| vec![it.0, it.1]);
        let place = spans.first().and_then(|id| capture.span(*id));
        let place = place.and_then(|placed| line(capture, &placed));
        let place = place.map_or_else(String::new, |line| format!(", most at line {line}"));
        let text = format!(
            "{rank} came last to {} of {}, and the others waited {} for it in all ({}{more}){place}; look what it does \
             before them that the others do not",
            late.times,
            counted(self.looked, "collective operation"),
            length(late.all()),
            few.join(", "),
        );
        let mut found = finding(capture, CODE, Severity::Warning, text, &spans);
        found.count = late.times;
        found
    }
}
