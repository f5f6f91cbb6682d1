//! The order in which work was launched, stream by stream and thread by thread.

use std::collections::BTreeMap;

use crate::importer::chrome::build::Builder;
use crate::importer::chrome::scan::Token;
use crate::importer::chrome::work::Operation;

/// A stream: its process, which stands for the device, and its number.
pub(super) type Stream = (Token, Token);

/// Work in the order of its launches.
pub(super) struct Order {
    streams: BTreeMap<Stream, Vec<Operation>>,
    threads: BTreeMap<u32, Vec<Operation>>,
    hosts: BTreeMap<Token, Vec<Operation>>,
}

impl Order {
    pub fn of(builder: &Builder) -> Self {
        let mut order = Self {
            streams: BTreeMap::new(),
            threads: BTreeMap::new(),
            hosts: BTreeMap::new(),
        };
        for operation in &builder.work.operations {
            let stream = (operation.process, operation.stream);
            order.streams.entry(stream).or_default().push(*operation);
            if let Some(call) = builder.work.of(operation.correlation) {
                order.threads.entry(call.row).or_default().push(*operation);
                if let Some(facts) = builder.rows.get(call.row) {
                    order.hosts.entry(facts.row.0).or_default().push(*operation);
                }
            }
        }
        let threads = order.threads.values_mut();
        let hosts = order.hosts.values_mut();
        for list in order.streams.values_mut().chain(threads).chain(hosts) {
            list.sort_by_key(|it| (it.launched, it.start));
        }
        order
    }

    /// Whether anything ran on a stream.
    pub fn ran(&self, stream: Stream) -> bool {
        self.streams.contains_key(&stream)
    }

    /// The last work of a stream that was launched before an instant.
    pub fn last_before(&self, stream: Stream, instant: i64) -> Option<&Operation> {
        before(self.streams.get(&stream)?, instant).last()
    }

    /// The first work of a stream that was launched after an instant.
    pub fn first_after(&self, stream: Stream, instant: i64) -> Option<&Operation> {
        after(self.streams.get(&stream)?, instant).first()
    }

    /// The first work that a thread launched after an instant.
    pub fn next_of_thread(&self, row: u32, instant: i64) -> Option<&Operation> {
        after(self.threads.get(&row)?, instant).first()
    }

    /// What a process launched before an instant, the latest first.
    pub fn of_host(&self, process: Token, instant: i64) -> impl Iterator<Item = &Operation> {
        let list = self.hosts.get(&process).map_or(&[][..], Vec::as_slice);
        before(list, instant).iter().rev()
    }

    /// The streams of a device; all of them where none is given.
    pub fn streams_of(&self, process: Option<Token>) -> impl Iterator<Item = Stream> {
        let streams = self.streams.keys().copied();
        streams.filter(move |it| process.is_none_or(|process| it.0 == process))
    }
}

fn before(list: &[Operation], instant: i64) -> &[Operation] {
    let end = list.partition_point(|it| it.launched < instant);
    list.get(..end).unwrap_or_default()
}

fn after(list: &[Operation], instant: i64) -> &[Operation] {
    let start = list.partition_point(|it| it.launched <= instant);
    list.get(start..).unwrap_or_default()
}
