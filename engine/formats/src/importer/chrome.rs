//! Reads Chrome's trace JSON in the dialects of GPU tools: `PyTorch` on CUDA, `ROCm`, MTIA and CPU, Ascend, `XProf`,
//! nsys2json, rpd2tracing, Catapult and Fuchsia.

mod begin_end_pairs;
mod build;
mod class;
mod counters;
mod emit;
mod flows;
mod lanes;
mod links;
mod name_classifier;
mod number_index;
mod row_kind;
mod rows;
mod scan;
mod sniff;
mod stream;
mod syncline;
mod tally;
#[cfg(test)]
mod tests;
mod texts;
mod work;
mod xla;

use super::{ImportError, Importer, Receipt, RecordSink, Source};
use crate::perfetto::json::FORMAT;
use build::ChromeBuilder;
use emit::EmitScope;
pub(super) use lanes::program;
use record::time::Nanos;
use record::{Clock, DeviceId, Record, Run, Severity, counted};
pub(super) use scan::{MOST_ARGUMENTS, RowToken};
use stream::top::{FileFacts, FileHead};
use stream::{ChromeFileEnd, run};
use syncline::OwnEvents;
pub(super) use texts::ChromeTexts;

/// The format of Chrome's trace events.
pub struct ChromeImporter;

impl Importer for ChromeImporter {
    fn name(&self) -> &'static str {
        "chrome"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json", "json.gz"]
    }

    fn about(&self) -> &'static str {
        "trace JSON of PyTorch, Ascend, JAX, rpd, Chrome and others"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        sniff::is_list_of_events(head)
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        let mut reader = source.reader()?;
        let head = FileHead::read(&mut reader).map_err(|error| source.failed(error))?;
        let Some(FileHead { mut top, ahead, at }) = head else {
            return Err(sniff::useless(source));
        };
        let is_packed = source.packed().is_some();
        if let Some(own) = top.own {
            if own.format > FORMAT {
                let path = source.path().to_owned();
                return Err(ImportError::Newer {
                    path,
                    found: own.format,
                    known: FORMAT,
                });
            }
            return read_own(
                (reader, is_packed, false),
                (top, ahead, at),
                own.zero,
                source,
                sink,
            );
        }
        sink.push(Record::Run(Box::new(Run {
            name: source.name(),
            backend: "chrome".to_owned(),
            machine: machine(&top),
            ..Run::default()
        })));
        let mut builder = ChromeBuilder::new(!top.devices.is_empty());
        let reader = (reader, is_packed, true);
        let tail = run(reader, ahead, at, |piece| builder.take(piece, sink))?;
        if let Some((at, after)) = &tail.after {
            top.finish(after, *at, tail.read);
        }
        finish(builder, &top, tail, source, sink)
    }
}

/// Reads what Syncline itself wrote.
fn read_own(
    reader: (Box<dyn std::io::Read + Send>, bool, bool),
    (mut top, ahead, at): (FileFacts, Vec<u8>, u64),
    zero: i64,
    source: &Source,
    sink: &mut RecordSink<'_>,
) -> Result<Receipt, ImportError> {
    let mut own = OwnEvents::new(zero);
    let tail = run(reader, ahead, at, |piece| own.take(piece, sink))?;
    if let Some((at, after)) = &tail.after {
        top.finish(after, *at, tail.read);
    }
    if own.tally.events == 0
        && let Some(error) = tail.failed
    {
        return Err(source.failed(error));
    }
    own.tally.compare(top.events);
    let mut receipt = Receipt::default();
    own.finish(&mut receipt, sink);
    tell_end(&top, &tail, &mut receipt, sink);
    own.tally.tell(&mut receipt, sink);
    sink.advance(tail.read)?;
    Ok(receipt)
}

/// What a file says of the machine, in words.
fn machine(top: &FileFacts) -> String {
    let mut names: Vec<&str> = top.devices.values().map(String::as_str).collect();
    names.dedup();
    let mut words = names.join(", ");
    if top.devices.len() > 1 && names.len() == 1 {
        words = format!("{} × {words}", top.devices.len());
    }
    if let (Some(rank), Some(world)) = (top.rank, top.world) {
        words = format!("rank {rank} of {world}, {words}");
    }
    words
}

/// Hands over what had to wait for the end of the file.
fn finish(
    mut builder: ChromeBuilder,
    top: &FileFacts,
    tail: ChromeFileEnd,
    source: &Source,
    sink: &mut RecordSink<'_>,
) -> Result<Receipt, ImportError> {
    if builder.tally.events == 0
        && let Some(error) = tail.failed
    {
        return Err(source.failed(error));
    }
    let mut receipt = Receipt::default();
    builder.join(sink);
    builder.hand_over(EmitScope::Last, sink);
    let origin = builder.settle_origin();
    builder.counters.add_up(origin, sink);
    sink.advance(tail.read)?;
    builder.counters.finish(&builder.rows, &builder.texts, sink);
    builder
        .lanes
        .finish(&builder.rows, &builder.texts, top, sink);
    links::report_dependencies(&mut builder, &mut receipt, sink);
    builder.tie_xla(sink)?;
    clock(&builder, top, sink);
    tell_end(top, &tail, &mut receipt, sink);
    if builder.before_zero() > Nanos::ZERO {
        receipt.note(format!(
            "The earliest span begins {} before time zero: it stands so far behind in the file that others were shown \
             already.",
            builder.before_zero()
        ));
    }
    builder.tally.tell(&mut receipt, sink);
    receipt.without_numbers(builder.counters.no_numbers, sink);
    sink.advance(tail.read)?;
    Ok(receipt)
}

/// Says what capture time zero is on the clock of the file, so that several files can be laid side by side.
fn clock(builder: &ChromeBuilder, top: &FileFacts, sink: &mut RecordSink<'_>) {
    let origin = builder.origin.unwrap_or(0);
    // Times since 1970 lie after 2001 in any file that has them.
    let absolute = origin > 1_000_000_000_000_000_000;
    let (name, offset) = match top.base {
        Some(base) => ("unix", Nanos(base) + Nanos(origin)),
        None if absolute => ("unix", Nanos(origin)),
        None => ("file", Nanos(origin)),
    };
    sink.push(Record::Clock(Box::new(Clock {
        device: DeviceId::NONE,
        name: name.to_owned(),
        offset,
        drift: 0.0,
        uncertainty: Nanos(1_000),
        is_unix: top.base.is_some() || absolute,
    })));
}

/// Says how the file ended, and what in it is not read.
fn tell_end(
    top: &FileFacts,
    tail: &ChromeFileEnd,
    receipt: &mut Receipt,
    sink: &mut RecordSink<'_>,
) {
    if let Some(error) = &tail.failed {
        let text = format!(
            "The file could not be read beyond byte {}: {error}. Check the disk and open it again.",
            tail.read
        );
        sink.complain(Severity::DataLoss, "unreadable", text.clone());
        receipt.note(text);
    }
    if let Some((at, _)) = tail.cut.filter(|_| tail.cuts_another) {
        // How many events it has is not known.
        receipt.dropped = receipt.dropped.saturating_add(1);
        let text = format!(
            "The list of events breaks off at byte {at}, where another trace begins that has no end either and is not read. \
             Cut the file in two there, and open both together."
        );
        receipt.complain(sink, (Severity::Warning, "second-trace"), text);
        receipt.repair("no closing bracket", 1);
    } else if let Some((at, left)) = tail.cut {
        let text = format!(
            "The file breaks off inside an event at byte {at}: its last {left} bytes were left out. If it was copied, \
             copy it again."
        );
        sink.complain(Severity::DataLoss, "cut-short", text.clone());
        receipt.note(text);
        receipt.repair("cut short", 1);
    } else if tail.after.is_none() {
        receipt.repair("no closing bracket", 1);
        receipt.note(
            "The list of events has no end; the program that wrote it may have been stopped.",
        );
    }
    if top.is_mended {
        let text = "The beginning of the file is damaged, in which Syncline says how it wrote it; that was read from the \
                    first event instead, and nothing is missing.";
        receipt.complain(sink, (Severity::Warning, "broken-header"), text.to_owned());
        receipt.repair("damaged header", 1);
    } else if let Some((at, bytes)) = top.broken {
        let text = format!(
            "What stands around the list of events is no JSON at byte {at}: {} there {} left out, and the events were read \
             all the same. Programs that need JSON can be given what Syncline converts it to.",
            counted(bytes, "{byte|bytes}"),
            if bytes == 1 { "was" } else { "were" }
        );
        receipt.complain(sink, (Severity::Warning, "broken-header"), text);
        receipt.repair("damaged header", 1);
    }
    if let Some((at, bytes, is_other)) = top.behind {
        let bytes = counted(bytes, "{byte follows|bytes follow}");
        let (code, text) = if is_other {
            // How many events it has is not known, and it has some.
            receipt.dropped = receipt.dropped.saturating_add(1);
            let text = format!(
                "{bytes} the end of the trace at byte {at}, as if another one began there, which is not read. Cut the file in two \
                 there, and open both together."
            );
            ("second-trace", text)
        } else {
            receipt.repair("text behind the end", 1);
            let text = format!(
                "{bytes} the end of the trace at byte {at} and are no trace; open the file elsewhere to read them."
            );
            ("text-behind-trace", text)
        };
        receipt.complain(sink, (Severity::Warning, code), text);
    }
    for (key, length) in &top.unread {
        let words = format!(
            "{{byte under “{key}” is no event and was|bytes under “{key}” are no events and were}} not read."
        );
        receipt.note(counted(*length as u64, &words));
    }
    let (keys, devices) = top.untold;
    receipt.note_counts([
        (
            keys,
            "{other key holds|other keys hold} no events and {was|were} not read",
        ),
        (
            devices,
            "{more device is|more devices are} described; {its name is|their names are} not shown",
        ),
    ]);
}
