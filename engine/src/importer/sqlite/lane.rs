//! Lanes as they turn up, and what each stream proves to be for.

use std::collections::HashMap;

use crate::importer::Sink;
use crate::record::{DeviceId, Group, Lane, LaneId, Record, Role, SpanKind};

/// What a stream did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::importer) enum Work {
    Kernel,
    Collective,
    Upload,
    Download,
    Copy,
    Other,
}

impl Work {
    /// What an operation of a kind and a name is.
    pub fn of(kind: SpanKind, name: &str) -> Self {
        match kind {
            SpanKind::Kernel if is_collective(name) => Self::Collective,
            SpanKind::Kernel => Self::Kernel,
            SpanKind::Upload => Self::Upload,
            SpanKind::Download => Self::Download,
            SpanKind::Copy => Self::Copy,
            _ => Self::Other,
        }
    }
}

/// Whether a kernel of that name talks to other devices.
fn is_collective(name: &str) -> bool {
    ["nccl", "rccl", "hcom_", "hccl"].iter().any(|known| {
        name.get(..known.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(known))
    }) || name.contains("ncclKernel")
        || name.contains("ncclDevKernel")
}

/// What tells a lane from all others, whatever the format counts by.
pub(in crate::importer) type LaneKey = (Group, [i64; 4]);

/// What a lane is called on screen.
#[derive(Clone, Debug, Default)]
pub(in crate::importer) struct Title {
    pub name: String,
    /// What tells it from another lane of the same name, such as its process.
    pub besides: String,
    pub device: Option<DeviceId>,
}

/// Every lane on which something happened.
#[derive(Debug, Default)]
pub(in crate::importer) struct Lanes {
    ids: HashMap<LaneKey, LaneId>,
    rows: Vec<(LaneKey, Lane)>,
    besides: Vec<String>,
    did: Vec<[u32; 6]>,
    last: Option<(LaneKey, LaneId)>,
}

impl Lanes {
    /// The lane of a key. A new one is announced under the title that `describe` gives.
    pub fn id(
        &mut self,
        key: LaneKey,
        sink: &mut Sink<'_>,
        describe: impl FnOnce(&mut Sink<'_>) -> Title,
    ) -> LaneId {
        if let Some((last, id)) = self.last
            && last == key
        {
            return id;
        }
        let known = self.ids.get(&key).copied();
        let id = known.unwrap_or_else(|| self.add(key, describe(sink), sink));
        self.last = Some((key, id));
        id
    }

    fn add(&mut self, key: LaneKey, title: Title, sink: &mut Sink<'_>) -> LaneId {
        let Title {
            name,
            besides,
            device,
        } = title;
        self.besides.push(besides);
        let id = LaneId(self.rows.len() as u32);
        let lane = Lane {
            id,
            group: key.0,
            device,
            role: Role::None,
            name,
            order: 0,
        };
        sink.push(Record::Lane(Box::new(lane.clone())));
        self.ids.insert(key, id);
        self.rows.push((key, lane));
        self.did.push([0; 6]);
        id
    }

    /// Notes what a stream did.
    pub fn did(&mut self, lane: LaneId, work: Work) {
        if let Some(count) = self
            .did
            .get_mut(lane.index())
            .and_then(|did| did.get_mut(work as usize))
        {
            *count += 1;
        }
    }

    /// Announces every lane anew, with its role and its place in order.
    pub fn finish(&mut self, sink: &mut Sink<'_>) {
        let mut order: Vec<LaneKey> = self.rows.iter().map(|(key, _)| *key).collect();
        order.sort_unstable();
        self.tell_apart();
        for ((key, lane), did) in self.rows.iter_mut().zip(&self.did) {
            lane.order = order.binary_search(key).unwrap_or(0) as i32;
            if lane.group == Group::Streams {
                lane.role = role(did);
            }
            sink.push(Record::Lane(Box::new(lane.clone())));
        }
    }
}

impl Lanes {
    /// Lanes of one name on one device say besides what tells them apart.
    fn tell_apart(&mut self) {
        let mut named: HashMap<(Group, Option<DeviceId>, String), u32> = HashMap::new();
        let title = |lane: &Lane| (lane.group, lane.device, lane.name.clone());
        for (_, lane) in &self.rows {
            *named.entry(title(lane)).or_default() += 1;
        }
        for ((_, lane), besides) in self.rows.iter_mut().zip(&self.besides) {
            if named.get(&title(lane)).is_some_and(|&count| count > 1) && !besides.is_empty() {
                lane.name = format!("{} ({besides})", lane.name);
            }
        }
    }
}

/// What a stream is for: kernels or collectives before anything else, or else what it did most.
fn role(did: &[u32; 6]) -> Role {
    let [kernels, collectives, uploads, downloads, copies, others] = *did;
    if kernels > 0 && kernels >= collectives {
        return Role::Compute;
    }
    if collectives > 0 {
        return Role::Collective;
    }
    let moved = [
        (uploads, Role::HostToDevice),
        (downloads, Role::DeviceToHost),
        (copies, Role::DeviceToDevice),
        (others, Role::Compute),
    ];
    let most = moved.into_iter().rev().max_by_key(|(count, _)| *count);
    most.filter(|(count, _)| *count > 0)
        .map_or(Role::None, |(_, role)| role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_for_what_it_runs() {
        assert_eq!(role(&[9, 1, 99, 99, 99, 99]), Role::Compute);
        assert_eq!(role(&[1, 9, 99, 0, 0, 0]), Role::Collective);
        assert_eq!(role(&[0, 1, 9, 0, 0, 0]), Role::Collective);
        assert_eq!(role(&[0, 0, 3, 1, 0, 0]), Role::HostToDevice);
        assert_eq!(role(&[0, 0, 1, 3, 0, 0]), Role::DeviceToHost);
        assert_eq!(role(&[0; 6]), Role::None);
    }

    #[test]
    fn kernels_of_collectives_are_known_by_name() {
        let of = |name| Work::of(SpanKind::Kernel, name);
        assert_eq!(of("ncclDevKernel_SendRecv(x)"), Work::Collective);
        assert_eq!(of("void ncclKernel_AllReduce<1>"), Work::Collective);
        assert_eq!(of("gemm"), Work::Kernel);
    }
}
