//! Reads what a workload expects of its run.

use std::ops::Range;

use crate::kdl::{KdlEntry, KdlNode};

use super::entries::value_range;
use super::forms::EXPECTATIONS;
use super::{KdlReader, word_range};
use crate::error::nearest;
use crate::phase::{Reference, ResourceClass};
use crate::template::{
    BoundsTemplate, CallOrder, ExpectationForm, ExpectationTemplate, LocatedExpression, Template,
};

/// How far off a float may be where nothing else is said: rounding of a few operations on 32 bits.
const TOLERANCE: f64 = 1e-5;

/// How a promise may settle, and whether it is resolved then.
const VERDICTS: &[(&str, bool)] = &[("resolved", true), ("rejected", false)];

impl KdlReader<'_> {
    pub fn expectations(&mut self, node: &KdlNode, template: &mut Template) {
        for child in node.inside() {
            let before = self.errors.len();
            let Some(rule) = self.rule(child, EXPECTATIONS, "expect") else {
                continue;
            };
            if self.errors.len() > before {
                continue;
            }
            let Some(form) = self.form(rule.name, child) else {
                continue;
            };
            let whole = child.range.clone();
            let text = self
                .source
                .get(whole.clone())
                .lines()
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned();
            template.expectations.push(ExpectationTemplate {
                text,
                line: self.source.line(whole.start),
                form,
            });
        }
    }

    fn form(&mut self, word: &str, node: &KdlNode) -> Option<ExpectationForm> {
        Some(match word {
            "overlap" => {
                let (first, second) = (
                    self.subject(ResourceClass::Stream, node, 0),
                    self.subject(ResourceClass::Stream, node, 1),
                );
                let limits = self.limits(node, true);
                ExpectationForm::Overlap(first?, second?, limits?)
            }
            "busy" => {
                let streams = self.subject(ResourceClass::Stream, node, 0);
                let limits = self.limits(node, true);
                ExpectationForm::Busy(streams?, limits?)
            }
            "each" => {
                let buffers = self.subject(ResourceClass::Buffer, node, 0);
                let names: Vec<String> = self
                    .names
                    .element_variables()
                    .into_iter()
                    .map(str::to_owned)
                    .collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let equals = node
                    .property("equals")
                    .and_then(|entry| self.expression(entry, &names));
                let tolerance = self.tolerance(node);
                ExpectationForm::Each(buffers?, equals?, tolerance?)
            }
            "sum" => {
                let buffers = self.subject(ResourceClass::Buffer, node, 0);
                let limits = self.limits(node, false);
                ExpectationForm::Sum(buffers?, limits?)
            }
            "settles" => {
                let promises = self.subject(ResourceClass::Promise, node, 0);
                let verdict = node.argument(1)?;
                let verdict = self.one_of(verdict, "verdict", VERDICTS);
                let value = node.property("value").and_then(|entry| self.text(entry));
                ExpectationForm::Settles(promises?, verdict?, value)
            }
            "problem" => {
                let code = node.argument(0).and_then(|entry| self.text(entry));
                let limits = self.limits(node, false);
                ExpectationForm::Problem(code?, limits?)
            }
            "before" | "in-turn" | "ends-before" => {
                let order = match word {
                    "before" => CallOrder::Before,
                    "in-turn" => CallOrder::InTurn,
                    _ => CallOrder::EndsBefore,
                };
                let (first, second) = (self.labelled(node, 0), self.labelled(node, 1));
                ExpectationForm::Order(order, first?, second?)
            }
            _ => return self.form_of_calls(word, node),
        })
    }

    pub(super) fn subject(
        &mut self,
        class: ResourceClass,
        node: &KdlNode,
        place: usize,
    ) -> Option<Reference> {
        let entry = node.argument(place)?;
        self.reference(class, entry, None)
    }

    pub(super) fn labelled(&mut self, node: &KdlNode, place: usize) -> Option<Vec<u32>> {
        let entry = node.argument(place)?;
        self.calls_of(entry)
    }

    /// The calls that have the label that stands here.
    pub(super) fn calls_of(&mut self, entry: &KdlEntry) -> Option<Vec<u32>> {
        let label = self.text(entry)?;
        let found = self.names.labels.get(&label).cloned();
        if found.is_none() {
            let help = nearest(&label, self.names.labels.keys().map(String::as_str))
                .unwrap_or_else(|| format!("give the calls that are meant label=\"{label}\""));
            self.report(
                value_range(entry),
                format!("no call has the label “{label}”"),
                help,
            );
        }
        found
    }

    fn tolerance(&mut self, node: &KdlNode) -> Option<f64> {
        let Some(entry) = node.property("tolerance") else {
            return Some(TOLERANCE);
        };
        let value = self.number(entry)?;
        if value < 0.0 {
            self.report(
                value_range(entry),
                format!("a tolerance cannot be {value}"),
                "write a small number above 0",
            );
            return None;
        }
        Some(value)
    }

    pub(super) fn limits(&mut self, node: &KdlNode, share: bool) -> Option<BoundsTemplate> {
        let before = self.errors.len();
        let limits = BoundsTemplate {
            at_least: self.limit(node, "at-least", share),
            at_most: self.limit(node, "at-most", share),
            equals: self.limit(node, "equals", share),
            tolerance: self.tolerance(node).unwrap_or_default(),
        };
        let given =
            limits.at_least.is_some() || limits.at_most.is_some() || limits.equals.is_some();
        if !given && self.errors.len() == before {
            let name = &*node.name;
            let help = if share {
                "add at-least=0.1"
            } else {
                "add equals=…, at-least=… or at-most=…"
            };
            self.report(
                word_range(node),
                format!("“{name}” says of no number what it should be"),
                help,
            );
        }
        (self.errors.len() == before).then_some(limits)
    }

    pub(super) fn limit(
        &mut self,
        node: &KdlNode,
        name: &str,
        share: bool,
    ) -> Option<LocatedExpression> {
        let entry: &KdlEntry = node.property(name)?;
        let names: Vec<String> = self.names.parameters.to_vec();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let amount = self.amount(entry, &names)?;
        if share
            && amount
                .expression
                .as_constant()
                .is_some_and(|value| !(0.0..=1.0).contains(&value))
        {
            let place: Range<usize> = amount.range;
            self.report(place, "a share lies between 0 and 1", "write 0.3 for 30 %");
            return None;
        }
        Some(amount)
    }
}
