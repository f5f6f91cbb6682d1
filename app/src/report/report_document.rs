//! A report as headings, sentences, tables and pictures, before it is written as anything.

use engine::analysis::{Conclusions, distinct_names};
use engine::capture::Capture;
use engine::importer::MergedFile;
use engine::time::Nanos;

use super::{memory_sections, sections};
use crate::text::{self, words};

/// Letters of names.
const LETTERS: usize = 80;

/// A report.
pub(super) struct ReportDocument {
    /// What it is about, in a few words.
    pub title: String,
    /// What it says, from top to bottom.
    pub blocks: Vec<ReportBlock>,
}

/// A part of a report.
pub(super) enum ReportBlock {
    /// The head of a section.
    Heading(String),
    /// The head of something within a section.
    Subheading(String),
    /// A sentence or more.
    Paragraph(String),
    /// Sentences, each with what it is about, which may be nothing.
    List(Vec<(String, String)>),
    Table(ReportTable),
    /// A drawing in SVG, and what it shows in words.
    Picture(String, String),
}

/// A table with heads; those of numbers begin with `>`.
pub(super) struct ReportTable {
    /// A word by which programs find it.
    pub name: &'static str,
    pub heads: Vec<&'static str>,
    pub rows: Vec<Vec<ReportCell>>,
}

/// A cell: what people read, and the number behind it, in nanoseconds where it is a time.
pub(super) struct ReportCell {
    pub text: String,
    pub value: Option<i64>,
    /// All of what the text shortens; empty where it shortens nothing.
    pub whole: String,
}

impl ReportCell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(text.into(), None)
    }

    /// A name of a program's, short enough for a table.
    pub fn name(of: &str) -> Self {
        let text = text::shorten(&text::function_name(of), LETTERS);
        let whole = if text == of {
            String::new()
        } else {
            of.to_owned()
        };
        Self {
            whole,
            ..Self::text(text)
        }
    }

    /// Names of a list, those that differ told apart.
    pub fn names<'a>(of: impl Iterator<Item = &'a str>) -> Vec<Self> {
        let all: Vec<&str> = of.collect();
        let shown = distinct_names(&all, LETTERS);
        let cells = all.iter().zip(shown).map(|(name, text)| Self {
            whole: if text == *name {
                String::new()
            } else {
                (*name).to_owned()
            },
            ..Self::text(text)
        });
        cells.collect()
    }

    /// So many bytes, by powers of 1024.
    pub fn bytes(bytes: i64) -> Self {
        Self::new(words::bytes(bytes), Some(bytes))
    }

    /// Words, and the number behind them.
    pub const fn new(text: String, value: Option<i64>) -> Self {
        Self {
            text,
            value,
            whole: String::new(),
        }
    }

    /// A length of time.
    pub fn time(time: Nanos) -> Self {
        Self::new(words::length(time), Some(time.0))
    }

    /// A length of time and its share of a whole; nothing is seen of none.
    pub fn share(time: Nanos, whole: Nanos) -> Self {
        let text = match time {
            Nanos::ZERO => String::new(),
            time => format!("{} · {}", words::length(time), words::share(time, whole)),
        };
        Self::new(text, Some(time.0))
    }

    /// A count.
    pub fn count(count: usize) -> Self {
        let words = text::count(count as u64).replace(text::THIN, " ");
        Self::new(words, i64::try_from(count).ok())
    }
}

impl ReportDocument {
    /// The report of a capture, with or without pictures.
    pub fn new(
        (capture, parts): (&Capture, &[MergedFile]),
        made: &Conclusions,
        has_pictures: bool,
    ) -> Self {
        let reader = made.causes.read(capture);
        let has_operations = !reader.streams().is_empty();
        let mut blocks = sections::what(capture, parts);
        blocks.extend(sections::overview(made));
        blocks.extend(sections::iterations(made, has_operations));
        blocks.extend(sections::idle(&reader));
        blocks.extend(sections::path(&reader));
        let shown = (has_pictures, has_operations);
        blocks.extend(sections::findings(capture, made, shown));
        blocks.extend(sections::operations(capture));
        blocks.extend(memory_sections::at_the_peak(capture));
        blocks.extend(memory_sections::peaks(capture));
        blocks.extend(sections::receipt(capture, parts));
        Self {
            title: sections::title(capture, parts),
            blocks,
        }
    }

    /// The report of a capture in which nothing ran, which says that.
    pub fn of_nothing(capture: &Capture, parts: &[MergedFile], words: &str) -> Self {
        let mut blocks = vec![ReportBlock::Paragraph(words.to_owned())];
        blocks.extend(sections::receipt(capture, parts));
        Self {
            title: sections::title(capture, parts),
            blocks,
        }
    }
}
