//! Fills a template's parameters in, lays its resources out, and refuses what cannot be.

mod check;
mod count;
mod events;
mod expectations;
mod gpu;
mod launches;
mod placement;

use std::ops::Range;
use std::sync::Arc;

use super::error::{WorkloadError, WorkloadErrors, WorkloadSource, nearest};
use super::model::BYTES_PER_FLOAT;
use super::program::{DeclarationExtent, PlanLayout};
use super::template::{BufferTemplate, Declaration, LocatedExpression, Template};
use super::{BufferPlan, HostPlan, Plan, StreamKind, StreamPlan};

/// Elements of one array of resources, at most.
const COUNT: f64 = 131_072.0;
/// Elements of all arrays together, and of those that expectations are about, at most.
const ELEMENTS: usize = 524_288;
/// Steps of an expression, and bytes of a name, that count as one more for each element that has them.
const STEPS: usize = 8;
const BYTES: usize = 64;
/// Streams of a workload, at most: on the CPU each that is used is a thread.
const STREAMS: usize = 16_384;
/// Floats of one buffer, at most, so that every element's number is exact everywhere.
const FLOATS: f64 = 2_147_483_648.0;

/// The template with its parameters filled in, or all that is wrong with that.
pub(super) fn plan(
    source: &WorkloadSource,
    template: &Arc<Template>,
    overrides: &[(String, f64)],
    memory: u64,
) -> Result<Plan, Vec<WorkloadError>> {
    let values = values(source, template, overrides)?;
    let mut planner = Planner {
        template,
        layout: PlanLayout {
            values,
            ..PlanLayout::default()
        },
        room: Some(ELEMENTS),
        errors: WorkloadErrors::new(source),
    };
    let streams = planner.streams();
    let mut events = planner.events();
    let pools = planner.pools(&mut events);
    let callback_threads = planner.threads();
    let event_slots = planner.event_slots(&events);
    let machine = planner.machine();
    let buffers = planner.buffers(memory);
    let signals = planner.signals();
    let pipelines = planner.pipelines();
    let promises = planner.promises();
    let recorded = planner.recorded();
    let graphs = planner.graphs();
    planner.fail()?;
    let call_count = planner.check_calls(&buffers);
    let expectations = planner.expectations();
    let placement = planner.placement();
    planner.fail()?;
    let parameters = template.parameters.iter().zip(&planner.layout.values);
    Ok(Plan {
        about: template.about.clone(),
        parameters: parameters
            .map(|(found, value)| (found.parameter.name.clone(), *value))
            .collect(),
        streams,
        events,
        buffers,
        signals,
        pipelines,
        promises,
        pools,
        callback_threads,
        event_slots,
        recorded,
        graphs,
        hosts: template
            .hosts
            .iter()
            .map(|host| HostPlan {
                name: host.name.clone(),
                edition: host.edition,
            })
            .collect(),
        expectations,
        sites: template.sites.clone(),
        call_count,
        machine,
        placement,
        synchronization: template.synchronization.unwrap_or_default(),
        pace: template.pace.unwrap_or_default(),
        program: Arc::clone(&template.program),
        layout: Arc::new(planner.layout),
    })
}

/// The value of each parameter, in the order of the file.
pub(super) fn values(
    source: &WorkloadSource,
    template: &Template,
    overrides: &[(String, f64)],
) -> Result<Vec<f64>, Vec<WorkloadError>> {
    let mut values: Vec<f64> = template
        .parameters
        .iter()
        .map(|found| found.parameter.default)
        .collect();
    let mut errors = Vec::new();
    for (name, value) in overrides {
        let place = template
            .parameters
            .iter()
            .position(|found| found.parameter.name == *name);
        let known =
            place.and_then(|place| Some((template.parameters.get(place)?, values.get_mut(place)?)));
        let Some((found, slot)) = known else {
            let names = template
                .parameters
                .iter()
                .map(|found| found.parameter.name.as_str());
            let all = || match template.parameters.as_slice() {
                [] => "this workload has no parameters".to_owned(),
                _ => format!(
                    "parameters: {}",
                    names.clone().collect::<Vec<_>>().join(", ")
                ),
            };
            let help = nearest(name, names.clone()).unwrap_or_else(all);
            errors.push(source.error_outside(format!("there is no parameter “{name}”"), help));
            continue;
        };
        let parameter = &found.parameter;
        if value.is_finite() && (parameter.min..=parameter.max).contains(value) {
            *slot = *value;
        } else {
            let message = format!(
                "“{name}” was set to {value}, and may be {} to {}",
                parameter.min, parameter.max
            );
            errors.push(source.error(found.value.clone(), message, "choose a value in this range"));
        }
    }
    if errors.is_empty() {
        Ok(values)
    } else {
        Err(errors)
    }
}

/// A plan in the making.
struct Planner<'s> {
    template: &'s Arc<Template>,
    layout: PlanLayout,
    /// How many elements may come yet; nothing once they were too many, which is told once.
    room: Option<usize>,
    errors: WorkloadErrors<'s>,
}

impl Planner<'_> {
    fn fail(&mut self) -> Result<(), Vec<WorkloadError>> {
        self.errors.told().map_or(Ok(()), Err)
    }

    /// A whole number from `least` to `most`, or an error at the place of the amount.
    fn whole(
        &mut self,
        amount: &LocatedExpression,
        what: &str,
        least: f64,
        most: f64,
    ) -> Option<usize> {
        let value = amount.expression.evaluate(&self.layout.values);
        if value.fract() == 0.0 && (least..=most).contains(&value) {
            return Some(value as usize);
        }
        let message = format!("{what} is {value} here");
        let help = format!("it must be a whole number from {least} to {most}");
        self.errors.report(amount.range.clone(), message, help);
        None
    }

    /// Whether there is room for so many elements, which are taken.
    fn has_room(&mut self, elements: usize, place: &Range<usize>) -> bool {
        let Some(room) = self.room else { return false };
        self.room = room.checked_sub(elements);
        if self.room.is_none() {
            let message = format!(
                "with this the arrays, and what is expected of them, have more than {ELEMENTS} elements"
            );
            let help = "make arrays shorter, or have fewer of them";
            self.errors.report(place.clone(), message, help);
        }
        self.room.is_some()
    }

    /// The names of a declaration's elements.
    fn elements(&mut self, declaration: &Declaration) -> Vec<String> {
        let name = &declaration.name;
        let Some(count) = &declaration.count else {
            return vec![name.clone()];
        };
        let count = self
            .whole(count, &format!("the count of “{name}”"), 1.0, COUNT)
            .unwrap_or(1);
        if !self.has_room(count * (1 + name.len() / BYTES), &declaration.range) {
            return vec![name.clone()];
        }
        (0..count)
            .map(|element| format!("{name}[{element}]"))
            .collect()
    }

    fn streams(&mut self) -> Vec<StreamPlan> {
        let template = Arc::clone(self.template);
        let mut plans = Vec::new();
        for stream in &template.streams {
            let names = match stream.traits.kind {
                StreamKind::PerThread => self.per_thread(&stream.declaration),
                _ => self.elements(&stream.declaration),
            };
            self.layout.streams.push(extent(plans.len(), names.len()));
            plans.extend(names.into_iter().map(|name| StreamPlan {
                name,
                role: stream.role,
                priority: stream.priority,
                traits: stream.traits,
                failure: stream.failure,
            }));
            if plans.len() > STREAMS {
                let message = format!("these are more than {STREAMS} streams");
                let place = stream.declaration.range.clone();
                self.errors.report(
                    place,
                    message,
                    "each stream is a thread; make do with fewer",
                );
            }
        }
        plans
    }

    /// The default streams of the host threads.
    fn per_thread(&mut self, declaration: &Declaration) -> Vec<String> {
        let (hosts, name) = (self.template.hosts.iter(), &declaration.name);
        let longest = hosts.clone().map(|it| it.name.len()).max().unwrap_or(0);
        let room = hosts.len() * (1 + (name.len() + longest) / BYTES);
        if !self.has_room(room, &declaration.range) {
            return Vec::new();
        }
        hosts
            .map(|host| format!("{name} of {}", host.name))
            .collect()
    }

    fn signals(&mut self) -> Vec<String> {
        let template = Arc::clone(self.template);
        let mut plans = Vec::new();
        for signal in &template.signals {
            let names = self.elements(signal);
            self.layout.signals.push(extent(plans.len(), names.len()));
            plans.extend(names);
        }
        plans
    }

    fn buffers(&mut self, memory: u64) -> Vec<BufferPlan> {
        let template = Arc::clone(self.template);
        let mut plans = Vec::new();
        let mut bytes = 0_u64;
        for buffer in &template.buffers {
            let names = self.elements(&buffer.declaration);
            self.layout.buffers.push(extent(plans.len(), names.len()));
            let what = format!("the length of “{}”", buffer.declaration.name);
            let Some(len) = self.whole(&buffer.len, &what, 1.0, FLOATS) else {
                continue;
            };
            let more = names.len() * (buffer.init.len() / STEPS);
            if !self.has_room(more, &buffer.declaration.range) {
                return plans;
            }
            bytes = bytes.saturating_add(len as u64 * BYTES_PER_FLOAT * names.len() as u64);
            if bytes > memory {
                let message = format!(
                    "with “{}” the buffers take {bytes} bytes, and there are {memory}",
                    buffer.declaration.name
                );
                let help = "make it shorter, or have fewer of it";
                self.errors.report(buffer.len.range.clone(), message, help);
                return plans;
            }
            plans.extend(
                names
                    .into_iter()
                    .enumerate()
                    .map(|(part, name)| self.buffer(buffer, part, name, len)),
            );
        }
        plans
    }

    fn buffer(&self, buffer: &BufferTemplate, part: usize, name: String, len: usize) -> BufferPlan {
        let mut bound = self.layout.values.clone();
        bound.push(part as f64);
        BufferPlan {
            name,
            len,
            init: buffer.init.bind(&bound),
            memory: buffer.memory,
        }
    }
}

fn extent(base: usize, count: usize) -> DeclarationExtent {
    DeclarationExtent {
        base: base as u32,
        count: count as u32,
    }
}
