//! The file of one process, read as it grows: a segment after the other.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use cuda_recorder::{Fact, FactDecoder, FactFileDamage, HEADER, SegmentName};

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// A file, and how far it was read.
pub struct GrowingFile {
    folder: PathBuf,
    /// The segment that is read.
    name: SegmentName,
    file: File,
    decoder: FactDecoder,
    piece: Vec<u8>,
    /// What was wrong with segments before.
    damage: FactFileDamage,
    /// Whether segments that were read are removed.
    removes: bool,
    is_over: bool,
}

impl GrowingFile {
    /// The file that begins with a segment in a folder; nothing where it cannot be read.
    pub fn open(folder: &Path, name: SegmentName, removes: bool) -> Option<Self> {
        let file = File::open(name.path(folder)).ok()?;
        Some(Self {
            folder: folder.to_owned(),
            name,
            file,
            decoder: FactDecoder::default(),
            piece: Vec::new(),
            damage: FactFileDamage::default(),
            removes,
            is_over: false,
        })
    }

    /// The segment that is read.
    pub const fn name(&self) -> &SegmentName {
        &self.name
    }

    /// Reads the next piece and hands over its facts; says whether there was anything.
    pub fn read(&mut self, take: &mut dyn FnMut(Fact)) -> bool {
        // One that another follows is written to no more.
        let next = self.name.next();
        let next = File::open(next.path(&self.folder)).ok().zip(Some(next));
        let mut count = 0;
        if !self.is_over {
            self.piece.resize(PIECE, 0);
            // What cannot be read now may be the next time; in the end it is missing, and that is told.
            count = self.file.read(&mut self.piece).unwrap_or(0);
        }
        self.decoder
            .push(self.piece.get(..count).unwrap_or_default());
        let mut has_read = self.hand_over(take) || count > 0;
        if let (Some((file, name)), 0, false) = (next, count, self.is_over) {
            self.decoder.finish();
            self.hand_over(take);
            self.begin(file, name);
            has_read = true;
        }
        has_read
    }

    fn hand_over(&mut self, take: &mut dyn FnMut(Fact)) -> bool {
        let mut has_any = false;
        for fact in self.decoder.by_ref() {
            has_any = true;
            take(fact);
        }
        has_any
    }

    /// Goes on with the next segment.
    fn begin(&mut self, file: File, name: SegmentName) {
        self.damage = self.damage();
        if self.removes {
            // What stays goes with the folder.
            let _ = std::fs::remove_file(self.name.path(&self.folder));
        }
        self.decoder = FactDecoder::default();
        self.file = file;
        self.name = name;
    }

    /// Nothing more comes: what is left is taken as it is.
    pub fn finish(&mut self) {
        self.is_over = true;
        self.decoder.finish();
        let mut header = [0; HEADER];
        let again = File::open(self.name.path(&self.folder));
        if again
            .and_then(|mut file| file.read_exact(&mut header))
            .is_ok()
        {
            self.decoder.note_header(&header);
        }
    }

    /// What was wrong with it.
    pub fn damage(&self) -> FactFileDamage {
        let (before, now) = (&self.damage, self.decoder.damage());
        FactFileDamage {
            skipped: before.skipped + now.skipped,
            cut: before.cut + now.cut,
            version: before.version.or(now.version),
            failed: before.failed.or(now.failed),
        }
    }
}

#[cfg(test)]
mod tests;
