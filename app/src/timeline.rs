//! The timeline: one picture of everything that ran.
pub mod ruler;
pub mod scale;
