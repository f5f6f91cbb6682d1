//! Ranges of the host projected onto streams, made by a thread while the capture rests.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::Context;
use engine::analysis::memory::MemoryHistory;
use engine::analysis::{HostLevel, HostRanges, HostScope, RangeProjection, first_host_level};
use engine::capture::Capture;
use engine::record::{DeviceId, NameId};

use crate::action::Action;
use crate::background::KeyedAnswer;
use crate::state::{AppState, DrawnBar, DrawnBars, ProjectedLane, ProjectedLanes};

/// Ranges that lie so deep in others are drawn; those below are counted.
const DEEPEST: usize = 64;
/// Spans of the host that are looked at to see whether there are ranges among them.
const LOOKED_AT: usize = 50_000;

/// What projections are of: a capture, its state, and the levels.
type ProjectionKey = (u64, u64, Vec<HostLevel>);

/// Projections in the making.
#[derive(Default)]
pub(super) struct ProjectionJob {
    made: KeyedAnswer<ProjectionKey, ProjectedLanes>,
    /// The number of the answer that is shown.
    shown: u64,
    /// The first level of a capture in a state.
    first: Option<((u64, u64), Option<HostLevel>)>,
    /// Whether a capture in a state tells of allocators.
    memory: Option<((u64, u64), bool)>,
}

impl ProjectionJob {
    /// The level of the first range of the host, where the capture has one and rests.
    pub fn first_level(&mut self, capture: &Capture, grows: bool) -> Option<HostLevel> {
        let key = (capture.instance(), capture.revision());
        match self.first {
            _ if grows => None,
            Some((known, first)) if known == key => first,
            _ => {
                let found = first_host_level(capture, LOOKED_AT);
                self.first = Some((key, found));
                found
            }
        }
    }

    /// Whether the capture tells of allocators, where it rests.
    pub fn tells_memory(&mut self, capture: &Capture, grows: bool) -> bool {
        let key = (capture.instance(), capture.revision());
        match self.memory {
            _ if grows => false,
            Some((known, told)) if known == key => told,
            _ => {
                let told = MemoryHistory::is_told(capture);
                self.memory = Some((key, told));
                told
            }
        }
    }

    /// Keeps up with the capture and with what is switched on; gives what is to be shown from now on.
    pub fn advance(
        &mut self,
        (capture, grows): (&Arc<Capture>, bool),
        state: &AppState,
        context: &Context,
    ) -> Option<Action> {
        let levels = state.settings.projected();
        let key = (capture.instance(), capture.revision(), levels);
        if grows || key.2.is_empty() {
            // The capture takes no record while a thread shares it.
            self.made.forget();
            let is_shown = !state.projected.is_empty();
            return is_shown.then(|| Action::Project(ProjectedLanes::default()));
        }
        // Those of another capture, or of an earlier state of it, say nothing of this one.
        self.made.retain(|it| (it.0, it.1) == (key.0, key.1));
        let of = ("projections", context);
        self.made.advance(of, capture, key.clone(), |key| {
            let levels = key.2.clone();
            move |capture: &Capture| lanes(capture, &levels)
        });
        let Some(made) = self.made.of(&key) else {
            let is_stale = !state.projected.is_empty() && self.made.found().is_none();
            return is_stale.then(|| Action::Project(ProjectedLanes::default()));
        };
        let version = self.made.version();
        let is_new = std::mem::replace(&mut self.shown, version) != version;
        is_new.then(|| Action::Project(made.clone()))
    }
}

/// The lanes of some levels beneath each device.
fn lanes(capture: &Capture, levels: &[HostLevel]) -> ProjectedLanes {
    let scope = levels
        .iter()
        .fold(HostScope::default(), |scope, it| scope.of_level(*it));
    let ranges = HostRanges::new(capture, &scope);
    let mut names = BTreeMap::new();
    let mut all = Vec::new();
    for device in ranges.devices() {
        for &level in levels {
            let found = ranges.project_on(level, device);
            if !found.is_empty() {
                all.push(lane(capture, (device, level), found, &mut names));
            }
        }
    }
    all.into()
}

fn lane(
    capture: &Capture,
    (device, level): (DeviceId, HostLevel),
    mut ranges: Vec<RangeProjection>,
    names: &mut BTreeMap<NameId, [Arc<str>; 2]>,
) -> ProjectedLane {
    let mut bars = Vec::with_capacity(ranges.len());
    for range in &ranges {
        let Some(placed) = capture.span(range.span) else {
            continue;
        };
        let [own, linked] = names.entry(placed.span.name).or_insert_with(|| {
            let name = capture.name(placed.span.name);
            [name.into(), format!("{name} → linked").into()]
        });
        let bar = |name: &Arc<str>, interval| DrawnBar {
            interval,
            name: Arc::clone(name),
            span: Some(range.span),
        };
        if range.own.operations > 0 {
            bars.push(bar(own, range.own.interval));
        }
        bars.extend(range.linked().map(|it| bar(linked, it.interval)));
    }
    ranges.sort_unstable_by_key(|it| it.span);
    let (bars, left_out) = DrawnBars::at_most(bars, DEEPEST);
    ProjectedLane {
        device,
        level,
        name: format!("{}, projected", level.title()),
        bars,
        left_out,
        ranges,
    }
}
