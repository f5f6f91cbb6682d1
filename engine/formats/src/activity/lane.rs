//! Lanes of threads and streams: what they are called, in which order they stand, and what each stream proves to be for.

use std::collections::HashMap;

use super::device::ActivityDevices;
use super::purpose::{WorkCounts, WorkKind};
use record::{Group, Lane, LaneId, LaneOrigin, Record, Role, SpanKind};

/// What tells a lane from all others: its group, its process, and two numbers of that.
pub(super) type ActivityLaneKey = (Group, u32, u64, u64);

/// Every lane on which something happened.
#[derive(Debug, Default)]
pub(super) struct ActivityLanes {
    ids: HashMap<ActivityLaneKey, LaneId>,
    rows: Vec<ActivityLane>,
}

#[derive(Debug)]
struct ActivityLane {
    key: ActivityLaneKey,
    /// The number of its process.
    process: u32,
    name: String,
    /// What tells it from another lane of the same name.
    besides: String,
    /// The number that its process gives its device.
    device: Option<u32>,
    did: WorkCounts,
    /// As it was announced last.
    told: Option<Lane>,
}

impl ActivityLanes {
    /// The lane of a key, which is called so where it is new.
    pub fn id(
        &mut self,
        key: ActivityLaneKey,
        (process, device): (u32, Option<u32>),
        title: impl FnOnce() -> (String, String),
    ) -> LaneId {
        let rows = &mut self.rows;
        let id = *self.ids.entry(key).or_insert_with(|| {
            let (name, besides) = title();
            rows.push(ActivityLane {
                key,
                process,
                name,
                besides,
                device,
                did: WorkCounts::default(),
                told: None,
            });
            LaneId(rows.len() as u32 - 1)
        });
        if let Some(row) = rows.get_mut(id.index())
            && row.device.is_none()
        {
            row.device = device;
        }
        id
    }

    /// The lane of a key, where there is one.
    pub fn known(&self, key: ActivityLaneKey) -> Option<LaneId> {
        self.ids.get(&key).copied()
    }

    /// Calls a lane otherwise, where there is one.
    pub fn rename(&mut self, key: ActivityLaneKey, name: &str) {
        let row = self
            .ids
            .get(&key)
            .and_then(|id| self.rows.get_mut(id.index()));
        if let Some(row) = row {
            name.clone_into(&mut row.name);
        }
    }

    /// The streams of a process that have a number, in whatever context.
    pub fn streams_of(&self, place: u32, number: u32) -> Vec<ActivityLaneKey> {
        let keys = self.rows.iter().map(|row| row.key);
        let is_it = |key: &ActivityLaneKey| {
            (key.0, key.1, key.3) == (Group::Streams, place, u64::from(number))
        };
        keys.filter(is_it).collect()
    }

    /// Notes what a stream did.
    pub fn did(&mut self, lane: LaneId, kind: SpanKind, name: &str) {
        if let Some(row) = self.rows.get_mut(lane.index()) {
            row.did.note(WorkKind::of(kind, name));
        }
    }

    /// How many streams there are.
    pub fn streams(&self) -> usize {
        let is_stream = |row: &&ActivityLane| row.key.0 == Group::Streams;
        self.rows.iter().filter(is_stream).count()
    }

    /// Whether there is a lane of which nothing was announced yet: those come last.
    pub fn has_unannounced(&self) -> bool {
        self.rows.last().is_some_and(|row| row.told.is_none())
    }

    /// Announces every lane that is new, or is another by now.
    pub fn refresh(&mut self, devices: &mut ActivityDevices, out: &mut Vec<Record>) {
        let mut named: HashMap<(Group, Option<u32>, &str), u32> = HashMap::new();
        for row in &self.rows {
            *named.entry((row.key.0, row.device, &row.name)).or_default() += 1;
        }
        let is_shared = |row: &ActivityLane| {
            let count = named.get(&(row.key.0, row.device, row.name.as_str()));
            count.is_some_and(|&count| count > 1)
        };
        let shared: Vec<bool> = self.rows.iter().map(is_shared).collect();
        let place = |row: &ActivityLane| (row.key.0, row.device, row.key.1, row.key.2, row.key.3);
        let mut order: Vec<_> = self.rows.iter().map(place).collect();
        order.sort_unstable();
        let mut lanes = Vec::new();
        for ((at, row), is_shared) in self.rows.iter_mut().enumerate().zip(shared) {
            let name = if is_shared && !row.besides.is_empty() {
                format!("{} ({})", row.name, row.besides)
            } else {
                row.name.clone()
            };
            let streams = row.key.0 == Group::Streams;
            let lane = Lane {
                id: LaneId(at as u32),
                group: row.key.0,
                device: row.device.map(|number| devices.id(row.key.1, number)),
                role: if streams { row.did.role() } else { Role::None },
                name,
                order: order.binary_search(&place(row)).unwrap_or(0) as i32,
                process: row.process.to_string().into(),
                thread: row.thread().into(),
            };
            if row.told.as_ref() != Some(&lane) {
                lanes.push(Record::Lane(Box::new(lane.clone())));
                lanes.extend(LaneOrigin::of(&lane, None).map(Record::LaneOrigin));
                row.told = Some(lane);
            }
        }
        out.extend(devices.take_new());
        out.extend(lanes);
    }
}

impl ActivityLane {
    /// The number of its thread or its stream, where it is one.
    fn thread(&self) -> String {
        let (group, _, first, second) = self.key;
        match group {
            Group::Host if first != u64::MAX => first.to_string(),
            Group::Streams => second.to_string(),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_announced_when_they_change_and_told_apart() {
        let (mut lanes, mut devices, mut out) = (
            ActivityLanes::default(),
            ActivityDevices::default(),
            Vec::new(),
        );
        let mut refresh = |lanes: &mut ActivityLanes| {
            out.clear();
            lanes.refresh(&mut devices, &mut out);
            let lanes = out.iter().filter_map(|record| match record {
                Record::Lane(lane) => Some((lane.name.clone(), lane.order)),
                _ => None,
            });
            lanes.collect::<Vec<_>>()
        };
        let key = |process| (Group::Streams, process, 1, 7);
        let title = |text: &'static str| move || ("Stream 7".to_owned(), text.to_owned());
        lanes.id(key(9), (9, Some(0)), title("b 9"));
        assert_eq!(refresh(&mut lanes), [("Stream 7".to_owned(), 0)]);
        assert!(refresh(&mut lanes).is_empty());
        lanes.id(key(4), (4, Some(0)), title("a 4"));
        let both = [
            ("Stream 7 (b 9)".to_owned(), 1),
            ("Stream 7 (a 4)".to_owned(), 0),
        ];
        assert_eq!(refresh(&mut lanes), both);
        lanes.rename(key(4), "Stream 7 (default)");
        let apart = [
            ("Stream 7".to_owned(), 1),
            ("Stream 7 (default)".to_owned(), 0),
        ];
        assert_eq!(refresh(&mut lanes), apart);
    }
}
