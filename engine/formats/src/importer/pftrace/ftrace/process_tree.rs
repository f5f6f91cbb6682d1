//! Which process each thread is of, and what they are called, as the list of processes says.

use std::collections::BTreeMap;

use crate::importer::chrome::ChromeTexts;
use crate::importer::fast_hash::QuickMap;
use crate::perfetto::view::each_field;

/// Processes and their threads. The file tells them bit by bit.
#[derive(Default)]
pub(super) struct ProcessTree {
    /// The process and the name of each thread.
    threads: QuickMap<i32, (i32, Option<u32>)>,
    /// What was started as each process, and whether that is a part of the kernel.
    processes: BTreeMap<i32, KnownProcess>,
}

/// A process.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownProcess {
    /// Its name, by the number of the text; none where the list has none.
    pub name: Option<u32>,
    /// Whether it is a thread of the kernel.
    pub is_kernel: bool,
}

/// The process that makes all threads of the kernel.
const KERNEL: u64 = 2;

impl ProcessTree {
    /// Takes a list. What of it makes no sense is left out, as it only names things.
    pub fn take(&mut self, bytes: &[u8], texts: &mut ChromeTexts) {
        let _ = each_field(bytes, |field, value| match field {
            1 => self.process(value.bytes()?, texts),
            2 => self.thread(value.bytes()?, texts),
            _ => Some(()),
        });
    }

    fn process(&mut self, bytes: &[u8], texts: &mut ChromeTexts) -> Option<()> {
        let (mut pid, mut parent, mut is_kernel, mut name) = (0, 0, false, None);
        each_field(bytes, |field, value| {
            match field {
                1 => pid = value.varint()? as i32,
                2 => parent = value.varint()?,
                3 => name = name.or(Some(value.bytes()?)),
                8 => is_kernel = value.varint()? != 0,
                _ => {}
            }
            Some(())
        })?;
        let name = name.filter(|it| !it.is_empty());
        let process = KnownProcess {
            name: name.map(|it| texts.add_bytes(it)),
            is_kernel: is_kernel || parent == KERNEL || pid as u64 == KERNEL,
        };
        self.processes.insert(pid, process);
        self.threads.entry(pid).or_insert((pid, None));
        Some(())
    }

    fn thread(&mut self, bytes: &[u8], texts: &mut ChromeTexts) -> Option<()> {
        let (mut tid, mut process, mut name) = (0, None, None);
        each_field(bytes, |field, value| {
            match field {
                1 => tid = value.varint()? as i32,
                2 => name = Some(value.bytes()?),
                3 => process = Some(value.varint()? as i32),
                _ => {}
            }
            Some(())
        })?;
        if let Some(process) = process {
            let name = name.filter(|it| !it.is_empty());
            let name = name.map(|it| texts.add_bytes(it));
            self.threads.insert(tid, (process, name));
        }
        Some(())
    }

    /// A thread was made by another of the same process.
    pub fn fork(&mut self, thread: i32, by: i32) {
        if let Some(process) = self.process_of(by) {
            self.threads.entry(thread).or_insert((process, None));
        }
    }

    /// All threads that the list has, each with its process.
    pub fn threads(&self) -> impl Iterator<Item = (i32, i32)> {
        self.threads.iter().map(|(thread, it)| (*thread, it.0))
    }

    /// The process of a thread.
    fn process_of(&self, thread: i32) -> Option<i32> {
        self.threads.get(&thread).map(|it| it.0)
    }

    /// What the list calls a thread.
    pub fn name_of(&self, thread: i32) -> Option<u32> {
        self.threads.get(&thread)?.1
    }

    /// A process, where the list has it.
    pub fn process_by(&self, process: i32) -> Option<KnownProcess> {
        self.processes.get(&process).copied()
    }

    /// All processes that the list has.
    pub fn processes(&self) -> impl Iterator<Item = (i32, KnownProcess)> {
        self.processes.iter().map(|(pid, it)| (*pid, *it))
    }
}
