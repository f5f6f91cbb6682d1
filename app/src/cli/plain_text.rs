//! What reaches a terminal is text: control characters and marks that reorder what is read, which files and other machines
//! may put into names and errors, are written out as `\u001b`. All that the command line says goes through here.
//!
//! What is formatted is one line, so that no name can pass for a line of ours; texts of ours with several lines are written
//! as bytes, or by [`write_lines`].

use std::borrow::Cow;
use std::fmt::{self, Write as _};
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
        | '\u{2028}' | '\u{2029}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
        // Those of no width, or of the width of a blank. Joiners and choices of a sign's form make letters and signs what
        // they are, and stay.
        | '\u{00AD}' | '\u{034F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{200B}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        // Numbers that are no letters.
        | '\u{FDD0}'..='\u{FDEF}' => true,
        _ if char as u32 & 0xFFFE == 0xFFFE => true,
        _ => char.is_control(),
    }
}

/// A text of several lines as it may be shown. What is written in place of a character is the same in JSON, in which such a
/// character stands in a text alone.
fn plain(text: &str) -> Cow<'_, str> {
    without(text, is_odd)
}

/// A text as it may be shown in a line, which it does not end.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    without(text, |char| is_odd(char) || char.is_control())
}

/// A text that may have several lines, such as what a compiler says, as one.
pub(super) fn joined(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

/// Writes a text of several lines. Those behind the first are set in, so that none of them can pass for another thing that
/// is said.
pub(super) fn write_lines(text: &str, out: &mut dyn Write) -> io::Result<()> {
    for (number, line) in text.lines().enumerate() {
        let inset = if number == 0 || line.starts_with("  ") {
            ""
        } else {
            "  "
        };
        // A line of a workload may hold tabs, under which its errors are marked.
        for part in [inset, line, "\n"] {
            out.write_all(part.as_bytes())?;
        }
    }
    Ok(())
}

/// A text without the characters that are meant.
fn without(text: &str, is_meant: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_meant) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_meant(char) {
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

    /// Writes a line or a part of one: the only end of a line in it is its last character.
    fn write_fmt(&mut self, words: fmt::Arguments<'_>) -> io::Result<()> {
        let text = fmt::format(words);
        let (line, end) = match text.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (text.as_str(), ""),
        };
        self.write_all(one_line(line).as_bytes())?;
        self.write_all(end.as_bytes())
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
    fn what_is_formatted_is_one_line() {
        let mut out = Vec::new();
        let mut plain = PlainOutput::new(&mut out);
        let (name, output): (_, &mut dyn Write) = ("a\nb\r\tc\u{85}\u{2028}\n", &mut plain);
        writeln!(output, "{name}: {name}").unwrap();
        writeln!(output, "{name}").unwrap();
        output.write_all(b"two\nlines\n").unwrap();
        write_lines("a.kdl:1: no\n  1 | x\nb.kdl:2: no", output).unwrap();
        let shown = "a\\u000ab\\u000d\\u0009c\\u0085\\u2028\\u000a";
        assert_eq!(
            String::from_utf8(out).unwrap(),
            format!("{shown}: {shown}\n{shown}\ntwo\nlines\na.kdl:1: no\n  1 | x\n  b.kdl:2: no\n")
        );
        assert_eq!(joined("line 1: a\n\n  line 2: b\n"), "line 1: a; line 2: b");
    }

    #[test]
    fn characters_may_come_in_pieces_and_bytes_that_are_none_are_marked() {
        let text = "é\u{202e}日👍";
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(written(&pieces), "é\\u202e日👍");
        assert_eq!(written(&[b"a\xFFb", b"\xE6", b"c"]), "a\u{FFFD}b\u{FFFD}c");
    }
}
