//! Reads where a workload runs, what is done to its ranks, and which calls are for some of them alone.

use std::collections::BTreeSet;

use crate::kdl::{KdlEntry, KdlNode, KdlValue};

use super::entries::value_range;
use super::forms::PLACEMENT;
use super::{KdlReader, word_range};
use crate::placement::RANKS;
use crate::program::ProgramStep;
use crate::template::{MachineTemplate, ParameterTemplate, PlacementTemplate, RankGuard, Template};
use crate::{FaultKind, FaultMoment, MachinePlan, Parameter, RankFault, RemoteAddress};
use record::time::Nanos;

/// The number of the rank whose calls are made, in expressions.
pub(super) const RANK: &str = "rank";
/// How many ranks there are, in expressions.
pub(super) const ALL: &str = "ranks";
/// How long a rank waits for another one unless the workload says so.
const TIMEOUT: Nanos = Nanos::from_millis(30_000);

impl KdlReader<'_> {
    /// Where the workload runs: so many ranks on this machine, or the devices of several machines.
    pub fn placement(&mut self, node: &KdlNode, template: &mut Template) {
        if template.placement.is_some() {
            self.report(
                word_range(node),
                "this is a second placement",
                "keep one of the two",
            );
            return;
        }
        let machines = node.children.as_deref().map(|block| self.machines(block));
        let count = node.property("ranks");
        let given = count.and_then(|entry| Some((entry, self.rank_count(entry)?)));
        let ranks = match (&machines, count) {
            (Some(_), Some(entry)) => {
                let help = "keep the machines, or the number of ranks on this one";
                self.report(
                    value_range(entry),
                    "this placement says twice how many ranks there are",
                    help,
                );
                return;
            }
            (Some(machines), None) => machines.iter().map(|it| it.devices.len() as u32).sum(),
            (None, _) => given.map_or(0, |(_, count)| count),
        };
        if ranks == 0 {
            if count.is_none() || given.is_some() {
                let help = "write: placement ranks=4, or give it machines: { machine \"left\" devices=\"0 1\" }";
                self.report(word_range(node), "this placement has no ranks", help);
            }
            return;
        }
        let timeout = node
            .property("timeout-millis")
            .and_then(|entry| self.number(entry));
        let again = node.property("again").and_then(|entry| self.flag(entry));
        let is_fixed = machines.is_some();
        template.placement = Some(PlacementTemplate {
            machines,
            timeout: timeout.map_or(TIMEOUT, |millis| Nanos((millis.max(1.0) * 1e6) as i64)),
            faults: Vec::new(),
            again: again.unwrap_or(false),
        });
        let line = self.source.line(node.range.start);
        let most = if is_fixed { ranks } else { 64.max(ranks) };
        let place = count.map_or(0..0, value_range);
        self.placement_parameter(template, (ALL, f64::from(ranks), 1, most), line, place);
        self.placement_parameter(template, (RANK, 0.0, 0, RANKS - 1), line, 0..0);
    }

    /// A parameter that the placement gives.
    fn placement_parameter(
        &mut self,
        template: &mut Template,
        (name, default, least, most): (&str, f64, u32, u32),
        line: u32,
        value: std::ops::Range<usize>,
    ) {
        if self.names.parameters.contains(name) {
            let help = "choose another name for the parameter";
            let message =
                format!("a workload with a placement has a “{name}” of its own in expressions");
            self.report(0..0, message, help);
            return;
        }
        self.names.parameters.push(name.to_owned());
        template.parameters.push(ParameterTemplate {
            parameter: Parameter {
                name: name.to_owned(),
                default,
                min: f64::from(least),
                max: f64::from(most),
                about: "processes that run it, each with a device of its own".to_owned(),
                line,
            },
            is_hidden: value.is_empty(),
            value,
        });
    }

    fn rank_count(&mut self, entry: &KdlEntry) -> Option<u32> {
        let count = self.number(entry)?;
        if count.fract() == 0.0 && (0.0..=f64::from(RANKS)).contains(&count) {
            return Some(count as u32);
        }
        let help = format!("write a whole number from 1 to {RANKS}");
        self.report(
            value_range(entry),
            format!("{count} is no number of ranks"),
            help,
        );
        None
    }

    fn machines(&mut self, block: &[KdlNode]) -> Vec<MachineTemplate> {
        let mut all: Vec<MachineTemplate> = Vec::new();
        for node in block {
            if self.rule(node, PLACEMENT, "a placement").is_none() {
                continue;
            }
            let name = node.argument(0).and_then(|entry| self.text(entry));
            let (Some(name), Some(entry)) = (name, node.property("devices")) else {
                continue;
            };
            let devices = self.devices(entry);
            let at = node.property("at").and_then(|entry| self.address(entry));
            let line = self.source.line(node.range.start);
            let same = all.iter().find(|it| it.plan.name == name);
            let taken = same.map(|it| it.devices.clone()).unwrap_or_default();
            if let Some(device) = devices.iter().find(|device| taken.contains(device)) {
                let message = format!(
                    "device {device} of “{name}” is placed twice: two ranks would overlap on it"
                );
                self.report(
                    value_range(entry),
                    message,
                    "give each rank a device of its own",
                );
            } else if same.is_some() {
                let help = "join the two: machine \"left\" devices=\"0 1 2 3\"";
                self.report(
                    word_range(node),
                    format!("the machine “{name}” is declared already"),
                    help,
                );
            }
            all.push(MachineTemplate {
                plan: MachinePlan { name, at, line },
                devices,
            });
        }
        all
    }

    /// Where a machine is reached; none for this one.
    fn address(&mut self, entry: &KdlEntry) -> Option<RemoteAddress> {
        let text = self.text(entry).filter(|text| text != ".")?;
        let address = text.parse::<RemoteAddress>();
        address
            .map_err(|error| {
                let help = "write: machine \"left\" devices=0 at=\"user@host\"";
                self.report(value_range(entry), error.to_string(), help);
            })
            .ok()
    }

    /// The numbers of devices: `"0 1"` or `2`.
    fn devices(&mut self, entry: &KdlEntry) -> Vec<u32> {
        let text = match &entry.value {
            KdlValue::String(text) => text.clone(),
            other => other.to_string(),
        };
        let mut devices = Vec::new();
        let mut seen = BTreeSet::new();
        for word in text.split_whitespace() {
            let Some(device) = word.parse().ok().filter(|device: &u32| *device < RANKS) else {
                let help = "write their numbers with spaces between: devices=\"0 1 2\"";
                self.report(value_range(entry), format!("“{word}” is no device"), help);
                return devices;
            };
            if !seen.insert(device) {
                let message =
                    format!("device {device} is placed twice: two ranks would overlap on it");
                self.report(
                    value_range(entry),
                    message,
                    "give each rank a device of its own",
                );
            }
            devices.push(device);
        }
        devices
    }

    /// What is done to a rank on purpose.
    pub fn rank_fault(&mut self, node: &KdlNode, template: &mut Template) {
        let kind = node.argument(0);
        let kind = kind.and_then(|entry| self.one_of(entry, "fault of a rank", FaultKind::LABELS));
        let rank = node
            .property("rank")
            .and_then(|entry| self.rank_count(entry));
        let at = match (node.property("collective"), node.property("at-micros")) {
            (Some(entry), None) => self
                .number(entry)
                .map(|number| FaultMoment::Collective(number.max(1.0) as u64)),
            (None, Some(entry)) => self
                .number(entry)
                .map(|micros| FaultMoment::Time(Nanos((micros * 1e3) as i64))),
            (Some(_), Some(entry)) => {
                let help = "keep collective=, or at-micros=";
                self.report(value_range(entry), "this says two moments", help);
                None
            }
            (None, None) => Some(FaultMoment::Now),
        };
        let Some(placement) = &mut template.placement else {
            let help = "write: placement ranks=4";
            self.report(
                word_range(node),
                "only a workload with a placement has ranks",
                help,
            );
            return;
        };
        if let (Some(kind), Some(rank), Some(at)) = (kind, rank, at) {
            placement.faults.push(RankFault { kind, rank, at });
        }
    }

    /// Calls that one rank makes (`only`), or all others (`except`): a loop of one round or none.
    pub(super) fn for_ranks(
        &mut self,
        word: &str,
        node: &KdlNode,
        template: &mut Template,
        code: &mut Vec<ProgramStep>,
    ) {
        let Some(entry) = node.argument(0) else {
            return;
        };
        let text = match &entry.value {
            KdlValue::String(text) => text.clone(),
            other => other.to_string(),
        };
        if template.placement.is_none() {
            let help = "write: placement ranks=4";
            self.report(
                word_range(node),
                "only a workload with a placement has ranks",
                help,
            );
            return;
        }
        // Whether the number is one that expressions allow is said where it is written.
        if self.call_number(entry).is_none() {
            return;
        }
        let count = match word {
            "only" => format!("max(0, 1 - abs({RANK} - ({text})))"),
            _ => format!("min(1, abs({RANK} - ({text})))"),
        };
        let Some(count) = self.call_formula(&count, value_range(entry)) else {
            return;
        };
        if self.names.indices.is_empty() {
            template.guards.push(RankGuard {
                count: count.clone(),
                text: format!("{word} {text}"),
                line: self.source.line(node.range.start),
            });
        }
        self.rounds_of(node, template, code, (count, value_range(entry)));
    }
}
