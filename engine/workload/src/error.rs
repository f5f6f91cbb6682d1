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
    /// The line as written; of a long one, what is around the place.
    pub text: String,
    /// How many characters of the line are left out before the text.
    pub skipped: u32,
}

/// Errors that are kept of a text: more than are told, since they are found out of the order of the text.
const KEPT: usize = 400;
/// Errors that are told: nobody reads more, and a text that is no workload at all has one at every byte.
const TOLD: usize = 100;
/// Characters that are shown of a line: so many before the place, and so many from there on.
const SHOWN: (usize, usize) = (80, 160);
/// Bytes of a message and of its help, in which names and lists of names stand.
const MESSAGE: usize = 2_000;
/// Bytes of a name for which one is looked for that is near, and names that are looked at: the time grows with the product
/// of the two lengths.
const NAME: usize = 64;
const NAMES: usize = 1_000;

/// What is found wrong with a text. Finding goes on when there are too many, and they are counted only.
#[derive(Debug)]
pub(super) struct WorkloadErrors<'s> {
    source: &'s WorkloadSource,
    kept: Vec<WorkloadError>,
    found: usize,
}

impl<'s> WorkloadErrors<'s> {
    pub const fn new(source: &'s WorkloadSource) -> Self {
        Self {
            source,
            kept: Vec::new(),
            found: 0,
        }
    }

    /// How many were found.
    pub const fn len(&self) -> usize {
        self.found
    }

    /// Whether so many were found that no more are told.
    pub const fn is_full(&self) -> bool {
        self.found >= KEPT
    }

    /// An error about a range of bytes.
    pub fn report(
        &mut self,
        range: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if !self.is_full() {
            self.kept.push(self.source.error(range, message, help));
        }
        self.found += 1;
    }

    /// Those that are told, by their places, each once; nothing where nothing was found.
    pub fn told(&mut self) -> Option<Vec<WorkloadError>> {
        let mut told = std::mem::take(&mut self.kept);
        told.sort_by_key(|error| (error.line, error.column));
        told.dedup();
        told.truncate(TOLD);
        (!told.is_empty()).then_some(told)
    }
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, message) = (OneLine(&self.file), OneLine(&self.message));
        if self.line == 0 {
            write!(f, "{file}: {message}")?;
        } else {
            writeln!(f, "{file}:{}:{}: {message}", self.line, self.column)?;
            let margin = self.line.to_string();
            let dots = if self.skipped > 0 { "…" } else { "" };
            writeln!(f, "  {margin} | {dots}{}", self.text)?;
            let before = self.column.saturating_sub(1 + self.skipped) as usize;
            let indent: String = dots
                .chars()
                .chain(self.text.chars().take(before))
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

/// The beginning of what is too long to be read.
fn shortened(mut text: String) -> String {
    if text.len() > MESSAGE {
        text.truncate(text.floor_char_boundary(MESSAGE));
        text.push('…');
    }
    text
}

/// “did you mean …?” with the one of `known` that is nearest to `wanted`, where one is near.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if wanted.len() > NAME {
        return None;
    }
    let wanted = wanted.to_lowercase();
    known
        .into_iter()
        .take(NAMES)
        .filter(|name| name.len() <= NAME)
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
        let before = self.get(line_start..start).chars().count();
        let length = marked.trim_end().chars().count().max(1);
        let (skipped, length) = (before.saturating_sub(SHOWN.0), length.min(SHOWN.1));
        let shown = text.chars().skip(skipped).take(SHOWN.0 + SHOWN.1);
        WorkloadError {
            file: self.name.to_string(),
            line: self.line(start),
            column: 1 + before as u32,
            length: length as u32,
            message: shortened(message.into()),
            help: shortened(help.into()),
            text: shown.collect(),
            skipped: skipped as u32,
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
            message: shortened(message.into()),
            help: shortened(help.into()),
            text: String::new(),
            skipped: 0,
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
    fn of_a_long_line_what_is_around_the_place_is_shown() {
        let line = format!("{}wait{}", "ü".repeat(1_000), " ü".repeat(1_000));
        let source = WorkloadSource::new("a.kdl", &line);
        let at = line.find("wait").unwrap();
        let told = source.error(at..at + 4, "odd", "").to_string();
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[0], "a.kdl:1:1001: odd");
        let of = |line: &str, what: &str| line.chars().position(|c| what.starts_with(c));
        assert_eq!(of(lines[1], "wait"), of(lines[2], "^"));
        assert!(lines[1].contains("| …ü") && lines[1].chars().count() < 260);
        assert_eq!(lines[2].matches('^').count(), 4);
        let whole = source.error(0..line.len(), &line, &line);
        assert_eq!(whole.length, 160);
        assert!(whole.message.len() < 2_010 && whole.help.ends_with('…'));
    }

    #[test]
    fn of_very_many_errors_the_first_are_kept() {
        let text = "x;".repeat(1_000);
        let source = WorkloadSource::new("a.kdl", &text);
        let mut errors = WorkloadErrors::new(&source);
        for place in (0..1_000).rev() {
            errors.report(2 * place..2 * place + 1, "odd", "");
        }
        assert_eq!(errors.len(), 1_000);
        let told = errors.told().unwrap();
        assert_eq!(told.len(), TOLD);
        assert_eq!(told[0].column, 1 + 2 * 600);
        assert_eq!(errors.told(), None);
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
        let long = "a".repeat(1_000_000);
        assert_eq!(nearest(&long, ["copy", &long]), None);
        assert_eq!(nearest("copy", [&*long]), None);
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
