//! Lays ranks out over machines and devices, and checks the calls that they make together.

use std::sync::Arc;

use super::Planner;
use crate::call::CollectiveCall;
use crate::phase::{AsWritten, Reference};
use crate::{BufferPlan, OmittedPart, Placement, RankPlan};

impl Planner<'_> {
    /// Where the workload runs, and what this rank leaves out of it; nothing where it says nothing of that.
    pub fn placement(&self) -> Option<Placement> {
        let template = Arc::clone(self.template);
        let found = template.placement.as_ref()?;
        let ranks = self.value("ranks") as u32;
        let mut placement = match &found.machines {
            None => Placement::here(ranks),
            Some(machines) => Placement {
                ranks: machines
                    .iter()
                    .zip(0..)
                    .flat_map(|(it, machine)| {
                        let devices = it.devices.iter();
                        devices.map(move |&device| RankPlan { machine, device })
                    })
                    .collect(),
                machines: machines.iter().map(|it| it.plan.clone()).collect(),
                ..Placement::default()
            },
        };
        // One rank alone, of whatever was meant to have more: where time is virtual.
        placement.ranks.truncate(ranks as usize);
        placement.timeout = found.timeout;
        placement.again = found.again;
        placement.faults.clone_from(&found.faults);
        placement.rank = self.value("rank") as u32;
        let guards = template.guards.iter();
        placement.left_out = guards
            .filter(|guard| guard.count.evaluate(&self.layout.values) < 0.5)
            .map(|guard| OmittedPart {
                text: guard.text.clone(),
                line: guard.line,
            })
            .collect();
        Some(placement)
    }

    /// The value of a parameter that the placement gives.
    fn value(&self, name: &str) -> f64 {
        let parameters = self.template.parameters.iter();
        let place = parameters
            .map(|it| it.parameter.name.as_str())
            .position(|it| it == name);
        place
            .and_then(|place| self.layout.values.get(place))
            .copied()
            .unwrap_or_default()
    }

    /// What is wrong with a call that ranks make together, and what to do.
    pub(super) fn collective(
        &self,
        buffers: &[BufferPlan],
        call: &CollectiveCall<AsWritten>,
        variables: &[f64],
    ) -> Option<(String, String)> {
        let ranks = self.value("ranks");
        let len = |reference: &Reference| {
            let element = self.layout.element(reference, variables) as usize;
            buffers.get(element).map_or(0, |buffer| buffer.len)
        };
        let (part, whole) = match call {
            CollectiveCall::AllGather { from, to, .. } => (len(from), len(to)),
            CollectiveCall::ReduceScatter { from, to, .. } => (len(to), len(from)),
            CollectiveCall::AllReduce { .. }
            | CollectiveCall::Broadcast { .. }
            | CollectiveCall::Send { .. }
            | CollectiveCall::Receive { .. }
            | CollectiveCall::Barrier { .. } => (0, 0),
        };
        if part * ranks as usize != whole {
            return Some((
                format!(
                    "the parts of {ranks} ranks have {part} floats each, and the whole has {whole}"
                ),
                "make the whole as long as all parts together: f32=\"ranks * n\"".to_owned(),
            ));
        }
        let named = match call {
            CollectiveCall::Broadcast { root, .. } => root,
            CollectiveCall::Send { to: rank, .. } | CollectiveCall::Receive { from: rank, .. } => {
                rank
            }
            CollectiveCall::AllReduce { .. }
            | CollectiveCall::AllGather { .. }
            | CollectiveCall::ReduceScatter { .. }
            | CollectiveCall::Barrier { .. } => return None,
        };
        let rank = named.evaluate(variables);
        let own = self.value("rank");
        let is_own = rank == own && !matches!(call, CollectiveCall::Broadcast { .. });
        if is_own {
            return Some((
                format!("rank {own} sends to itself here"),
                "name another rank".to_owned(),
            ));
        }
        let is_one = rank.fract() == 0.0 && (0.0..ranks).contains(&rank);
        (!is_one).then(|| {
            (
                format!("there is no rank {rank} here: there are {ranks}, counted from 0"),
                "leave the call out where there is none: except \"ranks - 1\" { … }".to_owned(),
            )
        })
    }
}
