//! How far something has come, drawn on a terminal and nowhere else.

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::plain::plain;

/// A line that is drawn while something goes on, and gone when it is dropped.
pub(super) struct ProgressLine(ProgressBar);

impl ProgressLine {
    /// Bytes of a file of `total`.
    pub fn bytes(watched: bool, total: u64) -> Self {
        let template = "{bar:32} {bytes} of {total_bytes}, {bytes_per_sec}";
        Self(bar(watched, Some(total), template))
    }

    /// Something whose end is not known.
    pub fn open_ended(watched: bool) -> Self {
        Self(bar(watched, None, "{spinner} {elapsed} {msg}"))
    }

    /// It has come to `position`.
    pub fn at(&self, position: u64) {
        self.0.set_position(position);
    }

    /// It has written so many bytes.
    pub fn written(&self, name: &str, bytes: u64) {
        let name = plain(name);
        self.0.set_message(format!("{name}: {}", HumanBytes(bytes)));
        self.0.tick();
    }

    /// It has read so many rows of tables.
    pub fn rows(&self, rows: u64) {
        let rows = HumanCount(rows);
        self.0.set_message(format!("asking: {rows} rows read"));
        self.0.tick();
    }

    /// It has concluded so much of a capture, from 0 to 1.
    pub fn concluded(&self, share: f32) {
        let percent = (share * 100.0) as u32;
        self.0.set_message(format!("finding causes: {percent} %"));
        self.0.tick();
    }

    /// It has come to so many spans.
    pub fn spans(&self, name: &str, spans: usize) {
        let (name, spans) = (plain(name), HumanCount(spans as u64));
        self.0.set_message(format!("{name}: {spans} spans"));
        self.0.tick();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn bar(watched: bool, total: Option<u64>, template: &str) -> ProgressBar {
    let target = if watched {
        ProgressDrawTarget::stderr_with_hz(10)
    } else {
        ProgressDrawTarget::hidden()
    };
    let style = ProgressStyle::with_template(template);
    ProgressBar::with_draw_target(total, target)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
