//! What is kept of a capture from one opening to the next.

use engine::record::{Bookmark, SpanId};
use engine::time::Interval;
use serde::{Deserialize, Serialize};

use super::{AppState, Selection, View};

/// Where the user was in a capture. Its lanes and spans are numbered as they were when the same files were read before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptView {
    /// What was visible.
    pub view: View,
    /// The selected span's number.
    pub span: Option<u32>,
    /// The selected range of time.
    pub range: Option<Interval>,
    /// What was marked; nothing where that was not asked yet, and so what the files have stands.
    pub bookmarks: Option<Vec<Bookmark>>,
}

impl KeptView {
    /// Where the user is in the capture on screen.
    pub fn of(state: &AppState) -> Self {
        Self {
            view: state.view.clone(),
            span: state.selection.span.map(|span| span.0),
            range: state.selection.range,
            bookmarks: Some(state.bookmarks.list.clone()),
        }
    }

    /// Goes there. What was marked is another matter: it is there however the user came to this place.
    pub fn restore(self, state: &mut AppState) {
        state.view = self.view;
        state.selection = Selection {
            span: self.span.map(SpanId),
            range: self.range,
            ..Selection::default()
        };
    }
}
