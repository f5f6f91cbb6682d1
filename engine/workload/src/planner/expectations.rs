//! Fills the parameters into what a workload expects.

use record::{BufferIndex, EventIndex, StreamIndex};
use std::sync::Arc;

use super::{Planner, STEPS};
use crate::phase::Reference;
use crate::program::{CallTemplate, ProgramStep};
use crate::template::{
    BoundsTemplate, CallOrder, ExpectationForm, LabelledForm, LocatedExpression,
};
use crate::{Bounds, Call, ExpectationKind, ExpectationPlan, PromiseIndex};

impl Planner<'_> {
    pub fn expectations(&mut self) -> Vec<ExpectationPlan> {
        let template = Arc::clone(self.template);
        let mut plans = Vec::new();
        for expectation in &template.expectations {
            let kind = self.kind(&expectation.form);
            plans.push(ExpectationPlan {
                text: expectation.text.clone(),
                line: expectation.line,
                kind,
            });
        }
        plans.extend(self.expected_errors());
        plans
    }

    /// What calls that ask for the last error expect it to be.
    fn expected_errors(&self) -> Vec<ExpectationPlan> {
        let steps = self.template.program.hosts.iter().flatten();
        let expecting = steps.filter_map(|step| match step {
            ProgramStep::Call(CallTemplate {
                place,
                call: Call::Host(call),
                ..
            }) => Some((place, call.expected_error()?)),
            _ => None,
        });
        let plans = expecting.map(|(place, (word, expected))| ExpectationPlan {
            text: format!("{word} is {expected}"),
            line: place.line,
            kind: ExpectationKind::LastError { call: place.call },
        });
        plans.collect()
    }

    fn kind(&mut self, form: &ExpectationForm) -> ExpectationKind {
        match form {
            ExpectationForm::Overlap(first, second, limits) => ExpectationKind::Overlap {
                first: self.streams_of(first),
                second: self.streams_of(second),
                bounds: self.bounds(limits),
            },
            ExpectationForm::Busy(streams, limits) => ExpectationKind::Busy {
                streams: self.streams_of(streams),
                bounds: self.bounds(limits),
            },
            ExpectationForm::Each(buffers, equals, tolerance) => {
                let first = self.layout.extent(buffers.class, buffers.declaration).base;
                let elements = self.elements_of(buffers);
                let more = elements.len() * (equals.len() / STEPS);
                let elements = if self.has_room(more, &buffers.range) {
                    elements
                } else {
                    Vec::new()
                };
                let formula = |element: u32| {
                    let mut bound = self.layout.values.clone();
                    bound.push(f64::from(element - first));
                    (BufferIndex(element), equals.bind(&bound))
                };
                let buffers = elements.into_iter().map(formula).collect();
                ExpectationKind::Each {
                    buffers,
                    tolerance: *tolerance,
                }
            }
            ExpectationForm::Sum(buffers, limits) => ExpectationKind::Sum {
                buffers: self.buffers_of(buffers),
                bounds: self.bounds(limits),
            },
            ExpectationForm::Order(order, first, second) => {
                let (first, second) = (first.clone(), second.clone());
                match order {
                    CallOrder::Before => ExpectationKind::Before { first, second },
                    CallOrder::InTurn => ExpectationKind::InTurn { first, second },
                    CallOrder::EndsBefore => ExpectationKind::EndsBefore { first, second },
                }
            }
            ExpectationForm::Settles(promises, resolved, value) => ExpectationKind::Settles {
                promises: self
                    .elements_of(promises)
                    .into_iter()
                    .map(PromiseIndex)
                    .collect(),
                resolved: *resolved,
                value: value.clone(),
            },
            ExpectationForm::Problem(code, limits) => ExpectationKind::Problem {
                code: code.clone(),
                bounds: self.bounds(limits),
            },
            ExpectationForm::Labelled(form, limits) => self.labelled(form, limits),
            ExpectationForm::Race(buffer, limits) => ExpectationKind::Race {
                buffers: buffer.as_ref().map(|it| self.buffers_of(it)),
                bounds: self.bounds(limits),
            },
            ExpectationForm::RunsOn(calls, streams) => ExpectationKind::RunsOn {
                calls: calls.clone(),
                streams: self.streams_of(streams),
            },
            ExpectationForm::Calls(verb, limits) => {
                let sites = self.template.sites.iter().zip(0_u32..);
                let calls = sites.filter(|(site, _)| site.verb == verb);
                ExpectationKind::Calls {
                    calls: calls.map(|(_, place)| place).collect(),
                    bounds: self.bounds(limits),
                }
            }
            ExpectationForm::Elapsed(start, end, limits) => ExpectationKind::Elapsed {
                start: self.event_of(start),
                end: self.event_of(end),
                bounds: self.bounds(limits),
            },
            ExpectationForm::Used(buffers, limits) => ExpectationKind::Used {
                buffers: self.buffers_of(buffers),
                bounds: self.bounds(limits),
            },
        }
    }

    fn labelled(&mut self, form: &LabelledForm, limits: &BoundsTemplate) -> ExpectationKind {
        let bounds = self.bounds(limits);
        match form.clone() {
            LabelledForm::Ordered(first, second, pairs) => ExpectationKind::Ordered {
                first,
                second,
                pairs,
            },
            LabelledForm::Apart(first, second, pairs) => ExpectationKind::Apart {
                first,
                second,
                pairs,
                at_least: Some(bounds.at_least).filter(|it| it.is_finite()),
            },
            LabelledForm::HostWaits => ExpectationKind::HostWaits(bounds),
            LabelledForm::StreamWaits => ExpectationKind::StreamWaits(bounds),
            LabelledForm::HostKnows(calls) => ExpectationKind::HostKnows(calls),
            LabelledForm::CalledBefore(first, second, after) => ExpectationKind::CalledBefore {
                first,
                second,
                after,
                bounds,
            },
            LabelledForm::Stalled => ExpectationKind::Stalled(bounds),
        }
    }

    /// The event that a reference means; the first of an array where it has no index.
    fn event_of(&mut self, reference: &Reference) -> EventIndex {
        let first = self.elements_of(reference).into_iter().next();
        EventIndex(first.unwrap_or_default())
    }

    fn buffers_of(&mut self, reference: &Reference) -> Vec<BufferIndex> {
        let elements = self.elements_of(reference).into_iter();
        elements.map(BufferIndex).collect()
    }

    fn streams_of(&mut self, reference: &Reference) -> Vec<StreamIndex> {
        self.elements_of(reference)
            .into_iter()
            .map(StreamIndex)
            .collect()
    }

    /// The element that a reference means, or, where it has no index, every element of the array.
    fn elements_of(&mut self, reference: &Reference) -> Vec<u32> {
        if reference.index.is_some() {
            return vec![self.layout.element(reference, &self.layout.values)];
        }
        let extent = self.layout.extent(reference.class, reference.declaration);
        if !self.has_room(extent.count as usize, &reference.range) {
            return Vec::new();
        }
        (extent.base..extent.base + extent.count).collect()
    }

    fn bounds(&mut self, limits: &BoundsTemplate) -> Bounds {
        let at_least = limits
            .at_least
            .as_ref()
            .map_or(f64::NEG_INFINITY, |amount| self.bound(amount));
        let at_most = limits
            .at_most
            .as_ref()
            .map_or(f64::INFINITY, |amount| self.bound(amount));
        let Some(equals) = &limits.equals else {
            return Bounds { at_least, at_most };
        };
        let around = Bounds::around(self.bound(equals), limits.tolerance);
        Bounds {
            at_least: at_least.max(around.at_least),
            at_most: at_most.min(around.at_most),
        }
    }

    fn bound(&mut self, amount: &LocatedExpression) -> f64 {
        let value = amount.expression.evaluate(&self.layout.values);
        if !value.is_finite() {
            let message = format!("this bound is {value} here");
            self.errors
                .report(amount.range.clone(), message, "write a number");
        }
        value
    }
}
