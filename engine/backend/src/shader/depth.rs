//! How deep the text of a shader is nested, found without nesting: parsers and compilers go as deep as it.

use std::ops::Range;

/// Bytes of a shader, at most.
const LENGTH: usize = 256 << 10;
/// Brackets inside each other, at most; the specification asks implementations for 127 blocks.
const BRACKETS: usize = 200;
/// What stands inside each other or is joined by operators, at most: each adds a level to the tree of the shader.
const DEPTH: usize = 1000;

/// What is too long or too deep in a shader, where, and what to do.
///
/// # Errors
/// That, and the bytes that it is about.
pub fn bound(source: &str) -> Result<(), (Range<usize>, String)> {
    if source.len() > LENGTH {
        let length = source.len();
        let text = format!(
            "the shader has {length} bytes, and at most {LENGTH} are compiled: leave out what it does not use"
        );
        return Err((0..0, text));
    }
    let mut levels = BracketDepths::default();
    let mut rest = ShaderTokens::new(source);
    while let Some((place, token)) = rest.next() {
        levels.take(token);
        if levels.counts.len() > BRACKETS {
            let text = format!(
                "brackets are nested more than {BRACKETS} deep here: use variables or functions for the inner parts"
            );
            return Err((place, text));
        }
        if levels.depth > DEPTH {
            let text = format!(
                "an expression, a type or a chain of else is more than {DEPTH} operators deep here: split it up, by \
                 variables for example, a loop, or a switch"
            );
            return Err((place, text));
        }
    }
    Ok(())
}

/// What a shader is made of, as far as its depth goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShaderToken {
    Open,
    Close,
    /// A block was closed and nothing of the same statement follows.
    End,
    /// A comma or a semicolon: what follows is beside what was before.
    Next,
    Operator,
}

/// How many operators are open on each level of brackets.
#[derive(Debug, Default)]
struct BracketDepths {
    counts: Vec<usize>,
    own: usize,
    depth: usize,
}

impl BracketDepths {
    fn take(&mut self, token: ShaderToken) {
        match token {
            ShaderToken::Operator => self.add(),
            ShaderToken::Open => {
                self.add();
                self.counts.push(std::mem::take(&mut self.own));
            }
            ShaderToken::Close | ShaderToken::End => {
                self.clear();
                self.own = self.counts.pop().unwrap_or_default();
                if token == ShaderToken::End {
                    self.clear();
                }
            }
            ShaderToken::Next => self.clear(),
        }
    }

    const fn add(&mut self) {
        self.own += 1;
        self.depth += 1;
    }

    const fn clear(&mut self) {
        self.depth -= self.own;
        self.own = 0;
    }
}

/// The text of a shader, token by token, without its comments.
pub(super) struct ShaderTokens<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> ShaderTokens<'a> {
    pub(super) const fn new(source: &'a str) -> Self {
        Self { source, at: 0 }
    }

    /// The next word, number or sign, and where it stands.
    pub(super) fn word(&mut self) -> Option<(Range<usize>, &'a str)> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        self.skip_blank();
        let start = self.at;
        let first = self.rest().chars().next()?;
        if is_word(first) {
            self.skip(|c| is_word(c) || first.is_ascii_digit() && c == '.');
        } else {
            self.at += first.len_utf8();
        }
        let place = start..self.at;
        Some((place.clone(), self.source.get(place)?))
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Goes on behind all that `is_part`.
    fn skip(&mut self, is_part: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    }

    /// Goes on behind white space and comments, which nest.
    fn skip_blank(&mut self) {
        loop {
            self.skip(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.skip(|c| !"\n\u{b}\u{c}\r\u{85}\u{2028}\u{2029}".contains(c));
            } else if self.rest().starts_with("/*") {
                self.skip_comment();
            } else {
                return;
            }
        }
    }

    fn skip_comment(&mut self) {
        let mut open = 0_usize;
        loop {
            let rest = self.rest();
            let Some(next) = rest.find("*/").into_iter().chain(rest.find("/*")).min() else {
                self.at = self.source.len();
                return;
            };
            if rest.get(next..).is_some_and(|it| it.starts_with("/*")) {
                open += 1;
            } else {
                open -= 1;
            }
            self.at += next + 2;
            if open == 0 {
                return;
            }
        }
    }

    fn next(&mut self) -> Option<(Range<usize>, ShaderToken)> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        loop {
            self.skip_blank();
            let first = self.rest().chars().next()?;
            let start = self.at;
            if is_word(first) {
                // A number's point is part of it.
                self.skip(|c| is_word(c) || first.is_ascii_digit() && c == '.');
                continue;
            }
            self.at += first.len_utf8();
            let place = start..self.at;
            return Some((
                place,
                match first {
                    '(' | '[' | '{' => ShaderToken::Open,
                    ')' | ']' => ShaderToken::Close,
                    '}' => {
                        self.skip_blank();
                        if self.rest().starts_with("else") {
                            ShaderToken::Close
                        } else {
                            ShaderToken::End
                        }
                    }
                    ',' | ';' => ShaderToken::Next,
                    _ => ShaderToken::Operator,
                },
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_bounded(source: &str) -> bool {
        bound(source).is_ok()
    }

    #[test]
    fn what_people_write_is_no_matter_how_long() {
        let statements = "y[i] = f(x[i] * 2.0, array<vec4<f32>, 4>(), -1.0) + 1.0;\n".repeat(3000);
        assert!(is_bounded(&format!("fn f() {{ {statements} }}")));
        let functions =
            "fn f(a: f32, b: vec2f) -> f32 { if (a < 1.0) { return b.x; } else { return 2.0; } }\n";
        assert!(is_bounded(&functions.repeat(2000)));
        let list = "1.5, vec3f(1.0, 2.0, 3.0).x, ".repeat(3000);
        assert!(is_bounded(&format!("const a = array({list});")));
        let cases = "case 1u: { x = 1; }\n".repeat(3000);
        assert!(is_bounded(&format!(
            "fn f() {{ switch (a) {{ {cases} }} }}"
        )));
        let comments = "/* ((((/* [[[ */ */ // {{{{\n".repeat(3000);
        assert!(is_bounded(&comments));
    }

    #[test]
    fn whatever_makes_a_deep_tree_is_found() {
        let deep = |unit: &str| is_bounded(&format!("fn f() {{ y = x {} }}", unit.repeat(5000)));
        for unit in [
            "+1.0",
            "+f(a, b)",
            "(",
            "[0]",
            "{",
            ".x",
            "-",
            "array<",
            "(a, (",
            "if (a) {} else ",
            "{} else if true",
            "/**/*/*(*/",
            "<a>",
            "&*",
        ] {
            assert!(!deep(unit), "{unit}");
        }
        assert!(!is_bounded(&" ".repeat(300 << 10)));
        assert!(!is_bounded(&"fn f() { g(".repeat(150)));
        let (place, _) = bound(&format!("x {}", "+1.0".repeat(1500))).unwrap_err();
        assert_eq!(place, 2 + 4 * DEPTH..3 + 4 * DEPTH);
    }
}
