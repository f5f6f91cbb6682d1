//! Several ranks as one capture, be they files that are opened together or processes that run: one way to number what
//! they say, one way to lay their times on one clock, and one way to tie what they did together.

pub mod align;
mod collectives;
mod exchange;
mod numbers;

pub use align::{ClockAlignment, UnalignedRecords};
pub use collectives::Collectives;
pub use exchange::{ExchangeDependency, Exchanges, IncompleteExchange};
pub use numbers::{FileNumbers, NumberCounts, Renumbering};
