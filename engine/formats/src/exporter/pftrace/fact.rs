//! Records that Perfetto has no place for, as texts on a track of their own.

use std::io::{self, Write};

use super::{PftraceWriter, packet};
use crate::perfetto::dialect::{Track, key, timestamp_of};
use crate::perfetto::fact::to_json;
use crate::perfetto::proto::{AnnotationValue, DebugAnnotation, event_type};
use record::Record;
use record::time::Nanos;

impl<W: Write> PftraceWriter<W> {
    /// Lets Perfetto draw what it can of a record that is also written as a text.
    pub(super) fn describe(&mut self, record: &Record) {
        match record {
            Record::Device(device) => self.tracks.device(&mut self.buffer, device),
            Record::Lane(lane) => self.tracks.lane(&mut self.buffer, lane),
            Record::Counter(counter) => self.tracks.counter(&mut self.buffer, counter),
            _ => {}
        }
    }

    /// Writes a record as a text that gives it back.
    pub(super) fn write_fact(&mut self, record: &Record) -> io::Result<()> {
        let (track, name) = heading(record);
        let mut event = packet::event(event_type::INSTANT, track);
        event.name = Some(name);
        let (text, numbers) = to_json(record)?;
        event
            .debug_annotations
            .push(packet::text(key::RECORD, &text));
        if !numbers.is_empty() {
            event.debug_annotations.push(array(&numbers));
        }
        let time = time(record).unwrap_or(self.now);
        packet::append(&mut self.buffer, &packet::at(timestamp_of(time), event));
        Ok(())
    }
}

fn array(numbers: &[f64]) -> DebugAnnotation {
    let element = |&number| DebugAnnotation {
        value: Some(AnnotationValue::Double(number)),
        ..DebugAnnotation::default()
    };
    DebugAnnotation {
        name_iid: Some(key::NUMBERS),
        array_values: numbers.iter().map(element).collect(),
        ..DebugAnnotation::default()
    }
}

/// Where Perfetto shows the record, and under which words.
fn heading(record: &Record) -> (Track, String) {
    match record {
        Record::Problem(problem) => {
            let words = format!(
                "{}: {}: {}",
                problem.severity.label(),
                problem.code,
                problem.text
            );
            (Track::Problems, words)
        }
        Record::Finding(finding) => {
            let words = format!("{}: {}", finding.code, finding.text);
            (Track::Problems, words)
        }
        Record::Search(search) => (Track::Records, search.text.clone()),
        Record::Loss(loss) => (Track::Problems, format!("device lost: {}", loss.reason)),
        Record::Expectation(expectation) => {
            let verdict = match expectation.holds {
                Some(true) => "passed",
                Some(false) => "failed",
                None => "not judged",
            };
            (Track::Records, format!("{verdict}: {}", expectation.text))
        }
        Record::PipelineStep(step) => {
            let words = format!("pipeline {}: {}", step.pipeline.0, step.state.label());
            (Track::Records, words)
        }
        Record::Settlement(settlement) => {
            let (verdict, value) = (settlement.verdict.label(), &settlement.value);
            (Track::Records, format!("{verdict}: {value}"))
        }
        Record::LaunchStep(step) => {
            let words = format!("launch {}: {}", step.launch.0, step.change.label());
            (Track::Records, words)
        }
        Record::Log(log) => (Track::Records, log.text.clone()),
        Record::Note(text) => (Track::Records, text.to_string()),
        Record::Bookmark(bookmark) => (Track::Records, format!("bookmark: {}", bookmark.text)),
        Record::FileRepair(repair) => {
            let words = format!("repaired: {}: {}", repair.cause, repair.count);
            (Track::Records, words)
        }
        other => (Track::Records, variant(other).to_owned()),
    }
}

fn variant(record: &Record) -> &'static str {
    match record {
        Record::Run(_) => "Run",
        Record::Name(..) => "Name",
        Record::Device(_) => "Device",
        Record::Lane(_) => "Lane",
        Record::LaneOrigin(_) => "LaneOrigin",
        Record::Event(_) => "Event",
        Record::EventStep(_) => "EventStep",
        Record::Call(_) => "Call",
        Record::BufferUse(_) => "BufferUse",
        Record::Span(_) => "Span",
        Record::Began(_) => "Began",
        Record::Dependency(_) => "Dependency",
        Record::Argument(..) => "Argument",
        Record::Counter(_) => "Counter",
        Record::Sample(_) => "Sample",
        Record::Loss(_) => "Loss",
        Record::Recovery(_) => "Recovery",
        Record::Pipeline(_) => "Pipeline",
        Record::PipelineStep(_) => "PipelineStep",
        Record::Promise(_) => "Promise",
        Record::Settlement(_) => "Settlement",
        Record::Clock(_) => "Clock",
        Record::Problem(_) => "Problem",
        Record::Finding(_) => "Finding",
        Record::Search(_) => "Search",
        Record::Expectation(_) => "Expectation",
        Record::Log(_) => "Log",
        Record::Note(_) => "Note",
        Record::Bookmark(_) => "Bookmark",
        Record::FileRepair(_) => "FileRepair",
        Record::Launch(_) => "Launch",
        Record::LaunchStep(_) => "LaunchStep",
        Record::Relaunch(_) => "Relaunch",
        Record::End(_) => "End",
        Record::Fields(_) => "Fields",
        Record::Submitted(_) => "Submitted",
        Record::Schedule(_) => "Schedule",
    }
}

fn time(record: &Record) -> Option<Nanos> {
    match record {
        Record::Loss(loss) => Some(loss.time),
        Record::Recovery(recovery) => Some(recovery.time),
        Record::PipelineStep(step) => Some(step.time),
        Record::Settlement(settlement) => Some(settlement.time),
        Record::LaunchStep(step) => Some(step.time),
        Record::Log(log) => Some(log.time),
        Record::Bookmark(bookmark) => Some(bookmark.at.start),
        Record::Began(began) => Some(began.start),
        Record::End(end) => Some(end.time),
        Record::Schedule(schedule) => schedule.intervals.first().map(|it| it.interval.start),
        _ => None,
    }
}
