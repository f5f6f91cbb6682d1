//! A report as Markdown, for a pull request: headings, lists and tables, and no pictures.

use std::fmt::Write as _;

use super::report_document::{ReportBlock, ReportDocument, ReportTable};

/// Writes a report.
pub(super) fn write(document: &ReportDocument) -> String {
    let mut text = format!("# {}\n", escape(&document.title));
    for block in &document.blocks {
        text.push('\n');
        // A text takes everything.
        let _: std::fmt::Result = match block {
            ReportBlock::Heading(words) => writeln!(text, "## {}", escape(words)),
            ReportBlock::Subheading(words) => writeln!(text, "### {}", escape(words)),
            ReportBlock::Paragraph(words) => writeln!(text, "{}", escape(words)),
            ReportBlock::List(lines) => lines.iter().try_for_each(|(about, words)| {
                writeln!(text, "- **{}**: {}", escape(about), escape(words))
            }),
            ReportBlock::Table(table) => {
                write_table(&mut text, table);
                Ok(())
            }
            ReportBlock::Picture(..) => Ok(()),
        };
    }
    text
}

fn write_table(text: &mut String, table: &ReportTable) {
    let heads = table
        .heads
        .iter()
        .map(|it| escape(it.trim_start_matches('>')));
    write_row(text, heads);
    let rules = table.heads.iter();
    write_row(
        text,
        rules.map(|it| if it.starts_with('>') { "---:" } else { "---" }.to_owned()),
    );
    for row in &table.rows {
        write_row(text, row.iter().map(|it| escape(&it.text)));
    }
}

fn write_row(text: &mut String, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    // A text takes everything.
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// A text in which nothing is markup, of Markdown or of HTML, on one line.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => {
                escaped.push('\\');
                escaped.push(sign);
            }
            // It would name somebody, and tell them.
            '@' => escaped.push_str("&#64;"),
            sign if sign.is_control() => escaped.push(' '),
            sign => escaped.push(sign),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_is_markup() {
        assert_eq!(
            escape("a|b <i> `c`\n_d_"),
            "a\\|b &lt;i&gt; \\`c\\` \\_d\\_"
        );
    }
}
