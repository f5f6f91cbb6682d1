//! What a thread of its own finds while the window goes on drawing.

mod keyed;
mod statistics;

use std::task::Poll;

use crossbeam_channel::{Receiver, TryRecvError, bounded};
use eframe::egui::Context;

pub use keyed::{AT_ONCE, KeyedAnswer};
pub use statistics::StatisticsReading;

/// The answer of a thread that looks for it.
pub struct BackgroundAnswer<T>(Receiver<T>);

impl<T: Send + 'static> BackgroundAnswer<T> {
    /// Has a thread called `name` find an answer, and then the window of `context` drawn. What `find` holds is let go of
    /// before the answer can be taken, since a capture takes no record while a thread shares it.
    pub fn new(
        name: &str,
        context: Option<&Context>,
        find: impl FnOnce() -> T + Send + 'static,
    ) -> Self {
        let (sender, answer) = bounded(1);
        let context = context.cloned();
        let work = move || {
            // Nobody may want it any more.
            let _ = sender.send(find());
            if let Some(context) = context {
                context.request_repaint();
            }
        };
        // Without a thread the channel is closed, and that is an answer.
        let _ = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(work);
        Self(answer)
    }

    /// The answer once it is there, which is taken; nothing where no thread could be had, or where it ended without one.
    pub fn poll(&self) -> Poll<Option<T>> {
        match self.0.try_recv() {
            Ok(answer) => Poll::Ready(Some(answer)),
            Err(TryRecvError::Empty) => Poll::Pending,
            Err(TryRecvError::Disconnected) => Poll::Ready(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn waited_for<T: Send + 'static>(answer: &BackgroundAnswer<T>) -> Option<T> {
        loop {
            match answer.poll() {
                Poll::Ready(found) => return found,
                Poll::Pending => std::thread::yield_now(),
            }
        }
    }

    #[test]
    fn what_a_thread_finds_is_its_answer_and_shares_nothing_any_more() {
        let shared = Arc::new(7);
        let held = Arc::clone(&shared);
        let answer = BackgroundAnswer::new("test", None, move || *held);
        assert_eq!(waited_for(&answer), Some(7));
        assert_eq!(Arc::strong_count(&shared), 1);
        // It is given once.
        assert_eq!(waited_for(&answer), None);
    }

    #[test]
    fn a_thread_that_ends_without_an_answer_is_not_waited_for() {
        let (sender, receiver) = bounded::<u8>(1);
        drop(sender);
        // It unwinds, and says so on standard error.
        let answer =
            BackgroundAnswer::new("test", None, move || receiver.recv().expect("is closed"));
        assert_eq!(waited_for(&answer), None);
    }
}
