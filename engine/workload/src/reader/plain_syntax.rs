//! Whether a text is KDL of the plainest sort, which is known at one look: then it may be long.
//!
//! The parser of KDL takes its time, and its stack, where a text is damaged. A text of nodes, words, numbers, texts on
//! one line, blocks and line comments alone cannot be damaged in a way that is not seen here.

/// Bytes of spaces, empty lines and comments that may follow each other.
const SKIPPED: usize = 4096;
/// Words that stand for values elsewhere and may not stand alone.
const RESERVED: &[&str] = &["true", "false", "null", "inf", "-inf", "nan"];

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpectedItem {
    /// A node.
    Node,
    /// What belongs to a node, if a space came before it.
    Entry { spaced: bool },
    /// Nothing more of a node, whose block is closed.
    Closed,
}

/// Where a text first departs from the plainest KDL; nothing where it does not.
pub(super) fn departs(text: &str) -> Option<usize> {
    let (mut place, mut depth, mut skipped, mut at) = (ExpectedItem::Node, 0_usize, 0_usize, 0);
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let start = at;
        match (byte, place) {
            (b' ' | b'\t', ExpectedItem::Entry { .. }) => {
                (at, place) = (at + 1, ExpectedItem::Entry { spaced: true });
            }
            (b' ' | b'\t', _) => at += 1,
            (b'\n', _) | (b';', ExpectedItem::Entry { .. } | ExpectedItem::Closed) => {
                (at, place) = (at + 1, ExpectedItem::Node);
            }
            (
                b'/',
                ExpectedItem::Node | ExpectedItem::Closed | ExpectedItem::Entry { spaced: true },
            ) => match comment(rest) {
                0 => return Some(at),
                length => at += length,
            },
            (b'{', ExpectedItem::Entry { spaced: true }) => {
                (at, depth, place) = (at + 1, depth + 1, ExpectedItem::Node);
            }
            (b'}', _) if depth > 0 => {
                (at, depth, place) = (at + 1, depth - 1, ExpectedItem::Closed);
            }
            (_, ExpectedItem::Node) => match word(rest) {
                Some(length) if byte.is_ascii_alphabetic() || byte == b'_' => {
                    (at, place) = (at + length, ExpectedItem::Entry { spaced: false });
                }
                _ => return Some(at),
            },
            (_, ExpectedItem::Entry { spaced: true }) => match entry(rest) {
                Some(length) => (at, place) = (at + length, ExpectedItem::Entry { spaced: false }),
                None => return Some(at),
            },
            _ => return Some(at),
        }
        if at == start {
            return Some(at);
        }
        let is_skip = matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'/');
        skipped = if is_skip { skipped + at - start } else { 0 };
        if skipped > SKIPPED {
            return Some(start);
        }
    }
    (depth > 0).then_some(at)
}

/// How long a comment to the end of the line is; 0 where it is none.
fn comment(bytes: &[u8]) -> usize {
    if !bytes.starts_with(b"//") {
        return 0;
    }
    let line = bytes.split(|&byte| byte == b'\n').next();
    let line = line.unwrap_or_default();
    let mut places = 0..line.len();
    if places.any(|at| is_odd(line.get(at..).unwrap_or_default())) {
        0
    } else {
        line.len()
    }
}

/// Whether what begins here ends a line of KDL, or may not stand in it at all, besides what is in ASCII.
pub(super) fn is_mark(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0xC2, 0x85, ..]
            | [0xE2, 0x80, 0x8E | 0x8F | 0xA8..=0xAE, ..]
            | [0xE2, 0x81, 0xA6..=0xA9, ..]
            | [0xEF, 0xBB, 0xBF, ..]
    )
}

fn is_odd(bytes: &[u8]) -> bool {
    is_mark(bytes) || bytes.first().is_some_and(|it| is_control(*it))
}

fn is_control(byte: u8) -> bool {
    byte < b' ' && byte != b'\t' || byte == 0x7F
}

/// How long a word or a number is.
fn word(bytes: &[u8]) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+".contains(byte);
    let length = bytes.iter().take_while(|byte| is_part(byte)).count();
    let word = std::str::from_utf8(bytes.get(..length)?).ok()?;
    let first = *word.as_bytes().first()?;
    let good = if first.is_ascii_alphabetic() || first == b'_' {
        !RESERVED.contains(&word)
    } else {
        is_number(word)
    };
    good.then_some(length)
}

/// Whether a word is a number with digits on both sides of its point, if it has one.
fn is_number(word: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let number = word.strip_prefix('-').unwrap_or(word);
    match number.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(number),
    }
}

/// How long a value, or a name with its value, is.
fn entry(bytes: &[u8]) -> Option<usize> {
    let value = value(bytes)?;
    let is_name = bytes.first().is_some_and(u8::is_ascii_alphabetic);
    if is_name && bytes.get(value) == Some(&b'=') {
        let after = bytes.get(value + 1..)?;
        return Some(value + 1 + self::value(after)?);
    }
    Some(value)
}

/// How long a word, a number, a text on one line, or one of the words behind a `#` is.
fn value(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? {
        b'"' => text(bytes),
        b'#' => {
            let known: [&[u8]; 3] = [b"#true", b"#false", b"#null"];
            let found = known.iter().find(|word| bytes.starts_with(word))?;
            Some(found.len())
        }
        _ => word(bytes),
    }
}

/// How long a text is, with its quotation marks.
fn text(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"\"\"\"") {
        return None;
    }
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' if matches!(bytes.get(at + 1)?, b'"' | b'\\') => at += 2,
            b'\\' => return None,
            _ if is_odd(bytes.get(at..)?) => return None,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kdl::KdlDocument;

    #[test]
    fn plain_texts_are_plain_and_parse() {
        for text in [
            "about \"a \\\"b\\\" ü\"\n\nstream \"s0\" role=\"compute\" // ü\n",
            "host \"main\" {\n    launch \"spin\" on=\"s\" { set \"micros\" 1.5; read \"x\" } // it\n    a -3 #true b=#null\n}\n",
            "",
            "// nothing",
            "a; b",
        ] {
            assert_eq!(departs(text), None, "{text}");
            assert!(KdlDocument::parse_v2(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn everything_else_departs() {
        for text in [
            "a {",
            "}",
            "a=",
            "a =1",
            "a (b)c",
            "a \"b",
            "a /* b */",
            "a / b",
            "/-a",
            "a{}",
            "a 1.",
            "a .5",
            "a true",
            "a\\\n b",
            "\"a\" 1",
            "a #\"raw\"#",
            "a b=",
            "a \"\"\"\nb\n\"\"\"",
            "1 2",
            "-1 2",
            "a \"b\"c",
            "a {} b",
            "é",
            "a 1e5",
        ] {
            assert!(departs(text).is_some(), "{text}");
        }
        assert!(departs(&"\n".repeat(5_000)).is_some());
    }
}
