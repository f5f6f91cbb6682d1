//! Unpacks gzip: one member after the other, and no more where only zeros follow, as on tapes and in blocks of storage.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// The members of a file.
pub(super) struct GzipMembers<R: BufRead> {
    /// Nothing only while the next one is begun.
    decoder: Option<GzDecoder<R>>,
}

impl<R: BufRead> GzipMembers<R> {
    pub fn new(reader: R) -> Self {
        Self {
            decoder: Some(GzDecoder::new(reader)),
        }
    }
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let count = decoder.read(into)?;
            if count > 0 || into.is_empty() {
                return Ok(count);
            }
            if let Some(mut reader) = self.decoder.take().map(GzDecoder::into_inner)
                && !is_padding(&mut reader)?
            {
                self.decoder = Some(GzDecoder::new(reader));
            }
        }
        Ok(0)
    }
}

/// Whether nothing but zeros is left, which are read; reads nothing where something else comes first.
fn is_padding(reader: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(true);
        }
        let zeros = bytes.iter().take_while(|it| **it == 0).count();
        let other = zeros < bytes.len();
        reader.consume(zeros);
        if other {
            return Ok(false);
        }
    }
}
