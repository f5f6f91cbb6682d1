//! Lanes as they turn up, and what each stream proves to be for.

use crate::activity::{WorkCounts, WorkKind};
use crate::importer::RecordSink;
use crate::importer::crop::cropped;
use crate::importer::key_index::KeyIndex;
use crate::importer::shared_titles::SharedTitles;
use record::{DeviceId, Group, Lane, LaneId, LaneOrigin, Record, Role, ShortText};

/// What tells a lane from all others, whatever the format counts by.
pub(in crate::importer) type LaneKey = (Group, [i64; 4]);

/// What a lane is called on screen.
#[derive(Clone, Debug, Default)]
pub(in crate::importer) struct LaneTitle {
    pub name: String,
    /// What tells it from another lane of the same name, such as its process.
    pub besides: String,
    pub device: Option<DeviceId>,
    /// The numbers that the file has for its process and its thread or stream.
    pub process: String,
    pub thread: String,
    /// The rank of its process, where the file says it.
    pub rank: Option<u32>,
}

/// A lane on which something happened. There may be millions with a span each.
#[derive(Debug)]
struct LaneDraft {
    key: LaneKey,
    lane: Lane,
    besides: ShortText,
    /// What it did, of streams.
    did: Option<Box<WorkCounts>>,
}

/// So many lanes a capture of a database has at most: far more than any program has streams and threads. A database may name
/// a million of them in few bytes.
pub(super) const MOST_LANES: usize = 1 << 18;

/// Every lane on which something happened.
#[derive(Debug, Default)]
pub(in crate::importer) struct SqliteLanes {
    places: KeyIndex,
    all: Vec<LaneDraft>,
    /// So many it has at most, where there is a limit.
    pub most: Option<usize>,
    last: Option<(LaneKey, LaneId)>,
}

impl SqliteLanes {
    /// The lane of a key. A new one is announced under the title that `describe` gives; of too many the rest is none, and the
    /// capture refuses what is on it.
    pub fn id(
        &mut self,
        key: LaneKey,
        sink: &mut RecordSink<'_>,
        describe: impl FnOnce(&mut RecordSink<'_>) -> LaneTitle,
    ) -> LaneId {
        if let Some((last, id)) = self.last
            && last == key
        {
            return id;
        }
        let (all, next) = (&self.all, self.all.len());
        let known = |place: u32| all.get(place as usize).map(|it| it.key);
        let id = if self.most.is_none_or(|most| next < most) {
            LaneId(self.places.place(&key, next, known))
        } else {
            self.places.get(&key, known).map_or(LaneId::NONE, LaneId)
        };
        if id.index() == next {
            self.add(key, describe(sink), sink);
        }
        self.last = Some((key, id));
        id
    }

    fn add(&mut self, key: LaneKey, title: LaneTitle, sink: &mut RecordSink<'_>) {
        let LaneTitle {
            name,
            besides,
            device,
            process,
            thread,
            rank,
        } = title;
        let lane = Lane {
            id: LaneId(self.all.len() as u32),
            group: key.0,
            device,
            role: Role::None,
            name: cropped(name),
            order: 0,
            process: cropped(process).into(),
            thread: cropped(thread).into(),
        };
        sink.push(Record::Lane(Box::new(lane.clone())));
        if let Some(origin) = LaneOrigin::of(&lane, rank) {
            sink.push(Record::LaneOrigin(origin));
        }
        self.all.push(LaneDraft {
            key,
            lane,
            besides: cropped(besides).into(),
            did: None,
        });
    }

    /// Says what a lane is that is no stream.
    pub fn set_role(&mut self, lane: LaneId, role: Role) {
        if let Some(it) = self.all.get_mut(lane.index()) {
            it.lane.role = role;
        }
    }

    /// Notes what a stream did.
    pub fn did(&mut self, lane: LaneId, work: WorkKind) {
        if let Some(it) = self.all.get_mut(lane.index()) {
            it.did.get_or_insert_default().note(work);
        }
    }

    /// Announces every lane anew, with its role and its place in order.
    pub fn finish(&mut self, sink: &mut RecordSink<'_>) {
        self.put_in_order();
        self.tell_apart();
        for it in &mut self.all {
            if it.lane.group == Group::Streams {
                it.lane.role = it.did.take().unwrap_or_default().role();
            }
            sink.push(Record::Lane(Box::new(it.lane.clone())));
        }
    }

    /// Lanes are drawn in the order of their keys.
    fn put_in_order(&mut self) {
        let mut order: Vec<u32> = (0..self.all.len() as u32).collect();
        order.sort_unstable_by_key(|place| self.all.get(*place as usize).map(|it| it.key));
        for (order, place) in (0..).zip(order) {
            if let Some(it) = self.all.get_mut(place as usize) {
                it.lane.order = order;
            }
        }
    }

    /// Lanes of one name on one device say besides what tells them apart.
    fn tell_apart(&mut self) {
        let title = |lane: &Lane| (lane.group, lane.device, lane.name.clone());
        let shared = SharedTitles::of(self.all.iter().map(|it| title(&it.lane)));
        for LaneDraft { lane, besides, .. } in &mut self.all {
            if !besides.is_empty() && shared.contains(title(lane)) {
                lane.name = format!("{} ({besides})", lane.name);
            }
        }
    }
}
