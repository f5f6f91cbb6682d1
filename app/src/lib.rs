//! Everything a person sees.
pub mod action;
pub mod app;
pub mod apply;
pub mod background;
pub mod capture_link;
pub mod cli;
pub mod panel;
pub mod report;
pub mod state;
pub mod text;
pub mod theme;
pub mod timeline;
