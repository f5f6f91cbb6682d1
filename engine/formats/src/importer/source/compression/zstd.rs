//! Unpacks zstd: one frame after the other, those to be skipped skipped.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The frames of a file.
pub(super) struct ZstdFrames<R: BufRead> {
    reader: R,
    decoder: Box<FrameDecoder>,
    inside: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            decoder: Box::new(FrameDecoder::new()),
            inside: false,
        }
    }

    /// Begins the next frame; says no where there is none.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.reader.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.reader) {
                Ok(()) => {
                    self.inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = self.reader.by_ref().take(length.into());
                    io::copy(&mut skipped, &mut io::sink())?;
                }
                Err(error) => return Err(told(&error)),
            }
        }
        Ok(false)
    }
}

/// Why a frame cannot be unpacked.
fn told(error: &FrameDecoderError) -> io::Error {
    let text = match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => format!(
            "unpacking it would take {} MB of memory at once, and {} MB are allowed; unpack it with zstd -d --long=31, or pack it \
             without --long and --ultra",
            requested.div_ceil(1_000_000),
            max / 1_000_000
        ),
        FrameDecoderError::DictNotProvided { .. } => {
            "it was packed with a dictionary, which is in another file; unpack it with zstd -d -D"
                .to_owned()
        }
        _ => return io::Error::other(error.to_string()),
    };
    io::Error::new(io::ErrorKind::Unsupported, text)
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !into.is_empty() {
            if !self.inside && !self.begin()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.reader, one);
                decoded.map_err(|error| told(&error))?;
            }
            let count = self.decoder.read(into)?;
            if count > 0 {
                return Ok(count);
            }
            self.inside = false;
        }
        Ok(0)
    }
}
