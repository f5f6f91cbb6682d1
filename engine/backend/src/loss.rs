//! Losing a device on purpose: what was asked, and what was really done.

use record::time::Nanos;

/// What was done to lose a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossReport {
    /// Whether this call lost the device; false where it was lost or had failed before.
    pub is_news: bool,
    /// Whether the implementation below lost its device, rather than Syncline acting as if it had.
    pub is_real: bool,
    /// The moment from which on nothing runs.
    pub time: Nanos,
    /// Why, as [`device::DeviceStatus::Lost`] has it from now on.
    pub reason: String,
    /// What the implementation says of it, such as the driver's message; may be empty.
    pub message: String,
    /// How it was brought about, in words for the screen.
    pub how: &'static str,
}
