//! The pools of a capture.

use std::collections::{BTreeMap, BTreeSet};

use capture::{Capture, PlacedSpan};
use record::time::{Interval, Nanos};
use record::{
    DeviceId, Group, LaneId, MEMORY_BLOCK, MEMORY_EVENT, MEMORY_SEGMENT, NameId, SpanKind,
    TorchDevice,
};

use super::events::DraftEvent;
use super::pool::MemoryPool;

/// What makes a pool: its rank and process, and the device.
type PoolKey<'a> = (Option<u32>, &'a str, PoolDevice);

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PoolDevice {
    /// A device as PyTorch numbers it.
    Torch(TorchDevice),
    /// A device of the capture, to whose streams the events belong.
    Device(DeviceId),
    /// Whatever the lane is of.
    Lane(LaneId),
}

impl PoolDevice {
    fn title(self, capture: &Capture) -> String {
        match self {
            Self::Torch(device) => device.to_string(),
            Self::Device(device) => device_name(capture, device).to_owned(),
            Self::Lane(lane) => capture.lane_title(lane).into_owned(),
        }
    }

    const fn torch(self) -> Option<TorchDevice> {
        match self {
            Self::Torch(device) => Some(device),
            Self::Device(_) | Self::Lane(_) => None,
        }
    }
}

/// The memory of every allocator of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryHistory {
    /// The pools, by rank, process and device.
    pub pools: Vec<MemoryPool>,
}

impl MemoryHistory {
    /// Reads all that a capture tells of allocators.
    pub fn new(capture: &Capture) -> Self {
        let drafts = drafts(capture);
        let shared = drafts.keys().fold(BTreeMap::new(), |mut shared, key| {
            *shared.entry((key.0, key.2)).or_insert(0_u32) += 1;
            shared
        });
        let ranks: BTreeSet<Option<u32>> = drafts.keys().map(|it| it.0).collect();
        let several_ranks = ranks.len() > 1;
        let pools = drafts.into_iter().map(|(key, drafts)| {
            let (rank, process, device) = key;
            let mut title = device.title(capture);
            if let Some(rank) = rank.filter(|_| several_ranks) {
                title = format!("rank {rank} · {title}");
            }
            if shared.get(&(rank, device)).is_some_and(|it| *it > 1) {
                title = format!("{title} (process {process})");
            }
            MemoryPool::new((title, rank, device.torch()), drafts)
        });
        Self {
            pools: pools.collect(),
        }
    }

    /// Whether a capture tells anything of allocators, which is found without reading its spans.
    pub fn is_told(capture: &Capture) -> bool {
        named(capture, MEMORY_EVENT).is_some() || named(capture, MEMORY_BLOCK).is_some()
    }
}

/// What a capture tells of each pool.
fn drafts(capture: &Capture) -> BTreeMap<PoolKey<'_>, Vec<DraftEvent>> {
    let mut drafts: BTreeMap<PoolKey<'_>, Vec<DraftEvent>> = BTreeMap::new();
    for placed in instants(capture).chain(stream_ordered(capture)) {
        let draft = DraftEvent::read(capture, &placed);
        if let Some((key, draft)) = draft.and_then(|it| Some((key(capture, &placed, &it)?, it))) {
            drafts.entry(key).or_default().push(draft);
        }
    }
    drafts
}

/// The instants at which profilers say that memory was allocated or freed.
fn instants(capture: &Capture) -> impl Iterator<Item = PlacedSpan> {
    let wanted = [MEMORY_EVENT, MEMORY_SEGMENT].map(|it| named(capture, it));
    // Of what is reserved nothing is told where nothing is of what is allocated.
    let stretches = wanted.first().copied().flatten();
    let stretches = stretches.map_or(0, |_| capture.stretch_count());
    (0..stretches)
        .flat_map(move |at| capture.spans_named(at, move |it| wanted.contains(&Some(it))))
        .filter_map(|(_, span)| capture.span(span))
}

/// The number of a text; none where nothing in the capture is called so.
pub(super) fn named(capture: &Capture, text: &str) -> Option<NameId> {
    let mut names = (0..capture.name_count() as u32).map(NameId);
    names.find(|it| capture.name(*it) == text)
}

/// Allocations and frees in the order of streams, which our own runs make.
fn stream_ordered(capture: &Capture) -> impl Iterator<Item = PlacedSpan> {
    // Such spans say which block they are of by its name, in a field that few files have.
    let has_blocks = named(capture, MEMORY_BLOCK).is_some();
    let lanes = capture.lanes().iter().filter(move |_| has_blocks);
    let streams = lanes.filter(|it| it.group == Group::Streams);
    let all = Interval::new(Nanos::MIN, Nanos::MAX);
    let spans = streams.flat_map(move |lane| capture.spans_in(lane.id, all));
    spans.filter(|it| matches!(it.span.kind, SpanKind::Allocate | SpanKind::Free))
}

/// Which pool an event is of.
fn key<'a>(capture: &'a Capture, placed: &PlacedSpan, draft: &DraftEvent) -> Option<PoolKey<'a>> {
    let lane = capture.lane(placed.span.lane)?;
    let rank = capture.lane_origin(lane.id).and_then(|it| it.rank);
    Some(match (draft.device, lane.device) {
        (Some(device), _) => (rank, &*lane.process, PoolDevice::Torch(device)),
        (None, Some(device)) if lane.group == Group::Streams => {
            (rank, "", PoolDevice::Device(device))
        }
        _ => (rank, "", PoolDevice::Lane(lane.id)),
    })
}

fn device_name(capture: &Capture, device: DeviceId) -> &str {
    let of = capture.devices().iter().find(|it| it.id == device);
    of.map_or("device", |it| it.short_name())
}
