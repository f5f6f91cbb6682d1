//! Which lanes a regular expression names: by their own name, by their device's, or by the group that they are drawn in.

use std::collections::BTreeSet;

use engine::capture::Capture;
use engine::record::{Counter, CounterId, Group, Lane, LaneId};
use regex_lite::Regex;

/// A filter of lanes as it is typed; capital letters are as good as small ones.
///
/// # Errors
/// That it is no regular expression, in the words of whoever reads them.
pub fn pattern(text: &str) -> Result<Regex, regex_lite::Error> {
    Regex::new(&format!("(?i){text}"))
}

/// Whether a lane's name, or what it belongs to, matches.
pub fn is_match(capture: &Capture, lane: &Lane, filter: &Regex) -> bool {
    let device = lane.device.and_then(|id| capture.devices().get(id.index()));
    let device = device.map_or("", |device| device.name.as_str());
    [lane.name.as_str(), device, lane.group.label()]
        .into_iter()
        .any(|name| filter.is_match(name))
}

/// Whether a counter's name matches, or that of their group.
pub fn is_counter_match(counter: &Counter, filter: &Regex) -> bool {
    filter.is_match(&counter.name) || filter.is_match(Group::Counters.label())
}

/// The lanes and counters of a capture that match.
pub fn find(capture: &Capture, filter: &Regex) -> (BTreeSet<LaneId>, BTreeSet<CounterId>) {
    let lanes = capture.lanes().iter();
    let lanes = lanes.filter(|it| is_match(capture, it, filter));
    let counters = capture.counters().iter();
    let counters = counters.filter(|it| is_counter_match(it, filter));
    (
        lanes.map(|it| it.id).collect(),
        counters.map(|it| it.id).collect(),
    )
}
