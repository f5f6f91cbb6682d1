//! Which rank a capture says that it is of.

use std::collections::BTreeSet;

use engine::capture::Capture;

/// The rank that its lanes and devices are of; nothing where they do not say it.
///
/// # Errors
/// They are of several; the text says what to do.
pub(super) fn rank_of(capture: &Capture) -> Result<Option<u32>, String> {
    let lanes = capture.lanes().iter();
    let lanes = lanes.filter_map(|it| capture.lane_origin(it.id)?.rank);
    let devices = capture.devices().iter();
    let devices = devices.filter_map(|it| Some(it.rank.as_ref()?.rank));
    let ranks: BTreeSet<u32> = lanes.chain(devices).collect();
    if ranks.len() > 1 {
        return Err(format!(
            "it holds {} ranks together: give the file of each rank",
            ranks.len()
        ));
    }
    Ok(ranks.first().copied())
}
