//! Which GPU a track belongs to: by its own number, or by the agents that its work names.

use std::collections::{BTreeMap, BTreeSet};

use super::{PftraceTracks, TrackKey, UsedTrack};

/// What slices of a track say of agents: the processors of a machine, GPUs among them, in one numbering.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SliceAgents {
    node: Option<i64>,
    from: Option<i64>,
    to: Option<i64>,
}

impl SliceAgents {
    /// Whether an annotation of this name says something of an agent.
    pub fn concerns(name: &str) -> bool {
        matches!(name, "node_id" | "src_agent" | "dst_agent")
    }

    /// Takes an annotation of a slice.
    pub fn note(&mut self, name: &str, value: i64) {
        let slot = match name {
            "node_id" => &mut self.node,
            "src_agent" => &mut self.from,
            "dst_agent" => &mut self.to,
            _ => return,
        };
        slot.get_or_insert(value);
    }
}

impl PftraceTracks {
    /// The GPU of each track in use, where it can be known.
    pub(super) fn gpus(&self) -> Vec<Option<i64>> {
        let own: Vec<Option<i64>> = self.used.iter().map(|used| self.own_gpu(used)).collect();
        let pairs = || self.used.iter().zip(&own);
        // Kernels name both numbers of their GPU.
        let by_node: BTreeMap<i64, i64> = pairs()
            .filter_map(|(used, gpu)| Some((used.agents().node?, (*gpu)?)))
            .collect();
        let all: BTreeSet<i64> = own.iter().flatten().copied().collect();
        let only = all.first().copied().filter(|_| all.len() == 1);
        pairs()
            .map(|(used, gpu)| {
                let of = |agent: Option<i64>| by_node.get(&agent?).copied();
                let agents = used.agents();
                let moves = agents.from.is_some() || agents.to.is_some();
                gpu.or_else(|| of(agents.to))
                    .or_else(|| of(agents.from))
                    .or_else(|| only.filter(|_| moves))
            })
            .collect()
    }

    /// The GPU whose number a track or its ancestors bear.
    fn own_gpu(&self, used: &UsedTrack) -> Option<i64> {
        match &used.key {
            TrackKey::Queue(gpu, _) | TrackKey::Gauge(gpu, _) => Some(i64::from(*gpu)),
            TrackKey::Thread(..) | TrackKey::Series(..) | TrackKey::Numbered(..) => None,
            TrackKey::Track(uuid) => {
                let mut next = Some(*uuid);
                for _ in 0..super::GENERATIONS {
                    let track = next.and_then(|uuid| self.described(uuid))?;
                    let process = track.process();
                    let process = process.and_then(|it| it.process_name.as_deref());
                    let names = [track.name.as_deref(), process];
                    if let Some(gpu) = names.into_iter().flatten().find_map(gpu_number) {
                        return Some(gpu);
                    }
                    next = track.parent_uuid;
                }
                None
            }
        }
    }
}

/// The number of a GPU in a name such as `GPU Kernel Dispatch [0] Queue 1`, `GPU 3` or `Device 1`. The numbers of
/// agents count processors as well.
pub(super) fn gpu_number(name: &str) -> Option<i64> {
    let lower = name.to_ascii_lowercase();
    if lower.contains("agent") {
        return None;
    }
    if lower.starts_with("gpu") {
        let inside = lower
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'));
        if let Some(number) = inside.and_then(|(inside, _)| inside.trim().parse().ok()) {
            return Some(number);
        }
    }
    let words: Vec<&str> = lower
        .split(|it: char| !it.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(2).find_map(|pair| match pair {
        ["gpu" | "device", number] => number.parse().ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_bear_the_number_of_a_gpu() {
        assert_eq!(gpu_number("GPU Kernel Dispatch [0] Queue 1"), Some(0));
        assert_eq!(gpu_number("GPU Current Power [3] (S)"), Some(3));
        assert_eq!(gpu_number("CUDA GPU 2"), Some(2));
        assert_eq!(gpu_number("Device 1"), Some(1));
        assert_eq!(gpu_number("GPU Memory Copy to Agent [1] Thread 0"), None);
        assert_eq!(gpu_number("main"), None);
    }
}
