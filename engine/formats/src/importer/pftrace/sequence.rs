//! What packets of one writer leave out: interned texts and defaults.

pub(super) mod annotations;

use super::extra_counters::ExtraTracks;
use super::gpu::InternedGpuNames;
use crate::importer::chrome::ChromeTexts;
use crate::importer::fast_hash::QuickMap;
use crate::perfetto::proto::{CLEARED, InternedData, InternedName, TracePacketDefaults};

/// The texts and defaults of one writer. A file may have very many of them, most of which intern nothing.
#[derive(Default)]
pub(super) struct PacketSequence {
    interned: Option<Box<InternedTexts>>,
    clock: Option<u32>,
    track: Option<u64>,
    /// The track of the thread that it writes on.
    thread: Option<u64>,
    extra: Option<Box<ExtraTracks>>,
    /// Which sums the counters of its events add to, by their number; 0 before there is one.
    pub sums: u32,
}

/// What a writer interned: texts by their numbers.
#[derive(Default)]
struct InternedTexts {
    names: QuickMap<u64, u32>,
    categories: QuickMap<u64, u32>,
    annotation_names: QuickMap<u64, u32>,
    texts: QuickMap<u64, u32>,
    /// Queues, stages, kernels and contexts.
    gpu: InternedGpuNames,
}

impl PacketSequence {
    /// Begins anew where the flags of a packet say so.
    pub fn flags(&mut self, flags: u32, cleared: bool) {
        if flags & CLEARED != 0 || cleared {
            // The thread that it writes on stays, as in Perfetto.
            *self = Self {
                thread: self.thread,
                ..Self::default()
            };
        }
    }

    /// Takes the track of the thread that it writes on.
    pub fn is_on(&mut self, thread: u64) {
        self.thread = Some(thread);
    }

    /// Takes what later packets leave out.
    pub fn defaults(&mut self, defaults: &TracePacketDefaults) {
        self.clock = defaults.timestamp_clock_id;
        let event = defaults.track_event_defaults.as_ref();
        self.track = event.and_then(|it| it.track_uuid);
        self.extra = event.and_then(ExtraTracks::of).map(Box::new);
        // As in Perfetto, which keeps sums with the defaults that were there when they began.
        self.sums = 0;
    }

    /// Takes texts that later packets refer to.
    pub fn intern(&mut self, mut interned: InternedData, texts: &mut ChromeTexts) {
        let known = self.interned.get_or_insert_default();
        known.gpu.take(&mut interned);
        extend(&mut known.names, interned.event_names, texts);
        extend(&mut known.categories, interned.event_categories, texts);
        extend(
            &mut known.annotation_names,
            interned.debug_annotation_names,
            texts,
        );
        for entry in interned.debug_annotation_string_values {
            let text = texts.add_bytes(&entry.str.unwrap_or_default());
            known.texts.insert(entry.iid.unwrap_or(0), text);
        }
    }

    /// The clock of a packet that names none.
    pub fn clock(&self) -> Option<u32> {
        self.clock
    }

    /// The track of an event that names none.
    pub fn track(&self) -> Option<u64> {
        self.track
    }

    /// The track of the thread that it writes on.
    pub fn thread(&self) -> Option<u64> {
        self.thread
    }

    /// The tracks of extra counters of events that name none.
    pub fn extra(&self) -> Option<&ExtraTracks> {
        self.extra.as_deref()
    }

    /// The text of an event's name.
    pub fn name(&self, iid: u64) -> Option<u32> {
        self.interned.as_ref()?.names.get(&iid).copied()
    }

    /// An interned text.
    pub fn text(&self, iid: u64) -> Option<u32> {
        self.interned.as_ref()?.texts.get(&iid).copied()
    }

    /// The text of a category.
    pub fn category(&self, iid: u64) -> Option<u32> {
        self.interned.as_ref()?.categories.get(&iid).copied()
    }

    /// The text of an annotation's name.
    pub fn annotation(&self, iid: u64) -> Option<u32> {
        self.interned.as_ref()?.annotation_names.get(&iid).copied()
    }

    /// Queues, stages, kernels and contexts.
    pub fn gpu(&self) -> Option<&InternedGpuNames> {
        self.interned.as_ref().map(|it| &it.gpu)
    }
}

fn extend(table: &mut QuickMap<u64, u32>, entries: Vec<InternedName>, texts: &mut ChromeTexts) {
    for entry in entries {
        let text = texts.add(&entry.name.unwrap_or_default());
        table.insert(entry.iid.unwrap_or(0), text);
    }
}
