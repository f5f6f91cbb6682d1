//! Characters of KDL, the blanks and comments between words, and words.

use std::ops::Range;

use super::KdlFault;

/// Where a text has been read to.
#[derive(Clone, Copy, Debug)]
pub(super) struct KdlScanner<'t> {
    pub text: &'t str,
    /// The byte that is read next.
    pub at: usize,
}

/// Whether a line of KDL ends with this.
pub(super) const fn ends_line(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Whether this is a blank within a line.
pub(super) const fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}

/// Whether this may stand nowhere in a text, not even in a comment.
pub(super) const fn is_forbidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}'
            | '\u{E}'..='\u{1F}'
            | '\u{7F}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2066}'..='\u{2069}'
            | '\u{FEFF}'
    )
}

/// Whether this may stand in a word without quotation marks.
pub(super) fn is_of_word(c: char) -> bool {
    let is_sign = matches!(
        c,
        '\\' | '/' | '(' | ')' | '{' | '}' | '[' | ']' | ';' | '"' | '#' | '='
    );
    !(is_sign || is_space(c) || ends_line(c) || is_forbidden(c))
}

impl<'t> KdlScanner<'t> {
    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn starts(&self, with: &str) -> bool {
        self.rest().starts_with(with)
    }

    pub fn eat(&mut self, what: &str) -> bool {
        let eats = self.starts(what);
        self.at += if eats { what.len() } else { 0 };
        eats
    }

    /// Reads one character that may stand in a text.
    pub fn next(&mut self) -> Result<Option<char>, KdlFault> {
        let next = self.peek();
        if let Some(c) = next {
            let place = self.at..self.at + c.len_utf8();
            self.at = place.end;
            if is_forbidden(c) {
                let code = u32::from(c);
                return Err(KdlFault::new(
                    place,
                    format!("the character U+{code:04X} may not stand in KDL"),
                    format!("take it out; in quotation marks write \\u{{{code:x}}}"),
                ));
            }
        }
        Ok(next)
    }

    /// Reads the end of a line, where one is here.
    pub fn eat_line_end(&mut self) -> bool {
        if self.eat("\r\n") {
            return true;
        }
        let end = self.peek().filter(|c| ends_line(*c));
        self.at += end.map_or(0, char::len_utf8);
        end.is_some()
    }

    /// Reads blanks, and returns them.
    pub fn blanks(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !is_space(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Reads what separates the parts of a node, and says whether something did: blanks, `/* */`, and `\` with the line end
    /// behind it.
    pub fn skip_spaces(&mut self) -> Result<bool, KdlFault> {
        let start = self.at;
        loop {
            self.blanks();
            if self.starts("/*") {
                self.skip_block_comment()?;
            } else if self.starts("\\") {
                self.skip_continuation()?;
            } else {
                return Ok(self.at > start);
            }
        }
    }

    /// Reads what separates nodes: blanks, ends of lines and comments.
    pub fn skip_lines(&mut self) -> Result<(), KdlFault> {
        loop {
            self.skip_spaces()?;
            if self.starts("//") {
                self.skip_line_comment()?;
            } else if !self.eat_line_end() {
                return Ok(());
            }
        }
    }

    /// Reads a `//` comment with the end of its line.
    pub fn skip_line_comment(&mut self) -> Result<(), KdlFault> {
        while !self.eat_line_end() {
            if self.next()?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn skip_block_comment(&mut self) -> Result<(), KdlFault> {
        let start = self.at;
        let (mut depth, mut fault) = (0_usize, None);
        loop {
            if self.eat("/*") {
                depth += 1;
            } else if self.eat("*/") {
                depth -= 1;
            } else {
                match self.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => {
                        return Err(KdlFault::new(
                            start..start + 2,
                            "a comment that begins with /* is not closed",
                            "write */ behind it",
                        ));
                    }
                    // It does not end the comment.
                    Err(found) => drop(fault.get_or_insert(found)),
                }
            }
            if depth == 0 {
                return fault.map_or(Ok(()), Err);
            }
        }
    }

    /// Reads `\`, and the end of the line behind it.
    fn skip_continuation(&mut self) -> Result<(), KdlFault> {
        let start = self.at;
        self.at += 1;
        loop {
            self.blanks();
            if self.starts("/*") {
                self.skip_block_comment()?;
            } else if self.starts("//") {
                return self.skip_line_comment();
            } else if self.eat_line_end() || self.rest().is_empty() {
                return Ok(());
            } else {
                return Err(KdlFault::new(
                    start..start + 1,
                    "a \\ here carries the node on to the next line, and more follows it on this one",
                    "take it out, or write it in quotation marks",
                ));
            }
        }
    }

    /// The bytes from a place to the next blank or `;`, to be underlined.
    pub fn word_at(&self, start: usize) -> Range<usize> {
        let rest = self.text.get(start..).unwrap_or_default();
        let length = rest.find(|c: char| c.is_whitespace() || c == ';');
        start..start + length.unwrap_or(rest.len())
    }

    /// Reads the letters of a word, which may be none.
    pub fn letters(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }
}
