//! Which waits of streams add nothing to what is ordered without them.
//!
//! A wait adds nothing where its stream comes after the record anyway: by stream order, by what its host thread knew, by
//! an earlier wait, or by the rules of the legacy stream. Nothing that is ordered depends on such a wait, so that any
//! number of them may be taken out.

use record::StreamIndex;
use std::collections::BTreeMap;

use super::hazard::CallOrigin;
use super::stream::WaitFor;

/// A call that waits for an event, of which every wait adds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedundantWait {
    /// The first of its waits.
    pub wait: CallOrigin,
    /// The stream that waits.
    pub stream: StreamIndex,
    /// The record that it waits for.
    pub record: CallOrigin,
    /// The stream of the record.
    pub from: StreamIndex,
    /// How many waits the call made.
    pub count: u64,
}

/// The waits of all calls so far.
#[derive(Debug, Default)]
pub(super) struct WaitSites {
    sites: BTreeMap<u32, (RedundantWait, bool)>,
}

impl WaitSites {
    /// A stream waited for a record: whether that added anything.
    pub fn note(&mut self, wait: CallOrigin, stream: StreamIndex, to: &WaitFor, adds: bool) {
        let first = RedundantWait {
            wait,
            stream,
            record: to.record,
            from: to.from,
            count: 0,
        };
        let (site, is_needed) = self.sites.entry(wait.site).or_insert((first, false));
        site.count += 1;
        *is_needed |= adds;
    }

    /// The calls of which every wait adds nothing: since a loop may need one of many, no others are named.
    pub fn redundant(&self) -> impl Iterator<Item = RedundantWait> {
        let idle = self.sites.values().filter(|(_, is_needed)| !is_needed);
        idle.map(|(wait, _)| *wait)
    }

    /// How many waits there were.
    pub fn count(&self) -> u64 {
        self.sites.values().map(|(wait, _)| wait.count).sum()
    }
}
