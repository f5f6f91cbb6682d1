//! Nodes and their blocks.

use super::scanner::{KdlScanner, ends_line};
use super::{KdlEntry, KdlFault, KdlNode, KdlValue};

/// Blocks inside each other, at most.
const NESTING: usize = 48;
/// Faults that are told: nobody reads more.
const FAULTS: usize = 100;

/// The nodes of a text.
///
/// # Errors
/// What is not KDL in it, in the order of the text: one fault a line, at most 100. Blocks deeper than 48 end the reading.
pub fn parse(text: &str) -> Result<Vec<KdlNode>, Vec<KdlFault>> {
    let mut reader = NodeReader {
        scanner: KdlScanner { text, at: 0 },
        open: Vec::new(),
        nodes: Vec::new(),
        faults: Vec::new(),
    };
    reader.scanner.eat("\u{FEFF}");
    while reader.faults.len() < FAULTS {
        match reader.node() {
            Ok(true) => {}
            Ok(false) => break,
            Err(fault) => {
                reader.faults.push(fault);
                reader.skip_line();
            }
        }
    }
    reader.tell_open();
    if reader.faults.is_empty() {
        Ok(reader.nodes)
    } else {
        reader.faults.sort_by_key(|it| it.range.start);
        Err(reader.faults)
    }
}

/// A node of which not all is read.
struct UnfinishedNode {
    node: KdlNode,
    /// Whether `/-` takes it out.
    is_out: bool,
    /// Whether a block was read, taken out or not: only blocks may follow it.
    has_block: bool,
}

/// A block that is open, and the node that it belongs to.
struct OpenBlock {
    owner: UnfinishedNode,
    /// Where its `{` is.
    at: usize,
    /// Whether `/-` takes it out.
    is_out: bool,
    /// The nodes before its owner, in the block around.
    before: Vec<KdlNode>,
}

struct NodeReader<'t> {
    scanner: KdlScanner<'t>,
    /// From the outermost to the innermost.
    open: Vec<OpenBlock>,
    /// The nodes of the innermost.
    nodes: Vec<KdlNode>,
    faults: Vec<KdlFault>,
}

impl NodeReader<'_> {
    /// Reads the next node up to its block or its end, or the end of a block and what follows that; false at the end of the
    /// text.
    fn node(&mut self) -> Result<bool, KdlFault> {
        self.scanner.skip_lines()?;
        if self.scanner.rest().is_empty() {
            return Ok(false);
        }
        if self.scanner.starts("}") {
            return self.close();
        }
        let is_out = self.takes_out()?;
        let start = self.scanner.at;
        let is_annotated = self.annotation()?;
        let name_start = self.scanner.at;
        let name = self.scanner.value("a node")?;
        let name_range = name_start..self.scanner.at;
        let KdlValue::String(name) = name else {
            return Err(KdlFault::new(
                name_range,
                format!("a node begins with a word, and this is {name}"),
                "begin with what is to be done, and write values behind it",
            ));
        };
        self.rest_of(UnfinishedNode {
            node: KdlNode {
                name,
                range: start..name_range.end,
                name_range,
                is_annotated,
                entries: Vec::new(),
                children: None,
            },
            is_out,
            has_block: false,
        })
    }

    /// Reads what follows a name or a block, up to the end of the node or to its next block.
    fn rest_of(&mut self, mut owner: UnfinishedNode) -> Result<bool, KdlFault> {
        loop {
            let is_spaced = self.scanner.skip_spaces()?;
            let is_end = |c| ends_line(c) || matches!(c, ';' | '}');
            if self.scanner.starts("//") {
                self.scanner.skip_line_comment()?;
                break;
            }
            if self.scanner.peek().is_none_or(is_end) {
                let _is_line = self.scanner.eat(";") || self.scanner.eat_line_end();
                break;
            }
            let start = self.scanner.at;
            let is_out = self.takes_out()?;
            let is_block = self.scanner.starts("{");
            if is_block && (is_out || owner.node.children.is_none()) {
                return self.open(owner, is_out);
            }
            if owner.has_block {
                return Err(KdlFault::new(
                    self.scanner.word_at(start),
                    "this follows the } of a block on the same line",
                    "write it on a line of its own, or put ; between the two",
                ));
            }
            if !is_spaced && !is_out {
                let place = self.scanner.word_at(start);
                let message = "a space is missing before this";
                return Err(KdlFault::new(place, message, "write one"));
            }
            let entry = self.entry()?;
            owner.node.range.end = self.scanner.at;
            owner.node.entries.extend((!is_out).then_some(entry));
        }
        self.nodes.extend((!owner.is_out).then_some(owner.node));
        Ok(true)
    }

    /// Reads `/-` with the lines that may stand behind it.
    fn takes_out(&mut self) -> Result<bool, KdlFault> {
        let is_out = self.scanner.eat("/-");
        if is_out {
            self.scanner.skip_lines()?;
        }
        Ok(is_out)
    }

    /// Reads a type, and what separates it from what it is of.
    fn annotation(&mut self) -> Result<bool, KdlFault> {
        let start = self.scanner.at;
        if !self.scanner.eat("(") {
            return Ok(false);
        }
        self.scanner.skip_spaces()?;
        let name = self.scanner.value("a type")?;
        self.scanner.skip_spaces()?;
        if !matches!(name, KdlValue::String(_)) || !self.scanner.eat(")") {
            return Err(KdlFault::new(
                start..start + 1,
                "this ( begins a type, which is one word and a )",
                "write values without parentheses, expressions in quotation marks",
            ));
        }
        self.scanner.skip_spaces()?;
        Ok(true)
    }

    /// Reads an argument or a property.
    fn entry(&mut self) -> Result<KdlEntry, KdlFault> {
        let mut is_annotated = self.annotation()?;
        let mut start = self.scanner.at;
        let mut value = self.scanner.value("a value")?;
        let mut name = None;
        let mut behind = self.scanner;
        behind.skip_spaces()?;
        let sign = behind.at;
        if behind.eat("=") {
            let KdlValue::String(text) = value else {
                return Err(KdlFault::new(
                    start..self.scanner.at,
                    format!("{value} is not the name of a property"),
                    "write a word before the =",
                ));
            };
            name = Some((text, start..self.scanner.at));
            self.scanner = behind;
            self.scanner.skip_spaces()?;
            let is_missing = |c| ends_line(c) || matches!(c, ';' | '{' | '}' | '/' | '=');
            if is_annotated || self.scanner.peek().is_none_or(is_missing) {
                return Err(KdlFault::new(
                    sign..behind.at,
                    "a value is missing behind =",
                    "write it right behind, as in on=\"a\", or leave out the name and the =",
                ));
            }
            is_annotated = self.annotation()?;
            start = self.scanner.at;
            value = self.scanner.value("a value")?;
        }
        Ok(KdlEntry {
            name,
            value,
            value_range: start..self.scanner.at,
            is_annotated,
        })
    }

    /// Reads a `{`.
    fn open(&mut self, owner: UnfinishedNode, is_out: bool) -> Result<bool, KdlFault> {
        let at = self.scanner.at;
        if self.open.len() == NESTING {
            self.open.clear();
            self.scanner.at = self.scanner.text.len();
            return Err(KdlFault::new(
                at..at + 1,
                format!("blocks are nested more than {NESTING} deep here"),
                "close some of them first",
            ));
        }
        self.scanner.at += 1;
        self.open.push(OpenBlock {
            owner,
            at,
            is_out,
            before: std::mem::take(&mut self.nodes),
        });
        Ok(true)
    }

    /// Reads a `}`, and the rest of the node whose block ends.
    fn close(&mut self) -> Result<bool, KdlFault> {
        let at = self.scanner.at;
        self.scanner.at += 1;
        let Some(mut block) = self.open.pop() else {
            let help = "take it out, or open a block with { before it";
            return Err(KdlFault::new(at..at + 1, "this closes nothing", help));
        };
        let inside = std::mem::replace(&mut self.nodes, block.before);
        let node = &mut block.owner.node;
        node.range.end = self.scanner.at;
        if !block.is_out {
            node.children = Some(inside);
        }
        block.owner.has_block = true;
        self.rest_of(block.owner)
    }

    /// Goes on behind something that is wrong: with the next line, or in a block that begins on this one.
    fn skip_line(&mut self) {
        while !self.scanner.eat_line_end() {
            let rest = self.scanner.rest();
            match rest.chars().next() {
                None => return,
                Some('{') => {
                    let owner = UnfinishedNode {
                        node: KdlNode::default(),
                        is_out: true,
                        has_block: false,
                    };
                    // A block too deep ends the reading.
                    let too_deep = self.open(owner, true).err();
                    self.faults.extend(too_deep);
                    return;
                }
                Some('}') => {
                    self.scanner.at += 1;
                    if let Some(block) = self.open.pop() {
                        self.nodes = block.before;
                    }
                }
                // Of what is wrong besides on this line nothing is told.
                Some('"' | '#') => drop(self.scanner.value("")),
                Some('/') if rest.starts_with("//") => {
                    return drop(self.scanner.skip_line_comment());
                }
                Some('/') if rest.starts_with("/*") => drop(self.scanner.skip_spaces()),
                Some(c) => self.scanner.at += c.len_utf8(),
            }
        }
    }

    /// Tells of blocks without an end, where nothing else is wrong: what is may have been one.
    fn tell_open(&mut self) {
        if self.faults.is_empty() {
            let open = self.open.iter().map(|block| {
                let help = "write } behind its last line";
                KdlFault::new(block.at..block.at + 1, "this block is not closed", help)
            });
            self.faults.extend(open);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_where_it_is() {
        let shader = "shader source=\"\"\"\n  a = 1;\n  \"\"\"\n";
        for (text, line, says) in [
            ("a\nb x= \n", 2, "a value is missing behind ="),
            ("a #\"{\"#\nb\nc x=; d", 3, "a value is missing behind ="),
            ("a\n/* b\n", 2, "not closed"),
            ("a\nb x=#nil\n", 2, "KDL has no #nil"),
            ("a\n}\n", 2, "closes nothing"),
            ("a {\nb { c } d\n}\n", 2, "follows the } of a block"),
            ("a {\nb { c }d x=1\n}\n", 2, "follows the } of a block"),
            ("a {\nb { c } /* e */ d\n}\n", 2, "follows the } of a block"),
            ("a {\nb { c } { d }\n}\n", 2, "follows the } of a block"),
            ("a {\nb { c } 5\n}\n", 2, "follows the } of a block"),
            ("a {\nb { c }; d; e {\n}\n", 1, "this block is not closed"),
            ("a \"b\nc", 1, "not closed on its line"),
            ("a #\"b\nc", 1, "not closed on its line"),
            ("a\nb \"\"\"\n c\n", 2, "this text is not closed"),
            (
                "a \"\"\"\n c\n\"\"\"\nb \"\"\"\n  c\n d\n  \"\"\"",
                6,
                "does not begin with the blanks",
            ),
            ("a \"\"\"\nb\"\"\"", 2, "on a line of its own"),
            ("a \"\\q\"", 1, "no such escape"),
            ("a\nb true", 2, "write #true"),
            ("a .5", 1, "write 0 before"),
            ("a 5x", 1, "begins as a number"),
            ("a\nb (c d", 2, "begins a type"),
            ("a [1]", 1, "brackets mean nothing"),
            ("5 a", 1, "begins with a word"),
            ("a\"b\"", 1, "a space is missing"),
            ("a 5=6", 1, "not the name of a property"),
            ("// a\u{202e}b", 1, "U+202E"),
            ("a /* \u{202e}\n5 } */", 1, "U+202E"),
            ("a \"\"\"\n \\q\n5 }\n\"\"\"\n", 2, "no such escape"),
        ] {
            for before in ["", shader] {
                let whole = format!("{before}{text}");
                let faults = parse(&whole).unwrap_err();
                let fault = &faults[0];
                let found = whole[..fault.range.start].lines().count();
                let found = found
                    + usize::from(
                        fault.range.start == 0 || whole[..fault.range.start].ends_with('\n'),
                    );
                assert_eq!(found, line + before.lines().count(), "{whole}: {fault:?}");
                let told = format!("{}; {}", fault.message, fault.help);
                assert!(told.contains(says), "{whole}: {told}");
                assert_eq!(faults.len(), 1, "{whole}: {faults:?}");
            }
        }
    }

    #[test]
    fn every_line_that_is_wrong_is_told_and_blocks_stay_what_they_are() {
        let text = "a x=\nb {\n  c y= {\n    d\n    e z=\n  }\n  f\n}\ng true\nh { i w= }\nj\n";
        let faults = parse(text).unwrap_err();
        let lines: Vec<usize> = faults
            .iter()
            .map(|it| 1 + text[..it.range.start].matches('\n').count())
            .collect();
        assert_eq!(lines, [1, 3, 5, 9, 10], "{faults:?}");
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "ü (t)\"b\" c=0x1 /-d { e; }\nf";
        let nodes = parse(text).unwrap();
        let node = &nodes[0];
        assert_eq!(&text[node.range.clone()], "ü (t)\"b\" c=0x1 /-d { e; }");
        assert_eq!(&text[node.name_range.clone()], "ü");
        let written: Vec<&str> = node
            .entries
            .iter()
            .map(|it| &text[it.value_range.clone()])
            .collect();
        assert_eq!(written, ["\"b\"", "0x1"]);
        assert_eq!(&text[node.inside()[0].range.clone()], "e");
    }

    #[test]
    fn a_text_of_any_shape_is_answered() {
        let pieces = [
            "}",
            "{",
            "=",
            ")",
            "(",
            "a=",
            "a (",
            "a{",
            "a /-{\n",
            "/*",
            "*/",
            "{/-}",
            "\"",
            "\\",
            "\n",
            "#",
            "/-",
            "/-\n",
            "#\" ",
            "\\\" ##\"",
            "##\"a\"# ",
            "\"\"\"\n",
            "\"\"\" ",
            "a \"\u{2028}",
            "// \"\"\"\n/- ",
            "a \\\n",
            "a /**/",
            "/-b",
            "\u{202e}",
        ];
        for piece in pieces {
            for before in ["", "host \"main\" {\n", "a #\"", "a \"\"\"\n", "/*", "a"] {
                let text = format!("{before}{}", piece.repeat((64 << 10) / piece.len()));
                let read = parse(&text);
                assert!(read.is_ok() || read.is_err_and(|it| (1..=FAULTS).contains(&it.len())));
            }
        }
    }

    #[test]
    fn blocks_in_texts_are_none_and_blocks_have_a_bound() {
        let deep = "{".repeat(100);
        for text in [
            format!("a \"{deep}\""),
            format!("a #\"{deep}\"#"),
            format!("a \"\"\"\n{deep}\n\"\"\""),
        ] {
            assert!(parse(&text).is_ok(), "{text}");
        }
        let nested = |depth: usize| format!("{}{}", "a {\n".repeat(depth), "}\n".repeat(depth));
        assert!(parse(&nested(NESTING)).is_ok());
        let faults = parse(&nested(NESTING + 1)).unwrap_err();
        assert!(
            faults[0].message.contains("nested more than 48"),
            "{faults:?}"
        );
        assert_eq!(faults.len(), 1);
    }
}
