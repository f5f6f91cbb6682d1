//! Files that nobody should have written, through every importer: each is an answer, in bounded memory and time.

mod changed;
mod dense;
mod heavy;
mod lanes;
mod long;
mod tables;

use std::ops::ControlFlow;

use engine::capture::Capture;
use engine::importer::{self, ImportError, Receipt, Source};

use crate::formats::damage::is_whole_or_told;

/// What is in a source, and its receipt. Whatever it is, this ends, and with an answer.
fn answer(source: &Source) -> Result<(Capture, Receipt), ImportError> {
    let mut capture = Capture::new();
    let receipt = importer::open_source(source, &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    })?;
    assert!(is_whole_or_told(&capture, &receipt), "{receipt:?}");
    Ok((capture, receipt))
}

/// The same for bytes under a name.
fn answer_to(name: &str, bytes: Vec<u8>) -> Result<(Capture, Receipt), ImportError> {
    answer(&Source::from_bytes(name, bytes)?)
}
