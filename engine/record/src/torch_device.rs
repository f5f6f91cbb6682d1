//! A device as PyTorch numbers it.

use std::fmt;

/// The names of types of devices by their numbers, as `c10/core/DeviceType.h` of PyTorch has them.
const TYPES: [&str; 21] = [
    "CPU",
    "CUDA",
    "MKLDNN",
    "OpenGL",
    "OpenCL",
    "IDEEP",
    "HIP",
    "FPGA",
    "MAIA",
    "XLA",
    "Vulkan",
    "Metal",
    "XPU",
    "MPS",
    "Meta",
    "HPU",
    "VE",
    "Lazy",
    "IPU",
    "MTIA",
    "PrivateUse1",
];

/// A device as PyTorch numbers it: its type, and which of that type it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TorchDevice {
    /// The number of its type: 0 is the CPU, 1 is CUDA.
    pub kind: i64,
    /// Which one of its type it is, from 0; -1 for the CPU.
    pub number: i64,
}

impl TorchDevice {
    /// The CPU's memory.
    pub const CPU: Self = Self {
        kind: 0,
        number: -1,
    };

    /// Whether its memory is that of the host.
    pub const fn is_cpu(self) -> bool {
        self.kind == 0
    }
}

impl fmt::Display for TorchDevice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = usize::try_from(self.kind).ok();
        match name.and_then(|it| TYPES.get(it)) {
            Some(name) => formatter.write_str(name)?,
            None => write!(formatter, "device type {}", self.kind)?,
        }
        if self.number < 0 {
            return Ok(());
        }
        write!(formatter, " {}", self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_called_by_its_type_and_its_number() {
        let of = |kind, number| TorchDevice { kind, number }.to_string();
        assert_eq!(TorchDevice::CPU.to_string(), "CPU");
        assert_eq!(of(1, 3), "CUDA 3");
        assert_eq!(of(20, 0), "PrivateUse1 0");
        assert_eq!(of(77, 1), "device type 77 1");
    }
}
