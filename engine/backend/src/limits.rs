//! What a device has an end of.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a device has an end of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceLimits {
    /// Bytes of one buffer.
    pub buffer_bytes: u64,
    /// Invocations of one workgroup.
    pub workgroup_invocations: u32,
    /// Each side of a workgroup.
    pub workgroup_size: [u32; 3],
}

/// What every implementation of WebGPU has, and no end of memory.
impl Default for DeviceLimits {
    fn default() -> Self {
        Self {
            buffer_bytes: u64::MAX,
            workgroup_invocations: 256,
            workgroup_size: [256, 256, 64],
        }
    }
}

/// Three sides, written as `8 × 8 × 1`.
pub struct Dimensions(pub [u32; 3]);

impl fmt::Display for Dimensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "{x} × {y} × {z}")
    }
}
