//! A ring as it was at an instant: it stays while the ring itself goes on.

use std::collections::VecDeque;
use std::io;

use tempfile::TempDir;

use super::{FactRing, RingFile};

/// The segments of a ring under names of their own, in a folder that goes with it: no byte is copied, and what the ring lets go is
/// here still.
pub struct RingCopy {
    ring: FactRing,
    /// Goes with what is in it.
    _place: TempDir,
}

impl RingCopy {
    /// What a ring has now.
    ///
    /// # Errors
    /// There can be no folder, or a segment cannot have a second name.
    pub fn of(ring: &mut FactRing) -> io::Result<Self> {
        let place = tempfile::Builder::new()
            .prefix(".copy-")
            .tempdir_in(&ring.folder)?;
        let mut copy = Self {
            ring: FactRing {
                early: ring.early.clone(),
                overflow: ring.overflow,
                ..FactRing::new(place.path(), ring.limit)
            },
            _place: place,
        };
        copy.follow(ring)?;
        Ok(copy)
    }

    /// Takes up what came since: processes hand over what they did with some delay. To be called before the ring lets anything go.
    ///
    /// # Errors
    /// A segment cannot have a second name.
    pub fn follow(&mut self, ring: &mut FactRing) -> io::Result<()> {
        ring.look();
        let known = self.ring.files.len();
        let new = ring.files.get(known..).unwrap_or_default();
        self.ring.files.extend(new.iter().map(|file| {
            let first = file.segments.front().map_or(&file.next, |it| &it.name);
            RingFile {
                next: first.clone(),
                segments: VecDeque::new(),
                carry: file.carry.clone(),
                damage: file.damage.clone(),
            }
        }));
        for (file, copied) in ring.files.iter().zip(&self.ring.files) {
            let is_new = |number: u32| number >= copied.next.number;
            for segment in file.segments.iter().filter(|it| is_new(it.name.number)) {
                let name = &segment.name;
                std::fs::hard_link(name.path(&ring.folder), name.path(&self.ring.folder))?;
            }
        }
        self.ring.look();
        Ok(())
    }

    /// It, to be read as the ring that it was.
    pub const fn ring(&mut self) -> &mut FactRing {
        &mut self.ring
    }
}
