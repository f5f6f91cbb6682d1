//! Reads on a thread of its own, so that reading on and taking what was read go side by side.

use std::ops::ControlFlow;
use std::thread;

use crossbeam_channel::bounded;

use super::{ImportBatch, ImportError};

/// How many batches may wait to be taken.
const AHEAD: usize = 8;
/// What the thread may put on its stack, as the first thread of a process may.
const STACK: usize = 8 << 20;

/// Lets `work` hand over its batches on another thread; `out` takes them on this one. Where the system has no thread
/// left, both happen here.
pub(super) fn read_on_thread<T: Send>(
    work: impl Fn(&mut dyn FnMut(ImportBatch) -> ControlFlow<()>) -> Result<T, ImportError> + Sync,
    out: &mut dyn FnMut(ImportBatch) -> ControlFlow<()>,
) -> Result<T, ImportError> {
    thread::scope(|scope| {
        let (sender, batches) = bounded::<ImportBatch>(AHEAD);
        let work = &work;
        let named = thread::Builder::new().name("open".to_owned());
        let started = named.stack_size(STACK).spawn_scoped(scope, move || {
            work(&mut |batch| match sender.send(batch) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            })
        });
        let Ok(started) = started else {
            return work(out);
        };
        let mut cancelled = false;
        for batch in batches {
            if out(batch).is_break() {
                cancelled = true;
                break;
            }
        }
        // Nobody receives any more, so the work ends with its next batch.
        match started.join() {
            Ok(Ok(_)) if cancelled => Err(ImportError::Cancelled),
            Ok(answer) => answer,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(
        to: u64,
    ) -> impl Fn(&mut dyn FnMut(ImportBatch) -> ControlFlow<()>) -> Result<u64, ImportError> {
        move |out| {
            for read in 0..to {
                let batch = ImportBatch {
                    read,
                    ..ImportBatch::default()
                };
                if out(batch).is_break() {
                    return Err(ImportError::Cancelled);
                }
            }
            Ok(to)
        }
    }

    #[test]
    fn every_batch_comes_in_order() {
        let mut next = 0;
        let answer = read_on_thread(count(1_000), &mut |batch| {
            assert_eq!(batch.read, next);
            next += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((answer.unwrap(), next), (1_000, 1_000));
    }

    #[test]
    fn whoever_wants_no_more_gets_no_more() {
        for last in [0, 500, 999] {
            let mut taken = 0;
            let answer = read_on_thread(count(1_000), &mut |batch| {
                taken += 1;
                if batch.read == last {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            assert!(matches!(answer, Err(ImportError::Cancelled)));
            assert_eq!(taken, last + 1);
        }
    }
}
