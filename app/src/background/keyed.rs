//! Answers about a capture that are found again whenever it, or what is asked, is another one.

use std::sync::Arc;
use std::task::Poll;

use eframe::egui::Context;
use engine::capture::Capture;

use super::BackgroundAnswer;

/// A capture with no more spans than this takes less than a frame, and no thread.
pub const AT_ONCE: usize = 4_096;

/// The answer that was found last, with what it is of, and the one in the making.
pub struct KeyedAnswer<K, T> {
    found: Option<(K, T)>,
    making: Option<(K, BackgroundAnswer<T>)>,
    version: u64,
}

impl<K, T> Default for KeyedAnswer<K, T> {
    fn default() -> Self {
        Self {
            found: None,
            making: None,
            version: 0,
        }
    }
}

impl<K: PartialEq, T: Send + 'static> KeyedAnswer<K, T> {
    /// The answer that was found last, and what it is of: that may be out of date.
    pub fn found(&self) -> Option<(&K, &T)> {
        self.found.as_ref().map(|(key, found)| (key, found))
    }

    /// The answer, where it is of this.
    pub fn of(&self, key: &K) -> Option<&T> {
        self.found().filter(|it| it.0 == key).map(|it| it.1)
    }

    /// Another number for each answer.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// Forgets what was found; what is in the making is let go of.
    pub fn forget(&mut self) {
        (self.found, self.making) = (None, None);
    }

    /// Forgets what was found, unless it is still good enough.
    pub fn retain(&mut self, is_good: impl FnOnce(&K) -> bool) {
        self.found = self.found.take().filter(|it| is_good(&it.0));
    }

    /// Takes what a thread called `name` has found, and has an answer for `key` looked for where none is there or in the making.
    /// Of a small capture it is there at once.
    pub fn advance<F: FnOnce(&Capture) -> T + Send + 'static>(
        &mut self,
        (name, context): (&str, &Context),
        capture: &Arc<Capture>,
        key: K,
        find: impl FnOnce(&K) -> F,
    ) {
        if let Some((made_of, answer)) = self.making.take() {
            match answer.poll() {
                Poll::Pending => self.making = Some((made_of, answer)),
                Poll::Ready(Some(found)) => self.take(made_of, found),
                Poll::Ready(None) => {}
            }
        }
        if self.making.is_some() || self.of(&key).is_some() {
            return;
        }
        let find = find(&key);
        if capture.span_ids() <= AT_ONCE {
            let found = find(capture);
            return self.take(key, found);
        }
        let shared = Arc::clone(capture);
        let answer = BackgroundAnswer::new(name, Some(context), move || find(&shared));
        self.making = Some((key, answer));
    }

    fn take(&mut self, key: K, found: T) {
        self.found = Some((key, found));
        self.version += 1;
    }
}
