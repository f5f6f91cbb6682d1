//! A Rust file as text: its code without comments and strings, its strings, functions and paths.

use std::ops::Range;

use super::source_place::{ident, next_word, words};

/// A file, read once.
pub struct Source {
    /// Where it lies, below the project's folder.
    pub path: String,
    /// All of it.
    pub text: String,
    /// The same length and lines, with comments and the insides of literals blanked.
    pub code: String,
    /// Its string literals: where each starts, and what is between the quotes.
    pub strings: Vec<(usize, String)>,
    /// Its comments: where each starts, and the whole of it.
    pub comments: Vec<(usize, String)>,
    tests: Vec<Range<usize>>,
}

/// A function of a file.
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where its `fn` stands.
    pub start: usize,
    /// Lines from its `fn` to its closing brace.
    pub lines: usize,
}

/// A path that starts at `crate`, or that climbs by `super`.
pub struct Path {
    /// Where it starts.
    pub start: usize,
    /// How often it says `super`; 0 where it starts at `crate`.
    pub supers: usize,
    /// The names that may follow: more than one for `{a, b}`.
    pub heads: Vec<String>,
}

impl Source {
    /// Reads a file's text.
    pub fn new(path: &str, text: String) -> Self {
        let mut source = Self {
            path: path.to_owned(),
            code: String::new(),
            strings: Vec::new(),
            comments: Vec::new(),
            tests: Vec::new(),
            text,
        };
        source.blank();
        source.tests = source.find_tests();
        source
    }

    /// The line of a place, counted from 1.
    pub fn line(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    /// `path:line` of a place.
    pub fn place(&self, at: usize) -> String {
        format!("{}:{}", self.path, self.line(at))
    }

    /// Whether only tests and benches compile this place.
    pub fn is_test(&self, at: usize) -> bool {
        self.path.starts_with("tests/")
            || self.path.contains("/benches/")
            || self.path.contains("/tests/")
            || self.path.ends_with("/tests.rs")
            || self.tests.iter().any(|range| range.contains(&at))
    }

    /// Every function that has a body.
    pub fn functions(&self) -> Vec<Function> {
        words(&self.code, "fn")
            .filter_map(|start| self.function(start))
            .collect()
    }

    /// Every path from `crate`, and every one that climbs.
    pub fn paths(&self) -> Vec<Path> {
        let from_crate = words(&self.code, "crate").filter_map(|start| {
            let rest = self.code[start..].strip_prefix("crate::")?;
            Some(Path {
                start,
                supers: 0,
                heads: heads(rest),
            })
        });
        let climbing = words(&self.code, "super").filter_map(|start| {
            if self.code[..start].ends_with("super::") {
                return None;
            }
            let (mut rest, mut supers) = (&self.code[start..], 0);
            while let Some(next) = rest.strip_prefix("super::") {
                (rest, supers) = (next, supers + 1);
            }
            (supers > 0).then(|| Path {
                start,
                supers,
                heads: heads(rest),
            })
        });
        from_crate.chain(climbing).collect()
    }

    /// How many `mod name { }` are around a place.
    pub fn inline_modules(&self, at: usize) -> usize {
        let around = |start: usize| {
            let body = self.body(start);
            body.is_some_and(|body| body.contains(&at))
        };
        words(&self.code[..at], "mod")
            .filter(|start| around(*start))
            .count()
    }

    /// The braces and what they hold, of the item that starts at `start`; `None` where it ends in `;`.
    pub fn body(&self, start: usize) -> Option<Range<usize>> {
        let mut depth = 0_i32;
        for (offset, byte) in self.code.bytes().enumerate().skip(start) {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                b';' if depth == 0 => return None,
                b'{' if depth == 0 => return Some(offset..self.closing(offset)),
                _ => {}
            }
        }
        None
    }

    fn function(&self, start: usize) -> Option<Function> {
        let name = ident(self.code[start + 2..].trim_start());
        if name.is_empty() {
            return None;
        }
        let body = self.body(start)?;
        let lines = self.line(body.end - 1) - self.line(start) + 1;
        Some(Function {
            name: name.to_owned(),
            start,
            lines,
        })
    }

    fn closing(&self, open: usize) -> usize {
        let mut depth = 0_i32;
        for (offset, byte) in self.code.bytes().enumerate().skip(open) {
            depth += i32::from(byte == b'{') - i32::from(byte == b'}');
            if depth == 0 {
                return offset + 1;
            }
        }
        self.code.len()
    }

    fn find_tests(&self) -> Vec<Range<usize>> {
        let marks = self.code.match_indices("#[cfg(test)]");
        marks
            .filter_map(|(at, mark)| Some(at..self.body(at + mark.len())?.end))
            .collect()
    }

    fn blank(&mut self) {
        let text = std::mem::take(&mut self.text);
        let mut code = text.clone().into_bytes();
        let mut at = 0;
        while at < text.len() {
            let Some((end, kind)) = literal(&text, at) else {
                at += 1;
                continue;
            };
            match kind {
                Kind::Comment => self.comments.push((at, text[at..end].to_owned())),
                Kind::String => {
                    let inside = text[at..end].trim_start_matches(['b', 'c', 'r']);
                    self.strings
                        .push((at, inside.trim_matches('#').trim_matches('"').to_owned()));
                }
                Kind::Character => {}
            }
            for byte in &mut code[at..end] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
            at = end;
        }
        self.code = String::from_utf8(code).expect("whole literals were blanked");
        self.text = text;
    }
}

enum Kind {
    Comment,
    String,
    Character,
}

/// The end and kind of the comment or literal that starts at `at`.
fn literal(text: &str, at: usize) -> Option<(usize, Kind)> {
    let bytes = text.as_bytes();
    match bytes[at] {
        b'/' if bytes.get(at + 1) == Some(&b'/') => {
            let line = text[at..].find('\n').unwrap_or(text.len() - at);
            Some((at + line, Kind::Comment))
        }
        b'/' if bytes.get(at + 1) == Some(&b'*') => Some((block_comment(text, at), Kind::Comment)),
        b'"' => Some((quoted(bytes, at, b'"'), Kind::String)),
        b'r' if !next_word(&text[..at]) => {
            let hashes = bytes[at + 1..]
                .iter()
                .take_while(|byte| **byte == b'#')
                .count();
            if bytes.get(at + 1 + hashes) != Some(&b'"') {
                return None;
            }
            let inside = at + 2 + hashes;
            let close = format!("\"{}", "#".repeat(hashes));
            let length = text[inside..].find(&close).expect("a raw string ends");
            Some((inside + length + close.len(), Kind::String))
        }
        b'\'' => {
            let next = text[at + 1..].chars().next()?;
            let closes = text[at + 1 + next.len_utf8()..].starts_with('\'');
            (next == '\\' || closes).then(|| (quoted(bytes, at, b'\''), Kind::Character))
        }
        _ => None,
    }
}

fn quoted(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

fn block_comment(text: &str, start: usize) -> usize {
    let (mut at, mut depth) = (start + 2, 1);
    while depth > 0 && at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") || rest.starts_with(b"*/") {
            depth += if rest.starts_with(b"/*") { 1 } else { -1 };
            at += 2;
        } else {
            at += 1;
        }
    }
    at
}

/// The first names of `a::b`, or of each of `{a::b, c}`.
fn heads(rest: &str) -> Vec<String> {
    let Some(group) = rest.trim_start().strip_prefix('{') else {
        return vec![ident(rest.trim_start()).to_owned()];
    };
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' | ',' if depth == 0 => {
                found.push(ident(group[start..at].trim_start()).to_owned());
                start = at + 1;
                if character == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    found.retain(|name| !name.is_empty());
    found
}
