//! Lays events, pools of them and callback threads out, and refuses more events than the device has room for.

use record::EventIndex;
use std::sync::Arc;

use super::{Planner, extent};
use crate::template::LocatedExpression;
use crate::{EventOptions, EventPlan, PoolPlan, SlotUse, VirtualMachine};

/// The most slots that a device may be told to have for events: as many as the largest part has (rule F3).
const SLOTS: f64 = 65_535.0;

impl Planner<'_> {
    pub fn events(&mut self) -> Vec<EventPlan> {
        let template = Arc::clone(self.template);
        let mut plans = Vec::new();
        for event in &template.events {
            let names = self.elements(&event.declaration);
            self.layout.events.push(extent(plans.len(), names.len()));
            plans.extend(names.into_iter().map(|name| EventPlan {
                name,
                timing: event.timing,
                options: event.options,
            }));
        }
        plans
    }

    /// The pools; their events come behind `events`.
    pub fn pools(&mut self, events: &mut Vec<EventPlan>) -> Vec<PoolPlan> {
        let template = Arc::clone(self.template);
        let mut plans = Vec::new();
        for (place, pool) in template.pools.iter().enumerate() {
            let names = self.elements(&pool.declaration);
            self.layout.pools.push(extent(place, 1));
            plans.push(PoolPlan {
                name: pool.declaration.name.clone(),
                first: EventIndex(events.len() as u32),
                count: names.len() as u32,
            });
            events.extend(names.into_iter().map(|name| EventPlan {
                name,
                timing: pool.timing,
                options: EventOptions::default(),
            }));
        }
        plans
    }

    pub fn threads(&mut self) -> Vec<String> {
        let template = Arc::clone(self.template);
        let mut names = Vec::new();
        for thread in &template.threads {
            let elements = self.elements(thread);
            self.layout
                .threads
                .push(extent(names.len(), elements.len()));
            names.extend(elements);
        }
        names
    }

    /// The virtual machine, with no end to what is on its way where none is given (rule E13).
    pub fn machine(&mut self) -> Option<VirtualMachine> {
        let template = Arc::clone(self.template);
        let machine = template.machine.as_ref()?;
        let (high, low) = (&machine.high, &machine.low);
        let mut mark = |amount: Option<&LocatedExpression>, what, least| {
            let amount = amount?;
            let mark = self.whole(amount, what, least, f64::from(u32::MAX))?;
            u32::try_from(mark).ok()
        };
        let most = mark(high.as_ref(), "the mark of high water", 1.0).unwrap_or(u32::MAX);
        let few = mark(low.as_ref(), "the mark of low water", 0.0).unwrap_or(most / 2);
        if let Some(low) = low.as_ref().filter(|_| few >= most) {
            let message = format!("low={few} is not below high={most}");
            let help =
                "make it smaller: whoever calls waits until no more than low= are on their way";
            let range = low.range.clone();
            self.errors.report(range, message, help);
        }
        Some(VirtualMachine {
            high: most,
            low: few,
            threads: machine.threads,
        })
    }

    /// Slots for events, where there is an end of them: those that events do not take for good (rule F3).
    pub fn event_slots(&mut self, events: &[EventPlan]) -> Option<u32> {
        let template = Arc::clone(self.template);
        let amount = template.event_slots.as_ref()?;
        let slots = self.whole(amount, "the number of event slots", 1.0, SLOTS)?;
        let mut taken = 0;
        for (event, extent) in template.events.iter().zip(self.layout.events.clone()) {
            let count = extent.count as usize;
            let name = &event.declaration.name;
            let message = match event.options.slot {
                SlotUse::Creation => {
                    taken += count;
                    (taken > slots).then(|| {
                        format!("with “{name}” there are {taken} events, and the device has {slots} slots for them")
                    })
                }
                SlotUse::Record if taken >= slots => Some(format!(
                    "“{name}” finds no slot, because events that were made before have them all"
                )),
                _ => None,
            };
            if let Some(message) = message {
                let help = "have fewer events, raise event-slots, or let them take a slot at each record: slot=\"record\"";
                let place = event.declaration.range.clone();
                self.errors.report(place, message, help);
                return None;
            }
        }
        let made = events
            .iter()
            .filter(|event| event.options.slot == SlotUse::Creation);
        Some((slots - made.count().min(slots)) as u32)
    }
}
