//! How long the records of the loaded library are: layouts only ever grow, so its own reader is asked.
#![expect(
    unsafe_code,
    reason = "CUPTI's reader of its own records is a C function"
)]

use std::ptr;

use super::layout::any;

/// Kinds that may ever come, by their numbers: 56 are known in CUDA 13.5.
const KINDS: usize = 128;
/// Numbers of eight bytes in a buffer that two records of any kind fit into.
const WORDS: usize = 1024;

/// CUPTI's reader of its own records (`cuptiActivityGetNextRecord`), a pure function.
pub type NextRecord = unsafe extern "C" fn(*mut u8, usize, *mut *mut u8) -> i32;

/// For each kind by its number how many bytes a record of it has, 0 where that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strides([u32; KINDS]);

impl Strides {
    /// As given, for records that no library wrote.
    pub fn of(known: &[(u32, u32)]) -> Self {
        let mut strides = [0; KINDS];
        for (kind, bytes) in known {
            if let Some(place) = strides.get_mut(*kind as usize) {
                *place = *bytes;
            }
        }
        Self(strides)
    }

    /// Lets `next_record` walk from a record to the next of the same kind, for every kind.
    pub(crate) fn measure(next_record: NextRecord) -> Self {
        Self(std::array::from_fn(|kind| {
            let kind = kind as u32;
            if kind == 0 {
                0
            } else {
                measured(next_record, kind).unwrap_or(0)
            }
        }))
    }

    /// Bytes of a record of `kind`, where they are known.
    pub fn get(&self, kind: u32) -> Option<usize> {
        let bytes = self.0.get(kind as usize).copied();
        let bytes = bytes.map(|bytes| bytes as usize);
        bytes.filter(|bytes| *bytes >= any::LEAST)
    }
}

/// Every record is a multiple of eight bytes long and begins with its kind: a buffer that has the kind at each of them
/// holds records of that kind alone, however long they are.
fn measured(next_record: NextRecord, kind: u32) -> Option<u32> {
    let mut buffer = vec![u64::from(kind); WORDS];
    let first = buffer.as_mut_ptr().cast::<u8>();
    let mut record = ptr::null_mut();
    for _ in 0..2 {
        // SAFETY: the buffer has so many bytes, and the place before is nothing or in it.
        let found = unsafe { next_record(first, WORDS * 8, &raw mut record) };
        if found != 0 {
            return None;
        }
    }
    let bytes = record.addr().checked_sub(first.addr())?;
    (bytes < WORDS * 8).then_some(bytes as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records of kind 7 have 40 bytes; no other kind is known.
    extern "C" fn next(buffer: *mut u8, bytes: usize, record: *mut *mut u8) -> i32 {
        // SAFETY: as `measured` calls it.
        unsafe {
            if buffer.read() != 7 {
                return super::super::code::INVALID_KIND;
            }
            let at = if (*record).is_null() {
                0
            } else {
                (*record).addr() - buffer.addr() + 40
            };
            if at + 40 > bytes {
                return super::super::code::NO_MORE;
            }
            *record = buffer.add(at);
        }
        0
    }

    #[test]
    fn lengths_are_what_the_library_walks() {
        let strides = Strides::measure(next);
        assert_eq!(
            (strides.get(7), strides.get(8), strides.get(0)),
            (Some(40), None, None)
        );
        assert_eq!(strides, Strides::of(&[(7, 40)]));
        assert_eq!(strides.get(u32::MAX), None);
    }
}
