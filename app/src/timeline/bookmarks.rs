//! Bookmarks on the timeline: a flag on the ruler and a line through the lanes at each, a bar on the ruler over the time of
//! those that mark some, and a mark on the minimap.

use eframe::egui::{
    Color32, CursorIcon, Painter, Popup, Pos2, Rect, Response, Shape, Stroke, pos2, vec2,
};
use engine::record::Bookmark;

use super::frame::PaintFrame;
use super::mesh_builder::MeshBuilder;
use super::scale::Scale;
use crate::action::{Action, BookmarkAction};
use crate::text;
use crate::theme::mixed;

/// Width and height of a flag, in points.
const FLAG: (f32, f32) = (9.0, 6.0);
/// Flags of which the pointer can tell one from another: of more in view only the first ones.
const MOST: usize = 1_000;

/// Those whose flags are in view, with their places in the list.
fn in_view<'a>(
    frame: &'a PaintFrame<'_>,
) -> impl Iterator<Item = (usize, &'a Bookmark, f32)> + use<'a> {
    let body = frame.areas.body.x_range();
    let all = frame.picture.state.bookmarks.list.iter().enumerate();
    let seen = all.filter_map(move |(place, bookmark)| {
        let x = frame.scale.x_from_time(bookmark.at.start);
        body.contains(x).then_some((place, bookmark, x))
    });
    seen.take(MOST)
}

/// Paints their lines through the lanes, below the spans.
pub fn ground(body: &Painter, frame: &PaintFrame<'_>) {
    let theme = frame.picture.theme;
    let line = Stroke::new(frame.pixel, mixed(theme.text, theme.canvas, 0.35));
    for (_, _, x) in in_view(frame) {
        body.vline(x, frame.areas.body.y_range(), line);
    }
}

/// Paints their flags on the ruler, and how long each marked range is.
pub fn paint(painter: &Painter, frame: &PaintFrame<'_>) {
    let theme = frame.picture.theme;
    let inside = painter.with_clip_rect(frame.areas.ruler);
    for bookmark in &frame.picture.state.bookmarks.list {
        range(&inside, frame, bookmark);
    }
    let visited = frame.picture.state.bookmarks.visited;
    for (place, _, x) in in_view(frame) {
        let is_visited = visited == Some(place);
        let colour = if is_visited { theme.accent } else { theme.text };
        flag(&inside, frame, (x, colour));
    }
}

/// How long a marked range is.
fn range(painter: &Painter, frame: &PaintFrame<'_>, bookmark: &Bookmark) {
    let (ruler, theme) = (frame.areas.ruler, frame.picture.theme);
    let x = |time| frame.scale.x_from_time(time);
    let (left, right) = (x(bookmark.at.start), x(bookmark.at.end));
    if right - left > 1.0 && right > ruler.left() && left < ruler.right() {
        let top = ruler.top();
        let bar = Rect::from_min_max(pos2(left, top), pos2(right, top + 2.0));
        let colour = mixed(theme.text, theme.panel, 0.5);
        painter.rect_filled(bar.intersect(ruler), 0.0, colour);
    }
}

fn flag(painter: &Painter, frame: &PaintFrame<'_>, (x, colour): (f32, Color32)) {
    // Below the times, which it would cover.
    let bottom = frame.areas.ruler.bottom();
    let top = bottom - FLAG.1 - 1.0;
    painter.vline(x, top..=bottom, Stroke::new(1.0, colour));
    let (width, height) = FLAG;
    let tip = pos2(x + width, top + height / 2.0);
    let corners = vec![pos2(x, top), tip, pos2(x, top + height)];
    painter.add(Shape::convex_polygon(corners, colour, Stroke::NONE));
}

/// Marks each on the minimap.
pub fn on_minimap(painter: &Painter, frame: &PaintFrame<'_>, scale: &Scale) {
    let area = frame.areas.minimap;
    let mut sheet = MeshBuilder::new(painter.pixels_per_point());
    let mut last = f32::NEG_INFINITY;
    for bookmark in &frame.picture.state.bookmarks.list {
        let x = sheet.snap(scale.x_from_time(bookmark.at.start));
        if x >= last + 1.0 && area.x_range().contains(x) {
            last = x;
            let mark = Rect::from_min_size(pos2(x, area.top()), vec2(1.0, 6.0));
            sheet.rect(mark, frame.picture.theme.text);
        }
    }
    if !sheet.is_empty() {
        painter.add(sheet.into_shape());
    }
}

/// The bookmark whose flag is at a point, by its place in the list.
pub fn at(frame: &PaintFrame<'_>, point: Pos2) -> Option<(usize, Bookmark)> {
    let top = frame.areas.ruler.bottom() - FLAG.1 - 4.0;
    let flag = |x: f32| Rect::from_min_size(pos2(x - 2.0, top), vec2(FLAG.0 + 3.0, FLAG.1 + 4.0));
    let found = in_view(frame).filter(|(.., x)| flag(*x).contains(point));
    found
        .last()
        .map(|(place, bookmark, _)| (place, bookmark.clone()))
}

/// Goes to the bookmark whose flag is clicked, and says what was noted under the pointer; returns whether it is on one.
pub fn input(frame: &PaintFrame<'_>, ruler: &Response, actions: &mut Vec<Action>) -> bool {
    let Some((place, bookmark)) = ruler.hover_pos().and_then(|it| at(frame, it)) else {
        return false;
    };
    if ruler.clicked() {
        actions.push(Action::Bookmark(BookmarkAction::Visit(place)));
    }
    let what = text::of_bookmark(frame.picture.capture, &bookmark);
    let words = if bookmark.text.is_empty() {
        what
    } else {
        format!("{}\n{what}", bookmark.text)
    };
    // A menu that is open is not covered.
    if !Popup::is_any_open(&ruler.ctx) {
        let response = ruler.clone().on_hover_cursor(CursorIcon::PointingHand);
        response.on_hover_text_at_pointer(words);
    }
    true
}
