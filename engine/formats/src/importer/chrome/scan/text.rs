//! Texts with escapes, as they are meant.

use super::intern::Interner;
use crate::importer::json::cursor::RawText;

/// The number of a text. NUL bytes, which some writers leave at the end, are taken off, unless the table keeps them.
pub fn intern(table: &mut Interner, raw: RawText<'_>) -> u32 {
    let unescaped;
    let text = if raw.escaped {
        unescaped = unescape(raw.bytes);
        &unescaped
    } else {
        raw.bytes
    };
    let text = if table.keeps_nul { text } else { trim(text) };
    table.intern(text)
}

fn trim(bytes: &[u8]) -> &[u8] {
    let end = bytes
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |at| at + 1);
    bytes.get(..end).unwrap_or_default()
}

/// What an escaped text says. An escape that makes no sense stays as it is.
pub fn unescape(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&kind, after)) = rest.split_first() else {
            out.push(byte);
            break;
        };
        rest = after;
        match kind {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'"' | b'\\' | b'/' => out.push(kind),
            b'u' => rest = unicode(rest, &mut out),
            _ => out.extend([byte, kind]),
        }
    }
    out
}

/// Reads the digits after `\u`, and the other half of a pair where there is one.
fn unicode<'a>(bytes: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let Some((high, mut rest)) = digits(bytes) else {
        out.extend(b"\\u");
        return bytes;
    };
    let mut code = high;
    if (0xD800..0xDC00).contains(&high)
        && let Some(after) = rest.strip_prefix(b"\\u")
        && let Some((low, after)) = digits(after)
        && (0xDC00..0xE000).contains(&low)
    {
        code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        rest = after;
    }
    let letter = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend(letter.encode_utf8(&mut [0; 4]).as_bytes());
    rest
}

fn digits(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (four, rest) = bytes.split_at_checked(4)?;
    let text = std::str::from_utf8(four).ok()?;
    Some((u32::from_str_radix(text, 16).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_as_they_are_meant() {
        let cases: &[(&str, &str)] = &[
            ("a\\nb\\t\\\\\\/\\\"", "a\nb\t\\/\""),
            (r"\u00e9\u20AC", "é€"),
            (r"\ud83d\ude00", "😀"),
            (r"\ud83d!", "\u{FFFD}!"),
            (r"\u12", r"\u12"),
            (r"\q", r"\q"),
        ];
        for (raw, expected) in cases {
            assert_eq!(
                String::from_utf8(unescape(raw.as_bytes())).unwrap(),
                *expected
            );
        }
    }

    #[test]
    fn a_text_has_one_number_and_bad_bytes_are_mended() {
        let mut table = Interner::new();
        let plain = |bytes: &'static [u8]| RawText {
            bytes,
            escaped: false,
        };
        let first = intern(&mut table, plain(b"kernel"));
        assert_eq!(first, super::super::words::KERNEL);
        let bad = intern(&mut table, plain(b"a\xFFb"));
        assert_eq!((table.text(bad), table.mended), ("a\u{FFFD}b", 1));
        assert_eq!(
            intern(&mut table, plain(b"basic\0\0")),
            intern(&mut table, plain(b"basic"))
        );
        for round in 0..2 {
            for number in 0..5_000_u32 {
                let id = table.intern(number.to_string().as_bytes());
                assert_eq!(table.text(id), number.to_string(), "{round}");
            }
        }
    }
}
