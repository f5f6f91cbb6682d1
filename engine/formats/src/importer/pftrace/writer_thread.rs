//! The thread that a writer writes on: events of the old form are there where they name no track.

use super::event::EventView;
use super::other_tools::ForeignFile;
use super::tracks::writer_track;
use crate::perfetto::proto::{ProcessDescriptor, ThreadDescriptor, TrackDescriptor};

impl ThreadDescriptor {
    /// The numbers of the process and of the thread; nothing where one of them is not said.
    pub(super) fn numbers(&self) -> Option<(i32, i64)> {
        Some((self.pid?, self.tid?))
    }
}

impl ForeignFile {
    /// Takes the description of a track. The thread that a writer describes is the one that it writes on.
    pub(super) fn describe(&mut self, sequence: u32, track: TrackDescriptor) {
        let numbers = track.thread.as_ref().and_then(ThreadDescriptor::numbers);
        if numbers.is_some() {
            let writer = self.sequences.entry(sequence).or_default();
            writer.is_on(track.uuid.unwrap_or(0));
        }
        self.tracks.describe(track);
    }

    /// Takes what a writer says of its process and its thread in the form that came before tracks.
    pub(super) fn describe_writer(
        &mut self,
        sequence: u32,
        process: Option<ProcessDescriptor>,
        thread: Option<ThreadDescriptor>,
    ) {
        let track = TrackDescriptor {
            uuid: Some(writer_track(sequence)),
            process,
            thread,
            ..TrackDescriptor::default()
        };
        self.describe(sequence, track);
    }

    /// The place of the track that an event of a writer is on, as in Perfetto's
    /// `TrackEventEventImporter::ParseTrackAssociation`: the one that it names; of an event that names none, or that has no type
    /// and names the one of no number, the thread that it names or that its writer writes on. `home` is the track that events of
    /// the writer leave out, and its thread.
    pub(super) fn track_of(
        &mut self,
        sequence: u32,
        event: &EventView<'_>,
        (default, thread): (Option<u64>, Option<u64>),
    ) -> u32 {
        let named = event.track.or(default);
        let is_on_thread = named.unwrap_or(0) == 0 && (event.track.is_none() || event.kind == 0);
        let other = event.legacy.and_then(|it| it.other_thread());
        match (other, thread) {
            (Some(numbers), _) if is_on_thread => self.tracks.numbered_thread(numbers),
            (None, Some(thread)) if is_on_thread => self.tracks.place(thread),
            // Of a writer that names neither a track nor a thread it is its own.
            _ => self
                .tracks
                .place(named.unwrap_or_else(|| writer_track(sequence))),
        }
    }
}
