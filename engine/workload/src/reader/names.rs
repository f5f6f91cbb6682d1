//! Which names a file declares, and what a reference to one of them means.

mod list;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::kdl::KdlEntry;

use super::KdlReader;
use super::entries::{text_range, value_range};
use super::streams::LazyStreams;
use crate::error::nearest;
use crate::phase::{Reference, ResourceClass};
use list::NameList;

/// The element of an array that an initial value or an expected value is for.
pub(super) const PART: &str = "part";
/// The number of an element within its buffer.
pub(super) const ELEMENT: &str = "k";

/// Every declared name.
#[derive(Debug, Default)]
pub(super) struct DeclarationNames {
    pub parameters: NameList,
    /// Loop indices, from outermost to innermost.
    pub indices: Vec<String>,
    pub streams: NameList,
    pub events: NameList,
    pub buffers: NameList,
    pub signals: NameList,
    pub shaders: NameList,
    pub pipelines: NameList,
    pub promises: NameList,
    pub pools: NameList,
    pub threads: NameList,
    /// Events that are taken from a pool.
    pub pooled: NameList,
    pub recorded: NameList,
    pub graphs: NameList,
    pub hosts: NameList,
    /// How many `try`s are around.
    pub attempts: usize,
    /// Whether there is a placement.
    pub has_ranks: bool,
    /// Calls by label.
    pub labels: BTreeMap<String, Vec<u32>>,
    /// What streams are like, for calls that name none.
    pub lazy: LazyStreams,
}

impl DeclarationNames {
    pub fn of(&self, class: ResourceClass) -> &NameList {
        match class {
            ResourceClass::Stream => &self.streams,
            ResourceClass::Event => &self.events,
            ResourceClass::Buffer => &self.buffers,
            ResourceClass::Signal => &self.signals,
            ResourceClass::Pipeline => &self.pipelines,
            ResourceClass::Promise => &self.promises,
            ResourceClass::Pool => &self.pools,
            ResourceClass::Thread => &self.threads,
            ResourceClass::Recorded => &self.recorded,
            ResourceClass::Graph => &self.graphs,
        }
    }

    pub fn of_mut(&mut self, class: ResourceClass) -> &mut NameList {
        match class {
            ResourceClass::Stream => &mut self.streams,
            ResourceClass::Event => &mut self.events,
            ResourceClass::Buffer => &mut self.buffers,
            ResourceClass::Signal => &mut self.signals,
            ResourceClass::Pipeline => &mut self.pipelines,
            ResourceClass::Promise => &mut self.promises,
            ResourceClass::Pool => &mut self.pools,
            ResourceClass::Thread => &mut self.threads,
            ResourceClass::Recorded => &mut self.recorded,
            ResourceClass::Graph => &mut self.graphs,
        }
    }

    /// What expressions in calls may use, in the order of the variables.
    pub fn variables(&self) -> Vec<&str> {
        self.parameters
            .iter()
            .chain(&self.indices)
            .map(String::as_str)
            .collect()
    }

    /// What formulas for a buffer's elements may use, in the order of the variables.
    pub fn element_variables(&self) -> Vec<&str> {
        self.parameters
            .iter()
            .map(String::as_str)
            .chain([PART, ELEMENT])
            .collect()
    }
}

impl ResourceClass {
    /// The word that declares one.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Event => "event",
            Self::Buffer => "buffer",
            Self::Signal => "signal",
            Self::Pipeline => "pipeline",
            Self::Promise => "promise",
            Self::Pool => "event-pool",
            Self::Thread => "callback-thread",
            Self::Recorded => "recorded",
            Self::Graph => "graph",
        }
    }

    /// How one called `name` is declared.
    fn declared(self, name: &str) -> String {
        let size = match self {
            Self::Buffer => " f32=1024",
            Self::Pool => " count=4",
            Self::Pipeline => " kernel=\"saxpy\"",
            _ => "",
        };
        format!("{} \"{name}\"{size}", self.word())
    }
}

impl KdlReader<'_> {
    /// The resource that `entry` names, with the index in its brackets or in `index`.
    pub fn reference(
        &mut self,
        class: ResourceClass,
        entry: &KdlEntry,
        index: Option<&KdlEntry>,
    ) -> Option<Reference> {
        let text = self.text(entry)?;
        let place = text_range(entry, &text);
        let (name, bracket) = match text.split_once('[') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text.as_str(), None),
        };
        let declaration = self.declaration(class, name, &place, text.len());
        let index = match (bracket, index) {
            (Some(_), Some(index)) => {
                self.report(
                    value_range(index),
                    "this index is given twice",
                    "keep the one in brackets or this one",
                );
                return None;
            }
            (Some(bracket), None) => {
                let Some(inner) = bracket.strip_suffix(']') else {
                    self.report(
                        place,
                        format!("“{text}” ends without “]”"),
                        format!("write: {name}[i]"),
                    );
                    return None;
                };
                let start = place.start + name.len() + 1;
                let inner_range = if place.len() == text.len() {
                    start..start + inner.len()
                } else {
                    place.clone()
                };
                Some(self.call_formula(inner, inner_range)?)
            }
            (None, Some(index)) => Some(self.call_number(index)?),
            (None, None) if class == ResourceClass::Stream => {
                declaration.and_then(|found| self.names.lazy.own(found))
            }
            (None, None) => None,
        };
        Some(Reference {
            class,
            declaration: declaration?,
            index,
            range: value_range(entry),
        })
    }

    fn declaration(
        &mut self,
        class: ResourceClass,
        name: &str,
        place: &Range<usize>,
        len: usize,
    ) -> Option<usize> {
        let known = self.names.of(class);
        if let Some(found) = known.place(name) {
            return Some(found);
        }
        let word = class.word();
        let (message, help) = if known.is_empty() {
            (
                format!("there is no {word} “{name}”: this workload declares no {word} at all"),
                None,
            )
        } else {
            let near = nearest(name, known.iter().map(String::as_str));
            let all = || format!("declared: {}", known.join(", "));
            (
                format!("there is no {word} “{name}”"),
                Some(near.unwrap_or_else(all)),
            )
        };
        let help = help.unwrap_or_else(|| format!("declare one: {}", class.declared(name)));
        let range = if place.len() == len {
            place.start..place.start + name.len()
        } else {
            place.clone()
        };
        self.report(range, message, help);
        None
    }
}
