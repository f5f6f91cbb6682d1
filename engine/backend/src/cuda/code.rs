//! What the driver's result codes mean: their names where the driver says none, and which of them end a context.

use std::fmt;

/// A result of the driver that is no success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverErrorCode {
    /// The number.
    pub number: i32,
    /// The driver's name for it.
    pub name: String,
    /// What it means, in the driver's words.
    pub text: String,
}

/// Not ended yet: the answer to a query, and no error.
pub const NOT_READY: i32 = 600;
/// The context of an object is gone.
pub const CONTEXT_IS_DESTROYED: i32 = 709;
/// No memory left.
pub const OUT_OF_MEMORY: i32 = 2;

/// Codes after which nothing of the process's work on the device runs any more, with what they come from.
const FATAL: &[(i32, &str, &str)] = &[
    (46, "DEVICE_UNAVAILABLE", "the device was taken away"),
    (100, "NO_DEVICE", "the device is not there any more"),
    (101, "INVALID_DEVICE", "the device is not there any more"),
    (
        214,
        "ECC_UNCORRECTABLE",
        "memory of the device holds what nobody wrote",
    ),
    (
        220,
        "NVLINK_UNCORRECTABLE",
        "the link between devices failed",
    ),
    (226, "CONTAINED", "an error of the hardware was contained"),
    (
        700,
        "ILLEGAL_ADDRESS",
        "a kernel used an address that is not its own",
    ),
    (
        702,
        "LAUNCH_TIMEOUT",
        "a kernel ran for longer than the system allows",
    ),
    (709, "CONTEXT_IS_DESTROYED", "the context was destroyed"),
    (710, "ASSERT", "an assertion of a kernel did not hold"),
    (
        714,
        "HARDWARE_STACK_ERROR",
        "the stack of a kernel was corrupt",
    ),
    (
        715,
        "ILLEGAL_INSTRUCTION",
        "a kernel met an instruction that there is not",
    ),
    (
        716,
        "MISALIGNED_ADDRESS",
        "a kernel used an address that is not aligned",
    ),
    (
        717,
        "INVALID_ADDRESS_SPACE",
        "a kernel used an address of another kind of memory",
    ),
    (718, "INVALID_PC", "a kernel jumped to where no code is"),
    (719, "LAUNCH_FAILED", "a kernel failed, as after a trap"),
    (
        721,
        "TENSOR_MEMORY_LEAK",
        "a kernel ended without giving tensor memory back",
    ),
    (
        805,
        "MPS_CONNECTION_FAILED",
        "the service that shares the device is gone",
    ),
    (
        807,
        "MPS_SERVER_NOT_READY",
        "the service that shares the device takes nobody now",
    ),
    (
        810,
        "MPS_CLIENT_TERMINATED",
        "another program that shares the device failed, and this one with it",
    ),
    (
        911,
        "EXTERNAL_DEVICE",
        "a device that is none of CUDA's, and was waited for, failed",
    ),
    (999, "UNKNOWN", "the driver does not know what happened"),
];

impl DriverErrorCode {
    /// Of a number, with what the driver says of it.
    pub fn new(number: i32, name: String, text: String) -> Self {
        let known = FATAL.iter().find(|(fatal, ..)| *fatal == number);
        let name = match known {
            Some((_, known, _)) if name.is_empty() => format!("CUDA_ERROR_{known}"),
            _ if name.is_empty() => "a code that this driver has no name for".to_owned(),
            _ => name,
        };
        Self { number, name, text }
    }

    /// Whether nothing more runs in this process after it.
    pub fn is_fatal(&self) -> bool {
        FATAL.iter().any(|(fatal, ..)| *fatal == self.number)
    }
}

impl fmt::Display for DriverErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.number)?;
        let meaning = FATAL.iter().find(|(fatal, ..)| *fatal == self.number);
        if let Some((.., meaning)) = meaning {
            write!(f, ": {meaning}")
        } else if self.text.is_empty() {
            Ok(())
        } else {
            write!(f, ": {}", self.text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_context_is_told_from_what_does_not() {
        let of =
            |number| DriverErrorCode::new(number, String::new(), "said by the driver".to_owned());
        for fatal in [700, 710, 714, 715, 716, 717, 718, 719, 721, 226, 911, 999] {
            assert!(of(fatal).is_fatal(), "{fatal}");
        }
        for harmless in [1, 2, 201, 222, 400, 500, 600, 900, 907] {
            assert!(!of(harmless).is_fatal(), "{harmless}");
        }
        assert_eq!(
            of(719).to_string(),
            "CUDA_ERROR_LAUNCH_FAILED (719): a kernel failed, as after a trap"
        );
        // One that nobody knows yet is a number like any other.
        assert!(of(4711).to_string().contains("(4711): said by the driver"));
    }
}
