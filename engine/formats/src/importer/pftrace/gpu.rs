//! Work of GPUs as Perfetto's own data sources report it: render stages, counters and calls of Vulkan.

mod counters;
mod points;
mod specifications;
mod stages;

pub(super) use points::{SliceMeetings, SliceSyncPoints};
pub(super) use specifications::InternedGpuNames;

use std::collections::HashMap;

use crate::importer::crop::head;
use crate::perfetto::proto::gpu::{Description, Specifications};

/// What the file says once, of no writer in particular.
#[derive(Default)]
pub(super) struct PftraceGpu {
    /// Names of objects of Vulkan by their handle.
    objects: HashMap<u64, String>,
    /// Queues and stages as older writers number them.
    old: Specifications,
    /// Pieces of work on a queue that nothing describes.
    pub unknown_queues: u64,
}

impl PftraceGpu {
    /// What an object of Vulkan is called, or its handle.
    fn object(&self, handle: u64) -> String {
        let known = self.objects.get(&handle);
        let known = known.map(|name| head(name).to_owned());
        known.unwrap_or_else(|| format!("{handle:#x}"))
    }

    fn old_name(list: &[Description], number: Option<i32>) -> Option<String> {
        let place = usize::try_from(number?).ok()?;
        list.get(place)?.name.clone()
    }
}
