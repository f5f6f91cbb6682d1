//! Spans as slices, samples as counter values, dependencies as arrows and as a list.

use std::io::Write;

use super::{Writer, packet};
use crate::perfetto::dialect::{Track, is_exact, key, name_iid, timestamp_of};
use crate::perfetto::proto::{InternedData, TrackEvent, event_type};
use crate::record::{Basis, Dependency, NameId, Sample, Span, SpanKind, State};
use crate::time::Interval;

impl<W: Write> Writer<W> {
    /// A slice's begin and end stand together, so that neither is found without the other.
    pub(super) fn write_span(&mut self, span: &Span) {
        let shown = Interval {
            start: span.start,
            end: span.end.max(span.start),
        };
        let track = self.tracks.place(&mut self.buffer, span.lane, shown);
        let ends = self.flows.take(span.id);
        self.began.remove(&span.id);

        let mut begin = packet::event(event_type::BEGIN, track);
        let mut end = packet::event(event_type::END, track);
        begin.category_iids = vec![packet::category_iid(span.kind)];
        self.name_event(&mut begin, span.name);
        annotate(&mut begin, span);
        let interned = self.attach_arguments(&mut begin, span);
        begin.flow_ids = ends.out;
        // What blocks is held back at its end: there the arrow arrives, and never before it has started.
        if blocks(span.kind) {
            end.terminating_flow_ids = ends.into;
        } else {
            begin.terminating_flow_ids = ends.into;
        }
        if span.end < span.start || !is_exact(span.end) {
            end.debug_annotations = vec![packet::int(key::EXACT, span.end.0)];
        }
        let mut first = packet::at(timestamp_of(span.start), begin);
        first.interned_data = interned;
        packet::append(&mut self.buffer, &first);
        packet::append(&mut self.buffer, &packet::at(timestamp_of(shown.end), end));
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

    pub(super) fn write_dependency(&mut self, dependency: &Dependency) {
        self.flows.tie(dependency);
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
        packet::append(&mut self.buffer, &packet::at(timestamp_of(self.now), event));
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

/// Whether a span of this kind ends because of its causes, having started before.
fn blocks(kind: SpanKind) -> bool {
    matches!(
        kind,
        SpanKind::EventWait | SpanKind::Hold | SpanKind::Synchronize | SpanKind::Join
    )
}
