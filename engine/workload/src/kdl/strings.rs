//! Texts and numbers of KDL.

use std::ops::Range;

use super::scanner::{KdlScanner, ends_line, is_space};
use super::{KdlFault, KdlValue};

/// Words that stand for values with a `#` before them, and may not stand without.
const RESERVED: [&str; 6] = ["true", "false", "null", "inf", "-inf", "nan"];

/// A line of a text on several lines.
struct KdlTextLine<'t> {
    /// The blanks that it begins with, as they are written.
    blanks: &'t str,
    /// What follows them, with its escapes resolved.
    text: String,
    /// Where it is written.
    range: Range<usize>,
}

impl<'t> KdlScanner<'t> {
    /// Reads a text, a word or a number; `what` is said to be missing where none is here.
    pub fn value(&mut self, what: &str) -> Result<KdlValue, KdlFault> {
        let start = self.at;
        match self.peek() {
            Some('"') => self.text(0, start).map(KdlValue::String),
            Some('#') => self.behind_hash(),
            _ => {
                let word = self.letters();
                if word.is_empty() {
                    return Err(self.missing(what));
                }
                word_or_number(word, start..self.at)
            }
        }
    }

    /// What stands here can be no value.
    fn missing(&self, what: &str) -> KdlFault {
        let place = self.word_at(self.at);
        let (message, help) = match self.peek() {
            Some('[' | ']') => (
                "brackets mean nothing in KDL".to_owned(),
                "separate values by spaces, without brackets",
            ),
            Some('/') => (
                "a / begins nothing here".to_owned(),
                "write // before a comment, or the text in quotation marks",
            ),
            _ => (
                format!("{what} is missing here"),
                "write a word, a number, or a text in quotation marks",
            ),
        };
        KdlFault::new(place, message, help)
    }

    /// Reads a raw text, or a word such as `#true`.
    fn behind_hash(&mut self) -> Result<KdlValue, KdlFault> {
        let start = self.at;
        let rest = self.rest();
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        self.at += hashes;
        if self.starts("\"") {
            return self.text(hashes, start).map(KdlValue::String);
        }
        let word = self.letters();
        match (hashes, word) {
            (1, "true") => Ok(KdlValue::Bool(true)),
            (1, "false") => Ok(KdlValue::Bool(false)),
            (1, "null") => Ok(KdlValue::Null),
            (1, "inf") => Ok(KdlValue::Float(f64::INFINITY)),
            (1, "-inf") => Ok(KdlValue::Float(f64::NEG_INFINITY)),
            (1, "nan") => Ok(KdlValue::Float(f64::NAN)),
            _ => {
                let written = self.text.get(start..self.at).unwrap_or_default();
                Err(KdlFault::new(
                    start..self.at,
                    format!("KDL has no {written}"),
                    "write #true, #false, #null, #inf, #-inf or #nan, or a text in quotation marks",
                ))
            }
        }
    }

    /// Reads a text from its first quotation mark on; `start` is where its hashes begin.
    fn text(&mut self, hashes: usize, start: usize) -> Result<String, KdlFault> {
        if self.eat("\"\"\"") {
            if !self.eat_line_end() {
                return Err(KdlFault::new(
                    start..self.at,
                    "a text that begins with \"\"\" begins on the next line",
                    "go on in a line of its own, or write one quotation mark",
                ));
            }
            return self.lines(hashes, start);
        }
        self.at += 1;
        let (mut text, mut fault) = (String::new(), None);
        while !self.eat_close("\"", hashes) {
            if self.peek().is_none_or(ends_line) {
                return Err(KdlFault::new(
                    start..self.at,
                    "this text is not closed on its line",
                    format!("write \"{} behind it", "#".repeat(hashes.min(8))),
                ));
            }
            self.character(hashes, &mut text, &mut fault);
        }
        fault.map_or(Ok(text), Err)
    }

    /// Reads the end of a text, where it is here.
    fn eat_close(&mut self, quotes: &str, hashes: usize) -> bool {
        let behind = self.rest().strip_prefix(quotes);
        let closes = behind.is_some_and(|behind| {
            let found = behind.bytes().take(hashes).take_while(|it| *it == b'#');
            found.count() == hashes
        });
        self.at += if closes { quotes.len() + hashes } else { 0 };
        closes
    }

    /// Reads the lines of a text behind its `"""`, and takes the blanks before the closing ones from each.
    fn lines(&mut self, hashes: usize, start: usize) -> Result<String, KdlFault> {
        let (mut lines, mut fault) = (Vec::<KdlTextLine<'t>>::new(), None);
        loop {
            let (begin, blanks, mut text) = (self.at, self.blanks(), String::new());
            let closes = loop {
                let end = self.at;
                if self.eat_close("\"\"\"", hashes) {
                    break true;
                }
                if self.eat_line_end() {
                    lines.push(KdlTextLine {
                        blanks,
                        text: std::mem::take(&mut text),
                        range: begin..end,
                    });
                    break false;
                }
                if self.peek().is_none() {
                    return Err(KdlFault::new(
                        start..start + hashes + 3,
                        "this text is not closed",
                        format!(
                            "write \"\"\"{} on a line of its own behind it",
                            "#".repeat(hashes.min(8))
                        ),
                    ));
                }
                self.character(hashes, &mut text, &mut fault);
            };
            if closes && !text.is_empty() {
                fault.get_or_insert(KdlFault::new(
                    begin..self.at,
                    "a text on several lines is closed on a line of its own, and something is before the \"\"\" here",
                    "write the \"\"\" on the next line",
                ));
            }
            if closes {
                return fault.map_or_else(|| joined(&lines, blanks), Err);
            }
        }
    }

    /// Reads a character of a text, or an escape. What is wrong with it does not end the text; the first is kept.
    fn character(&mut self, hashes: usize, text: &mut String, fault: &mut Option<KdlFault>) {
        let read = if hashes == 0 && self.starts("\\") {
            self.escape(text)
        } else {
            self.next().map(|c| text.extend(c))
        };
        if let Err(found) = read {
            fault.get_or_insert(found);
        }
    }

    /// Reads an escape; blanks and ends of lines behind a `\` stand for nothing.
    fn escape(&mut self, text: &mut String) -> Result<(), KdlFault> {
        let start = self.at;
        self.at += 1;
        let Some(c) = self.peek() else { return Ok(()) };
        if is_space(c) || ends_line(c) {
            let rest = self.rest();
            let more = rest.trim_start_matches(|c| is_space(c) || ends_line(c));
            self.at += rest.len() - more.len();
            return Ok(());
        }
        self.at += c.len_utf8();
        let stands_for = match c {
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'b' => Some('\u{8}'),
            'f' => Some('\u{C}'),
            's' => Some(' '),
            '"' | '\\' => Some(c),
            'u' => self.code(),
            _ => None,
        };
        let Some(c) = stands_for else {
            return Err(KdlFault::new(
                start..self.at,
                "KDL has no such escape",
                r#"write \n, \r, \t, \b, \f, \s, \\, \" or \u{1f600}, or a # on both sides of the text"#,
            ));
        };
        text.push(c);
        Ok(())
    }

    /// Reads the `{…}` of an escape.
    fn code(&mut self) -> Option<char> {
        self.eat("{").then_some(())?;
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        let code = rest
            .get(..digits)
            .filter(|it| (1..=6).contains(&it.len()))?;
        self.at += digits;
        self.eat("}").then_some(())?;
        char::from_u32(u32::from_str_radix(code, 16).ok()?)
    }
}

/// The lines of a text, without the blanks that stand before its end.
fn joined(lines: &[KdlTextLine<'_>], closing: &str) -> Result<String, KdlFault> {
    let mut joined = String::new();
    for (nth, line) in lines.iter().enumerate() {
        joined.extend((nth > 0).then_some('\n'));
        if line.text.is_empty() {
            continue;
        }
        let Some(deeper) = line.blanks.strip_prefix(closing) else {
            return Err(KdlFault::new(
                line.range.clone(),
                "this line does not begin with the blanks that stand before the closing \"\"\"",
                "indent it as far, with the same blanks",
            ));
        };
        joined.push_str(deeper);
        joined.push_str(&line.text);
    }
    Ok(joined)
}

/// What a word says.
fn word_or_number(word: &str, place: Range<usize>) -> Result<KdlValue, KdlFault> {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let is_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if is_digit(unsigned) {
        return number(word, unsigned, place);
    }
    if unsigned.strip_prefix('.').is_some_and(is_digit) {
        let message = "a number begins with a digit";
        return Err(KdlFault::new(place, message, "write 0 before the point"));
    }
    if RESERVED.contains(&word) {
        return Err(KdlFault::new(
            place,
            format!("{word} is no text without quotation marks"),
            format!("write #{word}, or \"{word}\" for the text"),
        ));
    }
    Ok(KdlValue::String(word.to_owned()))
}

/// The number that a word is, which may have a sign.
fn number(word: &str, unsigned: &str, place: Range<usize>) -> Result<KdlValue, KdlFault> {
    let is_whole = |digits: &str, radix: u32| {
        digits.starts_with(|c: char| c.is_digit(radix))
            && digits.chars().all(|c| c == '_' || c.is_digit(radix))
    };
    let (sign, plain) = (word.starts_with('-'), |text: &str| text.replace('_', ""));
    let sign = if sign { "-" } else { "" };
    let radix = match unsigned.get(..2) {
        Some("0x") => 16,
        Some("0o") => 8,
        Some("0b") => 2,
        _ => 10,
    };
    let digits = if radix == 10 {
        unsigned
    } else {
        unsigned.get(2..).unwrap_or_default()
    };
    if is_whole(digits, radix) {
        let number = i128::from_str_radix(&format!("{sign}{}", plain(digits)), radix);
        return number.map(KdlValue::Integer).or(Err(KdlFault::new(
            place,
            "this number is too large",
            "write fewer digits, or an exponent, as in 1e50",
        )));
    }
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let exponent = exponent.map(|it| it.strip_prefix(['+', '-']).unwrap_or(it));
    let parts = [Some(whole), fraction, exponent];
    let is_number = radix == 10 && parts.iter().flatten().all(|part| is_whole(part, 10));
    let parsed = plain(word).parse().ok().filter(|_| is_number);
    parsed.map(KdlValue::Float).ok_or_else(|| {
        KdlFault::new(
            place,
            format!("{word} begins as a number and is none"),
            "write a number such as 12, -0.5, 1e6 or 0xff, or a text in quotation marks",
        )
    })
}
