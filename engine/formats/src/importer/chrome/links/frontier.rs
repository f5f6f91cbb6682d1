//! What a record captures: the last work of its stream, and what that stream had waited for since then.

use std::collections::{BTreeMap, BTreeSet};

use super::order::{ChromeStream, LaunchOrder};
use crate::importer::chrome::scan::RowToken;
use crate::submission::weaker;
use record::Basis;

/// The last work of each stream that is captured.
pub(super) type ChromeFrontier = BTreeMap<ChromeStream, CapturedWork>;

/// Work that a record captures.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapturedWork {
    /// Its place in the order of launches of its stream.
    launched: u32,
    /// Its place in the list of all work.
    pub place: u32,
    /// How it is known that the record captures it: what its stream waited for is known as well as the wait.
    pub basis: Basis,
}

/// What each stream waits for before what comes next, as its commands go by in the order of their calls.
pub(super) struct StreamFrontiers<'a> {
    order: &'a LaunchOrder,
    waiting: BTreeMap<ChromeStream, StreamWaits>,
    /// By device its streams that waited for work of another since their last.
    beyond: BTreeMap<RowToken, BTreeSet<ChromeStream>>,
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
            beyond: BTreeMap::new(),
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

    /// A stream waits for what a record captured, from an instant on; `basis` says how it is known that it waits for that record.
    pub fn wait(
        &mut self,
        (stream, instant): (ChromeStream, i64),
        captured: &ChromeFrontier,
        basis: Basis,
    ) {
        if captured.keys().any(|it| it.0 != stream.0) {
            self.beyond.entry(stream.0).or_default().insert(stream);
        }
        let waiting = self.since(stream, instant);
        for (stream, work) in captured {
            let basis = weaker(basis, work.basis);
            let work = CapturedWork { basis, ..*work };
            merge(&mut waiting.captured, *stream, work);
        }
    }

    /// What the streams of a device wait for at an instant that is of other devices.
    pub fn beyond(&mut self, device: RowToken, instant: i64) -> ChromeFrontier {
        let mut all = ChromeFrontier::new();
        let mut streams = self.beyond.remove(&device).unwrap_or_default();
        streams.retain(|stream| {
            let waiting = self.since(*stream, instant);
            let others = waiting.captured.iter().filter(|it| it.0.0 != device);
            let mut is_waiting = false;
            for (stream, work) in others {
                is_waiting = true;
                merge(&mut all, *stream, *work);
            }
            is_waiting
        });
        self.beyond.insert(device, streams);
        all
    }

    /// What a record on a stream captures at an instant.
    pub fn at(&mut self, stream: ChromeStream, instant: i64) -> ChromeFrontier {
        let last = self.order.before(stream, instant);
        let mut captured = self.since(stream, instant).captured.clone();
        captured.extend(last.map(|(launched, place)| {
            let basis = Basis::Enforced;
            let work = CapturedWork {
                launched,
                place,
                basis,
            };
            (stream, work)
        }));
        captured
    }
}

/// Of two works of one stream the later counts, and of one that is known in two ways the better.
fn merge(all: &mut ChromeFrontier, stream: ChromeStream, work: CapturedWork) {
    let known = all.entry(stream).or_insert(work);
    let is_later = known.launched < work.launched;
    if is_later || known.launched == work.launched && work.basis == Basis::Enforced {
        *known = work;
    }
}
