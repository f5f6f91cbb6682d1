//! Devices as processes number them, and which of those are one.

use std::collections::HashMap;

use cuda_recorder::CuptiDevice;

use record::{Device, DeviceId, Record};

/// Every device on which something ran.
#[derive(Debug, Default)]
pub(super) struct ActivityDevices {
    /// What each process was given to see, in its order.
    visible: HashMap<u32, Vec<String>>,
    /// By what the system calls them.
    ids: HashMap<String, DeviceId>,
    /// What each is called, what there is to it, and what a program calls it.
    known: HashMap<DeviceId, DeviceWords>,
    /// What is to be said of them.
    new: Vec<Record>,
}

/// What is said of a device.
#[derive(Debug, Default)]
struct DeviceWords {
    name: String,
    detail: String,
    own: String,
}

impl ActivityDevices {
    /// What a process was given to see, as `CUDA_VISIBLE_DEVICES` names it.
    pub fn see(&mut self, process: u32, visible: &str) {
        let names = visible.split(',').map(|name| name.trim().to_owned());
        let names = names.filter(|name| !name.is_empty()).collect();
        self.visible.insert(process, names);
    }

    /// The device that a process knows by a number.
    pub fn id(&mut self, process: u32, number: u32) -> DeviceId {
        let visible = self.visible.get(&process);
        let name = visible.and_then(|names| names.get(number as usize));
        let name = name.cloned().unwrap_or_else(|| number.to_string());
        if let Some(id) = self.ids.get(&name) {
            return *id;
        }
        let id = DeviceId(self.ids.len() as u32);
        let words = self.known.entry(id).or_default();
        words.name = format!("GPU {name}");
        self.say(id);
        self.ids.insert(name, id);
        id
    }

    /// What CUPTI said of a device in a process.
    pub fn describe(&mut self, process: u32, told: &CuptiDevice) {
        let id = self.id(process, told.device);
        let [major, minor] = told.capability;
        let facts = [
            (told.memory > 0).then(|| format!("{:.1} GB", told.memory as f64 / 1e9)),
            (told.processors > 0).then(|| format!("{} multiprocessors", told.processors)),
            (major > 0).then(|| format!("compute capability {major}.{minor}")),
        ];
        let detail = facts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let words = self.known.entry(id).or_default();
        words.name = format!("{} ({})", told.name, id.0);
        words.detail = detail;
        self.say(id);
    }

    /// A program calls a device so.
    pub fn name(&mut self, process: u32, number: u32, own: &str) {
        let id = self.id(process, number);
        own.clone_into(&mut self.known.entry(id).or_default().own);
        self.say(id);
    }

    /// What is to be said since the last time.
    pub fn take_new(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.new)
    }

    fn say(&mut self, id: DeviceId) {
        let words = self.known.entry(id).or_default();
        let name = match words.own.as_str() {
            "" => words.name.clone(),
            own => format!("{own}: {}", words.name),
        };
        self.new.push(Record::Device(Box::new(Device {
            id,
            name,
            backend: "cuda".to_owned(),
            detail: words.detail.clone(),
            rank: None,
            paced: None,
        })));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_device_that_two_processes_number_otherwise_is_one() {
        let mut devices = ActivityDevices::default();
        devices.see(2, "1, 0");
        let ids = [(1, 0), (1, 1), (2, 0), (2, 1), (3, 1)];
        let ids = ids.map(|(process, number)| devices.id(process, number).0);
        assert_eq!(ids, [0, 1, 1, 0, 1]);
    }

    #[test]
    fn a_device_is_told_anew_once_it_is_described() {
        let mut devices = ActivityDevices::default();
        devices.id(1, 0);
        let told = CuptiDevice {
            device: 0,
            name: "NVIDIA H200".to_owned(),
            capability: [9, 0],
            memory: 141_000_000_000,
            processors: 132,
        };
        devices.describe(1, &told);
        let new = devices.take_new();
        let [_, Record::Device(device)] = new.as_slice() else {
            panic!("{new:?}")
        };
        assert_eq!(device.name, "NVIDIA H200 (0)");
        assert_eq!(
            device.detail,
            "141.0 GB, 132 multiprocessors, compute capability 9.0"
        );
    }
}
