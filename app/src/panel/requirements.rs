//! Which workloads the chosen device cannot run, and why.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use engine::backend::Caps;
use engine::runner::lack;
use engine::workload::Document;

use super::backend_choice::{BackendChoice, adapter};
use crate::state::{AppState, WorkloadText};

/// Which workloads the chosen device cannot run, and why; kept while the device and the parameters stay.
#[derive(Debug, Default)]
pub struct WorkloadFit {
    key: u64,
    reasons: BTreeMap<String, String>,
}

impl WorkloadFit {
    /// Why the workload called `name` cannot run on the chosen device.
    pub fn reason(&self, name: &str) -> Option<&str> {
        self.reasons.get(name).map(String::as_str)
    }

    /// Asks again where the device, the workloads or their parameters are others.
    pub fn update(&mut self, state: &AppState, backends: &[BackendChoice]) {
        let chosen = adapter(backends, &state.settings);
        let mut hasher = DefaultHasher::new();
        chosen.map(|adapter| &adapter.name).hash(&mut hasher);
        state.documents.texts.len().hash(&mut hasher);
        for (name, value) in state.documents.values.values().flatten() {
            (name, value.to_bits()).hash(&mut hasher);
        }
        let key = hasher.finish() | 1;
        if key == self.key {
            return;
        }
        self.key = key;
        let texts = state.documents.texts.iter();
        let reasons = texts.filter_map(|text| {
            let caps = &chosen?.caps;
            Some((text.name.clone(), reason(state, text, caps)?))
        });
        self.reasons = reasons.collect();
    }
}

fn reason(state: &AppState, text: &WorkloadText, caps: &Caps) -> Option<String> {
    // Most devices have no end that a workload could reach; to read every text for nothing takes time.
    if caps.limits.buffer_bytes == u64::MAX {
        return None;
    }
    let values = state.documents.values.get(&text.name);
    let values = values.into_iter().flatten();
    let values: Vec<_> = values.map(|(name, value)| (name.clone(), *value)).collect();
    let document = Document::parse(&text.name, &text.source).ok()?;
    lack(&document.plan(&values).ok()?, caps)
}
