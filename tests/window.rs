//! The window: its panels without a display, and the real one on a display of its own.

pub mod desktop;
pub mod from_python;
pub mod graphics;
pub mod ui;
