//! Whether buffers fit into the memory that is free.

use crate::BackendError;

/// Assumed where the system does not say what is free.
const UNKNOWN: u64 = 4 << 30;
/// Left for everything else on the machine.
const SPARE: u64 = 64 << 20;

/// Checks that buffers of these lengths, in floats, fit with their host copies.
///
/// # Errors
/// They do not.
pub fn check(lens: &[usize]) -> Result<(), BackendError> {
    if needed(lens).is_some_and(|needed| needed <= free().saturating_sub(SPARE)) {
        Ok(())
    } else {
        Err(too_much(lens))
    }
}

/// Says that buffers of these lengths do not fit.
pub fn too_much(lens: &[usize]) -> BackendError {
    BackendError::Memory {
        needed: needed(lens).map_or_else(|| "more than 16 EiB".to_owned(), with_unit),
        available: with_unit(free()),
    }
}

fn needed(lens: &[usize]) -> Option<u64> {
    let bytes = lens.iter().map(|len| (*len as u64).checked_mul(8));
    bytes
        .into_iter()
        .try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?))
}

fn free() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    from_meminfo(&text).unwrap_or(UNKNOWN)
}

fn from_meminfo(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

fn with_unit(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let found = units.iter().find(|(_, shift)| bytes >> shift > 0);
    found.map_or_else(
        || format!("{bytes} bytes"),
        |(unit, shift)| format!("{:.1} {unit}", bytes as f64 / (1_u64 << shift) as f64),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_large_is_one_clear_error() {
        assert_eq!(check(&[1024, 0]), Ok(()));
        let text = check(&[usize::MAX / 16]).unwrap_err().to_string();
        assert!(text.contains("GiB") && text.contains("are free"), "{text}");
        assert!(check(&[usize::MAX, usize::MAX]).is_err());
    }

    #[test]
    fn meminfo() {
        let text = "MemTotal: 9 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(from_meminfo(text), Some(2 << 20));
        assert_eq!(from_meminfo("MemAvailable: x kB"), None);
        assert_eq!(with_unit(1536 << 20), "1.5 GiB");
    }
}
