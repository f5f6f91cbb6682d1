//! Spans that the file tells in two halves: begins and ends on a row, or by a number wherever they are.

use std::collections::BTreeMap;

use super::build::{Builder, Told};
use super::class::Class;
use super::rows::{Pending, Slot};
use super::scan::{Argument, Event, NO_CORRELATION, Token, words};
use crate::importer::Sink;
use crate::record::{Record, SpanId};

/// One half of a span.
#[derive(Clone, Debug)]
struct Half {
    time: i64,
    name: u32,
    category: u32,
    what: What,
    arguments: Vec<Argument>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Begin(SpanId),
    End,
    /// An instant within.
    Within(SpanId),
}

/// Which halves belong together: those of a row, or those of a process, a category and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Row(u32),
    Number(u32, u64),
}

impl Half {
    /// Whether an end is that of this begin: what both say of the name and the category is the same.
    fn may_end_with(&self, end: &Self) -> bool {
        let agree =
            |own: u32, other: u32| own == other || own == words::EMPTY || other == words::EMPTY;
        agree(self.name, end.name) && agree(self.category, end.category)
    }
}

/// Every half that was read.
#[derive(Default)]
pub(super) struct Halves {
    lists: BTreeMap<Key, Vec<Half>>,
}

impl Builder {
    /// Takes a begin or an end on a row.
    pub fn half(&mut self, told: Told<'_>) {
        let row = self.rows.global(told.scanner, told.event.row);
        let begins = told.event.phase == b'B';
        self.keep(Key::Row(row), told, begins, row);
    }

    /// Takes a begin, an end or a step of an operation that has a number.
    pub fn distant(&mut self, told: Told<'_>) {
        let event = told.event;
        let row = self.rows.global(told.scanner, event.row);
        let category = self.texts.global(told.scanner, event.category);
        let process = self.rows.get(row).map_or(Token::None, |it| it.row.0);
        let shown = format!("{} (asynchronous)", self.texts.text(category));
        let thread = Token::Text(self.texts.add(shown.trim_start()));
        let lane = self.rows.place((process, thread));
        if let Some(facts) = self.rows.get_mut(lane) {
            facts.is_distant = true;
        }
        let key = Key::Number(lane, event.id);
        match event.phase {
            b'b' | b'S' => {
                let span = self.keep(key, told, true, lane);
                let time = self.time(event);
                self.flows.at_distant(row, time, category, span);
            }
            b'e' | b'F' => {
                self.keep(key, told, false, lane);
            }
            _ => {
                let span = self.next_span();
                let half = self.make(told, What::Within(span));
                self.flows.at_distant(row, half.time, category, span);
                self.halves.lists.entry(key).or_default().push(half);
            }
        }
    }

    /// Keeps a half; answers the span that it begins, if it does.
    fn keep(&mut self, key: Key, told: Told<'_>, begins: bool, row: u32) -> SpanId {
        let mut span = SpanId::NONE;
        let half = if begins {
            span = self.next_span();
            self.flow_of_half(told.event, row, span);
            self.make(told, What::Begin(span))
        } else {
            let mut half = self.make(told, What::End);
            let own = told
                .arguments
                .iter()
                .map(|it| self.argument(told.scanner, *it));
            half.arguments = own.collect();
            half
        };
        self.halves.lists.entry(key).or_default().push(half);
        span
    }

    fn flow_of_half(&mut self, event: &Event, row: u32, span: SpanId) {
        use super::scan::flag;
        if event.flags & (flag::FLOW_IN | flag::FLOW_OUT) != 0 {
            self.flows.at_span(event, row, span);
        }
    }

    fn make(&mut self, told: Told<'_>, what: What) -> Half {
        Half {
            time: self.time(told.event),
            name: self.texts.global(told.scanner, told.event.name),
            category: self.texts.global(told.scanner, told.event.category),
            what,
            arguments: Vec::new(),
        }
    }

    /// Joins all halves, now that every one is there.
    pub fn join(&mut self, sink: &mut Sink<'_>) {
        let mut open = Vec::new();
        for (key, mut halves) in std::mem::take(&mut self.halves.lists) {
            if !halves.is_sorted_by_key(|it| it.time) {
                self.tally.unordered += 1;
                halves.sort_by_key(|it| it.time);
            }
            let row = match key {
                Key::Row(row) | Key::Number(row, _) => row,
            };
            let last = halves.last().map_or(0, |it| it.time);
            let left = self.join_one(row, halves, sink);
            open.extend(left.into_iter().map(|it| (row, last, it)));
        }
        for (row, last, half) in open {
            self.leave_open(row, last, &half, sink);
        }
    }

    /// Joins the halves of one list; gives back the begins that have no end.
    fn join_one(&mut self, row: u32, halves: Vec<Half>, sink: &mut Sink<'_>) -> Vec<Half> {
        let mut open: Vec<Half> = Vec::new();
        for half in halves {
            match half.what {
                What::Begin(_) => open.push(half),
                What::Within(span) => self.span_of(row, span, half.name, half.time, half.time),
                What::End => match open.iter().rposition(|it| it.may_end_with(&half)) {
                    Some(place) => {
                        let begin = open.remove(place);
                        self.end(row, &begin, &half, sink);
                    }
                    None if open.is_empty() => self.end_alone(row, &half, sink),
                    // Of a file that was cut nothing is open where a span ends whose begin is missing. Here something
                    // is, and goes on.
                    None => self.tally.strays += 1,
                },
            }
        }
        open
    }

    /// Ends a span whose end is not in the file with the last that its row has.
    fn leave_open(&mut self, row: u32, last: i64, half: &Half, sink: &mut Sink<'_>) {
        let What::Begin(span) = half.what else {
            return;
        };
        self.tally.open += 1;
        self.remark(span, words::REPAIRED, "the file holds no end of it", sink);
        let end = self.last_of(row).max(last);
        self.span_of(row, span, half.name, half.time, end);
    }

    /// The last instant of a row that is known so far.
    fn last_of(&self, row: u32) -> i64 {
        let ends = self
            .rows
            .get(row)
            .into_iter()
            .flat_map(|it| it.pending.iter().flatten());
        ends.map(|it| it.start.saturating_add(it.length))
            .max()
            .unwrap_or(i64::MIN)
    }

    /// An end on a row where nothing is open.
    fn end_alone(&mut self, row: u32, end: &Half, sink: &mut Sink<'_>) {
        self.tally.ends += 1;
        let span = self.next_span();
        self.remark(span, words::REPAIRED, "the file holds no begin of it", sink);
        self.told(span, &end.arguments, sink);
        self.span_of(row, span, end.name, end.time, end.time);
    }

    fn told(&mut self, span: SpanId, arguments: &[Argument], sink: &mut Sink<'_>) {
        for Argument { key, payload } in arguments {
            let key = self.texts.name(*key, sink);
            let value = self.value(*payload);
            sink.push(Record::Argument(span, key, value));
        }
    }

    fn end(&mut self, row: u32, begin: &Half, end: &Half, sink: &mut Sink<'_>) {
        let What::Begin(span) = begin.what else {
            return;
        };
        self.told(span, &end.arguments, sink);
        self.span_of(row, span, begin.name, begin.time, end.time);
    }

    fn span_of(&mut self, row: u32, span: SpanId, name: u32, start: i64, end: i64) {
        let pending = Pending {
            span,
            name,
            class: Class::Plain,
            start,
            length: end.saturating_sub(start),
            correlation: NO_CORRELATION,
        };
        self.put(row, Slot::Own, pending);
    }
}
