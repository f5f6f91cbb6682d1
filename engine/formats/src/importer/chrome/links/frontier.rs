//! What a record captures: the last work of its stream, and what that stream had waited for since then.

use std::collections::BTreeMap;

use super::order::{ChromeStream, LaunchOrder};

/// The last work of each stream that is captured: places in the order of launches, and in the list of all work.
pub(super) type ChromeFrontier = BTreeMap<ChromeStream, (u32, u32)>;

/// What each stream waits for before what comes next, as its commands go by in the order of their calls.
pub(super) struct StreamFrontiers<'a> {
    order: &'a LaunchOrder,
    waiting: BTreeMap<ChromeStream, StreamWaits>,
}

/// What a stream waits for since its last work.
#[derive(Default)]
struct StreamWaits {
    last: Option<u32>,
    captured: ChromeFrontier,
}

impl<'a> StreamFrontiers<'a> {
    /// Before any command.
    pub fn new(order: &'a LaunchOrder) -> Self {
        Self {
            order,
            waiting: BTreeMap::new(),
        }
    }

    /// What the stream waits for at an instant; work in between has waited already, and stands for it.
    fn since(&mut self, stream: ChromeStream, instant: i64) -> &mut StreamWaits {
        let last = self.order.before(stream, instant).map(|it| it.0);
        let waiting = self.waiting.entry(stream).or_default();
        if waiting.last != last {
            waiting.last = last;
            waiting.captured.clear();
        }
        waiting
    }

    /// A stream waits for what a record captured, from an instant on.
    pub fn wait(&mut self, stream: ChromeStream, instant: i64, captured: &ChromeFrontier) {
        let waiting = self.since(stream, instant);
        merge(&mut waiting.captured, captured);
    }

    /// What a record on a stream captures at an instant.
    pub fn at(&mut self, stream: ChromeStream, instant: i64) -> ChromeFrontier {
        let last = self.order.before(stream, instant);
        let mut captured = self.since(stream, instant).captured.clone();
        captured.extend(last.map(|last| (stream, last)));
        captured
    }
}

/// Of two works of one stream the later counts.
fn merge(all: &mut ChromeFrontier, more: &ChromeFrontier) {
    for (stream, place) in more {
        let known = all.entry(*stream).or_insert(*place);
        *known = (*known).max(*place);
    }
}
