//! Lanes as they turn up, and what each stream proves to be for.

use std::collections::HashMap;

use crate::activity::{Did, Work};
use crate::importer::Sink;
use crate::record::{DeviceId, Group, Lane, LaneId, LaneOrigin, Record, Role};

/// What tells a lane from all others, whatever the format counts by.
pub(in crate::importer) type LaneKey = (Group, [i64; 4]);

/// What a lane is called on screen.
#[derive(Clone, Debug, Default)]
pub(in crate::importer) struct Title {
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

/// Every lane on which something happened.
#[derive(Debug, Default)]
pub(in crate::importer) struct Lanes {
    ids: HashMap<LaneKey, LaneId>,
    rows: Vec<(LaneKey, Lane)>,
    besides: Vec<String>,
    did: Vec<Did>,
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
            process,
            thread,
            rank,
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
            process: process.into(),
            thread: thread.into(),
        };
        sink.push(Record::Lane(Box::new(lane.clone())));
        if let Some(origin) = LaneOrigin::of(&lane, rank) {
            sink.push(Record::LaneOrigin(origin));
        }
        self.ids.insert(key, id);
        self.rows.push((key, lane));
        self.did.push(Did::default());
        id
    }

    /// Says what a lane is that is no stream.
    pub fn set_role(&mut self, lane: LaneId, role: Role) {
        if let Some((_, lane)) = self.rows.get_mut(lane.index()) {
            lane.role = role;
        }
    }

    /// Notes what a stream did.
    pub fn did(&mut self, lane: LaneId, work: Work) {
        if let Some(did) = self.did.get_mut(lane.index()) {
            did.note(work);
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
                lane.role = did.role();
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
