//! One file of a process, read as it grows.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use cuda_recorder::{Fact, FactDecoder, FactFileDamage, HEADER};

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// A file, and how far it was read.
pub struct GrowingFile {
    pub path: PathBuf,
    file: File,
    decoder: FactDecoder,
    piece: Vec<u8>,
    is_over: bool,
}

impl GrowingFile {
    /// The file at a path, from its beginning; nothing where it cannot be read.
    pub fn open(path: PathBuf) -> Option<Self> {
        let file = File::open(&path).ok()?;
        Some(Self {
            path,
            file,
            decoder: FactDecoder::default(),
            piece: Vec::new(),
            is_over: false,
        })
    }

    /// Reads the next piece and hands over its facts; says whether there was anything.
    pub fn read(&mut self, take: &mut dyn FnMut(Fact)) -> bool {
        let mut count = 0;
        if !self.is_over {
            self.piece.resize(PIECE, 0);
            // What cannot be read now may be the next time; in the end it is missing, and that is told.
            count = self.file.read(&mut self.piece).unwrap_or(0);
        }
        self.decoder
            .push(self.piece.get(..count).unwrap_or_default());
        let mut has_read = count > 0;
        for fact in self.decoder.by_ref() {
            has_read = true;
            take(fact);
        }
        has_read
    }

    /// Nothing more comes: what is left is taken as it is.
    pub fn finish(&mut self) {
        self.is_over = true;
        self.decoder.finish();
        let mut header = [0; HEADER];
        let again = File::open(&self.path);
        if again
            .and_then(|mut file| file.read_exact(&mut header))
            .is_ok()
        {
            self.decoder.note_header(&header);
        }
    }

    /// What was wrong with it.
    pub const fn damage(&self) -> &FactFileDamage {
        self.decoder.damage()
    }
}
