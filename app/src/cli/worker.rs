//! The far end of a link: an engine over standard input and output.

use std::io;

use engine::runner::far;

use super::{FINE, Stop, Streams};

/// Serves until the near end says goodbye, or is gone for good; with a token, leads to the worker that has it.
pub(super) fn worker(attach: Option<&str>, streams: &mut Streams<'_>) -> Result<u8, Stop> {
    if !streams.own_process {
        let text = "a worker needs standard input and output for itself";
        return Err(Stop::Wrong(text.to_owned()));
    }
    engine::backend::declare_worker();
    let (input, output) = (Box::new(io::stdin()), Box::new(io::stdout()));
    let done = match attach {
        Some(token) => far::attach(token, input, output),
        None => far::serve(input, output),
    };
    match done {
        Ok(()) | Err(far::WireError::Closed) => Ok(FINE),
        Err(error) => Err(Stop::Wrong(format!(
            "{error}. A worker is started by another Syncline: `syncline run --on user@host …`"
        ))),
    }
}
