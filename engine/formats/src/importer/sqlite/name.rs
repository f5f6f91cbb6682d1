//! Texts that are stored once.

use std::collections::HashMap;

use crate::importer::RecordSink;
use record::{NameId, Record};

/// Every text that has a number.
#[derive(Debug, Default)]
pub(in crate::importer) struct SqliteNames {
    ids: HashMap<Box<str>, NameId>,
}

impl SqliteNames {
    /// The number of a text; a new one is announced.
    pub fn id(&mut self, text: &str, sink: &mut RecordSink<'_>) -> NameId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = NameId(self.ids.len() as u32);
        self.ids.insert(text.into(), id);
        sink.push(Record::Name(id, text.into()));
        id
    }
}
