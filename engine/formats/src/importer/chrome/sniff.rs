//! Whether a file is of this format, and what it is where it only looks so.

use super::scan::ByteCursor;
use super::stream::file_header::is_ours;
use crate::importer::{ImportError, Source};

/// Other tools whose results are JSON, too.
const OTHERS: [&str; 1] = ["\"rocprofiler-sdk-tool\""];
/// How far a file is looked at for signs that it is no text, and how many a damaged one may have.
const LOOKED_AT: usize = 256;
const ODD: usize = 1;

/// Whether a file that begins so is a list of events, or an object that holds one.
pub(super) fn is_list_of_events(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let mut cursor = ByteCursor::new(head, 0);
    cursor.space();
    let first = cursor.peek();
    cursor.step();
    cursor.space();
    match (first, cursor.peek()) {
        (Some(b'{'), Some(b'"')) => !OTHERS.iter().any(|key| contains(head, key)),
        (Some(b'['), None | Some(b']')) => true,
        (Some(b'['), Some(b'{')) => contains(head, "\"ph\"") || is_empty_object(head, &cursor),
        _ => is_damaged(head),
    }
}

/// Whether a file is a list of events whose first bytes are not as they were.
fn is_damaged(head: &[u8]) -> bool {
    let has_list = contains(head, "\"traceEvents\"") && contains(head, "\"ph\"");
    let is_other = OTHERS.iter().any(|key| contains(head, key));
    let is_odd = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let odd = head.iter().take(LOOKED_AT).filter(is_odd);
    is_ours(head) || has_list && !is_other && odd.count() <= ODD
}

/// Whether an object without fields stands there, as some writers begin.
fn is_empty_object(head: &[u8], cursor: &ByteCursor<'_>) -> bool {
    let mut cursor = ByteCursor::new(head, cursor.at() + 1);
    cursor.space();
    matches!(cursor.peek(), Some(b'}') | None) || head.len() < 64
}

fn contains(head: &[u8], text: &str) -> bool {
    memchr::memmem::find(head, text.as_bytes()).is_some()
}

/// Why nothing can be shown of a file.
pub(super) fn useless(source: &Source) -> ImportError {
    const KNOWN: &[(&[&str], &str)] = &[
        (
            &["\"spans\""],
            "it seems to hold spans of a distributed system, not of a GPU",
        ),
        // Of Chakra, and of PyTorch's ExecutionTraceObserver. Many other files have nodes.
        (
            &["\"schema\"", "\"nodes\""],
            "it is an execution graph without streams; open the trace that was taken beside it",
        ),
    ];
    let all = |signs: &[&str]| signs.iter().all(|sign| contains(source.head(), sign));
    let known = KNOWN.iter().find(|(signs, _)| all(signs));
    let why = known.map_or(
        "it is JSON without a list “traceEvents”, or breaks off before it",
        |(_, why)| why,
    );
    ImportError::Useless {
        path: source.path().to_owned(),
        why: why.to_owned(),
    }
}
