//! Texts of C: never read further than is kept, and kept whatever their bytes are.
#![expect(unsafe_code, reason = "programs hand texts over as pointers")]

use std::ffi::{c_char, c_void};

use super::event::LONGEST_TEXT;
use super::thread::COUNTS;

/// A character of a wide text: four bytes on every system that the library is for.
pub type WideChar = u32;

/// The bytes of a text up to its end, or as many as are kept; nothing for a pointer that is null.
///
/// # Safety
/// The pointer is null or that of a text with an end, which stays as long as the bytes are used.
pub unsafe fn bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    if text.is_null() {
        return None;
    }
    // SAFETY: it reads no further than the end or the bound.
    let length = unsafe { libc::strnlen(text, LONGEST_TEXT + 1) };
    if length > LONGEST_TEXT {
        COUNTS.cut();
    }
    // SAFETY: so many bytes were read above.
    Some(unsafe { std::slice::from_raw_parts(text.cast(), length.min(LONGEST_TEXT)) })
}

/// The same as a text of ours; what is no UTF-8 is replaced.
///
/// # Safety
/// As for [`bytes`].
pub unsafe fn string(text: *const c_char) -> String {
    // SAFETY: the caller's.
    let bytes = unsafe { bytes(text) };
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

/// A wide text.
///
/// # Safety
/// The pointer is null or that of a wide text with an end.
pub unsafe fn wide(text: *const WideChar) -> String {
    // SAFETY: the caller's.
    unsafe { units(text) }
}

/// A text of units that end with 0.
///
/// # Safety
/// The pointer is null or that of units with an end.
unsafe fn units<T: Copy + Into<u32>>(text: *const T) -> String {
    let mut found = String::new();
    if text.is_null() {
        return found;
    }
    for place in 0.. {
        // SAFETY: nothing is read behind the end. A program may place the text where it is not aligned.
        let unit: u32 = unsafe { text.add(place).read_unaligned() }.into();
        if unit == 0 {
            break;
        }
        if found.len() + 4 > LONGEST_TEXT {
            COUNTS.cut();
            break;
        }
        found.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    found
}

/// A text by the type that a schema gives it: bytes, or units of two or four bytes.
///
/// # Safety
/// As for [`bytes`], in units of `width` bytes.
pub unsafe fn of_width(text: *const c_void, width: usize) -> String {
    match width {
        // SAFETY: the caller's.
        2 => unsafe { units(text.cast::<u16>()) },
        // SAFETY: the caller's.
        4 => unsafe { units(text.cast::<u32>()) },
        // SAFETY: the caller's.
        _ => unsafe { string(text.cast()) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_where_they_end_or_at_the_bound() {
        let long = vec![b'a'; LONGEST_TEXT * 2];
        // SAFETY: each is a text with an end, or longer than what is read.
        unsafe {
            assert_eq!(bytes(std::ptr::null()), None);
            assert_eq!(bytes(c"short".as_ptr()), Some(b"short".as_slice()));
            let cut = bytes(long.as_ptr().cast());
            assert_eq!(cut.map(<[u8]>::len), Some(LONGEST_TEXT));
            let word = ['w' as u32, 'é' as u32, 0x11_0000, 0];
            assert_eq!(wide(word.as_ptr()), "wé\u{FFFD}");
            assert_eq!(string(c"\xFFx".as_ptr()), "\u{FFFD}x");
            assert_eq!(of_width([97_u16, 0].as_ptr().cast(), 2), "a");
        }
    }
}
