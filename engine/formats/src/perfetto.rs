//! Perfetto's file format, as far as captures use it: its messages, and what Syncline writes into them and into trace JSON.

pub mod dialect;
pub mod fact;
pub mod json;
pub mod proto;
pub mod view;
