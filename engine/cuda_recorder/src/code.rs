//! CUPTI's results in words: what each says, why, and what to do.

/// `CUPTI_ERROR_INVALID_KIND`: this version cannot be asked for a kind.
pub const INVALID_KIND: i32 = 21;
/// `CUPTI_ERROR_MAX_LIMIT_REACHED`: a buffer holds no more records.
#[cfg(test)]
pub const NO_MORE: i32 = 12;

/// What each result means that is known, and what to do (`CUptiResult` in `cupti_result.h`).
const MEANINGS: &[(i32, &str, &str)] = &[
    (
        7,
        "INVALID_OPERATION",
        "CUPTI was asked at the wrong moment",
    ),
    (8, "OUT_OF_MEMORY", "CUPTI has no memory left"),
    (
        14,
        "NOT_COMPATIBLE",
        "CUPTI does not go with this driver: take the CUPTI of a CUDA that is not newer than the driver's",
    ),
    (
        15,
        "NOT_INITIALIZED",
        "CUPTI does not come to the driver: it is not there, finds no device, or is older than CUPTI; see what \
         nvidia-smi says, and take the CUPTI of a CUDA that is not newer than the driver's",
    ),
    (
        INVALID_KIND,
        "INVALID_KIND",
        "this version of CUPTI does not tell of that",
    ),
    (
        27,
        "NOT_SUPPORTED",
        "CUPTI does not work on this device or system",
    ),
    (
        33,
        "VIRTUALIZED_DEVICE_NOT_SUPPORTED",
        "CUPTI does not work on this virtual device",
    ),
    (
        35,
        "INSUFFICIENT_PRIVILEGES",
        "the driver lets administrators alone use CUPTI: load nvidia with NVreg_RestrictProfilingToAdminUsers=0, or run \
         as root",
    ),
    (
        38,
        "LEGACY_PROFILER_NOT_SUPPORTED",
        "this device is too new for this part of CUPTI",
    ),
    (
        39,
        "MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
        "somebody else in this process uses CUPTI, which takes one at a time: a profiler such as torch.profiler, nsys, ncu, \
         compute-sanitizer or cuda-gdb; end that, and try again",
    ),
    (
        40,
        "VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES",
        "this virtual machine may not use CUPTI: its host has to allow it",
    ),
    (
        41,
        "CONFIDENTIAL_COMPUTING_NOT_SUPPORTED",
        "CUPTI does not work under confidential computing",
    ),
    (
        42,
        "CMP_DEVICE_NOT_SUPPORTED",
        "CUPTI does not work on mining devices",
    ),
    (
        43,
        "MIG_DEVICE_NOT_SUPPORTED",
        "CUPTI does not work on this part of a device",
    ),
    (
        45,
        "WSL_DEVICE_NOT_SUPPORTED",
        "CUPTI does not work on this device under WSL",
    ),
    (
        999,
        "UNKNOWN",
        "CUPTI does not know what is wrong; where no driver or no device is, this is all that it says",
    ),
];

/// What the result `number` says, why, and what to do; `said` is CUPTI's own name for it, which may be empty.
pub fn meaning(number: i32, said: &str) -> String {
    let known = MEANINGS.iter().find(|(code, ..)| *code == number);
    match known {
        Some((_, name, text)) => format!("{text} (CUPTI_ERROR_{name}, {number})"),
        None if said.is_empty() => format!("CUPTI answers {number}"),
        None => format!("CUPTI answers {said} ({number})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_say_what_to_do() {
        assert!(meaning(39, "").contains("one at a time") && meaning(39, "").contains("39"));
        assert!(meaning(15, "").contains("nvidia-smi"));
        assert_eq!(meaning(4711, ""), "CUPTI answers 4711");
        assert!(meaning(5, "CUPTI_ERROR_INVALID_EVENT_ID").contains("EVENT_ID (5)"));
    }
}
