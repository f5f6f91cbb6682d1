//! What packets of one writer leave out: interned texts and defaults.

pub(super) mod annotations;

use std::collections::HashMap;

use super::gpu::Interned;
use crate::perfetto::proto::{
    AnnotationValue, CLEARED, DebugAnnotation, InternedData, InternedName, TracePacket,
    TracePacketDefaults,
};
use crate::record::Value;

/// The texts and defaults of one writer.
#[derive(Default)]
pub(super) struct Sequence {
    names: HashMap<u64, String>,
    categories: HashMap<u64, String>,
    annotation_names: HashMap<u64, String>,
    texts: HashMap<u64, String>,
    /// Queues, stages, kernels and contexts.
    pub gpu: Interned,
    defaults: TracePacketDefaults,
}

impl Sequence {
    /// Takes what a packet says for itself and for those after it.
    pub fn take(&mut self, packet: &mut TracePacket) {
        let flags = packet.sequence_flags.unwrap_or(0);
        if flags & CLEARED != 0 || packet.incremental_state_cleared == Some(true) {
            *self = Self::default();
        }
        if let Some(defaults) = packet.trace_packet_defaults.take() {
            self.defaults = defaults;
        }
        if let Some(interned) = packet.interned_data.take() {
            self.intern(interned);
        }
    }

    fn intern(&mut self, mut interned: InternedData) {
        self.gpu.take(&mut interned);
        extend(&mut self.names, interned.event_names);
        extend(&mut self.categories, interned.event_categories);
        extend(&mut self.annotation_names, interned.debug_annotation_names);
        for entry in interned.debug_annotation_string_values {
            let text = entry.str.unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            self.texts.insert(entry.iid.unwrap_or(0), text);
        }
    }

    /// The clock of a packet that names none.
    pub fn clock(&self) -> Option<u32> {
        self.defaults.timestamp_clock_id
    }

    /// The track of an event that names none.
    pub fn track(&self) -> Option<u64> {
        self.defaults.track_event_defaults.as_ref()?.track_uuid
    }

    /// The text of an event's name.
    pub fn name(&self, iid: u64) -> Option<&str> {
        self.names.get(&iid).map(String::as_str)
    }

    /// An interned text.
    pub fn text(&self, iid: u64) -> Option<&str> {
        self.texts.get(&iid).map(String::as_str)
    }

    /// The text of a category.
    pub fn category(&self, iid: u64) -> Option<&str> {
        self.categories.get(&iid).map(String::as_str)
    }

    /// Calls `emit` with the name and value of an annotation; of one that holds others, with each of those, under
    /// a path such as `grid.0`.
    pub fn flatten(
        &self,
        annotation: DebugAnnotation,
        prefix: &str,
        emit: &mut dyn FnMut(String, Value),
    ) {
        let own = annotation.name.or_else(|| {
            let name = self.annotation_names.get(&annotation.name_iid?);
            name.cloned()
        });
        let path = match (prefix, own) {
            ("", own) => own.unwrap_or_else(|| "?".to_owned()),
            (prefix, Some(own)) => format!("{prefix}.{own}"),
            (prefix, None) => prefix.to_owned(),
        };
        for (place, element) in annotation.array_values.into_iter().enumerate() {
            self.flatten(element, &format!("{path}.{place}"), emit);
        }
        for entry in annotation.dict_entries {
            self.flatten(entry, &path, emit);
        }
        if let Some(value) = annotation.value {
            emit(path, self.value(value));
        }
    }

    fn value(&self, value: AnnotationValue) -> Value {
        match value {
            AnnotationValue::Bool(value) => Value::Text(value.to_string().into()),
            AnnotationValue::Uint(value) => i64::try_from(value)
                .map_or_else(|_| Value::Text(value.to_string().into()), Value::Integer),
            AnnotationValue::Int(value) => Value::Integer(value),
            AnnotationValue::Double(value) => Value::Number(value),
            AnnotationValue::Text(value) | AnnotationValue::Json(value) => {
                Value::Text(value.into())
            }
            AnnotationValue::Pointer(value) => Value::Text(format!("{value:#x}").into()),
            AnnotationValue::TextIid(iid) => {
                Value::Text(self.texts.get(&iid).map_or("?", String::as_str).into())
            }
        }
    }
}

fn extend(table: &mut HashMap<u64, String>, entries: Vec<InternedName>) {
    let rows = entries.into_iter();
    table.extend(rows.map(|it| (it.iid.unwrap_or(0), it.name.unwrap_or_default())));
}
