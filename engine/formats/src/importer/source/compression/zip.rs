//! Finds the file to open in a zip archive: the largest, or the first where the table at the end is missing.

use std::io::{self, Read, Seek as _};

use zip::{CompressionMethod, ZipArchive};

use crate::importer::source::SeekableBytes;

/// Where a file lies in an archive.
#[derive(Clone, Copy, Debug)]
pub(in crate::importer::source) struct ZipEntry {
    /// Where its bytes begin; nothing where only the header before them says.
    start: Option<u64>,
    /// How many there are, packed; the rest of the archive where that is not known.
    length: u64,
    /// Whether they are not packed.
    pub stored: bool,
}

impl ZipEntry {
    /// The first of an archive, as its own header describes it.
    pub const UNKNOWN: Self = Self {
        start: None,
        length: u64::MAX,
        stored: false,
    };

    /// Reads its bytes from the archive's beginning.
    pub fn body(self, mut archive: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let start = match self.start {
            Some(start) => start,
            None => skip_header(&mut archive)?,
        };
        io::copy(&mut archive.by_ref().take(start), &mut io::sink())?;
        Ok(Box::new(archive.take(self.length)))
    }
}

/// Reads a file's header and returns how many bytes of names follow.
fn skip_header(archive: &mut impl Read) -> io::Result<u64> {
    let mut header = [0; 30];
    archive.read_exact(&mut header)?;
    let at = |place: usize| u64::from(header.get(place).copied().unwrap_or(0));
    Ok(at(26) + (at(27) << 8) + at(28) + (at(29) << 8))
}

/// The largest file of an archive, and a note where there are others. Fails with the name of the method with which all that
/// it holds is packed, where none of it can be unpacked here.
pub(super) fn largest(mut whole: SeekableBytes) -> Result<(ZipEntry, Option<String>), String> {
    let first = first(&mut whole);
    // A cut archive has lost its table; its first file can still be read.
    let Ok(mut archive) = ZipArchive::new(whole) else {
        return Ok((first?, None));
    };
    let mut best: Option<(u64, String, ZipEntry)> = None;
    let mut other: Option<(u64, String)> = None;
    let mut files = 0;
    for place in 0..archive.len() {
        let Ok(file) = archive.by_index_raw(place) else {
            continue;
        };
        let method = file.compression();
        let readable = matches!(
            method,
            CompressionMethod::Stored | CompressionMethod::Deflated
        );
        if !file.is_file() {
            continue;
        }
        if file.encrypted() || !readable {
            if other.as_ref().is_none_or(|(size, _)| file.size() > *size) {
                other = Some((file.size(), name_of(method, file.encrypted())));
            }
            continue;
        }
        files += 1;
        if best.as_ref().is_none_or(|(size, ..)| file.size() > *size) {
            let entry = ZipEntry {
                start: file.data_start(),
                length: file.compressed_size(),
                stored: method == CompressionMethod::Stored,
            };
            best = Some((
                file.size(),
                file.name().map(String::from).unwrap_or_default(),
                entry,
            ));
        }
    }
    let Some((_, name, entry)) = best else {
        return match other {
            Some((_, method)) => Err(method),
            None => Ok((ZipEntry::UNKNOWN, None)),
        };
    };
    let others = (files > 1).then(|| {
        format!("The archive holds {files} files; the largest, {name}, was opened. Unpack it to open the others.")
    });
    Ok((entry, others))
}

/// What a method is called.
fn name_of(method: CompressionMethod, is_encrypted: bool) -> String {
    if is_encrypted {
        "a password".to_owned()
    } else {
        method.to_string()
    }
}

/// The first file of an archive whose table is missing, as far as its own header tells.
fn first(whole: &mut SeekableBytes) -> Result<ZipEntry, String> {
    let mut header = [0; 30];
    let read = whole.rewind().and_then(|()| whole.read_exact(&mut header));
    let [_, _, _, _, _, _, _, _, low, high, ..] = header;
    let method = u16::from_le_bytes([low, high]);
    match method {
        _ if read.is_err() => Ok(ZipEntry::UNKNOWN),
        0 | 8 => Ok(ZipEntry {
            stored: method == 0,
            ..ZipEntry::UNKNOWN
        }),
        other => Err(CompressionMethod::name_from_u16(other).to_owned()),
    }
}
