//! Lanes, counters and devices of the tracks in use.

use std::collections::{BTreeMap, BTreeSet};

use super::names::LaneOwner;
use super::{DescribedTrack, PftraceTracks, TrackKey, UsedTrack};
use crate::importer::RecordSink;
use crate::importer::chrome::ChromeTexts;
use crate::importer::counter_titles::{CounterTitle, told_apart};
use crate::perfetto::proto::CounterDescriptor;
use record::{Counter, CounterId, Device, DeviceId, Group, Lane, LaneId, LaneOrigin, Record, Role};

impl PftraceTracks {
    /// Hands over the devices, lanes and counters of all tracks in use; says how many of them are streams.
    pub fn announce(&mut self, texts: &ChromeTexts, sink: &mut RecordSink<'_>) -> usize {
        let gpus = self.gpus();
        let numbers: BTreeSet<i64> = gpus.iter().flatten().copied().collect();
        let ids: BTreeMap<i64, DeviceId> = numbers.into_iter().zip((0..).map(DeviceId)).collect();
        for (number, id) in &ids {
            sink.push(Record::Device(Box::new(Device {
                id: *id,
                name: format!("GPU {number}"),
                backend: String::new(),
                detail: String::new(),
                rank: None,
                paced: None,
            })));
        }
        for place in 0..self.used.len() as u32 {
            let is_stream = self.is_stream(place);
            if let Some(used) = self.at_mut(place) {
                used.is_stream = is_stream;
            }
        }
        let titles = self.titles(texts, &gpus);
        let mut streams = 0;
        for ((place, gpu), used) in (0..).zip(&gpus).zip(&self.used) {
            let device = gpu.and_then(|gpu| ids.get(&gpu).copied());
            if let Some(id) = used
                .lane
                .filter(|id| self.lanes.get(id.index()) == Some(&place))
            {
                streams += usize::from(used.is_stream);
                let lane = self.described_lane(
                    titles.whole(self, (place, used), texts),
                    (id, place, used),
                    device,
                );
                let origin = LaneOrigin::of(&lane, None);
                sink.push(Record::Lane(Box::new(lane)));
                if let Some(origin) = origin {
                    sink.push(Record::LaneOrigin(origin));
                }
            }
        }
        self.announce_counters((&gpus, &ids), texts, sink);
        streams
    }

    fn announce_counters(
        &self,
        (gpus, ids): (&[Option<i64>], &BTreeMap<i64, DeviceId>),
        texts: &ChromeTexts,
        sink: &mut RecordSink<'_>,
    ) {
        let counters = (0_u32..).zip(&self.used);
        let counters = counters.filter_map(|(place, used)| Some((used.counter?, place)));
        let counters: Vec<(CounterId, u32)> = counters.collect();
        let of = |at: usize| {
            let (_, place) = counters.get(at)?;
            let used = self.at(*place)?;
            let gpu = gpus.get(*place as usize).copied().flatten();
            let (name, unit) = self.name_and_unit(used, texts);
            let LaneOwner { process, thread } = self.owner(used);
            let title = CounterTitle {
                name,
                device: gpu.and_then(|gpu| ids.get(&gpu).copied()),
                process,
                thread,
            };
            Some((title, unit))
        };
        let mut told = told_apart(counters.len(), |at| of(at).unwrap_or_default().0);
        for (at, (id, _)) in counters.iter().enumerate() {
            let (CounterTitle { name, device, .. }, unit) = of(at).unwrap_or_default();
            sink.push(Record::Counter(Box::new(Counter {
                id: *id,
                name: told.remove(&(at as u32)).unwrap_or(name),
                unit,
                device,
            })));
        }
    }

    fn name_and_unit(&self, used: &UsedTrack, texts: &ChromeTexts) -> (String, String) {
        if let Some(gauge) = used.more.as_ref().and_then(|it| it.gauge.clone()) {
            return gauge;
        }
        let unit = match used.key {
            TrackKey::Track(uuid) => self
                .described(uuid)
                .and_then(DescribedTrack::counter)
                .map(CounterDescriptor::unit_name),
            _ => None,
        };
        let name = self.name_of(used, texts);
        (name, unit.unwrap_or_default().to_owned())
    }

    fn described_lane(
        &self,
        name: String,
        (id, place, used): (LaneId, u32, &UsedTrack),
        device: Option<DeviceId>,
    ) -> Lane {
        let owner = self.owner(used);
        let stream = used.is_stream;
        let says = |word: &str| name.to_ascii_lowercase().contains(word);
        let role = match (stream, used.role) {
            (false, _) => Role::None,
            (true, None | Some(Role::Compute)) if says("copy") => Role::DeviceToDevice,
            (true, role) => role.unwrap_or_default(),
        };
        Lane {
            id,
            group: if stream { Group::Streams } else { Group::Host },
            device: device.filter(|_| stream),
            role,
            order: i32::try_from(place).unwrap_or(i32::MAX),
            name,
            process: owner.process.into(),
            thread: owner.thread.into(),
        }
    }
}
