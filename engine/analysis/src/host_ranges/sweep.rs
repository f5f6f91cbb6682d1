//! Goes through a thread once: its ranges as they nest, and what was launched within each.

use std::ops::Range;

use record::time::Nanos;

use super::HostRange;
use super::launches::{LaunchedOperation, Launches, ThreadLink};

/// What is told of a thread on the way, each range before what is within it.
pub(super) trait RangeVisitor {
    /// A range begins, within that which is open last.
    fn open(&mut self, range: &HostRange);

    /// Something was launched in the range that is open last.
    fn launch(&mut self, launched: &LaunchedOperation);

    /// The range that is open last goes on in another thread.
    fn link(&mut self, link: &ThreadLink);

    /// The range that is open last ends; the launches of `window` lie within it. What lies in two ranges that cross is told to
    /// both, and so perhaps twice to a range around them.
    fn close(&mut self, window: Range<usize>);
}

/// A range that is open.
struct OpenHostRange {
    end: Nanos,
    /// The first launch that is not before it.
    first: usize,
}

/// The way through one thread.
struct ThreadSweep<'a, V> {
    launches: &'a [LaunchedOperation],
    /// The number of the first of them among those of all threads.
    base: usize,
    links: &'a [ThreadLink],
    next: usize,
    next_link: usize,
    open: Vec<OpenHostRange>,
    visitor: &'a mut V,
}

/// Goes through the ranges of one thread, which are in order. A range lies in the one that began last of those that hold it
/// whole, and of equal ones in what the file has before it. A launch lies in every range that had begun when its call did, and
/// had not ended.
pub(super) fn sweep(
    ranges: impl Iterator<Item = HostRange>,
    (launches, thread): (&Launches, usize),
    visitor: &mut impl RangeVisitor,
) {
    let own = launches.of_thread(thread);
    let mut sweep = ThreadSweep {
        base: own.start,
        launches: launches.within(own),
        links: launches.links_of(thread),
        next: 0,
        next_link: 0,
        open: Vec::new(),
        visitor,
    };
    for range in ranges {
        sweep.advance(range.interval.start);
        while sweep
            .open
            .last()
            .is_some_and(|it| it.end < range.interval.end)
        {
            sweep.close(range.interval.start);
        }
        sweep.visitor.open(&range);
        sweep.open.push(OpenHostRange {
            end: range.interval.end,
            first: sweep.next,
        });
    }
    sweep.advance(Nanos::MAX);
    while !sweep.open.is_empty() {
        sweep.close(Nanos::MAX);
    }
}

impl<V: RangeVisitor> ThreadSweep<'_, V> {
    /// Takes what was launched before an instant.
    fn advance(&mut self, until: Nanos) {
        loop {
            let launched = self.launches.get(self.next).filter(|it| it.at < until);
            let link = self.links.get(self.next_link);
            let link = link.filter(|it| it.at < until);
            let is_link = match (launched, link) {
                (None, None) => return,
                (Some(launched), Some(link)) => link.at < launched.at,
                (_, link) => link.is_some(),
            };
            let at = if is_link {
                link.map(|it| it.at)
            } else {
                launched.map(|it| it.at)
            };
            let at = at.unwrap_or(until);
            while self.open.last().is_some_and(|it| it.end <= at) {
                self.close(at);
            }
            if is_link {
                self.next_link += 1;
            } else {
                self.next += 1;
            }
            if self.open.is_empty() {
                continue;
            }
            match (launched, link) {
                (Some(launched), _) if !is_link => self.visitor.launch(launched),
                (_, Some(link)) => self.visitor.link(link),
                _ => {}
            }
        }
    }

    /// Ends the range that is open last, as something begins at an instant that is not within it. Of one that crosses what begins
    /// there, the rest is told now.
    fn close(&mut self, now: Nanos) {
        let Some(range) = self.open.pop() else {
            return;
        };
        let mut last = self.next;
        if range.end > now {
            let rest = self.launches.get(self.next..).unwrap_or_default();
            for launched in rest.iter().take_while(|it| it.at < range.end) {
                self.visitor.launch(launched);
                last += 1;
            }
            let rest = self.links.get(self.next_link..).unwrap_or_default();
            for link in rest.iter().take_while(|it| it.at < range.end) {
                self.visitor.link(link);
            }
        }
        let window = self.base + range.first..self.base + last;
        self.visitor.close(window);
    }
}
