//! Where in a text the caret is, read as far as that: a text that is being written is seldom KDL.

/// A node whose line or block the caret is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenNode {
    /// Its word.
    pub name: String,
    /// Its arguments before the caret, without quotation marks.
    pub arguments: Vec<String>,
    /// Its properties before the caret.
    pub properties: Vec<(String, String)>,
}

/// What of a node is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CaretPart {
    /// Its word.
    Word,
    /// An argument, by its place counted from 0, or the name of a property: without quotation marks they begin alike.
    Entry(usize),
    /// The value of a property.
    Value(String),
    /// Nothing that could be completed, such as a comment.
    Nothing,
}

/// Where the caret is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Caret {
    /// The nodes whose blocks it is in, from the top of the file.
    pub blocks: Vec<OpenNode>,
    /// The node that it is in the line of.
    pub node: OpenNode,
    /// What of that is being written.
    pub part: CaretPart,
    /// Whether within quotation marks.
    pub is_quoted: bool,
    /// The byte at which begins what is being written.
    pub start: usize,
}

/// A word or a text in quotation marks, and where it lies; it has no end where the caret is in it.
struct CaretToken<'t> {
    text: &'t str,
    start: usize,
    is_quoted: bool,
    is_open: bool,
}

impl Caret {
    /// Where the caret is behind this text.
    pub fn behind(text: &str) -> Self {
        CaretReader::new(text).read()
    }
}

/// All nodes of a text, each behind those around it, as far as they can be read.
pub(super) fn nodes(text: &str) -> Vec<OpenNode> {
    let mut reader = CaretReader::new(text);
    let last = reader.read().node;
    let mut nodes = reader.read_nodes;
    nodes.push(last);
    nodes
}

struct CaretReader<'t> {
    text: &'t str,
    at: usize,
    blocks: Vec<OpenNode>,
    node: OpenNode,
    /// The property whose value comes next.
    property: Option<String>,
    /// The nodes that lie before, those with blocks as they are at the beginning of these.
    read_nodes: Vec<OpenNode>,
}

impl<'t> CaretReader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            blocks: Vec::new(),
            node: OpenNode::default(),
            property: None,
            read_nodes: Vec::new(),
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn read(&mut self) -> Caret {
        loop {
            let rest = self.rest();
            let Some(next) = rest.chars().next() else {
                return self.caret(self.at, false);
            };
            if let Some((length, has_end)) = comment(rest) {
                self.at += length;
                if has_end {
                    continue;
                }
                return Caret {
                    part: CaretPart::Nothing,
                    ..self.caret(self.at, false)
                };
            }
            match next {
                '\\' => self.skip_line_end(),
                '\n' | '\r' | ';' => self.end_node(),
                '{' => {
                    self.blocks.push(self.node.clone());
                    self.end_node();
                }
                '}' => {
                    self.end_node();
                    self.blocks.pop();
                }
                _ if next.is_whitespace() || "()=".contains(next) => self.at += next.len_utf8(),
                _ => {
                    let piece = self.piece();
                    if piece.is_open {
                        return self.caret(piece.start, piece.is_quoted);
                    }
                    self.take(&piece);
                }
            }
        }
    }

    /// A line goes on behind a backslash.
    fn skip_line_end(&mut self) {
        let length = self
            .rest()
            .find('\n')
            .map_or(self.rest().len(), |it| it + 1);
        self.at += length;
    }

    fn end_node(&mut self) {
        let node = std::mem::take(&mut self.node);
        self.read_nodes
            .extend(Some(node).filter(|it| !it.name.is_empty()));
        self.property = None;
        self.at += 1;
    }

    /// Reads a word or a text in quotation marks.
    fn piece(&mut self) -> CaretToken<'t> {
        let rest = self.rest();
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let quoted = rest.get(hashes..).unwrap_or_default();
        let mark = ["\"\"\"", "\""]
            .into_iter()
            .find(|it| quoted.starts_with(it));
        let Some(mark) = mark else {
            let ends = |c: char| c.is_whitespace() || "(){}[];=\"\\".contains(c);
            let length = rest.find(ends).unwrap_or(rest.len()).max(1);
            let start = self.at;
            self.at += length;
            return CaretToken {
                text: rest.get(..length).unwrap_or_default(),
                start,
                is_quoted: false,
                is_open: self.at >= self.text.len(),
            };
        };
        let start = self.at + hashes + mark.len();
        let inside = self.text.get(start..).unwrap_or_default();
        let end = format!("{mark}{}", "#".repeat(hashes));
        let closes = closing(inside, &end, hashes == 0);
        let length = closes.unwrap_or(inside.len());
        self.at = start + length + closes.map_or(0, |_| end.len());
        CaretToken {
            text: inside.get(..length).unwrap_or_default(),
            start,
            is_quoted: true,
            is_open: closes.is_none(),
        }
    }

    fn take(&mut self, piece: &CaretToken<'t>) {
        if self.node.name.is_empty() {
            piece.text.clone_into(&mut self.node.name);
        } else if let Some(name) = self.property.take() {
            self.node.properties.push((name, piece.text.to_owned()));
        } else if self.rest().starts_with('=') {
            self.property = Some(piece.text.to_owned());
        } else {
            self.node.arguments.push(piece.text.to_owned());
        }
    }

    fn caret(&mut self, start: usize, is_quoted: bool) -> Caret {
        let node = std::mem::take(&mut self.node);
        let part = match self.property.take() {
            _ if node.name.is_empty() => CaretPart::Word,
            Some(name) => CaretPart::Value(name),
            None => CaretPart::Entry(node.arguments.len()),
        };
        Caret {
            blocks: std::mem::take(&mut self.blocks),
            node,
            part,
            is_quoted,
            start,
        }
    }
}

/// How long the comment is that a text begins with, and whether it has an end; nothing where it begins with none.
fn comment(text: &str) -> Option<(usize, bool)> {
    if text.starts_with("//") {
        let end = text.find('\n');
        return Some((end.unwrap_or(text.len()), end.is_some()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(rest) = text.get(at..).filter(|it| !it.is_empty()) {
        let (change, length) = match rest {
            _ if rest.starts_with("/*") => (1, 2),
            _ if rest.starts_with("*/") => (-1, 2),
            _ => (0, rest.chars().next().map_or(1, char::len_utf8)),
        };
        at += length;
        depth = depth.saturating_add_signed(change);
        if depth == 0 {
            return Some((at, true));
        }
    }
    Some((text.len(), false))
}

/// Where a text in quotation marks ends. One of a single line that has no end there ends with the line, unless the caret is
/// in it: it is being written, and what is below is not of it.
fn closing(inside: &str, end: &str, has_escapes: bool) -> Option<usize> {
    let has_lines = end.starts_with("\"\"\"");
    let mut is_escaped = false;
    for (at, c) in inside.char_indices() {
        let is_end = inside.get(at..).is_some_and(|it| it.starts_with(end));
        if is_escaped {
            is_escaped = false;
        } else if has_escapes && c == '\\' {
            is_escaped = true;
        } else if is_end || c == '\n' && !has_lines {
            return Some(at);
        }
    }
    None
}
