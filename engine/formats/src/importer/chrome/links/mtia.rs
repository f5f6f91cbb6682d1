//! Waits and records of MTIA, which run on the streams and name each other by stream and sequence number.

use std::collections::HashMap;

use super::{DependencySummary, rests_on};
use crate::importer::RecordSink;
use crate::importer::chrome::build::ChromeBuilder;
use crate::importer::chrome::scan::words;
use crate::importer::chrome::work::SyncDetail;
use record::{Basis, DependencyKind};

/// Ties each wait to the record with its number on the stream that it names.
pub(super) fn report_dependencies(
    builder: &mut ChromeBuilder,
    ties: &mut DependencySummary,
    sink: &mut RecordSink<'_>,
) {
    let of = |name: u32| -> Vec<SyncDetail> {
        let details = builder.work.details.iter();
        details.filter(|it| it.name == name).copied().collect()
    };
    let (records, waits) = (of(words::EVENT_RECORD), of(words::EVENT_WAIT));
    let numbered = records
        .iter()
        .filter_map(|it| Some(((it.process, it.stream?, it.sequence?), it.span)));
    // Devices do not share a process, but all of a device's streams do.
    let known: HashMap<_, _> = numbered.collect();
    for wait in waits {
        ties.waits += 1;
        let named = wait.wait_stream.zip(wait.sequence);
        let record = named.and_then(|(stream, number)| known.get(&(wait.process, stream, number)));
        let text = if let Some(record) = record {
            ties.report(
                (*record, wait.span),
                DependencyKind::Event,
                Basis::Enforced,
                sink,
            );
            "the stream and the number of the record that the file names"
        } else {
            ties.unresolved += 1;
            "nothing: the record that it names is not in this file"
        };
        rests_on(builder, wait.span, text, sink);
    }
}
