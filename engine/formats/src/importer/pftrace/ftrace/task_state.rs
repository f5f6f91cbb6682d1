//! What a thread became that left its core, by the kernel's bits, which differ by version.

use crate::perfetto::view::each_field;
use record::ThreadState;

/// The version of the kernel: its first two numbers. Where the file does not tell it, it is 4.4, as for Perfetto: files did not
/// tell it then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KernelVersion(u32, u32);

impl Default for KernelVersion {
    fn default() -> Self {
        Self(4, 4)
    }
}

/// From this version on only states that matter are told, and some have other bits.
const FEWER_STATES: KernelVersion = KernelVersion(4, 14);

/// Bits that mean the same in every version.
mod bit {
    pub const UNINTERRUPTIBLE: u16 = 0x02;
    /// Asleep, stopped, or traced.
    pub const BLOCKED: u16 = 0x01 | 0x04 | 0x08;
    /// It is over, and perhaps its parent has not noticed.
    pub const ENDED: u16 = 0x10 | 0x20;
}

impl KernelVersion {
    /// What the file says of the system; nothing where it does not tell the version.
    pub fn of(system: &[u8]) -> Option<Self> {
        let mut release = None;
        each_field(system, |field, value| {
            if field == 1 {
                each_field(value.bytes()?, |field, value| {
                    if field == 3 {
                        release = Some(value.bytes()?);
                    }
                    Some(())
                })?;
            }
            Some(())
        })?;
        let text = std::str::from_utf8(release?).ok()?;
        let mut numbers = text.split(|it: char| !it.is_ascii_digit()).map(str::parse);
        Some(Self(numbers.next()?.ok()?, numbers.next()?.ok()?))
    }

    /// What a thread became; nothing where it ended.
    pub fn state(self, bits: u16) -> Option<ThreadState> {
        let is_new = self >= FEWER_STATES;
        // Dead, in older versions; later ones say parked by that.
        let ended = if is_new {
            bit::ENDED
        } else {
            bit::ENDED | 0x40
        };
        // What waits for work without counting as load.
        let idle = if is_new { 0x80 } else { 0x400 };
        // Parked, and of older versions what else is no wait for a core.
        let parked = if is_new { 0x40 } else { 0x200 | 0x80 };
        if bits & ended != 0 {
            None
        } else if bits & idle != 0 {
            Some(ThreadState::Blocked)
        } else if bits & bit::UNINTERRUPTIBLE != 0 {
            Some(ThreadState::Uninterruptible)
        } else if bits & (bit::BLOCKED | parked) != 0 {
            Some(ThreadState::Blocked)
        } else {
            // Nothing, or that it was preempted, which is another bit in each version.
            Some(ThreadState::Runnable)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_mean_what_the_version_says() {
        let (old, new) = (KernelVersion::default(), KernelVersion(6, 1));
        for version in [old, new] {
            let state = |bits| version.state(bits);
            assert_eq!(state(0), Some(ThreadState::Runnable));
            assert_eq!(state(1), Some(ThreadState::Blocked));
            assert_eq!(state(2), Some(ThreadState::Uninterruptible));
            assert_eq!(state(8), Some(ThreadState::Blocked));
            assert_eq!((state(0x10), state(0x20)), (None, None));
        }
        assert_eq!(new.state(0x100), Some(ThreadState::Runnable));
        assert_eq!(old.state(0x800), Some(ThreadState::Runnable));
        assert_eq!(new.state(0x80), Some(ThreadState::Blocked));
        assert_eq!(old.state(0x402), Some(ThreadState::Blocked));
        assert_eq!(old.state(0x82), Some(ThreadState::Uninterruptible));
        assert_eq!(
            (new.state(0x40), old.state(0x40)),
            (Some(ThreadState::Blocked), None)
        );
    }

    #[test]
    fn a_release_begins_with_its_version() {
        let system = |release: &[u8]| {
            let mut name = vec![3 << 3 | 2, release.len() as u8];
            name.extend(release);
            let mut system = vec![1 << 3 | 2, name.len() as u8];
            system.extend(name);
            KernelVersion::of(&system)
        };
        assert_eq!(system(b"6.1.0-18-amd64"), Some(KernelVersion(6, 1)));
        assert_eq!(system(b"4.14.117"), Some(KernelVersion(4, 14)));
        assert_eq!(system(b"linux"), None);
        assert_eq!(KernelVersion::of(&[]), None);
    }
}
