//! Gzip, zip and zstd, told by their first bytes and unpacked as they are read.

mod gzip;
mod zip;
mod zstd;

use std::fmt;
use std::io::{self, BufReader, Read};

use flate2::bufread::DeflateDecoder;

use super::SeekableBytes;
use super::meter::MeteredReader;
pub(super) use zip::ZipEntry;

/// How much is read of a packed file at a time.
const PIECE: usize = 256 << 10;

/// One packing.
#[derive(Clone, Debug)]
pub(super) enum CompressionLayer {
    Gzip,
    Zstd,
    Zip(ZipEntry),
}

impl CompressionLayer {
    /// The packing that begins with `head`.
    pub fn of(head: &[u8]) -> Option<Self> {
        const KNOWN: &[(&[u8], CompressionLayer)] = &[
            (&[0x1F, 0x8B, 8], CompressionLayer::Gzip),
            (&[0x28, 0xB5, 0x2F, 0xFD], CompressionLayer::Zstd),
            (b"PK\x03\x04", CompressionLayer::Zip(ZipEntry::UNKNOWN)),
        ];
        let found = KNOWN.iter().find(|(magic, _)| head.starts_with(magic));
        // What is to be skipped may come first, as parallel packers write it.
        let skipped = matches!(head, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..]);
        let layer = found.map(|(_, layer)| layer.clone());
        layer.or(skipped.then_some(Self::Zstd))
    }

    fn label(&self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Zip(_) => "zip",
        }
    }
}

/// The packings of a file, from the outermost inwards.
#[derive(Clone, Debug, Default)]
pub(super) struct FileCompression {
    layers: Vec<CompressionLayer>,
    notes: Vec<String>,
}

impl FileCompression {
    /// Whether there is none.
    pub fn is_plain(&self) -> bool {
        self.layers.is_empty()
    }

    /// What a reader should know.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds a packing inside the others and returns how many there are.
    pub fn add(&mut self, layer: CompressionLayer) -> usize {
        self.layers.push(layer);
        self.layers.len()
    }

    /// The file in a zip that is to be opened: the largest. The others are noted. Fails with the name of the method where
    /// none can be unpacked.
    pub fn entry(&mut self, whole: SeekableBytes) -> Result<CompressionLayer, String> {
        let (entry, note) = zip::largest(whole)?;
        self.notes.extend(note);
        Ok(CompressionLayer::Zip(entry))
    }

    /// Unpacks what `reader` gives.
    pub fn open(&self, reader: MeteredReader) -> io::Result<Box<dyn Read + Send>> {
        let mut reader: Box<dyn Read + Send> = Box::new(reader);
        for layer in &self.layers {
            reader = match layer {
                CompressionLayer::Gzip => Box::new(gzip::GzipMembers::new(
                    BufReader::with_capacity(PIECE, reader),
                )),
                CompressionLayer::Zstd => Box::new(zstd::ZstdFrames::new(
                    BufReader::with_capacity(PIECE, reader),
                )),
                CompressionLayer::Zip(entry) => {
                    let body = BufReader::with_capacity(PIECE, entry.body(reader)?);
                    if entry.stored {
                        Box::new(body)
                    } else {
                        Box::new(DeflateDecoder::new(body))
                    }
                }
            };
        }
        Ok(reader)
    }
}

/// The packings by name, such as `gzip in zip`.
impl fmt::Display for FileCompression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<&str> = self
            .layers
            .iter()
            .rev()
            .map(CompressionLayer::label)
            .collect();
        f.write_str(&labels.join(" in "))
    }
}
