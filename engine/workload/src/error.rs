//! What is wrong with a workload: where, what, and what to write instead.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// One thing that is wrong with a workload. Shown, it is `file:line:column: message`, the line with the place
/// underlined, and the help.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct WorkloadError {
    /// Name of the file.
    pub file: String,
    /// Line in the source, counted from 1; 0 where the error is in no line, such as an unknown `--set`.
    pub line: u32,
    /// Column, in characters, counted from 1; 0 where the error is in no line.
    pub column: u32,
    /// How many characters of the line are meant; at least 1 where there is a line.
    pub length: u32,
    /// What is wrong, and why.
    pub message: String,
    /// What to do about it; may be empty.
    pub help: String,
    /// The line as written.
    pub text: String,
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, message) = (OneLine(&self.file), OneLine(&self.message));
        if self.line == 0 {
            write!(f, "{file}: {message}")?;
        } else {
            writeln!(f, "{file}:{}:{}: {message}", self.line, self.column)?;
            let margin = self.line.to_string();
            writeln!(f, "  {margin} | {}", self.text)?;
            let indent: String = self
                .text
                .chars()
                .take(self.column.saturating_sub(1) as usize)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let underline = "^".repeat(self.length.max(1) as usize);
            write!(
                f,
                "  {:width$} | {indent}{underline}",
                "",
                width = margin.len()
            )?;
        }
        if self.help.is_empty() {
            Ok(())
        } else {
            write!(f, "\n  help: {}", OneLine(&self.help))
        }
    }
}

/// A text in which names stand, which may hold ends of lines: none of them ends the line.
struct OneLine<'a>(&'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0.split_inclusive(char::is_control) {
            let mut chars = part.chars();
            match chars.next_back().filter(|last| last.is_control()) {
                Some(last) => write!(f, "{}\\u{:04x}", chars.as_str(), last as u32)?,
                None => f.write_str(part)?,
            }
        }
        Ok(())
    }
}

/// “did you mean …?” with the one of `known` that is nearest to `wanted`, where one is near.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let wanted = wanted.to_lowercase();
    known
        .into_iter()
        .map(|name| {
            (
                strsim::damerau_levenshtein(&wanted, &name.to_lowercase()),
                name,
            )
        })
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| {
            *distance
                <= name
                    .chars()
                    .count()
                    .max(wanted.chars().count())
                    .div_ceil(2)
                    .min(4)
        })
        .filter(|(distance, name)| *distance < name.chars().count())
        .map(|(_, name)| format!("did you mean “{name}”?"))
}

/// A workload's file name and text, which turns bytes into lines and columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WorkloadSource {
    pub name: Arc<str>,
    pub text: Arc<str>,
    /// The bytes at which lines after the first begin.
    lines: Arc<[usize]>,
}

impl WorkloadSource {
    pub fn new(name: &str, text: &str) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            lines: text.match_indices('\n').map(|(at, _)| at + 1).collect(),
        }
    }

    /// The text of a range of bytes; empty where the range is none of the text's.
    pub fn get(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// Line, counted from 1, of a byte.
    pub fn line(&self, byte: usize) -> u32 {
        1 + self.lines.partition_point(|&start| start <= byte) as u32
    }

    /// An error about a range of bytes; the part of it on its first line is what is underlined.
    pub fn error(
        &self,
        range: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> WorkloadError {
        let start = self.text.floor_char_boundary(range.start);
        let end = self.text.ceil_char_boundary(range.end.max(start));
        let line_start = self
            .get(0..start)
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let rest = self.get(line_start..self.text.len());
        let text = rest.lines().next().unwrap_or_default();
        let marked = self.get(start..end.min(line_start + text.len()).max(start));
        WorkloadError {
            file: self.name.to_string(),
            line: self.line(start),
            column: 1 + self.get(line_start..start).chars().count() as u32,
            length: (marked.trim_end().chars().count() as u32).max(1),
            message: message.into(),
            help: help.into(),
            text: text.to_owned(),
        }
    }

    /// An error about no line of the text.
    pub fn error_outside(
        &self,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> WorkloadError {
        WorkloadError {
            file: self.name.to_string(),
            line: 0,
            column: 0,
            length: 0,
            message: message.into(),
            help: help.into(),
            text: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_with_the_line_and_a_caret() {
        let source = WorkloadSource::new("a.kdl", "über\nwait \"x\" on=\"cpy\"\n");
        let at = source.text.find("\"cpy\"").unwrap();
        let error = source.error(
            at..at + 5,
            "no stream is called “cpy”",
            "did you mean “copy”?",
        );
        assert_eq!(
            error.to_string(),
            "a.kdl:2:13: no stream is called “cpy”\n  2 | wait \"x\" on=\"cpy\"\n    |             ^^^^^\n  \
             help: did you mean “copy”?"
        );
    }

    #[test]
    fn a_name_does_not_end_a_line() {
        let source = WorkloadSource::new("a\n.kdl", "x");
        let error = source.error(0..1, "no stream is called “a\r\nb”", "is it “\n”?");
        assert_eq!(
            error.to_string(),
            "a\\u000a.kdl:1:1: no stream is called “a\\u000d\\u000ab”\n  1 | x\n    | ^\n  help: is it “\\u000a”?"
        );
    }

    #[test]
    fn any_range_of_bytes_is_taken() {
        let source = WorkloadSource::new("a.kdl", "aü\n\nb");
        for start in 0..9 {
            for end in 0..9 {
                let error = source.error(start..end, "", "");
                assert!(error.length >= 1 && error.line >= 1 && error.line <= 3);
            }
        }
    }

    #[test]
    fn every_byte_has_its_line() {
        let text = "\na\r\n\n\nüb\n";
        let source = WorkloadSource::new("a.kdl", text);
        for byte in 0..=text.len() {
            let before = String::from_utf8_lossy(&text.as_bytes()[..byte]);
            let counted = before.matches('\n').count() as u32;
            assert_eq!(source.line(byte), 1 + counted, "{byte}");
        }
        assert_eq!(source.line(usize::MAX), 6);
    }

    #[test]
    fn only_near_names_are_offered() {
        assert_eq!(
            nearest("cpy", ["compute", "copy"]).unwrap(),
            "did you mean “copy”?"
        );
        assert_eq!(
            nearest("launhc", ["launch", "await"]).unwrap(),
            "did you mean “launch”?"
        );
        assert_eq!(nearest("zzz", ["compute", "copy"]), None);
        assert_eq!(nearest("", ["a"]), None);
    }
}
