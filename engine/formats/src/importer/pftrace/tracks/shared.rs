//! Which tracks share a lane: a writer gives every asynchronous operation a track of its own, and those of one name below one
//! track are drawn as one, as in Perfetto.

use super::{PftraceTracks, TrackKey, UsedTrack, names};
use crate::perfetto::proto::{MERGE_BY_KEY, TrackDescriptor};

/// Siblings are kept apart.
const NEVER: i32 = 2;

/// Which of its siblings a track shares its row with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TrackMerge {
    /// Those of the same name.
    #[default]
    ByName,
    /// Those of the same key.
    ByKey(u64),
    Never,
}

impl TrackMerge {
    /// What a description says of it, if it does.
    pub fn of(track: &TrackDescriptor) -> Option<Self> {
        Some(match track.sibling_merge_behavior? {
            MERGE_BY_KEY => Self::ByKey(track.sibling_merge_key_int.unwrap_or(0)),
            NEVER => Self::Never,
            _ => Self::ByName,
        })
    }
}

/// What tracks that share a lane have in common: the track that they are below, and this.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum SharedKey {
    Named(u64, Box<str>),
    /// Those without a name go by that of their first slice.
    First(u64, u32),
    Key(u64, u64),
    /// Asynchronous operations of the old form, by their process and the name of the first slice.
    Numbered(Option<i32>, u32),
}

impl PftraceTracks {
    /// What a track whose first slice has this name shares its lane by. Nothing where it has one of its own: threads, processes
    /// and streams have.
    pub(super) fn shared_key(&self, used: &UsedTrack, first: u32) -> Option<SharedKey> {
        let uuid = match &used.key {
            TrackKey::Track(uuid) => uuid,
            TrackKey::Numbered(..) => return Some(SharedKey::Numbered(used.process, first)),
            _ => return None,
        };
        let track = self.described(*uuid)?;
        let parent = track.parent_uuid?;
        if track.thread().is_some() || track.process().is_some() {
            return None;
        }
        match (track.merge(), track.name.as_deref()) {
            (TrackMerge::Never, _) => None,
            (TrackMerge::ByKey(key), _) => Some(SharedKey::Key(parent, key)),
            (TrackMerge::ByName, None | Some("")) => Some(SharedKey::First(parent, first)),
            (TrackMerge::ByName, Some(name)) if names::says_stream(name) => None,
            (TrackMerge::ByName, Some(name)) => Some(SharedKey::Named(parent, name.into())),
        }
    }
}
