//! From text to KDL nodes, or to what is no KDL: however damaged the text is, within bounds.

use std::{io, thread};

use kdl::{KdlDocument, KdlError};

use super::plain_syntax::departs;
use crate::error::{WorkloadError, WorkloadSource};

/// Bytes of a workload file, at most: the parser's time on damaged text grows with their square.
const BYTES: usize = 32 << 10;
/// The same for a text of which one look shows that it is not damaged, such as one that was extracted from a capture.
const PLAIN_BYTES: usize = 1 << 20;
/// Blocks and comments inside each other, at most.
const NESTING: usize = 48;
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
    let mut in_text = 0..0;
    for (byte, c) in text.bytes().enumerate() {
        if in_text.contains(&byte) {
            // Whatever a text holds, such as a shader, is no block.
            continue;
        }
        if comments == 0 && matches!(c, b'"' | b'#') {
            let rest = text.as_bytes().get(byte..).unwrap_or_default();
            in_text = byte..byte + text_length(rest);
        }
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

/// How long the text is that begins here, plain or raw, on one line or several; 0 where none does, or it has no end.
fn text_length(bytes: &[u8]) -> usize {
    let hashes = bytes.iter().take_while(|it| **it == b'#').count();
    let body = bytes.get(hashes..).unwrap_or_default();
    let quotes = match body {
        [b'"', b'"', b'"', ..] => 3,
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
            b'\n' if quotes == 1 => return 0,
            b'"' if body.get(at..).is_some_and(ends) => return 2 * hashes + at + quotes,
            _ => {}
        }
        at += 1;
    }
    0
}

fn errors(source: &WorkloadSource, error: &KdlError) -> Vec<WorkloadError> {
    let found = error.diagnostics.iter().map(|found| {
        let start = found.span.offset();
        let message = found.message.as_deref().unwrap_or("this is not KDL");
        let help = found
            .help
            .clone()
            .or_else(|| found.label.clone())
            .unwrap_or_default();
        source.error(start..start + found.span.len(), message, help)
    });
    let found: Vec<WorkloadError> = found.collect();
    if found.is_empty() {
        vec![source.error(0..0, "this is not KDL", "")]
    } else {
        found
    }
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
