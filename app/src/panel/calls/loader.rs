//! The call tree that is shown: found by a thread that shares the capture while it rests.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::Context;
use engine::analysis::{CallTree, HostLevel, HostRanges, HostScope, TreeScope};
use engine::capture::Capture;
use engine::record::{NameId, SpanId};
use engine::time::Interval;

use crate::background::KeyedAnswer;

/// What a call tree is of.
#[derive(Clone, Debug, PartialEq)]
pub struct CallQuestion {
    pub instance: u64,
    pub revision: u64,
    /// The level; without one, the first that the capture has, what is most likely looked for before.
    pub level: Option<HostLevel>,
    pub is_bottom_up: bool,
    pub within: Option<Interval>,
    pub spans: Arc<BTreeSet<SpanId>>,
}

/// A call tree, and the one that it was turned from.
struct FoundCalls {
    level: HostLevel,
    top_down: CallTree,
    bottom_up: Option<CallTree>,
}

/// The tree that is shown, and the one in the making.
#[derive(Default)]
pub struct CallLoader(KeyedAnswer<CallQuestion, FoundCalls>);

impl CallLoader {
    /// The tree that is shown, and another number for each.
    pub fn found(&self) -> Option<(&CallTree, u64)> {
        let (_, found) = self.0.found()?;
        let tree = found.bottom_up.as_ref().unwrap_or(&found.top_down);
        Some((tree, self.0.version()))
    }

    /// The level that is shown.
    pub fn level(&self) -> Option<HostLevel> {
        self.0.found().map(|(_, found)| found.level)
    }

    /// The spans of a node of the tree that is shown.
    pub fn spans(&self, node: usize) -> Vec<SpanId> {
        let Some((_, found)) = self.0.found() else {
            return Vec::new();
        };
        let Some(callers) = &found.bottom_up else {
            return found.top_down.spans(node).to_vec();
        };
        let mut path: Vec<NameId> = callers.path(node).collect();
        path.reverse();
        let nodes = found.top_down.ending_with(&path);
        nodes
            .flat_map(|it| found.top_down.spans(it).iter().copied())
            .collect()
    }

    /// Keeps up with what is asked. What is shown of this capture stays until the next is there.
    pub fn advance(&mut self, context: &Context, capture: &Arc<Capture>, question: CallQuestion) {
        self.0.retain(|shown| shown.instance == question.instance);
        self.0
            .advance(("calls", context), capture, question, |asked| {
                let asked = asked.clone();
                move |capture: &Capture| find(capture, &asked)
            });
        // What was found last may be of the capture before.
        self.0.retain(|shown| shown.instance == capture.instance());
    }
}

fn find(capture: &Capture, question: &CallQuestion) -> FoundCalls {
    let scope = question
        .level
        .map_or_else(HostScope::default, |it| HostScope::default().of_level(it));
    let ranges = HostRanges::new(capture, &scope);
    // Operators are there most often, and annotations may be a handful around all.
    let likely = [HostLevel::Operators, HostLevel::Python, HostLevel::Nvtx];
    let first = likely.into_iter().find(|it| ranges.count(*it) > 0);
    let level = question.level.or(first).unwrap_or(HostLevel::Operators);
    let scope = TreeScope {
        within: question.within,
        spans: (*question.spans).clone(),
    };
    let top_down = ranges.tree(capture, level, &scope);
    let bottom_up = question.is_bottom_up.then(|| top_down.bottom_up());
    FoundCalls {
        level,
        top_down,
        bottom_up,
    }
}
