//! Names in the order of their declaration, each found at once: a long text refers to each of many, many times.

use std::collections::HashMap;
use std::ops::Deref;

/// Names by place, and places by name.
#[derive(Debug, Default)]
pub(in crate::reader) struct NameList {
    names: Vec<String>,
    places: HashMap<String, usize>,
}

impl NameList {
    /// Appends a name. Where it is there already, the first keeps its place.
    pub fn push(&mut self, name: String) {
        let place = self.names.len();
        self.places.entry(name.clone()).or_insert(place);
        self.names.push(name);
    }

    /// The place of a name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Whether it has a name.
    pub fn contains(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }
}

impl Deref for NameList {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.names
    }
}
