//! Frames on a byte stream: a length, how the body is packed, and the body.

mod values;

use std::io::{self, Read, Write};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes that a frame's body may have, packed or not.
pub const LIMIT: usize = 16 << 20;
/// Values that a frame may have. Each takes room once it is read, and some that are a byte here take many there.
const VALUES: u64 = 1 << 20;
/// What the far end says first. Whatever comes before it was said by a shell's start files.
pub const PREAMBLE: &[u8] = b"\nsyncline worker\n";
/// Bytes that may come before the preamble.
const NOISE: usize = 64 << 10;
/// Characters of a line of it that are told.
const TOLD: usize = 200;
/// The body is as it is.
const PLAIN: u8 = 0;
/// The body is packed by zstd.
const PACKED: u8 = 1;
/// Below this a body is not worth packing.
const WORTH: usize = 1024;

/// Why nothing more can be read.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The stream ended between two frames.
    #[error("the other end closed the link")]
    Closed,
    /// The stream ended within a frame.
    #[error("the link ended in the middle of a frame, after {got} of {wanted} bytes")]
    Cut {
        /// Bytes that came.
        got: usize,
        /// Bytes that were announced.
        wanted: usize,
    },
    /// A length that no frame has.
    #[error(
        "a frame of {0} bytes was announced, and none has more than {LIMIT}: what came is no frame of Syncline's; \
         look whether the far machine's shell prints something when it starts"
    )]
    TooLong(u64),
    /// More values than any frame has.
    #[error(
        "a frame of more than {VALUES} values came, and none of Syncline's has as many: both ends should be of one version"
    )]
    TooMany,
    /// A body that cannot be read.
    #[error("a frame could not be read: {0}; both ends should be of one version")]
    Garbled(String),
    /// Something else than a worker answered.
    #[error(
        "no worker answered{}; see that this machine reaches the other one, and that Syncline is there under that name", said(.0)
    )]
    NoWorker(String),
    /// It was started and does not answer.
    #[error("it did not answer within {} s; look whether the worker there hangs, or asks for something", .0.as_secs_f64())]
    Silent(Duration),
    /// The system's own words.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl WireError {
    /// Whether only the link broke: what is behind it may be as it was. What comes over a link and cannot be read comes
    /// again as it is.
    pub const fn is_of_the_link(&self) -> bool {
        !matches!(self, Self::TooLong(_) | Self::TooMany | Self::Garbled(_))
    }
}

fn said(noise: &str) -> String {
    match noise.trim() {
        "" => String::new(),
        noise => format!("; what came instead: {noise}"),
    }
}

/// A message as a frame, ready to be written; packed where that is wanted and worth it.
///
/// # Errors
/// The message is larger than any frame.
pub fn frame(message: &impl Serialize, pack: bool) -> Result<Vec<u8>, WireError> {
    let plain =
        rmp_serde::to_vec(message).map_err(|error| WireError::Garbled(error.to_string()))?;
    if plain.len() > LIMIT {
        return Err(WireError::TooLong(plain.len() as u64));
    }
    if values::has_more_than(VALUES, &plain) {
        return Err(WireError::TooMany);
    }
    let packed = (pack && plain.len() > WORTH)
        .then(|| {
            ruzstd::encoding::compress_to_vec(
                plain.as_slice(),
                ruzstd::encoding::CompressionLevel::Fastest,
            )
        })
        .filter(|packed| packed.len() < plain.len() && plain.len() <= room(packed.len()));
    let (kind, body) = packed.map_or((PLAIN, plain), |packed| (PACKED, packed));
    let mut frame = Vec::with_capacity(body.len() + 5);
    frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
    frame.push(kind);
    frame.extend_from_slice(&body);
    Ok(frame)
}

/// Writes a message as a frame.
///
/// # Errors
/// The message is larger than any frame, or the stream is closed.
pub fn write(output: &mut dyn Write, message: &impl Serialize) -> Result<(), WireError> {
    output.write_all(&frame(message, false)?)?;
    Ok(output.flush()?)
}

/// Reads the next message.
///
/// # Errors
/// [`WireError::Closed`] at the end of the stream; whatever else is wrong with what came.
pub fn read<T: DeserializeOwned>(input: &mut dyn Read) -> Result<T, WireError> {
    let mut head = [0_u8; 5];
    match fill(input, &mut head)? {
        0 => return Err(WireError::Closed),
        5 => {}
        got => return Err(WireError::Cut { got, wanted: 5 }),
    }
    let [a, b, c, d, kind] = head;
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    if length > LIMIT {
        return Err(WireError::TooLong(length as u64));
    }
    let mut body = Vec::new();
    // Grows with what really comes: an announced length costs nothing.
    let got = input.take(length as u64).read_to_end(&mut body)?;
    if got < length {
        return Err(WireError::Cut {
            got,
            wanted: length,
        });
    }
    let body = match kind {
        PLAIN => body,
        PACKED => unpack(&body)?,
        other => return Err(WireError::Garbled(format!("there is no packing {other}"))),
    };
    if values::has_more_than(VALUES, &body) {
        return Err(WireError::TooMany);
    }
    rmp_serde::from_slice(&body).map_err(|error| WireError::Garbled(error.to_string()))
}

/// What so many packed bytes may come to: a few of them that unpack to a great many are no message of ours.
fn room(packed: usize) -> usize {
    LIMIT.min((1 << 20) + packed.saturating_mul(128))
}

fn unpack(packed: &[u8]) -> Result<Vec<u8>, WireError> {
    let garbled = |error: &dyn std::fmt::Display| WireError::Garbled(error.to_string());
    let decoder =
        ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| garbled(&error))?;
    let mut plain = Vec::new();
    decoder
        .take(room(packed.len()) as u64 + 1)
        .read_to_end(&mut plain)
        .map_err(|error| garbled(&error))?;
    if plain.len() > room(packed.len()) {
        return Err(WireError::TooLong(plain.len() as u64));
    }
    Ok(plain)
}

/// Reads until `buffer` is full or the stream ends, and says how much came.
fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while let Some(rest) = buffer.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

/// Reads up to the end of the preamble.
///
/// # Errors
/// The stream ended, or too much came before it: [`WireError::NoWorker`] with what did.
pub fn skip_to_preamble(input: &mut dyn Read) -> Result<(), WireError> {
    let mut seen = Vec::new();
    let mut byte = [0_u8];
    while !seen.ends_with(PREAMBLE) {
        if seen.len() > NOISE || fill(input, &mut byte)? == 0 {
            let noise = String::from_utf8_lossy(&seen);
            let begin = |line: &str| line.chars().take(TOLD).collect();
            let last: Vec<String> = noise.lines().rev().take(3).map(begin).collect();
            let last: Vec<String> = last.into_iter().rev().collect();
            return Err(WireError::NoWorker(last.join(" / ")));
        }
        seen.extend_from_slice(&byte);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(message: &impl Serialize, pack: bool) -> Vec<u8> {
        frame(message, pack).unwrap()
    }

    #[test]
    fn a_few_packed_bytes_are_no_message_of_a_great_many() {
        let long = "a".repeat(13_000_000);
        let plain = framed(&long, true);
        assert_eq!(plain.get(4), Some(&PLAIN), "we send none either");
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let packed = ruzstd::encoding::compress_to_vec(plain.get(5..).unwrap(), level);
        assert!(packed.len() < 20_000, "{}", packed.len());
        let mut bomb = (packed.len() as u32).to_le_bytes().to_vec();
        bomb.push(PACKED);
        bomb.extend(packed);
        let read = read::<String>(&mut bomb.as_slice());
        assert!(
            matches!(read, Err(WireError::TooLong(_))),
            "{:?}",
            read.err()
        );
    }

    #[test]
    fn values_that_take_more_room_than_their_bytes_are_bounded() {
        // A byte each, and a pointer with a length each once they are read.
        let empty = vec![""; VALUES as usize];
        let text = frame(&empty, false).unwrap_err().to_string();
        assert!(text.contains("more than 1048576 values"), "{text}");
        let mut body = vec![0xdd];
        body.extend((VALUES as u32).to_be_bytes());
        body.extend(vec![0xa0; VALUES as usize]);
        let mut bytes = (body.len() as u32).to_le_bytes().to_vec();
        bytes.push(PLAIN);
        bytes.extend(body);
        let read = read::<Vec<String>>(&mut bytes.as_slice());
        assert!(matches!(read, Err(WireError::TooMany)), "{:?}", read.err());
    }

    #[test]
    fn what_is_written_is_read_packed_or_not() {
        let long: Vec<u32> = (0..10_000).map(|k| k % 7).collect();
        for pack in [false, true] {
            let bytes = [framed(&long, pack), framed(&vec![1_u32], pack)].concat();
            let mut input = bytes.as_slice();
            assert_eq!(read::<Vec<u32>>(&mut input).unwrap(), long);
            assert_eq!(read::<Vec<u32>>(&mut input).unwrap(), [1]);
            assert!(matches!(
                read::<Vec<u32>>(&mut input),
                Err(WireError::Closed)
            ));
        }
        assert!(framed(&long, true).len() * 4 < framed(&long, false).len());
    }

    #[test]
    fn a_frame_cut_anywhere_says_so() {
        let bytes = framed(&"words that are long enough", false);
        for cut in 1..bytes.len() {
            let mut input = &bytes[..cut];
            let error = read::<String>(&mut input).unwrap_err();
            assert!(matches!(error, WireError::Cut { .. }), "{cut}: {error}");
        }
    }

    #[test]
    fn an_absurd_length_is_refused_before_anything_is_kept() {
        let mut input = [255_u8, 255, 255, 255, 0, 1, 2].as_slice();
        let error = read::<String>(&mut input).unwrap_err().to_string();
        assert!(error.contains("4294967295 bytes"), "{error}");
        let mut bytes = framed(&"x", false);
        bytes[4] = 9;
        let error = read::<String>(&mut bytes.as_slice()).unwrap_err();
        assert!(matches!(error, WireError::Garbled(_)), "{error}");
    }

    #[test]
    fn a_packed_bomb_is_refused() {
        let zeros = vec![0_u8; LIMIT + 2];
        let packed = ruzstd::encoding::compress_to_vec(
            zeros.as_slice(),
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        let mut bytes = (packed.len() as u32).to_le_bytes().to_vec();
        bytes.push(PACKED);
        bytes.extend_from_slice(&packed);
        let error = read::<String>(&mut bytes.as_slice()).unwrap_err();
        assert!(matches!(error, WireError::TooLong(_)), "{error}");
    }

    #[test]
    fn what_a_shell_prints_first_is_skipped_or_shown() {
        let mut input = b"Welcome to server!\nmail: 3\n\nsyncline worker\n\x01".as_slice();
        skip_to_preamble(&mut input).unwrap();
        assert_eq!(input, [1]);
        let mut input = b"bash: syncline: command not found\n".as_slice();
        let error = skip_to_preamble(&mut input).unwrap_err().to_string();
        let flood = "a".repeat(NOISE * 2);
        let told = skip_to_preamble(&mut flood.as_bytes()).unwrap_err();
        assert!(told.to_string().len() < 2 * TOLD, "{told}");
        assert!(error.contains("command not found"), "{error}");
    }
}
