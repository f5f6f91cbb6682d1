//! What programs hand over with a call, read as far as its size says that it goes.
#![expect(unsafe_code, reason = "attributes are structs of C")]

use std::borrow::Cow;
use std::ffi::{c_char, c_void};

use super::event::{NvtxAttributes, NvtxValue};
use super::payload;
use super::text::{self, WideChar};
use super::thread::COUNTS;

/// `nvtxEventAttributes_v2`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EventAttributes {
    pub version: u16,
    pub size: u16,
    pub category: u32,
    pub color_type: i32,
    pub color: u32,
    pub payload_type: i32,
    /// How many payloads there are, where they are of schemas.
    pub payloads: i32,
    pub payload: u64,
    pub message_type: i32,
    pub message: *const c_void,
}

/// Bytes of the first version, up to its message.
const WHOLE: usize = size_of::<EventAttributes>();
/// A size that no version has: the struct was not filled in.
const ABSURD: usize = 4096;

/// How a message is given (`nvtxMessageType_t`).
pub mod message {
    pub const BYTES: i32 = 1;
    pub const WIDE: i32 = 2;
    pub const REGISTERED: i32 = 3;
}

/// How a payload is given (`nvtxPayloadType_t`).
mod payload_type {
    pub const UNSIGNED: i32 = 1;
    pub const SIGNED: i32 = 2;
    pub const DOUBLE: i32 = 3;
    pub const UNSIGNED_32: i32 = 4;
    pub const SIGNED_32: i32 = 5;
    pub const FLOAT: i32 = 6;
    /// `NVTX_PAYLOAD_TYPE_EXT`: an array of payloads of schemas.
    pub const OF_SCHEMA: i32 = 0xDFBD_0009_u32.cast_signed();
}

/// `NVTX_COLOR_ARGB`.
const ARGB: i32 = 1;

/// Reads attributes and hands over what they say; where the struct is shorter than it should be, what it has.
///
/// # Safety
/// The pointer is null, or that of a struct that has as many bytes as its second number says.
pub unsafe fn with<T>(
    domain: u32,
    given: *const EventAttributes,
    use_them: impl FnOnce(NvtxAttributes<'_>) -> T,
) -> T {
    // SAFETY: the caller's.
    let Some(given) = (unsafe { copy(given) }) else {
        return use_them(NvtxAttributes::default());
    };
    let mut more = NvtxAttributes {
        category: (given.category != 0).then_some(given.category),
        color: (given.color_type == ARGB).then_some(given.color),
        payload: plain_payload(given.payload_type, given.payload),
        ..NvtxAttributes::default()
    };
    if given.payload_type == payload_type::OF_SCHEMA {
        let count = usize::try_from(given.payloads).unwrap_or(0);
        // SAFETY: with this type the number is the address of so many payloads.
        unsafe { payload::read(domain, given.payload as *const _, count, &mut more) };
    }
    match given.message_type {
        message::BYTES => {
            // SAFETY: with this type the message is a text that lasts for this call.
            more.text = unsafe { text::bytes(given.message.cast::<c_char>()) }.map(Cow::Borrowed);
        }
        message::WIDE => {
            // SAFETY: the same of a wide text.
            let wide = unsafe { text::wide(given.message.cast::<WideChar>()) };
            more.text = Some(wide.into_bytes().into());
        }
        message::REGISTERED => more.registered = u32::try_from(given.message as usize).ok(),
        _ => {}
    }
    use_them(more)
}

/// As much of a struct as there is; what is missing is 0.
///
/// # Safety
/// As for [`with`].
unsafe fn copy(given: *const EventAttributes) -> Option<EventAttributes> {
    if given.is_null() {
        COUNTS.misfit();
        return None;
    }
    // SAFETY: every version begins with these two numbers.
    let [_, size] = unsafe { given.cast::<[u16; 2]>().read_unaligned() };
    let size = usize::from(size);
    if !(4..=ABSURD).contains(&size) {
        COUNTS.misfit();
        return None;
    }
    if size >= WHOLE {
        // SAFETY: the struct has at least so many bytes.
        return Some(unsafe { given.read_unaligned() });
    }
    COUNTS.misfit();
    let mut found = EventAttributes {
        version: 0,
        size: 0,
        category: 0,
        color_type: 0,
        color: 0,
        payload_type: 0,
        payloads: 0,
        payload: 0,
        message_type: 0,
        message: std::ptr::null(),
    };
    // SAFETY: `size` bytes are the program's, and fewer than ours. Every pattern of bits is a value.
    unsafe {
        let to = (&raw mut found).cast::<u8>();
        std::ptr::copy_nonoverlapping(given.cast::<u8>(), to, size);
    }
    if size < WHOLE {
        // Half a pointer is none.
        found.message_type = 0;
    }
    Some(found)
}

const fn plain_payload(kind: i32, bits: u64) -> Option<NvtxValue> {
    Some(match kind {
        payload_type::UNSIGNED => NvtxValue::Unsigned(bits),
        payload_type::SIGNED => NvtxValue::Integer(bits.cast_signed()),
        payload_type::DOUBLE => NvtxValue::Number(f64::from_bits(bits)),
        payload_type::UNSIGNED_32 => NvtxValue::Unsigned(bits & 0xFFFF_FFFF),
        payload_type::SIGNED_32 => NvtxValue::Integer((bits as u32).cast_signed() as i64),
        payload_type::FLOAT => NvtxValue::Number(f32::from_bits(bits as u32) as f64),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_of_another_size_is_read_as_far_as_it_goes() {
        let mut given = EventAttributes {
            version: 3,
            size: WHOLE as u16,
            category: 5,
            color_type: ARGB,
            color: 9,
            payload_type: payload_type::SIGNED_32,
            payloads: 0,
            payload: u64::from(u32::MAX),
            message_type: message::BYTES,
            message: c"name".as_ptr().cast(),
        };
        let read = |given: &EventAttributes| {
            // SAFETY: it is a whole struct.
            unsafe {
                with(0, given, |it| {
                    (
                        it.text.map(Cow::into_owned),
                        it.category,
                        it.color,
                        it.payload,
                    )
                })
            }
        };
        let payload = Some(NvtxValue::Integer(-1));
        let whole = (Some(b"name".to_vec()), Some(5), Some(9), payload);
        assert_eq!(read(&given), whole);
        given.size = 200;
        assert_eq!(read(&given), whole, "a newer version");
        given.size = 16;
        assert_eq!(read(&given), (None, Some(5), Some(9), None));
        for size in [0, 3, u16::MAX] {
            given.size = size;
            assert_eq!(read(&given), (None, None, None, None));
        }
    }
}
