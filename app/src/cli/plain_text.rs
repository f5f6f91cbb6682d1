//! What reaches a terminal is text: control characters and marks that reorder what is read, which files and other machines
//! may put into names and errors, are written out as `\u001b`. All that the command line says goes through here.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Whether a character does something to a terminal, or to the order or the sight of what stands beside it.
fn is_odd(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        // Marks of direction, embeddings, overrides and isolates.
        '\u{061C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}'
        // Ends of lines and paragraphs, marks of annotations, and letters that are never seen.
        | '\u{2028}' | '\u{2029}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        _ => char.is_control(),
    }
}

/// A text as it may be shown. What is written in place of a character is the same in JSON, in which such a character stands
/// in a text alone.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_odd(char) {
            for unit in char.encode_utf16(&mut [0; 2]) {
                // A text takes all that is written to it.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(char);
        }
    }
    Cow::Owned(out)
}

/// Writes text alone to an output.
pub(super) struct PlainOutput<'a> {
    output: &'a mut dyn Write,
    /// The beginning of a character whose end has not been written yet.
    begun: Vec<u8>,
}

impl<'a> PlainOutput<'a> {
    /// Over an output.
    pub fn new(output: &'a mut dyn Write) -> Self {
        Self {
            output,
            begun: Vec::new(),
        }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.output.write_all(plain(chunk.valid()).as_bytes())?;
            let odd = chunk.invalid();
            let is_begun = std::str::from_utf8(odd).is_err_and(|it| it.error_len().is_none());
            if is_begun && chunks.peek().is_none() {
                self.begun = odd.to_vec();
            } else if !odd.is_empty() {
                self.output.write_all("\u{FFFD}".as_bytes())?;
            }
        }
        Ok(())
    }
}

impl Write for PlainOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.begun.is_empty() {
            self.put(bytes)?;
        } else {
            let mut whole = std::mem::take(&mut self.begun);
            whole.extend_from_slice(bytes);
            self.put(&whole)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut plain = PlainOutput::new(&mut out);
        for piece in pieces {
            plain.write_all(piece).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        let odd =
            "a\u{1b}[2Jb\u{7}\u{8}\r\u{7f}\u{9b}31m\u{202e}c\u{2067}\u{200f}\u{2028}\u{e0041}\0";
        let shown = plain(odd);
        assert_eq!(
            shown,
            "a\\u001b[2Jb\\u0007\\u0008\\u000d\\u007f\\u009b31m\\u202ec\\u2067\\u200f\\u2028\\udb40\\udc41\\u0000"
        );
        let json: String = serde_json::from_str(&format!("\"{shown}\"")).unwrap();
        assert_eq!(json, odd);
        assert_eq!(plain("größe\t10 µs\n✓ 日本 👍🏽"), "größe\t10 µs\n✓ 日本 👍🏽");
    }

    #[test]
    fn characters_may_come_in_pieces_and_bytes_that_are_none_are_marked() {
        let text = "é\u{202e}日👍";
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(written(&pieces), "é\\u202e日👍");
        assert_eq!(written(&[b"a\xFFb", b"\xE6", b"c"]), "a\u{FFFD}b\u{FFFD}c");
    }
}
