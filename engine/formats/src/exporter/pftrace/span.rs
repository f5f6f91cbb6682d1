//! Spans as slices, samples as counter values, dependencies as arrows and as a list.

use std::collections::HashMap;
use std::io::Write;

use super::flow::{self, WrittenSlice};
use super::{PftraceWriter, packet};
use crate::perfetto::dialect::{Track, is_exact, key, name_iid, timestamp_of};
use crate::perfetto::proto::{InternedData, TrackEvent, event_type};
use record::{Basis, Dependency, NameId, Record, Sample, Span, SpanId, State};

impl<W: Write> PftraceWriter<W> {
    /// A slice's begin and end stand together, so that neither is found without the other.
    pub(super) fn write_span(&mut self, span: &Span) {
        let shown = WrittenSlice::interval(span);
        let track = self.tracks.place(&mut self.buffer, span.lane, shown);
        let ends = self.flows.take(&mut self.buffer, span.id);
        self.began.remove(&span.id);

        let mut begin = packet::event(event_type::BEGIN, track);
        let mut end = packet::event(event_type::END, track);
        begin.category_iids = vec![packet::category_iid(span.kind)];
        self.name_event(&mut begin, span.name);
        annotate(&mut begin, span);
        let interned = self.attach_arguments(&mut begin, span);
        begin.flow_ids = ends.out;
        begin.terminating_flow_ids = ends.start;
        end.terminating_flow_ids = ends.end;
        if span.end < span.start || !is_exact(span.end) {
            end.debug_annotations = vec![packet::int(key::EXACT, span.end.0)];
        }
        let mut first = packet::at(timestamp_of(span.start), begin);
        first.interned_data = interned;
        packet::append(&mut self.buffer, &first);
        let at = (track, span.id);
        flow::mark(&mut self.buffer, at, shown.start, (&ends.out_mark, &[]));
        flow::mark(&mut self.buffer, at, shown.end, (&[], &ends.end_mark));
        packet::append(&mut self.buffer, &packet::at(timestamp_of(shown.end), end));
        self.flows
            .meet(&mut self.buffer, WrittenSlice { track, span: *span });
        self.now = span.start;
    }

    fn name_event(&self, event: &mut TrackEvent, name: NameId) {
        if self.names.contains_key(&name) {
            event.name_iid = Some(name_iid(name));
        } else {
            event.name = Some("?".to_owned());
            event
                .debug_annotations
                .push(packet::uint(key::NAME, u64::from(name.0)));
        }
    }

    fn attach_arguments(&mut self, event: &mut TrackEvent, span: &Span) -> Option<InternedData> {
        let arguments = self.arguments.remove(&span.id)?;
        let mut interned = InternedData::default();
        for (name, value) in &arguments {
            if let Some(new) = self.intern_argument(*name) {
                interned
                    .debug_annotation_names
                    .extend(new.debug_annotation_names);
            }
            event.debug_annotations.push(packet::argument(*name, value));
        }
        Some(interned)
    }

    /// The text of an argument's name, the first time that it is used.
    pub(super) fn intern_argument(&mut self, name: NameId) -> Option<InternedData> {
        let text = self.names.get(&name).map_or("?", |text| text);
        self.argument_names
            .insert(name)
            .then(|| packet::argument_name(name, text))
    }

    /// Writes the dependencies that came, with arrows where their spans are not written yet, which are among those that wait
    /// or come later.
    pub(super) fn write_dependencies(&mut self) {
        if self.dependencies.is_empty() {
            return;
        }
        let spans: HashMap<SpanId, Span> = self.held.iter().filter_map(held_span).collect();
        for dependency in std::mem::take(&mut self.dependencies) {
            let of = |id: SpanId| spans.get(&id).copied();
            self.write_dependency(&dependency, of(dependency.cause), of(dependency.effect));
        }
    }

    /// Writes a dependency; `cause` and `effect` are its spans, where they are known and not written.
    pub(super) fn write_dependency(
        &mut self,
        dependency: &Dependency,
        cause: Option<Span>,
        effect: Option<Span>,
    ) {
        let Dependency {
            cause: from,
            effect: to,
            ..
        } = *dependency;
        let is_late = from == to || self.flows.is_written(from) || self.flows.is_written(to);
        let time = match (cause, effect) {
            _ if is_late => self.now,
            (Some(cause), Some(effect)) if effect.end >= cause.start => {
                self.flows.add_dependency(&cause, &effect)
            }
            // Only once both are written can marks lie in an order that the times of the spans do not have.
            _ => {
                self.flows.tie_apart(dependency);
                effect.or(cause).map_or(self.now, |it| it.end)
            }
        };
        let time = self.flows.list(time);
        let mut event = packet::event(event_type::INSTANT, Track::Dependencies);
        event.name_iid = Some(packet::dependency_iid(dependency.kind));
        event.debug_annotations = vec![
            packet::uint(key::CAUSE, u64::from(dependency.cause.0)),
            packet::uint(key::EFFECT, u64::from(dependency.effect.0)),
        ];
        let notes = &mut event.debug_annotations;
        if dependency.basis != Basis::Enforced {
            notes.push(packet::text(key::BASIS, dependency.basis.label()));
        }
        if dependency.event.is_some() {
            notes.push(packet::uint(key::EVENT, u64::from(dependency.event.0)));
        }
        if dependency.generation != 0 {
            notes.push(packet::uint(
                key::GENERATION,
                u64::from(dependency.generation),
            ));
        }
        packet::append(&mut self.buffer, &packet::at(timestamp_of(time), event));
    }

    pub(super) fn write_sample(&mut self, sample: &Sample) {
        self.tracks.sampled(&mut self.buffer, sample.counter);
        let mut event = packet::event(event_type::COUNTER, Track::Counter(sample.counter));
        event.double_counter_value = Some(sample.value);
        if !is_exact(sample.time) {
            event.debug_annotations = vec![packet::int(key::EXACT, sample.time.0)];
        }
        packet::append(
            &mut self.buffer,
            &packet::at(timestamp_of(sample.time), event),
        );
    }
}

/// What Perfetto has no field for.
fn annotate(event: &mut TrackEvent, span: &Span) {
    let notes = &mut event.debug_annotations;
    notes.push(packet::uint(key::ID, u64::from(span.id.0)));
    if span.call.is_some() {
        notes.push(packet::uint(key::CALL, u64::from(span.call.0)));
    }
    if span.state != State::Done {
        notes.push(packet::text(key::STATE, span.state.label()));
    }
    if span.enqueued != span.start {
        let queued = span.start.0.wrapping_sub(span.enqueued.0);
        notes.push(packet::int(key::QUEUED, queued));
    }
    if !is_exact(span.start) {
        notes.push(packet::int(key::EXACT, span.start.0));
    }
}

/// A span among what is held back, by its id.
fn held_span(record: &Record) -> Option<(SpanId, Span)> {
    match record {
        Record::Span(span) => Some((span.id, *span)),
        _ => None,
    }
}
