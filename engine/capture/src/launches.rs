//! The table of launches, each with its changes and with every time it was launched.

use super::Capture;
use super::apply::Placeholder;
use record::{DeviceId, Launch, LaunchId, LaunchInstance, LaunchKind, LaunchStep};

/// A launch, how it changed, and every time it was launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchHistory {
    /// What was made.
    pub launch: Launch,
    /// How it was recorded and changed, by time.
    pub steps: Vec<LaunchStep>,
    /// Every time it was launched, by the operation that it came to.
    pub launches: Vec<LaunchInstance>,
}

impl LaunchHistory {
    /// What a launch of now would run with; nothing where it was never recorded.
    pub fn step(&self) -> Option<&LaunchStep> {
        self.steps.last()
    }

    /// What launches of a revision ran with.
    pub fn revision(&self, revision: u32) -> Option<&LaunchStep> {
        let mut steps = self.steps.iter().rev();
        steps.find(|step| step.revision == revision)
    }
}

impl Capture {
    /// The launches, by id.
    pub fn launches(&self) -> &[LaunchHistory] {
        &self.launches
    }

    /// The launch that an operation or a call is one of.
    pub fn launch_of(
        &self,
        relaunch: impl Fn(&LaunchInstance) -> bool,
    ) -> Option<(&LaunchHistory, LaunchInstance)> {
        self.launches.iter().find_map(|launched| {
            let found = launched.launches.iter().find(|it| relaunch(it))?;
            Some((launched, *found))
        })
    }

    pub(super) fn take_launch(&mut self, launch: Launch) {
        let index = launch.id.index();
        // What became of it may be told first.
        let known = self.launches.get_mut(index);
        let known =
            known.map(|known| std::mem::replace(known, LaunchHistory::filler(index as u32)));
        let (steps, launches) = known.map(|it| (it.steps, it.launches)).unwrap_or_default();
        let made = LaunchHistory {
            launch,
            steps,
            launches,
        };
        self.put("launch", index, made, |capture| &mut capture.launches);
    }

    pub(super) fn take_launch_step(&mut self, step: LaunchStep) {
        self.reach(step.time, step.time);
        let key = |it: &LaunchStep| (it.time, it.revision, it.change, it.span, it.detail.clone());
        if let Some(launched) = self.launched(step.launch) {
            let place = launched.steps.partition_point(|it| key(it) <= key(&step));
            launched.steps.insert(place, step);
        }
    }

    pub(super) fn take_relaunch(&mut self, relaunch: LaunchInstance) {
        if let Some(launched) = self.launched(relaunch.launch) {
            let place = launched.launches.partition_point(|it| *it <= relaunch);
            launched.launches.insert(place, relaunch);
        }
    }

    fn launched(&mut self, id: LaunchId) -> Option<&mut LaunchHistory> {
        if self.launches.get(id.index()).is_none() {
            let filler = LaunchHistory::filler(id.0);
            self.put("launch", id.index(), filler, |it| &mut it.launches);
        }
        self.launches.get_mut(id.index())
    }
}

impl Placeholder for LaunchHistory {
    fn filler(index: u32) -> Self {
        Self {
            launch: Launch {
                id: LaunchId(index),
                name: format!("launch {index}"),
                kind: LaunchKind::Kernel,
                device: DeviceId::NONE,
            },
            steps: Vec::new(),
            launches: Vec::new(),
        }
    }
}
