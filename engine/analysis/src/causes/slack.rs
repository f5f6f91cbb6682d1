//! Slack: how much later each operation could begin without anything ending later than the last of all.

use super::binding_cause::Candidate;
use super::point::SpanPoint;
use super::timetable::SpanTimes;
use super::{Causes, SpanClass};
use record::SpanId;
use record::time::Nanos;

/// How much later each operation could begin, and each wait of a stream end, nothing else ending later for it.
#[derive(Debug)]
pub(super) struct Slack {
    starts: SlackColumn,
    /// Of waits of streams alone, by number.
    ends: Vec<(u32, i64)>,
}

/// Slack in nanoseconds by span.
#[derive(Debug)]
enum SlackColumn {
    /// Where four seconds are the most.
    Short(Vec<u32>),
    /// Where there is more.
    Long(Vec<i64>),
}

impl Slack {
    /// The slack of every operation.
    pub fn new(causes: &Causes, times: &impl SpanTimes) -> Self {
        let mut pass = LatestTimes::new(causes, times);
        pass.count();
        pass.run();
        let slack = |span: usize| {
            let start = SpanPoint::start(SpanId(span as u32));
            let late = pass.late.get(start.index()).copied().unwrap_or_default();
            let is_operation = pass.causes.class(start.span()).is_operation();
            let slack = late.saturating_sub(times.time(start).0).max(0);
            if is_operation { slack } else { 0 }
        };
        let all = (0..causes.classes.len()).map(slack);
        let short: Option<Vec<u32>> = all.clone().map(|it| u32::try_from(it).ok()).collect();
        let starts = short.map_or_else(|| SlackColumn::Long(all.collect()), SlackColumn::Short);
        let end = |span: u32| {
            let end = SpanPoint::end(SpanId(span));
            let late = pass.late.get(end.index()).copied().unwrap_or_default();
            (span, late.saturating_sub(times.time(end).0).max(0))
        };
        let is_wait = |span: &u32| causes.class(SpanId(*span)).is_wait();
        let waits = (0..causes.classes.len() as u32).filter(is_wait);
        Self {
            starts,
            ends: waits.map(end).collect(),
        }
    }

    /// That of one operation.
    pub fn of(&self, span: SpanId) -> Option<Nanos> {
        let at = span.index();
        Some(Nanos(match &self.starts {
            SlackColumn::Short(all) => i64::from(*all.get(at)?),
            SlackColumn::Long(all) => *all.get(at)?,
        }))
    }

    /// How much later a wait of a stream could end.
    pub fn of_end(&self, wait: SpanId) -> Option<Nanos> {
        let at = self.ends.binary_search_by_key(&wait.0, |it| it.0).ok()?;
        self.ends.get(at).map(|it| Nanos(it.1))
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let starts = match &self.starts {
            SlackColumn::Short(all) => all.capacity() * 4,
            SlackColumn::Long(all) => all.capacity() * 8,
        };
        starts + self.ends.capacity() * size_of::<(u32, i64)>()
    }
}

/// A backward pass over the graph: how late each point could be. Points are taken once all that comes after them was.
struct LatestTimes<'a, M> {
    causes: &'a Causes,
    times: &'a M,
    /// By point, and after the points by collective operation: all parts lead to one place between, and it to all ends.
    late: Vec<i64>,
    /// How many effects of each were not taken yet.
    left: Vec<u32>,
    ready: Vec<u32>,
    /// The causes of the point that is taken.
    taken: Vec<Candidate>,
}

impl<'a, M: SpanTimes> LatestTimes<'a, M> {
    fn new(causes: &'a Causes, times: &'a M) -> Self {
        let places = causes.classes.len() * 2 + causes.collectives.all().len();
        Self {
            causes,
            times,
            late: vec![causes.extent.end.0; places],
            left: vec![0; places],
            ready: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// The place between the parts of a collective operation, where a point is the end of one of which each part ran
    /// together with each other one.
    fn middle(&self, point: SpanPoint) -> Option<usize> {
        if !point.is_end() || !self.causes.class(point.span()).has(SpanClass::MEMBER) {
            return None;
        }
        let place = self.causes.collectives.place(point.span())?;
        let group = self.causes.collectives.all().get(place)?;
        let simple = group.is_together && group.giver.is_none();
        simple.then(|| self.causes.classes.len() * 2 + place)
    }

    fn candidates(&self, point: SpanPoint, take: &mut impl FnMut(Candidate)) {
        self.causes.candidates(self.times, point, take);
    }

    /// The candidates of a point that lead to it without a place in between.
    fn direct(&self, point: SpanPoint, take: &mut impl FnMut(Candidate)) {
        let through = self.middle(point).is_some();
        self.candidates(point, &mut |it| {
            if !through || it.kind != super::CauseKind::Collective {
                take(it);
            }
        });
    }

    fn points(&self) -> impl Iterator<Item = SpanPoint> + use<'_, M> {
        let spans = 0..self.causes.classes.len() as u32;
        let counted = spans.filter(|it| self.causes.class(SpanId(*it)).counts());
        counted.flat_map(|it| [SpanPoint::start(SpanId(it)), SpanPoint::end(SpanId(it))])
    }

    /// Counts the effects of each point, and begins with those that have none.
    fn count(&mut self) {
        let mut left = std::mem::take(&mut self.left);
        let mut add = |place: usize| {
            if let Some(count) = left.get_mut(place) {
                *count += 1;
            }
        };
        for point in self.points() {
            self.direct(point, &mut |it| add(it.point.index()));
            if let Some(middle) = self.middle(point) {
                add(middle);
                add(SpanPoint::start(point.span()).index());
            }
        }
        let none = |point: &SpanPoint| left.get(point.index()) == Some(&0);
        let ready: Vec<u32> = self.points().filter(none).map(SpanPoint::number).collect();
        (self.left, self.ready) = (left, ready);
    }

    fn run(&mut self) {
        while let Some(place) = self.ready.pop() {
            let middle = (place as usize).checked_sub(self.causes.classes.len() * 2);
            match middle {
                Some(group) => self.take_middle(place, group),
                None => self.take_point(SpanPoint::from_number(place)),
            }
        }
    }

    fn take_point(&mut self, point: SpanPoint) {
        let late = self.late.get(point.index()).copied().unwrap_or_default();
        let binding = self.causes.binding(self.times, point);
        let lag = binding.map_or(Nanos::ZERO, |it| self.times.time(point) - it.at);
        let bound = late.saturating_sub(lag.0);
        let mut taken = std::mem::take(&mut self.taken);
        self.direct(point, &mut |it| taken.push(it));
        for cause in taken.drain(..) {
            self.lower(cause.point.index(), bound.saturating_add(cause.back.0));
        }
        self.taken = taken;
        if let Some(middle) = self.middle(point) {
            self.lower(middle, bound);
        }
    }

    fn take_middle(&mut self, place: u32, group: usize) {
        let causes = self.causes;
        let late = self.late.get(place as usize).copied().unwrap_or_default();
        let parts = causes.collectives.all().get(group);
        for part in parts.map_or(&[][..], |it| &it.parts) {
            self.lower(SpanPoint::start(SpanId(*part)).index(), late);
        }
    }

    /// A place can be no later than this, for one more of its effects.
    fn lower(&mut self, place: usize, bound: i64) {
        if let Some(late) = self.late.get_mut(place) {
            *late = bound.min(*late);
        }
        // What was taken already is not taken again, whatever its effects say.
        if let Some(left) = self.left.get_mut(place).filter(|left| **left > 0) {
            *left -= 1;
            if *left == 0 {
                self.ready.push(place as u32);
            }
        }
    }
}
