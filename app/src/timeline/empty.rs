//! A timeline without anything to show.

use eframe::egui::text::LayoutJob;
use eframe::egui::{Align, FontId, Painter, Rect, pos2};

use super::frame::{PendingContent, Picture};
use crate::theme::{BODY, GRID, SMALL};

/// Says what would fill the timeline.
pub(super) fn paint(painter: &Painter, whole: Rect, picture: &Picture<'_>) {
    let theme = picture.theme;
    painter.rect_filled(whole, 0.0, theme.canvas);
    let (head, hint) = match picture.pending {
        Some(PendingContent::File(file)) => (
            format!("Reading {file}"),
            "Its lanes appear here while it is read; Cancel above gives it up",
        ),
        Some(PendingContent::Program) => (
            "Nothing of the program is kept yet".to_owned(),
            "Start keeping, in the bar at the top, keeps what it does from then on",
        ),
        None if picture.can_lose => (
            "Nothing to show yet".to_owned(),
            "Run the chosen workload (Space), or open a capture: its lanes fill this space",
        ),
        None => (
            "The file that was opened holds nothing to show".to_owned(),
            "It has no spans and no samples; the tab Receipt says what was read",
        ),
    };
    let lines = [
        (head.as_str(), BODY, theme.text),
        (hint, SMALL + 1.0, theme.weak),
    ];
    let mut y = whole.center().y - 3.0 * GRID;
    for (line, size, color) in lines {
        let font = FontId::proportional(size);
        let mut job = LayoutJob::simple(line.to_owned(), font, color, whole.width() - 4.0 * GRID);
        job.halign = Align::Center;
        let galley = painter.layout_job(job);
        let height = galley.size().y;
        painter.galley(pos2(whole.center().x, y), galley, color);
        y += height + 2.0 * GRID;
    }
}
