//! Render stages, which are also kernels and copies of compute APIs, and submissions of Vulkan.

use super::{InternedGpuNames, PftraceGpu, SliceSyncPoints};
use crate::importer::chrome::MOST_ARGUMENTS;
use crate::importer::pftrace::items::TrackItemKind;
use crate::importer::pftrace::other_tools::ForeignFile;
use crate::importer::pftrace::slice_kind;
use crate::perfetto::proto::gpu::{
    ComputeArg, Dim3, GpuRenderStageEvent, VkQueueSubmit, VulkanApiEvent,
};
use record::{FieldValue, SpanKind, Value};

/// Named values on their way to a span.
type NamedValues = Vec<(String, Value)>;

impl ForeignFile {
    /// Takes a piece of work of a GPU.
    pub(in super::super) fn stage(&mut self, (id, time): (u32, i64), event: GpuRenderStageEvent) {
        if let Some(said) = &event.specifications {
            self.gpu.old = said.clone();
        }
        let places = event.hw_queue_iid.is_some() || event.hw_queue_id.is_some();
        if !places && event.duration.is_none() {
            // Names alone.
            return;
        }
        let queue = self.queue_name(id, &event);
        let (name, values) = self.stage_facts(id, &event);
        let kind = slice_kind::of_work(&name);
        let track = self.tracks.queue(event.gpu_id.unwrap_or(0), &queue);
        let points = SliceSyncPoints {
            event: event.event_id,
            after: event.event_wait_ids,
            submission: event.submission_id,
            ..SliceSyncPoints::default()
        };
        let length = i64::try_from(event.duration.unwrap_or(0)).unwrap_or(i64::MAX);
        let slice = self.whole_slice(&name, (kind, values), points);
        self.whole((time, time.saturating_add(length)), track, slice);
    }

    fn whole_slice(
        &mut self,
        name: &str,
        (kind, values): (SpanKind, NamedValues),
        points: SliceSyncPoints,
    ) -> u32 {
        self.lists.clear();
        let name = self.texts.add(name);
        for (name, value) in values {
            let value = match value {
                Value::Integer(value) => FieldValue::Integer(value),
                Value::Number(value) => FieldValue::Number(value),
                Value::Text(text) => FieldValue::Text(self.texts.add(&text)),
            };
            self.lists.values.push((self.texts.add(&name), value));
        }
        self.slice((name, self.own.none), Some(kind), points)
    }

    /// Keeps from when to when a slice is.
    pub(in super::super) fn whole(&mut self, (start, end): (i64, i64), track: u32, slice: u32) {
        let place = self.items.wholes.len() as u32;
        self.items.wholes.push((slice, end));
        self.items.push(start, track, TrackItemKind::Whole(place));
    }

    /// What the queue of a piece of work is called.
    fn queue_name(&mut self, id: u32, event: &GpuRenderStageEvent) -> String {
        let interned = self.sequences.get(&id).and_then(|it| it.gpu());
        let described = interned.and_then(|it| it.specification(event.hw_queue_iid));
        let name = described.and_then(|it| it.name.clone());
        let name = name.or_else(|| PftraceGpu::old_name(&self.gpu.old.hw_queue, event.hw_queue_id));
        let name = name.unwrap_or_else(|| {
            self.gpu.unknown_queues += 1;
            let number = event.hw_queue_iid.unwrap_or(0);
            let old = event.hw_queue_id.map(|it| it.to_string());
            format!("queue {}", old.unwrap_or_else(|| number.to_string()))
        });
        match event.logical_queue_id {
            Some(number) => format!("{name} #{number}"),
            None => name,
        }
    }

    /// The name of a piece of work, and what is known of it.
    fn stage_facts(&mut self, id: u32, event: &GpuRenderStageEvent) -> (String, NamedValues) {
        let nothing = InternedGpuNames::default();
        let sequence = self.sequences.get(&id);
        let interned = sequence.and_then(|it| it.gpu()).unwrap_or(&nothing);
        let texts = &self.texts;
        let kernel = interned.kernel(event.kernel_iid);
        let stage = interned
            .specification(event.stage_iid)
            .and_then(|it| it.name.clone())
            .or_else(|| PftraceGpu::old_name(&self.gpu.old.stage, event.stage_id));
        let given = event
            .name
            .clone()
            .or_else(|| Some(texts.text(sequence?.name(event.name_iid?)?).to_owned()));
        let of_kernel = kernel.and_then(|it| it.demangled_name.clone().or(it.name.clone()));
        let name = given.or(of_kernel).or(stage.clone());
        let mut values = NamedValues::new();
        let mut say = |name: &str, text: Option<String>| {
            let value = text.map(|text| Value::Text(text.into()));
            values.extend(value.map(|value| (name.to_owned(), value)));
        };
        say("stage", stage);
        say("kernel", kernel.and_then(|it| it.name.clone()));
        say("arch", kernel.and_then(|it| it.arch.clone()));
        say("api", interned.api(event.context).map(str::to_owned));
        let launch = event.launch.as_ref();
        say("grid_size", launch.and_then(|it| it.grid_size).map(lengths));
        let group = launch.and_then(|it| it.workgroup_size);
        say("workgroup_size", group.map(lengths));
        let handle = |it: Option<u64>| it.filter(|it| *it != 0).map(|it| self.gpu.object(it));
        say("render_target", handle(event.render_target_handle));
        say("render_pass", handle(event.render_pass_handle));
        say("command_buffer", handle(event.command_buffer_handle));
        for data in &event.extra_data {
            let name = data.name.clone().unwrap_or_else(|| "?".to_owned());
            say(&name, Some(data.value.clone().unwrap_or_default()));
        }
        let number = |number: Option<i64>| number.map(Value::Integer);
        let submission = number(event.submission_id.map(i64::from));
        values.extend(submission.map(|it| ("submission_id".to_owned(), it)));
        let more: Vec<&ComputeArg> = kernel
            .into_iter()
            .flat_map(|it| &it.args)
            .chain(launch.into_iter().flat_map(|it| &it.args))
            .collect();
        let text = |iid| Some(texts.text(sequence?.text(iid)?).to_owned());
        values.extend(more.into_iter().map(|it| interned.argument(it, text)));
        (name.unwrap_or_else(|| "?".to_owned()), values)
    }

    /// Takes a call of Vulkan.
    pub(in super::super) fn vulkan(&mut self, time: i64, event: VulkanApiEvent) {
        if let Some(named) = event.vk_debug_utils_object_name {
            let name = named.object_name.unwrap_or_default();
            self.gpu.objects.insert(named.object.unwrap_or(0), name);
        }
        if let Some(submit) = event.vk_queue_submit {
            self.submit(time, &submit);
        }
    }

    fn submit(&mut self, time: i64, submit: &VkQueueSubmit) {
        let (pid, tid) = (submit.pid.unwrap_or(0), submit.tid.unwrap_or(0));
        let track = self.tracks.thread(pid, tid);
        let text = |handle: u64| Value::Text(self.gpu.object(handle).into());
        let mut values = NamedValues::new();
        let queue = submit.vk_queue.map(text);
        values.extend(queue.map(|value| ("queue".to_owned(), value)));
        let buffers = submit.vk_command_buffers.iter().enumerate();
        for (place, &buffer) in buffers.take(MOST_ARGUMENTS) {
            values.push((format!("command_buffer.{place}"), text(buffer)));
        }
        let is_cropped = submit.vk_command_buffers.len() > MOST_ARGUMENTS;
        self.tally.cropped += u64::from(is_cropped);
        let points = SliceSyncPoints {
            submission: submit.submission_id,
            ..SliceSyncPoints::default()
        };
        let length = i64::try_from(submit.duration_ns.unwrap_or(0)).unwrap_or(i64::MAX);
        let slice = self.whole_slice("vkQueueSubmit", (SpanKind::Call, values), points);
        self.whole((time, time.saturating_add(length)), track, slice);
    }
}

fn lengths(dim: Dim3) -> String {
    let of = |length: Option<u32>| length.unwrap_or(1);
    format!("({},{},{})", of(dim.x), of(dim.y), of(dim.z))
}
