//! Answers of wgpu that are futures by their type alone: away from the web they are there at once.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The answer of a future that only the calling thread moves.
pub fn ready<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}
