//! What cannot happen unless Syncline itself is wrong: it ends a test, and is told where people use it.
//!
//! A branch that nothing can reach takes a value by [`impossible!`](crate::impossible) instead of a silent default. In a build
//! with debug assertions that is a panic. In any other the value is `Default::default()`, and the place is kept, once, until
//! [`take_broken`] hands it to whoever can tell people.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The code of the problem that an invariant did not hold.
pub const BROKEN: &str = "broken-invariant";

/// More places than this are not told apart: whatever is wrong shows in the first ones.
const MOST: usize = 32;

static PLACES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps one place in the source at which something impossible happened, unless `is_told` says that it was kept before.
///
/// # Panics
/// Always, in a build with debug assertions.
#[cold]
pub fn report(is_told: &AtomicBool, file: &str, line: u32, what: &str) {
    debug_assert!(false, "{file}:{line}: {what}");
    if is_told.swap(true, Ordering::Relaxed) {
        return;
    }
    let place = format!(
        "Syncline contradicts itself: {what} ({file}:{line}). What it shows of this may be wrong; please report it, with the \
         file or the workload if you can."
    );
    if let Ok(mut places) = PLACES.lock()
        && places.len() < MOST
    {
        places.push(place);
    }
}

/// What was reported since this was last asked, in words, each place once in the life of the process.
pub fn take_broken() -> Vec<String> {
    PLACES
        .lock()
        .map_or_else(|_| Vec::new(), |mut it| std::mem::take(&mut *it))
}

/// Stands where the program cannot come, and has the type's default as its value.
///
/// ```should_panic
/// let lanes = [4_u32, 7];
/// // A place that was found in `lanes` is in `lanes`.
/// let first: u32 = lanes.get(5).copied().unwrap_or_else(|| record::impossible!("a lane outside the table"));
/// # #[cfg(not(debug_assertions))] panic!("{first}");
/// ```
#[macro_export]
macro_rules! impossible {
    ($what:literal) => {{
        static IS_TOLD: ::std::sync::atomic::AtomicBool =
            ::std::sync::atomic::AtomicBool::new(false);
        $crate::invariant::report(&IS_TOLD, file!(), line!(), $what);
        ::core::default::Default::default()
    }};
}
