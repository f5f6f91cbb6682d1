//! Devices as they turn up.

use std::collections::HashMap;

use crate::importer::RecordSink;
use record::{Device, DeviceId, Record};

/// Every device on which something ran, by the file's own number.
#[derive(Debug, Default)]
pub(in crate::importer) struct SqliteDevices {
    ids: HashMap<i64, DeviceId>,
}

impl SqliteDevices {
    /// The device of a number. A new one is announced with the name and the details that `describe` gives.
    pub fn id(
        &mut self,
        key: i64,
        backend: &str,
        sink: &mut RecordSink<'_>,
        describe: impl FnOnce() -> (String, String),
    ) -> DeviceId {
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = DeviceId(self.ids.len() as u32);
        let (name, detail) = describe();
        self.ids.insert(key, id);
        sink.push(Record::Device(Box::new(Device {
            id,
            name,
            backend: backend.to_owned(),
            detail,
            rank: None,
            paced: None,
        })));
        id
    }
}
