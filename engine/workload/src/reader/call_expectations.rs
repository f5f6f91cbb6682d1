//! Reads what a workload expects of the order of its calls, and of how many of them were made.

use crate::kdl::KdlNode;

use super::KdlReader;
use super::entries::value_range;
use super::forms::CALLS;
use crate::OperationPairs;
use crate::error::nearest;
use crate::phase::ResourceClass;
use crate::template::{BoundsTemplate, ExpectationForm, LabelledForm};

/// How far apart the partners of two groups of operations may be.
const MOST_SHIFTED: f64 = 1e6;

impl KdlReader<'_> {
    pub(super) fn form_of_calls(&mut self, word: &str, node: &KdlNode) -> Option<ExpectationForm> {
        let plain = |form| ExpectationForm::Labelled(form, BoundsTemplate::default());
        Some(match word {
            "ordered" => {
                let (first, second) = (self.labelled(node, 0), self.labelled(node, 1));
                let pairs = self.pairs(node)?;
                plain(LabelledForm::Ordered(first?, second?, pairs))
            }
            "apart" => {
                let (first, second) = (self.labelled(node, 0), self.labelled(node, 1));
                let pairs = self.pairs(node)?;
                let bounds = BoundsTemplate {
                    at_least: self.limit(node, "at-least", false),
                    ..BoundsTemplate::default()
                };
                let form = LabelledForm::Apart(first?, second?, pairs);
                ExpectationForm::Labelled(form, bounds)
            }
            "race" => {
                let buffer = node.argument(0);
                let buffer = match buffer {
                    Some(entry) => Some(self.reference(ResourceClass::Buffer, entry, None)?),
                    None => None,
                };
                ExpectationForm::Race(buffer, self.limits(node, false)?)
            }
            "host-waits" => {
                ExpectationForm::Labelled(LabelledForm::HostWaits, self.limits(node, false)?)
            }
            "stream-waits" => {
                ExpectationForm::Labelled(LabelledForm::StreamWaits, self.limits(node, false)?)
            }
            "stalled" => {
                ExpectationForm::Labelled(LabelledForm::Stalled, self.limits(node, false)?)
            }
            "host-knows" => plain(LabelledForm::HostKnows(self.labelled(node, 0)?)),
            "elapsed" => {
                let start = self.subject(ResourceClass::Event, node, 0);
                let end = self.subject(ResourceClass::Event, node, 1);
                let bounds = self.limits(node, false)?;
                ExpectationForm::Elapsed(start?, end?, bounds)
            }
            "on" => {
                let calls = self.labelled(node, 0);
                let streams = self.subject(ResourceClass::Stream, node, 1);
                ExpectationForm::RunsOn(calls?, streams?)
            }
            "used" => {
                let buffers = self.subject(ResourceClass::Buffer, node, 0);
                let bounds = self.limits(node, false);
                ExpectationForm::Used(buffers?, bounds?)
            }
            "calls" => {
                let verb = self.verb_of_calls(node);
                let bounds = self.limits(node, false);
                ExpectationForm::Calls(verb?, bounds?)
            }
            "called-before" => {
                let (first, second) = (self.labelled(node, 0), self.labelled(node, 1));
                let after = match node.property("after") {
                    Some(entry) => self.calls_of(entry)?,
                    None => Vec::new(),
                };
                let bounds = self.limits(node, false);
                let form = LabelledForm::CalledBefore(first?, second?, after);
                ExpectationForm::Labelled(form, bounds?)
            }
            _ => return None,
        })
    }

    /// Which operations of two groups are compared.
    fn pairs(&mut self, node: &KdlNode) -> Option<OperationPairs> {
        let turn = node.property("by");
        if let Some(entry) = turn {
            self.one_of(entry, "way", &[("turn", ())])?;
        }
        let Some(entry) = node.property("shift") else {
            let pairs = turn.map(|_| OperationPairs::InTurn { shift: 0 });
            return Some(pairs.unwrap_or(OperationPairs::All));
        };
        let shift = self.number(entry)?;
        if turn.is_none() || shift.fract() != 0.0 || !(0.0..=MOST_SHIFTED).contains(&shift) {
            let message = "shift= says how many places further the partner is, with by=\"turn\"";
            let help = "write by=\"turn\" shift=1, say";
            self.report(value_range(entry), message, help);
            return None;
        }
        let shift = shift as usize;
        Some(OperationPairs::InTurn { shift })
    }

    /// The verb that stands here as a text.
    fn verb_of_calls(&mut self, node: &KdlNode) -> Option<String> {
        let entry = node.argument(0)?;
        let verb = self.text(entry)?;
        if CALLS.iter().any(|rule| rule.name == verb) {
            return Some(verb);
        }
        let help = nearest(&verb, CALLS.iter().map(|rule| rule.name))
            .unwrap_or_else(|| "write the name of a call, such as \"query\"".to_owned());
        self.report(
            value_range(entry),
            format!("there is no call “{verb}”"),
            help,
        );
        None
    }
}
