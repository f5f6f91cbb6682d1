//! Collective operations of ranks that say which is which: tied once every rank's part has ended.

use std::collections::{BTreeMap, HashMap};

use record::time::Nanos;
use record::{
    Basis, Dependency, DependencyKind, NameId, Record, Span, SpanId, SpanKind, State, Value,
};

/// The argument that says which operation a span is part of, equal on all its ranks.
pub const EXCHANGE: &str = "exchange";
/// The argument that says which part in it the rank has: `all`, `gives` or `takes`.
const PART: &str = "part";
/// The argument that says how many ranks it needs.
const PARTS: &str = "parts";

/// Collective operations on their way to being whole.
#[derive(Debug, Default)]
pub struct Exchanges {
    exchange: NameId,
    part: NameId,
    parts: NameId,
    spans: HashMap<SpanId, RankPart>,
    open: BTreeMap<Box<str>, OpenExchange>,
}

/// What is known of one rank's part.
#[derive(Debug, Default)]
struct RankPart {
    rank: usize,
    key: Option<Box<str>>,
    part: ExchangePart,
    parts: Option<u32>,
    span: Option<Span>,
}

/// An operation of which not all parts have ended.
#[derive(Debug, Default)]
struct OpenExchange {
    parts: u32,
    ended: Vec<EndedPart>,
}

#[derive(Clone, Copy, Debug)]
struct EndedPart {
    rank: usize,
    part: ExchangePart,
    span: Span,
}

/// What a rank does in an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ExchangePart {
    /// It gives and takes like all others: where the operation completed on one of them, all came.
    #[default]
    All,
    Gives,
    Takes,
}

/// An operation that not all ranks came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteExchange {
    /// The operation, such as `all-reduce 3`.
    pub exchange: String,
    /// The ranks that came to it.
    pub came: Vec<usize>,
    /// How many it needs.
    pub parts: u32,
    /// The span of one that came.
    pub span: SpanId,
}

impl Exchanges {
    /// Looks at a record of a rank, and gives what ties a whole operation: a dependency from the part that the others
    /// waited for to each of them.
    pub fn see(&mut self, record: &Record, rank: usize) -> Vec<ExchangeDependency> {
        match record {
            Record::Name(id, text) => self.see_name(*id, text),
            Record::Argument(span, name, value) => {
                return self.see_argument(*span, *name, value, rank);
            }
            Record::Span(span) if span.kind == SpanKind::Collective => {
                let half = self.spans.entry(span.id).or_default();
                (half.rank, half.span) = (rank, Some(*span));
                return self.join(span.id);
            }
            _ => {}
        }
        Vec::new()
    }

    fn see_name(&mut self, id: NameId, text: &str) {
        match text {
            EXCHANGE => self.exchange = id,
            PART => self.part = id,
            PARTS => self.parts = id,
            _ => {}
        }
    }

    fn see_argument(
        &mut self,
        span: SpanId,
        name: NameId,
        value: &Value,
        rank: usize,
    ) -> Vec<ExchangeDependency> {
        if !name.is_some() || ![self.exchange, self.part, self.parts].contains(&name) {
            return Vec::new();
        }
        let half = self.spans.entry(span).or_default();
        half.rank = rank;
        match value {
            Value::Text(text) if name == self.exchange => half.key = Some(text.clone()),
            Value::Text(text) if name == self.part => {
                half.part = match &**text {
                    "gives" => ExchangePart::Gives,
                    "takes" => ExchangePart::Takes,
                    _ => ExchangePart::All,
                };
            }
            Value::Integer(count) if name == self.parts => half.parts = Some(*count as u32),
            _ => {}
        }
        self.join(span)
    }

    /// A part of which everything is known goes to its operation.
    fn join(&mut self, id: SpanId) -> Vec<ExchangeDependency> {
        let is_whole =
            |half: &RankPart| half.key.is_some() && half.parts.is_some() && half.span.is_some();
        if !self.spans.get(&id).is_some_and(is_whole) {
            return Vec::new();
        }
        let Some(RankPart {
            rank,
            key: Some(key),
            part,
            parts: Some(parts),
            span: Some(span),
        }) = self.spans.remove(&id)
        else {
            return Vec::new();
        };
        let open = self.open.entry(key.clone()).or_default();
        open.parts = parts;
        open.ended.push(EndedPart { rank, part, span });
        let is_done = |it: &EndedPart| it.span.state == State::Done;
        if open.ended.len() < parts as usize || !open.ended.iter().all(is_done) {
            return Vec::new();
        }
        let ended = self.open.remove(&key).map_or_else(Vec::new, |it| it.ended);
        dependencies(&ended)
    }

    /// The operations that not all ranks came to or that failed on one of them, and begins again with none.
    pub fn missing(&mut self) -> Vec<IncompleteExchange> {
        for half in std::mem::take(&mut self.spans).into_values() {
            let (Some(key), Some(parts)) = (half.key, half.parts) else {
                continue;
            };
            // Submitted, and never ended: it did not come to its turn.
            self.open.entry(key).or_default().parts = parts;
        }
        let open = std::mem::take(&mut self.open).into_iter();
        let all = open.filter_map(|(exchange, open)| incomplete(&exchange, &open));
        all.filter(|it| it.came.len() < it.parts as usize).collect()
    }
}

/// What there is to say of an operation that is not tied; nothing where all came.
fn incomplete(exchange: &str, open: &OpenExchange) -> Option<IncompleteExchange> {
    // Where it completed on one rank, or on all that ended, all came: what another reported of it died with its process.
    let is_done = |it: &EndedPart| it.span.state == State::Done;
    let proves_all = |it: &EndedPart| is_done(it) && it.part == ExchangePart::All;
    let is_whole = !open.ended.is_empty() && open.ended.iter().all(is_done);
    if is_whole || open.ended.iter().any(proves_all) {
        return None;
    }
    let mut came: Vec<&EndedPart> = open.ended.iter().filter(|it| began(&it.span)).collect();
    came.sort_by_key(|it| it.rank);
    let span = came.first()?.span.id;
    Some(IncompleteExchange {
        exchange: exchange.to_owned(),
        came: came.iter().map(|it| it.rank).collect(),
        parts: open.parts,
        span,
    })
}

/// Whether a part ever ran: one that was cancelled did not, nor did one that was lost in its queue with its process.
fn began(span: &Span) -> bool {
    match span.state {
        State::Cancelled => false,
        State::Lost => span.start < span.end,
        State::Done | State::Failed => true,
    }
}

/// What ties a part of an operation to the one that it waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeDependency {
    /// The dependency.
    pub dependency: Dependency,
    /// The rank of the cause: the one that came last, or the one that gives.
    pub rank: usize,
    /// How long the effect was there before its cause.
    pub waited: Nanos,
}

fn dependencies(ended: &[EndedPart]) -> Vec<ExchangeDependency> {
    let giver = ended.iter().find(|it| it.part == ExchangePart::Gives);
    let last = ended.iter().max_by_key(|it| (it.span.start, it.span.id));
    let Some(cause) = giver.or(last) else {
        return Vec::new();
    };
    let others = ended.iter().filter(|it| it.span.id != cause.span.id);
    let tie = |other: &EndedPart| ExchangeDependency {
        dependency: Dependency::new(
            cause.span.id,
            other.span.id,
            DependencyKind::Collective,
            Basis::Enforced,
        ),
        rank: cause.rank,
        waited: (cause.span.start - other.span.start).max(Nanos::ZERO),
    };
    others.map(tie).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{CallId, LaneId};

    fn part(
        exchanges: &mut Exchanges,
        rank: usize,
        start: i64,
        state: State,
        part: &str,
    ) -> Vec<ExchangeDependency> {
        let id = SpanId(rank as u32);
        let span = Record::Span(Span {
            id,
            lane: LaneId(rank as u32),
            name: NameId(9),
            call: CallId::NONE,
            kind: SpanKind::Collective,
            state,
            enqueued: Nanos::ZERO,
            start: Nanos(start),
            end: Nanos(1_000),
        });
        let mut ties = Vec::new();
        for record in [
            Record::Name(NameId(0), EXCHANGE.into()),
            Record::Name(NameId(1), PART.into()),
            Record::Name(NameId(2), PARTS.into()),
            span,
            Record::Argument(id, NameId(0), Value::Text("all-reduce 3".into())),
            Record::Argument(id, NameId(1), Value::Text(part.into())),
            Record::Argument(id, NameId(2), Value::Integer(3)),
        ] {
            ties.extend(exchanges.see(&record, rank));
        }
        ties
    }

    #[test]
    fn the_last_to_come_is_the_cause_and_the_giver_always() {
        for (parts, cause, waited) in [
            (["all"; 3], 1, [400, 300]),
            (["takes", "takes", "gives"], 2, [100, 0]),
        ] {
            let mut exchanges = Exchanges::default();
            assert!(part(&mut exchanges, 0, 100, State::Done, parts[0]).is_empty());
            assert!(part(&mut exchanges, 1, 500, State::Done, parts[1]).is_empty());
            let ties = part(&mut exchanges, 2, 200, State::Done, parts[2]);
            assert_eq!(ties.len(), 2);
            assert!(ties.iter().all(|tie| tie.rank == cause));
            let found: Vec<i64> = ties.iter().map(|it| it.waited.0).collect();
            assert_eq!(found, waited);
            assert!(exchanges.missing().is_empty());
        }
    }

    #[test]
    fn who_did_not_come_is_known() {
        let mut exchanges = Exchanges::default();
        part(&mut exchanges, 0, 100, State::Failed, "all");
        part(&mut exchanges, 2, 500, State::Failed, "all");
        part(&mut exchanges, 1, 500, State::Cancelled, "all");
        let missing = exchanges.missing();
        assert_eq!(missing.len(), 1);
        assert_eq!((&*missing[0].came, missing[0].parts), (&[0, 2][..], 3));
        assert_eq!(missing[0].exchange, "all-reduce 3");
        // Lost in the queue of a rank whose process died: nobody came to it.
        part(&mut exchanges, 1, 1_000, State::Lost, "all");
        assert!(exchanges.missing().is_empty());
        // Lost while it ran.
        part(&mut exchanges, 1, 900, State::Lost, "all");
        assert_eq!(exchanges.missing()[0].came, [1]);
    }

    #[test]
    fn what_completed_on_one_rank_was_come_to_by_all() {
        let mut exchanges = Exchanges::default();
        part(&mut exchanges, 0, 100, State::Done, "all");
        part(&mut exchanges, 1, 100, State::Failed, "all");
        // Its process died before it could say that this had ended.
        part(&mut exchanges, 2, 1_000, State::Lost, "all");
        assert_eq!(exchanges.missing(), []);
        // A rank that gives need not wait for those that take.
        part(&mut exchanges, 0, 100, State::Done, "gives");
        part(&mut exchanges, 1, 1_000, State::Cancelled, "takes");
        part(&mut exchanges, 2, 1_000, State::Failed, "takes");
        assert_eq!(exchanges.missing()[0].came, [0, 2]);
    }
}
