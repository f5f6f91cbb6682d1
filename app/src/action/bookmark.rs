//! What the user can want of bookmarks.

use engine::record::Bookmark;

/// What the user wants of bookmarks. A place is one in the list, which is in the order of time.
#[derive(Clone, Debug, PartialEq)]
pub enum BookmarkAction {
    /// Mark this place, unless it is marked already.
    Add(Bookmark),
    /// Note this at the bookmark of a place.
    Note(usize, String),
    /// Keep what was noted.
    Keep,
    /// Forget the bookmark of a place.
    Remove(usize),
    /// Go to the bookmark of a place.
    Visit(usize),
    /// These were kept of the capture, or stand in its file; those that were made meanwhile stay.
    Restore(Vec<Bookmark>),
    /// Spans have other numbers from now on: what marked one marks its time.
    ForgetSpans,
    /// Spans have moved in time, and what marks one moves with it.
    Follow,
}
