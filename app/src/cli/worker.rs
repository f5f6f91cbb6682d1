//! The far end of a link: an engine over standard input and output.

use std::io;

use engine::runner::far;

use super::{CliFailure, FINE, OutputStreams};

/// Serves until the near end says goodbye, or is gone for good; with a token, leads to the worker that has it.
pub(super) fn worker(
    attach: Option<&str>,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    if !streams.own_process {
        let text = "a worker needs standard input and output for itself";
        return Err(CliFailure::Wrong(text.to_owned()));
    }
    engine::backend::declare_worker();
    let (input, output) = (Box::new(io::stdin()), Box::new(io::stdout()));
    let done = match attach {
        Some(token) => far::attach(token, input, output),
        None => far::serve(input, output),
    };
    match done {
        Ok(()) | Err(far::WireError::Closed) => Ok(FINE),
        Err(error) => Err(CliFailure::Wrong(format!(
            "{error}. A worker is started by another Syncline: `syncline run --on user@host …`"
        ))),
    }
}
