//! Markdown as blocks to draw: headings, paragraphs, items of lists, code, and tables. Pictures are left out.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRun {
    /// Its text.
    pub text: String,
    /// How it is set.
    pub face: TextFace,
    /// Where it leads: an address, or a file beside the guide. Empty where it is no link.
    pub link: String,
}

/// How a piece of a line is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextFace {
    /// As the rest.
    #[default]
    Plain,
    /// As a term.
    Emphasis,
    /// As code.
    Code,
}

/// A line of pieces.
pub type TextLine = Vec<TextRun>;

/// A part of a guide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuideBlock {
    /// A heading; the title of all has level 1.
    Heading(u8, TextLine),
    /// A paragraph.
    Paragraph(TextLine),
    /// An item of a list.
    Item(TextLine),
    /// Lines of code.
    Code(String),
    /// A table, its heads first: each row has as many cells as there are heads.
    Table(Vec<Vec<TextLine>>),
}

/// Reads a guide.
pub fn read(source: &str) -> Vec<GuideBlock> {
    let mut reading = GuideReader::default();
    Parser::new_ext(source, Options::ENABLE_TABLES).for_each(|event| reading.take(event));
    reading.blocks
}

#[derive(Default)]
struct GuideReader {
    blocks: Vec<GuideBlock>,
    line: TextLine,
    face: TextFace,
    link: String,
    is_item: bool,
    is_picture: bool,
    rows: Vec<Vec<TextLine>>,
    row: Vec<TextLine>,
}

impl GuideReader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.add(&text, self.face),
            Event::Code(text) => self.add(&text, TextFace::Code),
            Event::SoftBreak | Event::HardBreak => self.add(" ", TextFace::Plain),
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            _ => {}
        }
    }

    fn add(&mut self, text: &str, face: TextFace) {
        if self.is_picture {
            return;
        }
        self.line.push(TextRun {
            text: text.to_owned(),
            face,
            link: self.link.clone(),
        });
    }

    /// What was read since the last block ended.
    fn take_line(&mut self) -> TextLine {
        std::mem::take(&mut self.line)
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Item => self.is_item = true,
            Tag::Emphasis | Tag::Strong => self.face = TextFace::Emphasis,
            Tag::Link { dest_url, .. } => self.link = dest_url.to_string(),
            Tag::Image { .. } => self.is_picture = true,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong => self.face = TextFace::Plain,
            TagEnd::Link => self.link.clear(),
            TagEnd::Image => self.is_picture = false,
            TagEnd::TableCell => {
                let line = self.take_line();
                self.row.push(line);
            }
            TagEnd::TableHead | TagEnd::TableRow => self.rows.push(std::mem::take(&mut self.row)),
            TagEnd::Table => self
                .blocks
                .push(GuideBlock::Table(std::mem::take(&mut self.rows))),
            TagEnd::Heading(level) => {
                let line = self.take_line();
                self.blocks.push(GuideBlock::Heading(level as u8, line));
            }
            TagEnd::Paragraph if !self.is_item => {
                let line = self.take_line();
                if !line.is_empty() {
                    self.blocks.push(GuideBlock::Paragraph(line));
                }
            }
            TagEnd::CodeBlock => {
                let lines: String = self.take_line().into_iter().map(|it| it.text).collect();
                self.blocks
                    .push(GuideBlock::Code(lines.trim_end().to_owned()));
            }
            TagEnd::Item => {
                self.is_item = false;
                let line = self.take_line();
                self.blocks.push(GuideBlock::Item(line));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::{GuideTopic, guides};

    #[test]
    fn headings_lists_tables_and_code_are_read() {
        let blocks =
            read("# A *b*\n\none\ntwo `c`\n\n- x\n- y\n\n| p | q |\n| --- | --- |\n| `r` | s |\n");
        let set = |text: &str, face: TextFace| TextRun {
            text: text.to_owned(),
            face,
            link: String::new(),
        };
        let plain = |text: &str| set(text, TextFace::Plain);
        let code = |text: &str| set(text, TextFace::Code);
        let emphasis = set("b", TextFace::Emphasis);
        let table = vec![
            vec![vec![plain("p")], vec![plain("q")]],
            vec![vec![code("r")], vec![plain("s")]],
        ];
        assert_eq!(
            blocks,
            [
                GuideBlock::Heading(1, vec![plain("A "), emphasis]),
                GuideBlock::Paragraph(vec![plain("one"), plain(" "), plain("two "), code("c")]),
                GuideBlock::Item(vec![plain("x")]),
                GuideBlock::Item(vec![plain("y")]),
                GuideBlock::Table(table),
            ]
        );
    }

    #[test]
    fn code_and_links_are_read_and_pictures_left_out() {
        let blocks = read("```sh\na\n  b # c\n```\n\n![p](q.png)\n\nsee [`x`](x.md), *y*\n");
        let [GuideBlock::Code(code), GuideBlock::Paragraph(line)] = blocks.as_slice() else {
            panic!("{blocks:?}");
        };
        assert_eq!(code, "a\n  b # c");
        let links: Vec<_> = line.iter().map(|it| (&*it.text, &*it.link)).collect();
        assert_eq!(links, [("see ", ""), ("x", "x.md"), (", ", ""), ("y", "")]);
    }

    #[test]
    fn links_to_guides_lead_to_one() {
        for guide in guides() {
            let lines = read(guide.source).into_iter().flat_map(|it| match it {
                GuideBlock::Heading(_, line)
                | GuideBlock::Paragraph(line)
                | GuideBlock::Item(line) => vec![line],
                GuideBlock::Code(_) => Vec::new(),
                GuideBlock::Table(rows) => rows.into_iter().flatten().collect(),
            });
            for run in lines.flatten() {
                let Some(name) = run.link.strip_suffix(".md").filter(|it| !it.contains('/')) else {
                    continue;
                };
                assert!(
                    guides().iter().any(|it| it.name == name),
                    "{}: {name}",
                    guide.name
                );
            }
        }
    }

    #[test]
    fn every_guide_has_a_title_and_tables_without_gaps() {
        for guide in guides() {
            let blocks = read(guide.source);
            assert!(
                matches!(blocks.first(), Some(GuideBlock::Heading(1, _))),
                "{}",
                guide.name
            );
            let mut count = 0;
            for block in &blocks {
                let GuideBlock::Table(rows) = block else {
                    continue;
                };
                count += rows.len();
                let columns = rows.first().map_or(0, Vec::len);
                assert!((2..=4).contains(&columns), "{}: {rows:?}", guide.name);
                for row in rows {
                    assert_eq!(row.len(), columns, "{}: {row:?}", guide.name);
                    assert!(row.iter().all(|cell| !cell.is_empty()), "{}", guide.name);
                }
            }
            let is_system = guide.topic == GuideTopic::System;
            assert!(!is_system || count > 5, "{} has {count} rows", guide.name);
        }
    }
}
