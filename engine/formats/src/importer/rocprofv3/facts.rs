//! What the file says of processes, devices, kernels and the names of operations.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::from_slice;

use super::row::WholeNumber;
use super::walk::ElementPosition;

/// So many kinds of records have names; the tool has some thirty.
const MOST_KINDS: i64 = 4_096;

/// A fact by process and the file's own number.
type FactKey = (u32, i64);

/// Everything that records refer to by number.
#[derive(Debug, Default)]
pub(super) struct Rocprofv3Facts {
    /// The system's number of each process.
    processes: Vec<i64>,
    agents: HashMap<FactKey, Rocprofv3Agent>,
    kernels: HashMap<FactKey, String>,
    counters: HashMap<FactKey, String>,
    /// Operations by kind, by process.
    operations: HashMap<FactKey, RecordKindNames>,
    /// Kinds seen so far of each process.
    kinds: HashMap<u32, i64>,
    markers: HashMap<FactKey, String>,
}

/// A processor.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Rocprofv3Agent {
    id: WholeNumber,
    #[serde(rename = "type")]
    sort: WholeNumber,
    name: String,
    product_name: String,
    logical_node_type_id: WholeNumber,
}

impl Rocprofv3Agent {
    /// Whether it is a GPU.
    pub fn is_gpu(&self) -> bool {
        self.sort == WholeNumber(Some(2))
    }

    /// What people call it, with its number among those of its sort.
    pub fn title(&self) -> String {
        let name = if self.product_name.is_empty() {
            &self.name
        } else {
            &self.product_name
        };
        format!("{name} {}", self.logical_node_type_id.or_zero())
    }

    /// Its architecture.
    pub fn architecture(&self) -> &str {
        &self.name
    }
}

/// A kernel's names.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct KernelSymbol {
    kernel_id: WholeNumber,
    formatted_kernel_name: String,
    demangled_kernel_name: String,
    kernel_name: String,
}

/// A kind of record and the names of its operations.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RecordKindNames {
    kind: String,
    operations: Vec<String>,
}

/// A text by number.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NumberedText {
    key: WholeNumber,
    value: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Rocprofv3Counter {
    id: WholeNumber,
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ProcessMetadata {
    pid: WholeNumber,
}

impl Rocprofv3Facts {
    /// Takes an element of a section that holds facts. Says no where it cannot be read.
    pub fn take(&mut self, place: ElementPosition<'_>, bytes: &[u8]) -> bool {
        let own = |id: WholeNumber| (place.process, id.or_zero());
        let taken = match (place.section, place.list) {
            ("metadata", _) => from_slice(bytes).map(|it: ProcessMetadata| {
                let at = place.process as usize;
                self.processes.resize(self.processes.len().max(at + 1), 0);
                if let Some(slot) = self.processes.get_mut(at) {
                    *slot = it.pid.or_zero();
                }
            }),
            ("agents", _) => {
                from_slice(bytes).map(|it: Rocprofv3Agent| drop(self.agents.insert(own(it.id), it)))
            }
            ("kernel_symbols", _) => from_slice(bytes).map(|it: KernelSymbol| {
                let id = own(it.kernel_id);
                self.kernels.insert(id, it.best());
            }),
            ("counters", _) => from_slice(bytes)
                .map(|it: Rocprofv3Counter| drop(self.counters.insert(own(it.id), it.name))),
            ("strings", "buffer_records") => from_slice(bytes).map(|it: RecordKindNames| {
                let next = self.kinds.entry(place.process).or_default();
                // Records of a kind beyond that are called by their numbers.
                if *next < MOST_KINDS {
                    self.operations.insert((place.process, *next), it);
                    *next += 1;
                }
            }),
            ("strings", "marker_api") => from_slice(bytes)
                .map(|it: NumberedText| drop(self.markers.insert(own(it.key), it.value))),
            _ => Ok(()),
        };
        taken.is_ok()
    }

    /// The system's number of a process.
    pub fn process(&self, process: u32) -> i64 {
        let known = self.processes.get(process as usize);
        known.copied().unwrap_or_else(|| i64::from(process))
    }

    pub fn agent(&self, process: u32, id: i64) -> Option<&Rocprofv3Agent> {
        self.agents.get(&(process, id))
    }

    /// What a kernel is called; its number where the file does not say.
    pub fn kernel(&self, process: u32, id: i64) -> String {
        let known = self.kernels.get(&(process, id));
        known.cloned().unwrap_or_else(|| format!("kernel {id}"))
    }

    /// What a counter is called; its number where the file does not say.
    pub fn counter(&self, process: u32, id: i64) -> String {
        let known = self.counters.get(&(process, id));
        known.cloned().unwrap_or_else(|| format!("counter {id}"))
    }

    /// What an operation is called.
    pub fn operation(
        &self,
        process: u32,
        kind: WholeNumber,
        operation: WholeNumber,
    ) -> Option<&str> {
        let known = self.operations.get(&(process, kind.0?))?;
        let at = usize::try_from(operation.0?).ok()?;
        let name = known.operations.get(at).unwrap_or(&known.kind);
        Some(name.as_str()).filter(|it| !it.is_empty())
    }

    /// What the program called a range that it marked itself.
    pub fn marker(&self, process: u32, correlation: i64) -> Option<&str> {
        self.markers
            .get(&(process, correlation))
            .map(String::as_str)
    }
}

impl KernelSymbol {
    fn best(self) -> String {
        let names = [
            self.formatted_kernel_name,
            self.demangled_kernel_name,
            self.kernel_name,
        ];
        names
            .into_iter()
            .find(|it| !it.is_empty())
            .unwrap_or_else(|| "?".to_owned())
    }
}
