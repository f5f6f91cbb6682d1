//! Everything a person sees.
pub mod state;
