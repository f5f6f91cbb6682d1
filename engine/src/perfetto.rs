//! Perfetto's file format, as far as captures use it: its messages, and what Syncline writes into them.

pub mod dialect;
pub mod proto;
pub mod view;
