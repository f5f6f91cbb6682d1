//! Markdown as blocks to draw: headings, paragraphs, items of lists, and tables.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its text.
    pub text: String,
    /// How it is set.
    pub face: Face,
}

/// How a piece of a line is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Face {
    /// As the rest.
    #[default]
    Plain,
    /// As a term.
    Emphasis,
    /// As code.
    Code,
}

/// A line of pieces.
pub type Line = Vec<Run>;

/// A part of a guide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading; the title of all has level 1.
    Heading(u8, Line),
    /// A paragraph.
    Paragraph(Line),
    /// An item of a list.
    Item(Line),
    /// A table, its heads first: each row has as many cells as there are heads.
    Table(Vec<Vec<Line>>),
}

/// Reads a guide.
pub fn read(source: &str) -> Vec<Block> {
    let mut reading = Reading::default();
    Parser::new_ext(source, Options::ENABLE_TABLES).for_each(|event| reading.take(event));
    reading.blocks
}

#[derive(Default)]
struct Reading {
    blocks: Vec<Block>,
    line: Line,
    face: Face,
    is_item: bool,
    rows: Vec<Vec<Line>>,
    row: Vec<Line>,
}

impl Reading {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.add(&text, self.face),
            Event::Code(text) => self.add(&text, Face::Code),
            Event::SoftBreak | Event::HardBreak => self.add(" ", Face::Plain),
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            _ => {}
        }
    }

    fn add(&mut self, text: &str, face: Face) {
        self.line.push(Run {
            text: text.to_owned(),
            face,
        });
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Item => self.is_item = true,
            Tag::Emphasis | Tag::Strong => self.face = Face::Emphasis,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong => self.face = Face::Plain,
            TagEnd::TableCell => self.row.push(std::mem::take(&mut self.line)),
            TagEnd::TableHead | TagEnd::TableRow => self.rows.push(std::mem::take(&mut self.row)),
            TagEnd::Table => self
                .blocks
                .push(Block::Table(std::mem::take(&mut self.rows))),
            TagEnd::Heading(level) => {
                let line = std::mem::take(&mut self.line);
                self.blocks.push(Block::Heading(level as u8, line));
            }
            TagEnd::Paragraph if !self.is_item => {
                let line = std::mem::take(&mut self.line);
                self.blocks.push(Block::Paragraph(line));
            }
            TagEnd::Item => {
                self.is_item = false;
                let line = std::mem::take(&mut self.line);
                self.blocks.push(Block::Item(line));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::guides;

    #[test]
    fn headings_lists_tables_and_code_are_read() {
        let blocks =
            read("# A *b*\n\none\ntwo `c`\n\n- x\n- y\n\n| p | q |\n| --- | --- |\n| `r` | s |\n");
        let plain = |text: &str| Run {
            text: text.to_owned(),
            face: Face::Plain,
        };
        let code = |text: &str| Run {
            text: text.to_owned(),
            face: Face::Code,
        };
        let emphasis = Run {
            text: "b".to_owned(),
            face: Face::Emphasis,
        };
        let table = vec![
            vec![vec![plain("p")], vec![plain("q")]],
            vec![vec![code("r")], vec![plain("s")]],
        ];
        assert_eq!(
            blocks,
            [
                Block::Heading(1, vec![plain("A "), emphasis]),
                Block::Paragraph(vec![plain("one"), plain(" "), plain("two "), code("c")]),
                Block::Item(vec![plain("x")]),
                Block::Item(vec![plain("y")]),
                Block::Table(table),
            ]
        );
    }

    #[test]
    fn every_guide_has_a_title_and_tables_without_gaps() {
        for guide in guides() {
            let blocks = read(guide.source);
            assert!(
                matches!(blocks.first(), Some(Block::Heading(1, _))),
                "{}",
                guide.name
            );
            let mut count = 0;
            for block in &blocks {
                let Block::Table(rows) = block else { continue };
                count += rows.len();
                let columns = rows.first().map_or(0, Vec::len);
                assert!((2..=3).contains(&columns), "{}: {rows:?}", guide.name);
                for row in rows {
                    assert_eq!(row.len(), columns, "{}: {row:?}", guide.name);
                    assert!(row.iter().all(|cell| !cell.is_empty()), "{}", guide.name);
                }
            }
            assert!(count > 5, "{} has {count} rows", guide.name);
        }
    }
}
