//! Walks through a file: processes, their sections, and in these one element after the other.

use crate::importer::ImportError;
use crate::importer::json::window::{ReadWindow, WindowFault};

/// The key of the list of processes.
pub(super) const ROOT: &str = "rocprofiler-sdk-tool";
/// Sections that hold lists by name; the others are lists or objects themselves.
const NAMED: &[&str] = &["strings", "callback_records", "buffer_records"];

/// So many elements of a list that are damaged are passed one by one.
const MOST_DAMAGED: u32 = 64;

/// Where an element stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementPosition<'a> {
    /// The number of the process, counted from 0.
    pub process: u32,
    /// The section, such as `buffer_records`.
    pub section: &'a str,
    /// The list in it, such as `kernel_dispatch`; empty where the section is one itself.
    pub list: &'a str,
    /// The byte of the file behind the element.
    pub end: u64,
}

/// Why the walk ended early.
#[derive(Debug)]
pub(super) enum WalkStop {
    /// The file is damaged.
    Fault(WindowFault),
    /// The reader wants no more.
    Error(ImportError),
}

impl From<WindowFault> for WalkStop {
    fn from(fault: WindowFault) -> Self {
        Self::Fault(fault)
    }
}

/// Takes one element as it stands in the file.
pub(super) type ElementHandler<'a> =
    dyn FnMut(ElementPosition<'_>, &[u8]) -> Result<(), ImportError> + 'a;

/// Gives every element of every section to `take`.
pub(super) fn walk(window: &mut ReadWindow, take: &mut ElementHandler<'_>) -> Result<(), WalkStop> {
    let mut process = 0;
    object(window, &mut |window, key| {
        if key != ROOT || window.peek() != Some(b'[') {
            return Ok(window.skip()?);
        }
        list(window, &mut |window| {
            object(window, &mut |window, section| {
                if !NAMED.contains(&section) {
                    return elements(window, (process, section, ""), take);
                }
                object(window, &mut |window, list| {
                    elements(window, (process, section, list), take)
                })
            })?;
            process += 1;
            Ok(())
        })
    })
}

/// Gives every element of a list, or a value that is no list as a whole.
fn elements(
    window: &mut ReadWindow,
    (process, section, name): (u32, &str, &str),
    take: &mut ElementHandler<'_>,
) -> Result<(), WalkStop> {
    // What is damaged may look as if it went on to the end of the file, which is looked through each time.
    let mut tries = MOST_DAMAGED;
    let mut one = |window: &mut ReadWindow| {
        let bytes = match window.value().map(|bytes| bytes.len() as u64) {
            Ok(bytes) => bytes,
            // What is too long to be read is no element that can be understood, and neither is what is damaged.
            Err(WindowFault::Long) => 0,
            Err(WindowFault::Cut) if !window.ends_whole() => return Err(WindowFault::Cut.into()),
            Err(_) if tries == 0 || !window.resume() => return Err(WindowFault::Bad.into()),
            Err(_) => {
                tries -= 1;
                0
            }
        };
        let end = window.place();
        let place = ElementPosition {
            process,
            section,
            list: name,
            end,
        };
        take(place, window.passed(bytes)).map_err(WalkStop::Error)
    };
    if window.peek() == Some(b'[') {
        list(window, &mut one)
    } else {
        one(window)
    }
}

/// Walks through an object: each key, with the window before its value.
fn object(
    window: &mut ReadWindow,
    each: &mut dyn FnMut(&mut ReadWindow, &str) -> Result<(), WalkStop>,
) -> Result<(), WalkStop> {
    window.expect_byte(b'{')?;
    loop {
        match window.peek() {
            Some(b'}') => {
                window.step();
                return Ok(());
            }
            Some(b',') => window.step(),
            Some(b'"') => {
                let key = String::from_utf8_lossy(window.value()?).into_owned();
                window.expect_byte(b':')?;
                each(window, key.trim_matches('"'))?;
            }
            Some(_) => return Err(WindowFault::Bad.into()),
            None => return Err(WindowFault::Cut.into()),
        }
    }
}

/// Walks through a list, with the window before each element.
fn list(
    window: &mut ReadWindow,
    each: &mut dyn FnMut(&mut ReadWindow) -> Result<(), WalkStop>,
) -> Result<(), WalkStop> {
    window.expect_byte(b'[')?;
    loop {
        match window.peek() {
            Some(b']') => {
                window.step();
                return Ok(());
            }
            Some(b',') => window.step(),
            Some(_) => each(window)?,
            None => return Err(WindowFault::Cut.into()),
        }
    }
}
