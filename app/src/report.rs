//! A report of a capture: what it comes to, in one file that needs nothing else to be read.

mod html;
mod markdown;
mod memory_sections;
mod pictures;
mod report_document;
mod sections;

use std::path::Path;

use clap::ValueEnum;
use engine::analysis::Conclusions;
use engine::capture::Capture;
use engine::importer::MergedFile;

use report_document::ReportDocument;

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// A page with pictures
    Html,
    /// Text for a pull request
    Markdown,
}

impl ReportFormat {
    /// What the ending of a file says that a report is written as; one without an ending is a page.
    ///
    /// # Errors
    ///
    /// Where the ending says that the file is something else than a report, as a sentence for the user.
    pub fn of(path: &Path) -> Result<Self, String> {
        let Some(ending) = path.extension() else {
            return Ok(Self::Html);
        };
        if ending.eq_ignore_ascii_case("md") {
            return Ok(Self::Markdown);
        }
        let pages = ["html", "htm"];
        if pages.iter().any(|it| ending.eq_ignore_ascii_case(it)) {
            return Ok(Self::Html);
        }
        Err(format!(
            "{} cannot be written: a report is a page (.html, .htm) or Markdown (.md)",
            path.display()
        ))
    }
}

/// What is to be said of a capture beside its report: that nothing ran in it, where that is so.
pub fn remark(capture: &Capture) -> Option<&'static str> {
    (capture.span_count() == 0).then_some(sections::EMPTY)
}

/// The report of a capture and of the files that it was read from, of which a run on screen has none.
pub fn write((capture, parts): (&Capture, &[MergedFile]), format: ReportFormat) -> String {
    let document = if let Some(words) = remark(capture) {
        ReportDocument::of_nothing(capture, parts, words)
    } else {
        let made = Conclusions::of(capture);
        ReportDocument::new((capture, parts), &made, format == ReportFormat::Html)
    };
    match format {
        ReportFormat::Html => html::write(&document),
        ReportFormat::Markdown => markdown::write(&document),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run on screen was read from no file.
    #[test]
    fn a_capture_without_files_has_a_title_and_no_empty_section() {
        let text = write((&Capture::new(), &[]), ReportFormat::Markdown);
        assert!(text.starts_with("# capture\n\nNothing ran"), "{text}");
        assert!(!text.contains("## "), "{text}");
    }
}
