//! Unpacks zstd: one frame after the other, those to be skipped skipped.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The frames of a file.
pub(super) struct ZstdFrames<R: BufRead> {
    reader: R,
    decoder: Box<FrameDecoder>,
    inside: bool,
    /// Why a frame cannot be unpacked further; told once all that came before has been handed over.
    failed: Option<io::Error>,
}

impl<R: BufRead> ZstdFrames<R> {
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            decoder: Box::new(FrameDecoder::new()),
            inside: false,
            failed: None,
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

/// An empty last block, and a checksum that is not looked at: with it a frame that was cut ends, and what is held back for later
/// blocks to refer to is handed over.
const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Whether an error comes from the end of the file.
fn is_cut(error: &FrameDecoderError) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if let Some(inner) = inner.downcast_ref::<io::Error>() {
            return inner.kind() == io::ErrorKind::UnexpectedEof;
        }
        source = inner.source();
    }
    false
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

impl<R: BufRead> ZstdFrames<R> {
    /// Unpacks blocks until there is something to hand over, or the frame ends.
    fn decode(&mut self) -> io::Result<()> {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            let one = || BlockDecodingStrategy::UptoBlocks(1);
            if let Err(error) = self.decoder.decode_blocks(&mut self.reader, one()) {
                let why = told(&error);
                let is_ended = is_cut(&error)
                    && self.decoder.decode_blocks(&mut &END[..], one()).is_ok()
                    && self.decoder.is_finished();
                if !is_ended {
                    return Err(why);
                }
                self.failed = Some(why);
            }
        }
        Ok(())
    }

    /// A frame has been handed over to its end: fails where that was cut, or is not what was packed.
    fn end(&mut self) -> io::Result<()> {
        self.inside = false;
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let packed = self.decoder.get_checksum_from_data();
        if packed.is_some() && packed != self.decoder.get_calculated_checksum() {
            let why = "what was unpacked has not the checksum that it was packed with: some of it is not as it was";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !into.is_empty() {
            if !self.inside && !self.begin()? {
                return Ok(0);
            }
            self.decode()?;
            let count = self.decoder.read(into)?;
            if count > 0 {
                return Ok(count);
            }
            self.end()?;
        }
        Ok(0)
    }
}
