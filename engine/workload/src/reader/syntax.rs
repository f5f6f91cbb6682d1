//! From text to KDL nodes, or to what is no KDL: however damaged the text is, within bounds.

use std::ops::Range;
use std::{io, thread};

use kdl::{KdlDiagnostic, KdlDocument, KdlError};

use super::plain_syntax::{departs, is_mark};
use crate::error::{WorkloadError, WorkloadSource};

/// Bytes of a workload file, at most: the parser's time on damaged text grows with their square.
const BYTES: usize = 32 << 10;
/// The same for a text of which one look shows that it is not damaged, such as one that was extracted from a capture.
const PLAIN_BYTES: usize = 1 << 20;
/// Blocks and comments inside each other, at most.
const NESTING: usize = 48;
/// Nodes and values that are taken out by `/-`, at most, and texts that begin and have no end: the parser tries each again
/// for each.
const RETRIES: usize = 64;
/// The parser calls itself once for each thing that it skips: at most one a byte, at about 3 kB of stack.
const STACK: usize = 128 << 20;

/// The nodes of a text.
pub(super) fn parse(source: &WorkloadSource) -> Result<KdlDocument, Vec<WorkloadError>> {
    refuse_absurd(source)?;
    let parsed = thread::scope(|scope| {
        let reader = thread::Builder::new()
            .name("kdl".into())
            .stack_size(STACK)
            .spawn_scoped(scope, || KdlDocument::parse_v2(&source.text));
        reader.map(thread::ScopedJoinHandle::join)
    });
    match parsed {
        Ok(Ok(Ok(document))) => Ok(document),
        Ok(Ok(Err(error))) => Err(errors(source, &error)),
        Ok(Err(_)) => {
            let message = "the parser gave up on this text";
            Err(vec![source.error_outside(
                message,
                "check brackets and quotation marks",
            )])
        }
        Err(error) => Err(vec![no_thread(source, &error)]),
    }
}

/// Nothing is known to be wrong with the text: the system gives no thread to read it on.
fn no_thread(source: &WorkloadSource, error: &io::Error) -> WorkloadError {
    let megabytes = STACK >> 20;
    let message = format!(
        "this was not read: no thread with a stack of {megabytes} MiB could be started for it: {error}"
    );
    let help = "end other programs, or raise the limits of threads and memory (ulimit -u, ulimit -v), and try again";
    source.error_outside(message, help)
}

/// Refuses what the parser would spend minutes or its stack on.
fn refuse_absurd(source: &WorkloadSource) -> Result<(), Vec<WorkloadError>> {
    let text = &source.text;
    if text.len() > PLAIN_BYTES {
        let message = format!(
            "this file holds {} bytes, and a workload at most {PLAIN_BYTES}",
            text.len()
        );
        let help = "write loops with repeat instead of many calls";
        return Err(vec![source.error_outside(message, help)]);
    }
    if text.len() > BYTES
        && let Some(at) = departs(text)
    {
        let message = format!(
            "a workload of more than {BYTES} bytes is written plainly, and this is not: one node a line or behind `;`, \
             with words, numbers and texts, blocks and `//` comments"
        );
        let help = "mend or simplify this place, or write loops with repeat instead of many calls";
        let at = text.floor_char_boundary(at.min(text.len().saturating_sub(1)));
        return Err(vec![source.error(at..at, message, help)]);
    }
    let (mut blocks, mut comments, mut previous) = (0_usize, 0_usize, 0);
    let (mut in_text, mut retries) = (0..0, 0_usize);
    for (byte, c) in text.bytes().enumerate() {
        if in_text.contains(&byte) {
            // Whatever a text holds, such as a shader, is no block.
            continue;
        }
        if comments == 0 && matches!(c, b'"' | b'#') {
            let rest = text.as_bytes().get(byte..).unwrap_or_default();
            let length = text_length(rest);
            in_text = byte..byte + length;
            retries += usize::from(length == 0 && begins_text(rest));
        }
        if comments == 0 && (previous, c) == (b'/', b'/') {
            // Whatever stands there takes nothing out and begins nothing.
            let rest = text.as_bytes().get(byte..).unwrap_or_default();
            let mut places = 0..rest.len();
            let end = places.find(|at| ends_line(rest.get(*at..).unwrap_or_default()));
            (in_text, previous) = (byte..byte + end.unwrap_or(rest.len()), 0);
            continue;
        }
        retries += usize::from((previous, c) == (b'/', b'-'));
        previous = match (previous, c) {
            (_, b'{') => {
                blocks += 1;
                c
            }
            (_, b'}') => {
                blocks = blocks.saturating_sub(1);
                c
            }
            (b'/', b'*') => {
                comments += 1;
                0
            }
            (b'*', b'/') => {
                comments = comments.saturating_sub(1);
                0
            }
            _ => c,
        };
        if retries > RETRIES {
            let message = format!(
                "more than {RETRIES} nodes and values are taken out by /-, or texts in # begin and have no end, up to here"
            );
            let help = "delete what is taken out, or close the texts";
            return Err(vec![source.error(byte..byte + 1, message, help)]);
        }
        if blocks.max(comments) > NESTING {
            let message = format!("blocks or comments are nested more than {NESTING} deep here");
            return Err(vec![source.error(
                byte..byte + 1,
                message,
                "close some of them first",
            )]);
        }
    }
    Ok(())
}

/// Whether a line of KDL ends here.
fn ends_line(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(b'\n' | b'\r' | 0x0B | 0x0C)) || is_mark(bytes)
}

/// Whether a text begins here, be it closed or not.
fn begins_text(bytes: &[u8]) -> bool {
    bytes.iter().find(|it| **it != b'#') == Some(&b'"')
}

/// How long the text is that begins here, plain or raw, on one line or several; 0 where none does, or it has no end.
fn text_length(bytes: &[u8]) -> usize {
    let hashes = bytes.iter().take_while(|it| **it == b'#').count();
    let body = bytes.get(hashes..).unwrap_or_default();
    let quotes = match body {
        [b'"', b'"', b'"', rest @ ..] if ends_line(rest) => 3,
        // No text begins so: the parser goes on behind it.
        [b'"', b'"', b'"', ..] => return 0,
        [b'"', ..] => 1,
        _ => return 0,
    };
    let ends = |rest: &[u8]| {
        let (marks, rest) = rest.split_at_checked(quotes).unwrap_or_default();
        let closes = !marks.is_empty() && marks.iter().all(|it| *it == b'"');
        closes && rest.iter().take_while(|it| **it == b'#').count() >= hashes
    };
    let mut at = quotes;
    while let Some(&byte) = body.get(at) {
        match byte {
            b'\\' if hashes == 0 => at += 1,
            _ if quotes == 1 && body.get(at..).is_some_and(ends_line) => return 0,
            b'"' if body.get(at..).is_some_and(ends) => return 2 * hashes + at + quotes,
            _ => {}
        }
        at += 1;
    }
    0
}

/// What the parser says in few words, what it says then, and what to do: of these it does not always say where.
const TERSE: [(&str, &str, &str); 4] = [
    (
        "Expected property value",
        "a value is missing behind =",
        "write it right behind, as in on=\"a\", or leave out the name and the =",
    ),
    (
        "Expected end of document",
        "this closes nothing",
        "take it out, or open a block with { before it",
    ),
    (
        "Expected closing of multi-line comment",
        "a comment that begins with /* is not closed",
        "write */ behind it",
    ),
    (
        "No closing '}' for child block",
        "this block is not closed",
        "write } behind its last line",
    ),
];

/// Said once more of the same block.
const REPEATED: &str = "Closing '}' was not found after nodes";

/// Where something follows a block on its line, which the parser takes for the end of all blocks around.
fn behind_block(source: &WorkloadSource, error: &KdlError) -> Option<WorkloadError> {
    let text = &source.text;
    let mut starts = error.diagnostics.iter().map(|it| it.span.offset());
    let start = starts.find(|&start| {
        let before = text
            .get(..start)
            .unwrap_or_default()
            .trim_end_matches([' ', '\t']);
        let rest = text.get(start..).unwrap_or_default();
        // A comment may stand between the two.
        let before = match before.rfind("/*") {
            Some(at) if before.ends_with("*/") => before.get(..at).unwrap_or_default().trim_end(),
            _ => before,
        };
        let follows = |it: char| !it.is_control() && !matches!(it, '}' | ';' | '/');
        before.ends_with('}') && rest.starts_with(follows)
    })?;
    let rest = text.get(start..).unwrap_or_default();
    let length = rest.find(|it: char| it.is_whitespace() || it == ';');
    let place = start..start + length.unwrap_or(rest.len());
    let message = "this follows the } of a block on the same line";
    Some(source.error(
        place,
        message,
        "write it on a line of its own, or put ; between the two",
    ))
}

fn errors(source: &WorkloadSource, error: &KdlError) -> Vec<WorkloadError> {
    if let Some(found) = behind_block(source, error) {
        return vec![found];
    }
    let found = error.diagnostics.iter();
    let is_news = |it: &&KdlDiagnostic| it.message.as_deref() != Some(REPEATED);
    let found = found.filter(is_news).map(|found| {
        let mut place = found.span.offset()..found.span.offset() + found.span.len();
        let message = found.message.as_deref().unwrap_or("this is not KDL");
        let help = found.help.clone().or_else(|| found.label.clone());
        let terse = TERSE.iter().find(|it| it.0 == message);
        if terse.is_some() && place.start == 0 {
            place = first_odd(&source.text);
        }
        let says_nothing = help.as_ref().is_none_or(|it| it.starts_with("not "));
        match terse {
            Some((_, message, own)) if says_nothing => source.error(place, *message, *own),
            _ => source.error(place, message, help.unwrap_or_default()),
        }
    });
    let found: Vec<WorkloadError> = found.collect();
    if found.is_empty() {
        vec![source.error(0..0, "this is not KDL", "")]
    } else {
        found
    }
}

/// The first thing in a text that is not plain KDL, besides texts that are whole.
fn first_odd(text: &str) -> Range<usize> {
    let mut plain = text.as_bytes().to_vec();
    let mut at = 0;
    while let Some(rest) = plain.get_mut(at..).filter(|rest| !rest.is_empty()) {
        let length = match rest.first() {
            Some(b'"' | b'#') => text_length(rest),
            _ => 0,
        };
        if let Some([first, inside @ .., last]) = rest.get_mut(..length) {
            inside.fill(b'a');
            (*first, *last) = (b'"', b'"');
        }
        at += length.max(1);
    }
    // Only whole texts were replaced, so that it stays what it was to begin and end letters.
    let plain = String::from_utf8(plain).unwrap_or_else(|_| text.to_owned());
    let start = departs(&plain).unwrap_or(0);
    let start = text.floor_char_boundary(start.min(text.len()));
    let rest = text.get(start..).unwrap_or_default();
    let length = rest.find(|it: char| it.is_whitespace() || it == ';');
    start..start + length.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_texts_are_no_blocks() {
        let deep = "{".repeat(100);
        let whole = [
            format!("a \"{deep}\""),
            format!("a #\"{deep}\"#"),
            format!("a ##\"{deep}\"#{deep}\"##"),
            format!("a x=\"\"\"\n{deep}\n\"\"\""),
            format!("a x=#\"\"\"\n{deep} \" \"\"\n\"\"\"#"),
            format!("a \"\\\"{deep}\""),
        ];
        for text in whole {
            let parsed = parse(&WorkloadSource::new("a.kdl", &text));
            assert!(parsed.is_ok(), "{text}: {parsed:?}");
        }
        for text in [
            format!("a \"\" {deep}"),
            format!("a \"{deep}"),
            format!("a #\"x\"# {deep}"),
            format!("// \"\na {deep} \""),
        ] {
            let errors = parse(&WorkloadSource::new("a.kdl", &text)).unwrap_err();
            assert!(
                errors[0].to_string().contains("nested more than"),
                "{text}: {errors:?}"
            );
        }
    }

    #[test]
    fn what_the_parser_says_of_the_first_line_is_told_where_it_is() {
        let shader = "shader source=\"\"\"\n  a = 1;\n  \"\"\"\n";
        for (text, line, says) in [
            ("a\nb x= \n", 2, "a value is missing behind ="),
            ("a #\"{\"#\nb\nc x=; d", 3, "a value is missing behind ="),
            ("a\n/* b\n", 2, "not closed"),
            ("a\nb x=#nil\n", 2, "Available keywords"),
            ("a\n}\n", 2, "closes nothing"),
            ("a {\nb { c } d\n}\n", 2, "follows the } of a block"),
            ("a {\nb { c }d x=1\n}\n", 2, "follows the } of a block"),
            ("a {\nb { c } /* e */ d\n}\n", 2, "follows the } of a block"),
            ("a {\nb { c } { d }\n}\n", 2, "follows the } of a block"),
            ("a {\nb { c } 5\n}\n", 2, "follows the } of a block"),
            ("a {\nb { c }; d; e {\n}\n", 1, "this block is not closed"),
        ] {
            for before in ["", shader] {
                let whole = format!("{before}{text}");
                let errors = parse(&WorkloadSource::new("a.kdl", &whole)).unwrap_err();
                let told = errors[0].to_string();
                let line = line + before.lines().count();
                assert!(
                    told.starts_with(&format!("a.kdl:{line}:")),
                    "{whole}: {told}"
                );
                assert!(told.contains(says), "{whole}: {told}");
            }
        }
    }

    /// The bound is there because the parser would take its time, or its stack.
    #[test]
    fn damage_around_texts_that_are_deep_is_answered() {
        let deep = "{".repeat(10_000);
        for damage in [
            "=", ")", "a=", "a (", "\"", "#\"", "\"\"\"\n", "{", "}", "/-", "\\",
        ] {
            for text in [
                format!("{damage} #\"{deep}\"#"),
                format!("a #\"{deep}\"# {damage}"),
                format!("a {damage}\"{deep}\"{damage} {damage}"),
            ] {
                let _ = parse(&WorkloadSource::new("a.kdl", &text));
            }
        }
    }

    #[test]
    fn what_the_parser_would_try_again_and_again_is_refused() {
        let many = "/- ".repeat(3_000);
        let mut texts = vec![
            format!("// \"\"\"\n{many}\n// \"\"\""),
            format!("// #\"\"\"\n{many}\n// \"\"\"#"),
            format!("a \"\"\"x {many}\"\"\""),
            format!("// /*\na {}", "#\" ".repeat(3_000)),
        ];
        for end in ["\r", "\u{2028}", "\u{c}", "\u{85}"] {
            texts.push(format!("a \"{end}{many}\""));
        }
        for piece in ["/- ", "/-/**/", "/-\n", "#\" ", "##\"a\"# ", "/- a "] {
            texts.push(format!("stream {}\"s\"", piece.repeat(BYTES / 8)));
        }
        for text in texts {
            let errors = parse(&WorkloadSource::new("a.kdl", &text)).unwrap_err();
            let told = errors[0].to_string();
            let begins: String = text.chars().take(20).collect();
            assert!(told.contains("are taken out by /-"), "{begins}");
        }
        // A text that ends with its line for KDL holds no blocks beyond that.
        let deep = format!("a \"\u{2028} {}\"", "{ b ".repeat(200_000));
        assert!(parse(&WorkloadSource::new("a.kdl", &deep)).is_err());
        // So many are read, and comments take nothing out.
        for line in ["//----- /* \"\n", "// a /- b #\"\n"] {
            let whole = line.repeat(RETRIES * 4);
            assert!(
                parse(&WorkloadSource::new("a.kdl", &whole)).is_ok(),
                "{line}"
            );
        }
        let few = "/- a b c\n".repeat(RETRIES);
        assert!(parse(&WorkloadSource::new("a.kdl", &few)).is_ok());
        let whole = "a #\"b\"# #true\n".repeat(RETRIES * 2);
        assert!(parse(&WorkloadSource::new("a.kdl", &whole)).is_ok());
    }

    #[test]
    fn garbage_of_any_size_is_answered() {
        for piece in [
            "}", "=", ")", "a=", "{}", "a (", "/*", "*/", "{/-}", "\"", "\\", "\n", "#", "/-",
        ] {
            let text = piece.repeat(6000 / piece.len());
            let _ = parse(&WorkloadSource::new("a.kdl", &text));
            assert!(parse(&WorkloadSource::new("a.kdl", &piece.repeat(BYTES + 1))).is_err());
            assert!(
                parse(&WorkloadSource::new(
                    "a.kdl",
                    &piece.repeat(PLAIN_BYTES + 1)
                ))
                .is_err()
            );
        }
    }
}
