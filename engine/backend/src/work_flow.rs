//! How the work of an operation goes on: at once, or in parts that are spread over a length of time.

use std::ops::Range;

use super::spin::spin;
use super::threads::ExecutionError;
use record::time::Nanos;

/// Parts that the work of an operation is cut into, at most.
pub const PARTS: usize = 16;
/// The least that a part has to do: a few numbers are one part.
const LEAST: usize = 64;

/// How the work of an operation goes on.
pub trait WorkFlow {
    /// Asked before each part of the work: so much of `all` is done.
    ///
    /// # Errors
    /// Nobody will see what it comes to: it need not go on.
    fn part(&self, done: usize, all: usize) -> Result<(), ExecutionError>;

    /// Computes for about so long, and nothing in particular.
    ///
    /// # Errors
    /// It was stopped in its middle.
    fn spin(&self, length: Nanos) -> Result<(), ExecutionError>;

    /// Whether nobody will see what it comes to.
    fn is_over(&self) -> bool;

    /// All parts are done.
    fn done(&self) {}
}

/// Everything at once, as fast as it goes; a spin gives up once it comes true.
pub struct AtOnce<'a>(pub &'a dyn Fn() -> bool);

impl WorkFlow for AtOnce<'_> {
    fn part(&self, _: usize, _: usize) -> Result<(), ExecutionError> {
        Ok(())
    }

    fn spin(&self, length: Nanos) -> Result<(), ExecutionError> {
        spin(length, self.0)
    }

    fn is_over(&self) -> bool {
        (self.0)()
    }
}

/// Does `work` for all of `count` things, part by part.
///
/// # Errors
/// A part failed, or is not to be done any more.
pub fn in_parts(
    flow: &dyn WorkFlow,
    count: usize,
    mut work: impl FnMut(Range<usize>) -> Result<(), ExecutionError>,
) -> Result<(), ExecutionError> {
    let size = count.div_ceil(PARTS).max(LEAST.min(count)).max(1);
    by_steps(flow, count, size, &mut work)
}

/// The same for things of which few are much work: a row of a matrix, a body.
///
/// # Errors
/// As [`in_parts`].
pub fn in_large_parts(
    flow: &dyn WorkFlow,
    count: usize,
    mut work: impl FnMut(Range<usize>) -> Result<(), ExecutionError>,
) -> Result<(), ExecutionError> {
    by_steps(flow, count, count.div_ceil(PARTS).max(1), &mut work)
}

fn by_steps(
    flow: &dyn WorkFlow,
    count: usize,
    size: usize,
    work: &mut dyn FnMut(Range<usize>) -> Result<(), ExecutionError>,
) -> Result<(), ExecutionError> {
    for first in (0..count).step_by(size) {
        flow.part(first, count)?;
        work(first..count.min(first + size))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    struct PartLog(RefCell<Vec<usize>>);

    impl WorkFlow for PartLog {
        fn part(&self, done: usize, _: usize) -> Result<(), ExecutionError> {
            self.0.borrow_mut().push(done);
            Ok(())
        }

        fn spin(&self, _: Nanos) -> Result<(), ExecutionError> {
            Ok(())
        }

        fn is_over(&self) -> bool {
            false
        }
    }

    #[test]
    fn parts_cover_everything_once_and_in_order() {
        for count in [0, 1, 7, 64, 65, 1000, 1024, 4097] {
            let told = PartLog(RefCell::default());
            let mut next = 0;
            in_parts(&told, count, |range| {
                assert_eq!(range.start, next);
                next = range.end;
                Ok(())
            })
            .unwrap();
            assert_eq!(next, count);
            let parts = told.0.into_inner();
            assert!(parts.len() <= PARTS, "{count}: {parts:?}");
            assert_eq!(parts.len() == 1, (1..=LEAST).contains(&count), "{count}");
        }
        let told = PartLog(RefCell::default());
        in_large_parts(&told, 7, |_| Ok(())).unwrap();
        assert_eq!(told.0.into_inner().len(), 7);
    }
}
