//! On which stream a record lies: PyTorch's profiler names it with the wait, by a number that counts on one device.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::order::{ChromeStream, LaunchOrder};
use super::waits::{record_number, stream};
use crate::importer::chrome::scan::{RowToken, words};
use crate::importer::chrome::work::SyncDetail;
use record::Basis;

/// Rows about streams that are no rows of records.
const WAITS: [u32; 4] = [
    words::STREAM_WAIT,
    words::EVENT_SYNC,
    words::STREAM_SYNC,
    words::CONTEXT_SYNC,
];

/// The streams of the records that waits name.
#[derive(Default)]
pub(super) struct RecordStreams {
    /// The streams that rows of records tell, as newer files have them, by the numbers of their calls.
    told: HashMap<i64, ChromeStream>,
    /// Streams that are known though nothing ran on them.
    named: BTreeSet<ChromeStream>,
    /// By the numbers of streams that the device of their wait does not have, the devices that do.
    elsewhere: BTreeMap<RowToken, BTreeSet<RowToken>>,
}

impl RecordStreams {
    /// Takes what a file tells of streams.
    pub fn of(order: &LaunchOrder, details: &[SyncDetail]) -> Self {
        let mut streams = Self::default();
        for detail in details {
            let Some(on) = stream(detail.stream) else {
                continue;
            };
            let on = (detail.process, on);
            match detail.correlation {
                Some(call) if !WAITS.contains(&detail.name) => {
                    streams.told.insert(call, on);
                }
                _ => {}
            }
            streams.named.insert(on);
        }
        let unknown = details.iter().filter_map(|wait| {
            let number = stream(wait.wait_stream)?;
            (!streams.has(order, (wait.process, number))).then_some((number, BTreeSet::new()))
        });
        streams.elsewhere = unknown.collect();
        if streams.elsewhere.is_empty() {
            return streams;
        }
        let known = order.streams().map(|it| it.0);
        for (process, number) in known.chain(streams.named.iter().copied()) {
            if let Some(devices) = streams.elsewhere.get_mut(&number) {
                devices.insert(process);
            }
        }
        streams
    }

    fn has(&self, order: &LaunchOrder, stream: ChromeStream) -> bool {
        order.ran(stream) || self.named.contains(&stream)
    }

    /// The stream of the record that a wait names, and how that is known: where its own device has no stream of that number
    /// and one other has, it is of that device.
    pub fn find(&self, wait: &SyncDetail) -> Option<(ChromeStream, Basis)> {
        let record = record_number(wait);
        if let Some(told) = record.and_then(|it| self.told.get(&it)) {
            return Some((*told, Basis::Enforced));
        }
        let number = stream(wait.wait_stream)?;
        let devices = self.elsewhere.get(&number);
        let elsewhere =
            devices.filter(|it| record.is_some() && it.len() == 1 && !it.contains(&wait.process));
        Some(match elsewhere.and_then(BTreeSet::first) {
            Some(device) => ((*device, number), Basis::Inferred),
            None => ((wait.process, number), Basis::Enforced),
        })
    }
}
