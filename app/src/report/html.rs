//! A report as one page: styles and pictures are in it, and nothing of it runs or is loaded.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::report_document::{ReportBlock, ReportDocument, ReportTable};
use crate::text::html_text::escaped;

/// What does not stand as it is in a drawing's address within an attribute; letters of other languages do not either.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b'%')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'"')
    .add(b'\'')
    .add(b'&')
    .add(b'`');

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1d2430;background:#fff}\
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem;border-bottom:1px solid #d5dae2}h3{font-size:1rem;margin-bottom:.2rem}\
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{padding:.15rem .7rem;text-align:left;border-bottom:1px solid #e6e9ee;white-space:nowrap}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td:first-child{max-width:34rem;overflow:hidden;text-overflow:ellipsis}\
img{max-width:100%;border:1px solid #d5dae2}dt{font-weight:600}dd{margin:0 0 .4rem 1.5rem}\
@media(prefers-color-scheme:dark){body{color:#d8dde6;background:#161a21}th,td{border-color:#2c333e}h2,img{border-color:#2c333e}}";

/// Writes a report.
pub(super) fn write(document: &ReportDocument) -> String {
    let title = escaped(&document.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n"
    );
    for block in &document.blocks {
        write_block(&mut page, block);
    }
    page + "</body>\n</html>\n"
}

fn write_block(page: &mut String, block: &ReportBlock) {
    // A text takes everything.
    let _: std::fmt::Result = match block {
        ReportBlock::Heading(words) => writeln!(page, "<h2>{}</h2>", escaped(words)),
        ReportBlock::Subheading(words) => writeln!(page, "<h3>{}</h3>", escaped(words)),
        ReportBlock::Paragraph(words) => writeln!(page, "<p>{}</p>", escaped(words)),
        ReportBlock::List(lines) => {
            page.push_str("<dl>\n");
            for (about, words) in lines {
                let (about, words) = (escaped(about), escaped(words));
                // A text takes everything.
                let _ = writeln!(page, "<dt>{about}</dt><dd>{words}</dd>");
            }
            writeln!(page, "</dl>")
        }
        ReportBlock::Table(table) => {
            write_table(page, table);
            Ok(())
        }
        ReportBlock::Picture(svg, words) => writeln!(
            page,
            "<p><img alt=\"{}\" src=\"data:image/svg+xml;charset=utf-8,{}\"></p>",
            escaped(words),
            utf8_percent_encode(svg, ENCODED)
        ),
    };
}

fn write_table(page: &mut String, table: &ReportTable) {
    // A text takes everything, here and below.
    let _ = writeln!(page, "<table data-table=\"{}\">", table.name);
    let is_number = |column: usize| {
        table
            .heads
            .get(column)
            .is_some_and(|it| it.starts_with('>'))
    };
    let class = |column: usize| {
        if is_number(column) {
            " class=\"n\""
        } else {
            ""
        }
    };
    if table.heads.iter().any(|it| !it.is_empty()) {
        page.push_str("<tr>");
        for (column, head) in table.heads.iter().enumerate() {
            let words = escaped(head.trim_start_matches('>'));
            let cell = format!("<th{}>{words}</th>", class(column));
            page.push_str(&cell);
        }
        page.push_str("</tr>\n");
    }
    for row in &table.rows {
        page.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let value = cell
                .value
                .map_or_else(String::new, |it| format!(" data-value=\"{it}\""));
            let whole = match cell.whole.as_str() {
                "" => String::new(),
                whole => format!(" title=\"{}\"", escaped(whole)),
            };
            let text = escaped(&cell.text);
            let cell = format!("<td{}{value}{whole}>{text}</td>", class(column));
            page.push_str(&cell);
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
}
