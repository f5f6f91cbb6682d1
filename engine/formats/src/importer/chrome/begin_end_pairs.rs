//! Spans that the file tells in two halves: begins and ends on a row, or by a number wherever they are.

use std::collections::HashMap;
use std::hash::Hash;

use super::build::{ChromeBuilder, ParsedEvent};
use super::class::EventClass;
use super::rows::{LaneSlot, PendingSpan};
use super::scan::{ChromeArgument, ChromeEvent, NO_CORRELATION, RowToken, words};
use crate::importer::RecordSink;
use crate::importer::key_index::KeyIndex;
use record::{Record, SmallList, SpanId};

/// One half of a span.
#[derive(Clone, Debug)]
struct SpanHalf {
    time: i64,
    name: u32,
    category: u32,
    what: HalfKind,
    arguments: Box<[ChromeArgument]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HalfKind {
    Begin(SpanId),
    End,
    /// An instant within.
    Within(SpanId),
}

/// Which halves belong together: those of a row, or those of a process, a category and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum HalfKey {
    Row(u32),
    Number(u32, u64),
}

impl SpanHalf {
    /// Whether an end is that of this begin: what both say of the name and the category is the same.
    fn may_end_with(&self, end: &Self) -> bool {
        let agree =
            |own: u32, other: u32| own == other || own == words::EMPTY || other == words::EMPTY;
        agree(self.name, end.name) && agree(self.category, end.category)
    }
}

/// Begins that have no end yet, in their order. An end is that of the last begin that it may end.
#[derive(Default)]
struct OpenHalves {
    /// Each with its number; one that was taken out of the middle leaves its place.
    all: Vec<(u32, Option<SpanHalf>)>,
    next: u32,
    count: usize,
    /// Made when first an end is not that of the last begin.
    index: Option<OpenIndex>,
}

/// Numbers of begins by what they say, the last one last, so that none is looked for among all.
#[derive(Default)]
struct OpenIndex {
    both: HashMap<(u32, u32), Vec<u32>>,
    names: HashMap<u32, Vec<u32>>,
    categories: HashMap<u32, Vec<u32>>,
}

impl OpenHalves {
    const fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn push(&mut self, half: SpanHalf) {
        if let Some(index) = &mut self.index {
            index.add(self.next, &half);
        }
        self.all.push((self.next, Some(half)));
        self.next += 1;
        self.count += 1;
    }

    /// Takes out the begin of an end.
    fn take(&mut self, end: &SpanHalf) -> Option<SpanHalf> {
        while self.all.last().is_some_and(|(_, half)| half.is_none()) {
            self.all.pop();
        }
        let (_, top) = self.all.last()?;
        let taken = if top.as_ref().is_some_and(|it| it.may_end_with(end)) {
            self.all.pop()?.1
        } else {
            let all = &self.all;
            let index = self.index.get_or_insert_with(|| OpenIndex::new(all));
            let place = index.find(end, all)?;
            self.all.get_mut(place)?.1.take()
        };
        self.count -= usize::from(taken.is_some());
        taken
    }

    fn rest(self) -> Vec<SpanHalf> {
        self.all.into_iter().filter_map(|(_, half)| half).collect()
    }
}

impl OpenIndex {
    fn new(all: &[(u32, Option<SpanHalf>)]) -> Self {
        let mut index = Self::default();
        for (number, half) in all {
            if let Some(half) = half {
                index.add(*number, half);
            }
        }
        index
    }

    fn add(&mut self, number: u32, half: &SpanHalf) {
        let (name, category) = (half.name, half.category);
        self.both.entry((name, category)).or_default().push(number);
        self.names.entry(name).or_default().push(number);
        self.categories.entry(category).or_default().push(number);
    }

    /// The place of the last begin that an end may end, which is not the last of all.
    fn find(&mut self, end: &SpanHalf, all: &[(u32, Option<SpanHalf>)]) -> Option<usize> {
        const ANY: u32 = words::EMPTY;
        match (end.name, end.category) {
            // Any begin would do, so that it is the last.
            (ANY, ANY) => None,
            (name, ANY) => last(&mut self.names, &[name, ANY], all),
            (ANY, category) => last(&mut self.categories, &[category, ANY], all),
            (name, category) => {
                let keys = [(name, category), (name, ANY), (ANY, category), (ANY, ANY)];
                last(&mut self.both, &keys, all)
            }
        }
    }
}

/// The last place that any of some keys has; numbers of those that were taken are forgotten on the way.
fn last<K: Eq + Hash, const N: usize>(
    numbers: &mut HashMap<K, Vec<u32>>,
    keys: &[K; N],
    all: &[(u32, Option<SpanHalf>)],
) -> Option<usize> {
    let place_of = |number: u32| {
        let place = all.binary_search_by_key(&number, |(it, _)| *it).ok()?;
        all.get(place)
            .is_some_and(|(_, it)| it.is_some())
            .then_some(place)
    };
    let top = |key: &K| {
        let numbers = numbers.get_mut(key)?;
        while let Some(number) = numbers.last() {
            if let Some(place) = place_of(*number) {
                return Some(place);
            }
            numbers.pop();
        }
        None
    };
    keys.iter().filter_map(top).max()
}

/// Every half that was read. Of a file that ends nothing there may be millions, each alone.
#[derive(Default)]
pub(super) struct SpanHalves {
    lists: Vec<(HalfKey, SmallList<SpanHalf>)>,
    places: KeyIndex,
}

impl SpanHalves {
    /// Puts a half with those that it belongs together with.
    fn push(&mut self, key: HalfKey, half: SpanHalf) {
        let (lists, next) = (&self.lists, self.lists.len());
        let known = |place: u32| lists.get(place as usize).map(|it| it.0);
        let place = self.places.place(&key, next, known) as usize;
        match self.lists.get_mut(place) {
            Some((_, list)) => list.push(half),
            None => self.lists.push((key, SmallList::One(half))),
        }
    }

    /// All of them, in the order of their keys.
    fn take(&mut self) -> Vec<(HalfKey, SmallList<SpanHalf>)> {
        let mut lists = std::mem::take(self).lists;
        lists.sort_unstable_by_key(|it| it.0);
        lists
    }
}

impl ChromeBuilder {
    /// Takes a begin or an end on a row.
    pub fn half(&mut self, told: ParsedEvent<'_>) {
        let row = self.rows.global(told.scanner, told.event.row);
        let begins = told.event.phase == b'B';
        self.keep(HalfKey::Row(row), told, begins, row);
    }

    /// Takes a begin, an end or a step of an operation that has a number.
    pub fn distant(&mut self, told: ParsedEvent<'_>) {
        let event = told.event;
        let row = self.rows.global(told.scanner, event.row);
        let category = self.texts.global(told.scanner, event.category);
        let process = self.rows.get(row).map_or(RowToken::None, |it| it.row.0);
        let shown = format!("{} (asynchronous)", self.texts.text(category));
        let thread = RowToken::Text(self.texts.add(shown.trim_start()));
        let lane = self.rows.place((process, thread));
        if let Some(facts) = self.rows.get_mut(lane) {
            facts.is_distant = true;
        }
        let key = HalfKey::Number(lane, event.id);
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
                let half = self.make(told, HalfKind::Within(span));
                self.flows.at_distant(row, half.time, category, span);
                self.halves.push(key, half);
            }
        }
    }

    /// Keeps a half; answers the span that it begins, if it does.
    fn keep(&mut self, key: HalfKey, told: ParsedEvent<'_>, begins: bool, row: u32) -> SpanId {
        let mut span = SpanId::NONE;
        let half = if begins {
            span = self.next_span();
            self.flow_of_half(told.event, row, span);
            self.make(told, HalfKind::Begin(span))
        } else {
            let mut half = self.make(told, HalfKind::End);
            let own = told
                .arguments
                .iter()
                .map(|it| self.argument(told.scanner, *it));
            half.arguments = own.collect();
            half
        };
        self.halves.push(key, half);
        span
    }

    fn flow_of_half(&mut self, event: &ChromeEvent, row: u32, span: SpanId) {
        use super::scan::flag;
        if event.flags & (flag::FLOW_IN | flag::FLOW_OUT) != 0 {
            self.flows.at_span(event, row, span);
        }
    }

    fn make(&mut self, told: ParsedEvent<'_>, what: HalfKind) -> SpanHalf {
        SpanHalf {
            time: self.time(told.event),
            name: self.texts.global(told.scanner, told.event.name),
            category: self.texts.global(told.scanner, told.event.category),
            what,
            arguments: Box::default(),
        }
    }

    /// Joins all halves, now that every one is there.
    pub fn join(&mut self, sink: &mut RecordSink<'_>) {
        let mut open = Vec::new();
        for (key, halves) in self.halves.take() {
            let mut halves = halves.into_vec();
            if !halves.is_sorted_by_key(|it| it.time) {
                self.tally.unordered += 1;
                halves.sort_by_key(|it| it.time);
            }
            let (HalfKey::Row(row) | HalfKey::Number(row, _)) = key;
            let left = self.join_one(row, halves, sink);
            open.extend(left.into_iter().map(|it| (row, it)));
        }
        // What never ends goes on to the end of the file, as in Perfetto.
        let end = self.last;
        for (row, half) in open {
            self.leave_open(row, end, &half, sink);
        }
    }

    /// Joins the halves of one list; gives back the begins that have no end.
    fn join_one(
        &mut self,
        row: u32,
        halves: Vec<SpanHalf>,
        sink: &mut RecordSink<'_>,
    ) -> Vec<SpanHalf> {
        let mut open = OpenHalves::default();
        for half in halves {
            match half.what {
                HalfKind::Begin(_) => open.push(half),
                HalfKind::Within(span) => self.span_of(row, span, half.name, half.time, half.time),
                HalfKind::End => match open.take(&half) {
                    Some(begin) => self.end(row, &begin, &half, sink),
                    None if open.is_empty() => self.end_alone(row, &half, sink),
                    // Of a file that was cut nothing is open where a span ends whose begin is missing. Here something
                    // is, and goes on.
                    None => self.tally.strays += 1,
                },
            }
        }
        open.rest()
    }

    /// Ends a span whose end is not in the file.
    fn leave_open(&mut self, row: u32, end: i64, half: &SpanHalf, sink: &mut RecordSink<'_>) {
        let HalfKind::Begin(span) = half.what else {
            return;
        };
        self.tally.open += 1;
        self.remark(span, words::REPAIRED, "the file holds no end of it", sink);
        self.span_of(row, span, half.name, half.time, end);
    }

    /// An end on a row where nothing is open.
    fn end_alone(&mut self, row: u32, end: &SpanHalf, sink: &mut RecordSink<'_>) {
        self.tally.ends += 1;
        let span = self.next_span();
        self.remark(span, words::REPAIRED, "the file holds no begin of it", sink);
        self.push_arguments(span, &end.arguments, sink);
        self.span_of(row, span, end.name, end.time, end.time);
    }

    fn push_arguments(
        &mut self,
        span: SpanId,
        arguments: &[ChromeArgument],
        sink: &mut RecordSink<'_>,
    ) {
        for ChromeArgument { key, payload } in arguments {
            let key = self.texts.name(*key, sink);
            let value = self.value(*payload);
            sink.push(Record::Argument(span, key, value));
        }
    }

    fn end(&mut self, row: u32, begin: &SpanHalf, end: &SpanHalf, sink: &mut RecordSink<'_>) {
        let HalfKind::Begin(span) = begin.what else {
            return;
        };
        self.push_arguments(span, &end.arguments, sink);
        self.span_of(row, span, begin.name, begin.time, end.time);
    }

    fn span_of(&mut self, row: u32, span: SpanId, name: u32, start: i64, end: i64) {
        let pending = PendingSpan {
            span,
            name,
            class: EventClass::Plain,
            start,
            length: end.saturating_sub(start),
            correlation: NO_CORRELATION,
        };
        self.put(row, LaneSlot::Own, pending);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every end takes the begin that a search through all of them from the last finds.
    #[test]
    fn an_end_takes_the_last_begin_that_it_may_end() {
        let mut random = 1_u32;
        let mut below = |limit: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) % limit
        };
        let (mut open, mut plain) = (OpenHalves::default(), Vec::<SpanHalf>::new());
        for round in 0..20_000 {
            let mut word = |kinds| match below(kinds) {
                0 => words::EMPTY,
                other => 1_000 + other,
            };
            let half = SpanHalf {
                time: round,
                name: word(6),
                category: word(3),
                what: HalfKind::End,
                arguments: Box::default(),
            };
            if below(2) == 0 {
                open.push(half.clone());
                plain.push(half);
                continue;
            }
            let place = plain.iter().rposition(|it| it.may_end_with(&half));
            let expected = place.map(|place| plain.remove(place).time);
            assert_eq!(open.take(&half).map(|it| it.time), expected);
            assert_eq!(open.is_empty(), plain.is_empty());
        }
        let rest = |all: Vec<SpanHalf>| all.iter().map(|it| it.time).collect::<Vec<_>>();
        assert_eq!(rest(open.rest()), rest(plain));
    }
}
