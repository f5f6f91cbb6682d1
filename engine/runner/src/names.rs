//! Texts that records refer to by number, each reported once.

use std::collections::HashMap;
use std::sync::Mutex;

use super::recorder::Reporter;
use device::lock;
use record::{NameId, Record};

/// Texts that records refer to by number.
#[derive(Debug, Default)]
pub struct NameRegistry(Mutex<HashMap<Box<str>, NameId>>);

impl NameRegistry {
    /// The number of `text`; reports it where it is new.
    pub fn id(&self, text: &str, reporter: &Reporter) -> NameId {
        let mut names = lock(&self.0);
        if let Some(id) = names.get(text) {
            return *id;
        }
        let id = NameId(names.len() as u32);
        names.insert(text.into(), id);
        reporter.send(Record::Name(id, text.into()));
        id
    }

    /// The text of a number; empty where there is none. Looks at all of them.
    pub fn text(&self, id: NameId) -> String {
        let names = lock(&self.0);
        let found = names.iter().find(|(_, known)| **known == id);
        found.map_or_else(String::new, |(text, _)| text.to_string())
    }
}
