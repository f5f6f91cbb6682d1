//! Reads what the kernel writes of context switches: records of `perf_event_open(2)`, each with the time and the core at its end.

/// The bytes of a record of a switch.
pub(super) const SWITCH: usize = HEAD + TAIL;
/// What every record begins with: its sort, flags, and length.
const HEAD: usize = 8;
/// What it ends with: the time, and the core in eight bytes.
const TAIL: usize = 16;

/// `PERF_RECORD_LOST`.
const LOST: u32 = 2;
/// `PERF_RECORD_SWITCH`.
const SWITCHED: u32 = 14;
/// `PERF_RECORD_MISC_SWITCH_OUT`: the thread left its core.
const OUT: u16 = 1 << 13;
/// `PERF_RECORD_MISC_SWITCH_OUT_PREEMPT`: and could have run on.
const PREEMPTED: u16 = 1 << 14;

/// Something that the kernel tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SwitchRecord {
    /// The thread got a core.
    In { time: u64, core: u32 },
    /// It left its core.
    Out { time: u64, is_ready: bool },
    /// So many records had no room.
    Lost(u64),
}

/// The records in some bytes; others are passed over.
pub(super) struct SwitchRecords<'a>(&'a [u8]);

impl<'a> SwitchRecords<'a> {
    /// The records in bytes that begin with one.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }
}

impl Iterator for SwitchRecords<'_> {
    type Item = SwitchRecord;

    fn next(&mut self) -> Option<SwitchRecord> {
        loop {
            let sort = self.0.first_chunk().copied().map(u32::from_ne_bytes)?;
            let half = |at: usize| self.0.get(at..)?.first_chunk().copied();
            let flags = half(4).map(u16::from_ne_bytes)?;
            let length = half(6).map(u16::from_ne_bytes).map(usize::from)?;
            let record = self.0.get(HEAD..length)?;
            self.0 = self.0.get(length..)?;
            match sort {
                SWITCHED => {
                    let (time, core) = tail(record)?;
                    return Some(if flags & OUT == 0 {
                        SwitchRecord::In { time, core }
                    } else {
                        let is_ready = flags & PREEMPTED != 0;
                        SwitchRecord::Out { time, is_ready }
                    });
                }
                // Its number, and how many.
                LOST => return Some(SwitchRecord::Lost(number(record.get(8..)?)?)),
                _ => {}
            }
        }
    }
}

/// The time and the core at the end of a record.
fn tail(record: &[u8]) -> Option<(u64, u32)> {
    let at = record.len().checked_sub(TAIL)?;
    let tail = record.get(at..)?;
    let time = number(tail)?;
    // The upper half is reserved.
    let core = number(tail.get(8..)?)? as u32;
    Some((time, core))
}

fn number(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().copied().map(u64::from_ne_bytes)
}
