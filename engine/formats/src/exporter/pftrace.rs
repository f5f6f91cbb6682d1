//! Writes `.pftrace`: a Perfetto file that grows packet by packet and gives back every record.

mod fact;
mod flow;
mod packet;
mod row;
mod span;
mod track;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use super::{ExportFidelity, Exporter, records_with};
use crate::perfetto::dialect::{Track, key, timestamp_of};
use crate::perfetto::proto::event_type;
use capture::Capture;
use record::time::Nanos;
use record::{Bookmark, Dependency, NameId, Record, SpanId, SpanStart, Value};

/// The format `.pftrace`.
pub struct PftraceExporter;

impl Exporter for PftraceExporter {
    fn name(&self) -> &'static str {
        "pftrace"
    }

    fn extension(&self) -> &'static str {
        "pftrace"
    }

    fn about(&self) -> &'static str {
        "Opened by Syncline and by Perfetto; keeps everything."
    }

    fn keeps(&self) -> ExportFidelity {
        ExportFidelity::Everything
    }

    fn write_with(
        &self,
        capture: &Capture,
        bookmarks: &[Bookmark],
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let mut writer = PftraceWriter::new(output);
        let span = |id| capture.span(id).map(|placed| placed.span);
        for record in records_with(capture, bookmarks) {
            match &record {
                // All spans are known, so that each arrow finds its place in the slices.
                Record::Dependency(it) => {
                    writer.write_dependency(it, span(it.cause), span(it.effect));
                    writer.ease()?;
                }
                other => writer.write(other)?,
            }
        }
        writer.finish()
    }
}

/// How many spans wait for what belongs to them.
const HELD: usize = 8192;
/// How many bytes gather before they are handed to the output.
const BUFFER: usize = 64 * 1024;

/// Writes records as they come. Every packet is whole, so a file that ends early opens up to its last one.
///
/// Spans are drawn by Perfetto as slices and dependencies as arrows, where the dependency came before either of its spans was
/// written, which is at the next flush; what came later, and what Perfetto has no place for, is listed under a process of its own.
pub struct PftraceWriter<W: Write> {
    output: W,
    buffer: Vec<u8>,
    /// Packets that were handed over.
    packets: u64,
    /// The time of the span written last: where Perfetto shows records that have no time.
    now: Nanos,
    names: HashMap<NameId, Box<str>>,
    argument_names: HashSet<NameId>,
    tracks: track::TrackWriter,
    flows: flow::FlowWriter,
    /// Spans that wait for what belongs to them, and lanes among them: producers report from several threads, so that
    /// a span may come a little before its lane, its name and what ties it to others.
    held: Vec<Record>,
    /// Dependencies that wait with them.
    dependencies: Vec<Dependency>,
    began: BTreeMap<SpanId, SpanStart>,
    /// Arguments that came before their span.
    arguments: BTreeMap<SpanId, Vec<(NameId, Value)>>,
}

impl<W: Write> PftraceWriter<W> {
    /// Begins a file. Nothing reaches `output` before a record is written or the writer is flushed.
    pub fn new(output: W) -> Self {
        let mut writer = Self {
            output,
            buffer: Vec::with_capacity(BUFFER + 4096),
            packets: 0,
            now: Nanos::ZERO,
            names: HashMap::new(),
            argument_names: HashSet::new(),
            tracks: track::TrackWriter::default(),
            flows: flow::FlowWriter::default(),
            held: Vec::new(),
            dependencies: Vec::new(),
            began: BTreeMap::new(),
            arguments: BTreeMap::new(),
        };
        packet::header(&mut writer.buffer);
        writer
    }

    /// Where it writes.
    pub const fn output(&self) -> &W {
        &self.output
    }

    /// Writes one record. Spans, their beginnings and their arguments wait in memory for what belongs to them, at most
    /// until the next [`flush`](Self::flush).
    ///
    /// # Errors
    /// Those of the output, which leave the record unwritten or cut short.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        match record {
            Record::Name(id, text) => self.write_name(*id, text)?,
            // A reader marks spans by what it knows of their lane when they come: the two stay in order.
            Record::Span(_) | Record::Lane(_) => {
                self.describe(record);
                self.held.push(record.clone());
            }
            Record::Began(began) => self.write_began(began)?,
            Record::Dependency(dependency) => self.dependencies.push(*dependency),
            Record::Argument(span, name, value) => self.write_argument(*span, *name, value),
            Record::Sample(sample) => self.write_sample(sample),
            _ => {
                self.describe(record);
                self.write_fact(record)?;
            }
        }
        if self.held.len() + self.dependencies.len() >= HELD {
            self.release()?;
        }
        self.ease()
    }

    /// Hands over what has gathered once that is much.
    fn ease(&mut self) -> io::Result<()> {
        if self.buffer.len() >= BUFFER {
            self.hand_over()?;
        }
        Ok(())
    }

    /// Writes what was held back.
    fn release(&mut self) -> io::Result<()> {
        self.write_dependencies();
        for record in std::mem::take(&mut self.held) {
            match record {
                Record::Span(span) => self.write_span(&span),
                other => self.write_fact(&other)?,
            }
        }
        Ok(())
    }

    /// Hands everything to the output, also what is known of spans that still run. Call it when the records so far
    /// must survive the process, a few times a second.
    ///
    /// # Errors
    /// Those of the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.release()?;
        for (_, began) in std::mem::take(&mut self.began) {
            self.write_fact(&Record::Began(began))?;
        }
        for (span, arguments) in std::mem::take(&mut self.arguments) {
            for (name, value) in arguments {
                self.write_late_argument(span, name, &value);
            }
        }
        self.hand_over()?;
        self.output.flush()
    }

    /// Writes what is left and the end of the file, which says how many packets it has. Nothing may be written after it. A
    /// file without an end is read to its last packet, and said to have none.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        packet::end(&mut self.buffer, self.packets);
        self.hand_over()?;
        self.output.flush()
    }

    fn hand_over(&mut self) -> io::Result<()> {
        self.packets += packet::count(&self.buffer);
        let done = self.output.write_all(&self.buffer);
        self.buffer.clear();
        done
    }

    /// A name is an interned text of Perfetto's. A second text for the same name has no place there.
    fn write_name(&mut self, id: NameId, text: &str) -> io::Result<()> {
        if self.names.contains_key(&id) {
            self.write_fact(&Record::Name(id, text.into()))?;
        } else {
            packet::intern_name(&mut self.buffer, id, text);
        }
        self.names.insert(id, text.into());
        Ok(())
    }

    /// The beginning of a span that ends before the next flush needs no word of its own.
    fn write_began(&mut self, began: &SpanStart) -> io::Result<()> {
        if self.flows.is_written(began.id) {
            return self.write_fact(&Record::Began(*began));
        }
        match self.began.insert(began.id, *began) {
            Some(former) => self.write_fact(&Record::Began(former)),
            None => Ok(()),
        }
    }

    fn write_argument(&mut self, span: SpanId, name: NameId, value: &Value) {
        if self.flows.is_written(span) {
            self.write_late_argument(span, name, value);
        } else {
            let waiting = self.arguments.entry(span).or_default();
            waiting.push((name, value.clone()));
        }
    }

    fn write_late_argument(&mut self, span: SpanId, name: NameId, value: &Value) {
        let interned = self.intern_argument(name);
        let mut event = packet::event(event_type::INSTANT, Track::Records);
        event.name = Some("Argument".to_owned());
        event.debug_annotations = vec![
            packet::uint(key::SPAN, u64::from(span.0)),
            packet::argument(name, value),
        ];
        let mut packet = packet::at(timestamp_of(self.now), event);
        packet.interned_data = interned;
        packet::append(&mut self.buffer, &packet);
    }
}

#[cfg(test)]
mod tests;
