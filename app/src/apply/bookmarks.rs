//! Actions that mark places of a capture, and go to them.

use engine::capture::Capture;
use engine::record::{Bookmark, SpanId};
use engine::time::{Interval, Nanos};

use super::{navigation, view};
use crate::action::{AppRequest, BookmarkAction, Command};
use crate::state::{AppState, Notice, ViewChange};

/// The bottom tab that lists them.
const TAB: &str = "bookmarks";

/// So much of what a bookmark marks is shown beside it, for one of it on each side.
const AROUND: i64 = 10;

/// Applies an action that is about bookmarks. What is to be kept at once is asked for.
pub fn apply(
    state: &mut AppState,
    capture: &Capture,
    action: BookmarkAction,
) -> Option<AppRequest> {
    match action {
        BookmarkAction::Add(bookmark) => return Some(add(state, bookmark)),
        BookmarkAction::Note(place, text) => {
            state.bookmarks.is_typing = false;
            state.bookmarks.note(place, without_controls(&text));
        }
        BookmarkAction::Remove(place) => {
            if state.bookmarks.remove(place) {
                return Some(AppRequest::Keep);
            }
        }
        BookmarkAction::Keep => return Some(AppRequest::Keep),
        BookmarkAction::Visit(place) => visit(state, capture, place),
        BookmarkAction::Restore(kept) => {
            for bookmark in kept {
                let text = without_controls(&bookmark.text);
                state.bookmarks.restore(Bookmark { text, ..bookmark });
            }
        }
        BookmarkAction::ForgetSpans => state.bookmarks.forget_spans(),
        BookmarkAction::Follow => state.bookmarks.follow(capture),
    }
    None
}

/// A note on one line: what no font draws would be a row of boxes.
fn without_controls(text: &str) -> String {
    let shown = |it: char| if it.is_control() { ' ' } else { it };
    text.chars().map(shown).collect()
}

/// Does what a key or a menu asks of bookmarks.
pub fn command(state: &mut AppState, capture: &Capture, command: Command) -> Option<AppRequest> {
    let all = state.bookmarks.list.len();
    let next = match (command, state.bookmarks.visited) {
        (Command::Bookmark, _) => return here(state, capture),
        (Command::NextBookmark, Some(last)) => last + 1,
        (Command::NextBookmark, None) => 0,
        (_, Some(last)) => last.checked_sub(1)?,
        (_, None) => all.checked_sub(1)?,
    };
    if next < all {
        visit(state, capture, next);
    }
    None
}

/// Marks the selected span, else the range, else the instant under the pointer.
fn here(state: &mut AppState, capture: &Capture) -> Option<AppRequest> {
    let chosen = &state.selection;
    let span = chosen.span.and_then(|id| capture.span(id));
    let (at, span) = match (span, chosen.range, state.hover.time) {
        (Some(placed), ..) => (placed.interval(), placed.span.id),
        (None, Some(range), _) => (range, SpanId::NONE),
        (None, None, Some(time)) => (Interval::new(time, time), SpanId::NONE),
        (None, None, None) => {
            state.notice = Some(Notice {
                text:
                    "There is nothing to bookmark: select a span or a range, or point at an instant"
                        .to_owned(),
                is_error: false,
            });
            return None;
        }
    };
    let text = String::new();
    Some(add(state, Bookmark { at, span, text }))
}

/// Adds one and shows where its note is typed. It is kept at once.
fn add(state: &mut AppState, bookmark: Bookmark) -> AppRequest {
    state.bookmarks.visited = Some(state.bookmarks.add(bookmark));
    state.bookmarks.is_typing = true;
    state.settings.open_tab(TAB);
    AppRequest::Keep
}

/// Selects what is marked and brings it into view.
fn visit(state: &mut AppState, capture: &Capture, place: usize) {
    let Some(bookmark) = state.bookmarks.list.get(place) else {
        return;
    };
    let (at, span) = (bookmark.at, bookmark.span);
    state.bookmarks.visited = Some(place);
    if capture.span(span).is_some() {
        return navigation::reveal(state, capture, span);
    }
    let shown = state.view.shown(capture.extent());
    let length = if at.length() == Nanos::ZERO {
        shown.length()
    } else {
        navigation::select(state, None);
        state.selection.range = Some(at);
        at.length() + Nanos(at.length().0 / AROUND * 2)
    };
    let is_seen = shown.start <= at.start && at.end <= shown.end;
    if !is_seen || at.length().0 > 0 {
        let start = at.start + Nanos((at.length().0 - length.0) / 2);
        let wanted = Interval::new(start, start + length);
        view::show(state, Some(wanted), ViewChange::Jump);
    }
}
