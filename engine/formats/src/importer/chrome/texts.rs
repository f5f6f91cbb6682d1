//! The texts of all scanners under one number each, and which of them are names in the capture.

use super::scan::{Interner, RowKey, RowToken};
use crate::importer::RecordSink;
use record::{NameId, Record};

/// Texts of a file.
pub(in crate::importer) struct ChromeTexts {
    table: Interner,
    /// For each scanner, the number here of each of its texts.
    maps: Vec<Vec<u32>>,
    names: Vec<NameId>,
    named: u32,
}

impl ChromeTexts {
    pub fn new() -> Self {
        Self {
            table: Interner::new(),
            maps: Vec::new(),
            names: Vec::new(),
            named: 0,
        }
    }

    pub fn table(&self) -> &Interner {
        &self.table
    }

    pub fn text(&self, id: u32) -> &str {
        self.table.text(id)
    }

    /// The number of a text of our own.
    pub fn add(&mut self, text: &str) -> u32 {
        self.table.intern(text.as_bytes())
    }

    /// The number of bytes that should be a text; what of them is none is replaced, and counted.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> u32 {
        self.table.intern(bytes)
    }

    /// Takes the texts that a scanner met for the first time.
    pub fn absorb(&mut self, scanner: usize, texts: &[Box<str>]) {
        if self.maps.len() <= scanner {
            self.maps.resize_with(scanner + 1, Vec::new);
        }
        let Some(map) = self.maps.get_mut(scanner) else {
            return;
        };
        if map.is_empty() {
            // Every scanner begins with the same words.
            map.extend(0..super::scan::words::COUNT);
        }
        for text in texts {
            map.push(self.table.intern(text.as_bytes()));
        }
    }

    /// The number here of a scanner's text.
    pub fn global(&self, scanner: usize, text: u32) -> u32 {
        let map = self.maps.get(scanner);
        map.and_then(|map| map.get(text as usize))
            .copied()
            .unwrap_or(0)
    }

    /// The same for a row.
    pub fn row(&self, scanner: usize, row: RowKey) -> RowKey {
        let token = |token| match token {
            RowToken::Text(text) => RowToken::Text(self.global(scanner, text)),
            other => other,
        };
        (token(row.0), token(row.1))
    }

    /// The name of a text in the capture; a new one is announced.
    pub fn name(&mut self, text: u32, sink: &mut RecordSink<'_>) -> NameId {
        let at = text as usize;
        if at >= self.names.len() {
            self.names.resize(at + 1, NameId::NONE);
        }
        let Some(slot) = self.names.get_mut(at) else {
            return NameId::NONE;
        };
        if !slot.is_some() {
            *slot = NameId(self.named);
            self.named += 1;
            sink.push(Record::Name(*slot, self.table.text(text).into()));
        }
        *slot
    }

    /// Takes the name that a text has in the capture already.
    pub fn claim(&mut self, text: &str, name: NameId) {
        let at = self.add(text) as usize;
        if at >= self.names.len() {
            self.names.resize(at + 1, NameId::NONE);
        }
        self.named = self.named.max(name.0.saturating_add(1));
        if let Some(slot) = self.names.get_mut(at).filter(|slot| !slot.is_some()) {
            *slot = name;
        }
    }

    /// What names a process or a thread, as a text.
    pub fn shown(&self, token: RowToken) -> String {
        match token {
            RowToken::None => String::new(),
            RowToken::Number(number) => number.to_string(),
            RowToken::Text(text) => self.text(text).trim().to_owned(),
        }
    }
}
