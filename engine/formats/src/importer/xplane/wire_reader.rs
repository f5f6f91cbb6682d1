//! Cuts a file into planes, lines and what they hold, reading it piece by piece: a line is never in memory whole.

use std::io::Read;

use prost::encoding::decode_varint;

use super::damage::SpaceDamage;
use crate::importer::{ImportError, Source};
use crate::perfetto::view::WireValue;

/// How much is read at a time.
const PIECE: usize = 1 << 20;
/// The longest key and the longest number.
const LONGEST_HEAD: usize = 20;
/// The longest message inside a plane or a line that is looked into.
const LONGEST: u64 = 64 << 20;
/// Levels of messages inside each other: the file, a plane, a line.
const LEVELS: usize = 3;

/// The fields that open a level.
pub(super) const PLANE: u32 = 1;
pub(super) const LINE: u32 = 3;

/// Where a field lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum XPlaneLevel {
    Space,
    Plane,
    Line,
}

/// The next thing in a file.
#[derive(Debug)]
pub(super) enum XPlanePiece<'a> {
    /// A plane or a line begins.
    Begin(XPlaneLevel),
    /// A field of the innermost that has begun.
    Field(XPlaneLevel, u32, WireValue<'a>),
    /// The innermost that has begun is over.
    End(XPlaneLevel),
}

/// Whoever wants to know what a file holds.
pub(super) trait XPlaneVisitor {
    /// Whether the message or text in a field is wanted; what is not is passed over.
    fn wants(&self, level: XPlaneLevel, field: u32) -> bool;
    /// Hears of a whole one that was passed over.
    fn passed(&mut self, _level: XPlaneLevel, _field: u32) {}
    /// Takes the next piece, which ends at byte `end`.
    fn take(&mut self, piece: XPlanePiece<'_>, end: u64) -> Result<(), ImportError>;
}

/// The value of a field as it begins.
enum FieldHead {
    Varint(u64),
    Fixed(u64),
    Short(u32),
    Length(u64),
}

/// Bytes as they are read.
struct XPlaneFeed<'a> {
    source: &'a Source,
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// How much of the buffer was handed out.
    used: usize,
    /// Where in the file the buffer ends.
    filled: u64,
}

impl XPlaneFeed<'_> {
    fn position(&self) -> u64 {
        self.filled - (self.buffer.len() - self.used) as u64
    }

    fn ahead(&self) -> &[u8] {
        self.buffer.get(self.used..).unwrap_or_default()
    }

    /// Makes sure that the buffer holds `count` more bytes; answers whether the file has as many.
    fn want(&mut self, count: usize) -> Result<bool, ImportError> {
        while self.buffer.len() - self.used < count {
            self.buffer.drain(..self.used);
            self.used = 0;
            let missing = (count - self.buffer.len()).max(PIECE) as u64;
            let read = self.reader.by_ref().take(missing);
            let got = { read }.read_to_end(&mut self.buffer);
            let got = got.map_err(|error| self.source.failed(error))?;
            self.filled += got as u64;
            if got == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Passes over `count` bytes; answers whether the file has as many.
    fn skip(&mut self, count: u64) -> Result<bool, ImportError> {
        let mut left = count;
        loop {
            let ahead = self.ahead().len() as u64;
            let now = left.min(ahead);
            self.used += now as usize;
            left -= now;
            if left == 0 {
                return Ok(true);
            }
            if !self.want(1)? {
                return Ok(false);
            }
        }
    }

    /// The field and the beginning of its value; nothing where there is none before byte `end`.
    fn head(&mut self, end: u64) -> Result<Option<(u32, FieldHead)>, ImportError> {
        self.want(LONGEST_HEAD)?;
        let room = end.saturating_sub(self.position());
        let ahead = self.ahead();
        let most = usize::try_from(room).unwrap_or(usize::MAX);
        let whole = ahead.get(..most).unwrap_or(ahead);
        let mut rest = whole;
        let found = head(&mut rest);
        self.used += whole.len() - rest.len();
        Ok(found)
    }
}

fn head(bytes: &mut &[u8]) -> Option<(u32, FieldHead)> {
    let key = decode_varint(bytes).ok()?;
    let field = u32::try_from(key >> 3).ok().filter(|it| *it > 0)?;
    let value = match key & 7 {
        0 => FieldHead::Varint(decode_varint(bytes).ok()?),
        1 => {
            let (number, rest) = bytes.split_first_chunk::<8>()?;
            *bytes = rest;
            FieldHead::Fixed(u64::from_le_bytes(*number))
        }
        2 => FieldHead::Length(decode_varint(bytes).ok()?),
        5 => {
            let (number, rest) = bytes.split_first_chunk::<4>()?;
            *bytes = rest;
            FieldHead::Short(u32::from_le_bytes(*number))
        }
        _ => return None,
    };
    Some((field, value))
}

/// Hands everything in a file to `taker`, and says what of it could not be read.
pub(super) fn walk(
    source: &Source,
    taker: &mut dyn XPlaneVisitor,
) -> Result<SpaceDamage, ImportError> {
    let feed = XPlaneFeed {
        source,
        reader: source.reader()?,
        buffer: Vec::new(),
        used: 0,
        filled: 0,
    };
    let mut walker = XPlaneWalker {
        feed,
        depth: 0,
        ends: [u64::MAX; LEVELS],
        damage: SpaceDamage::default(),
    };
    while walker.step(taker)? {}
    Ok(walker.damage)
}

/// A way through a file.
struct XPlaneWalker<'a> {
    feed: XPlaneFeed<'a>,
    depth: usize,
    /// Where the message of each level ends.
    ends: [u64; LEVELS],
    damage: SpaceDamage,
}

impl XPlaneWalker<'_> {
    fn level(&self) -> XPlaneLevel {
        match self.depth {
            0 => XPlaneLevel::Space,
            1 => XPlaneLevel::Plane,
            _ => XPlaneLevel::Line,
        }
    }

    fn end(&self) -> u64 {
        self.ends.get(self.depth).copied().unwrap_or(u64::MAX)
    }

    /// Goes on by one field; answers whether there may be more.
    fn step(&mut self, taker: &mut dyn XPlaneVisitor) -> Result<bool, ImportError> {
        let at = self.feed.position();
        while self.depth > 0 && at >= self.end() {
            self.close(taker)?;
        }
        if !self.feed.want(1)? {
            if self.depth > 0 {
                self.damage.rest(at, 0);
            }
            return self.finish(taker);
        }
        let Some((field, head)) = self.feed.head(self.end())? else {
            return self.broken(at, taker);
        };
        let wire = match head {
            FieldHead::Varint(number) => WireValue::Varint(number),
            FieldHead::Fixed(number) => WireValue::Fixed(number),
            FieldHead::Short(number) => WireValue::Short(number),
            FieldHead::Length(length) => return self.message(at, field, length, taker),
        };
        self.number(at, (field, wire), taker)?;
        Ok(true)
    }

    /// A number in a field that begins at byte `at`.
    fn number(
        &mut self,
        at: u64,
        (field, wire): (u32, WireValue<'_>),
        taker: &mut dyn XPlaneVisitor,
    ) -> Result<(), ImportError> {
        let (level, end) = (self.level(), self.feed.position());
        match XPlaneForm::of(level, field) {
            Some(XPlaneForm::Number) => {
                return taker.take(XPlanePiece::Field(level, field, wire), end);
            }
            Some(XPlaneForm::Message) => self.damage.part(at, end - at),
            None => self.damage.unknown(at, 1),
        }
        Ok(())
    }

    /// A field that begins at byte `at` and says that it is `length` bytes long.
    fn message(
        &mut self,
        at: u64,
        field: u32,
        length: u64,
        taker: &mut dyn XPlaneVisitor,
    ) -> Result<bool, ImportError> {
        let (level, start) = (self.level(), self.feed.position());
        let end = start.saturating_add(length);
        // A plane may say that it ends behind the file's end: then the file was cut.
        if self.depth > 0 && end > self.end() {
            return self.broken(at, taker);
        }
        let form = XPlaneForm::of(level, field);
        match (level, field) {
            (XPlaneLevel::Space, PLANE) => self.open(XPlaneLevel::Plane, end, taker)?,
            (XPlaneLevel::Plane, LINE) => self.open(XPlaneLevel::Line, end, taker)?,
            _ if length > LONGEST || form != Some(XPlaneForm::Message) => {
                match form {
                    Some(_) => self.damage.part(at, end.saturating_sub(at)),
                    None => self.damage.unknown(at, 1),
                }
                if !self.feed.skip(length)? {
                    return self.cut(at, taker);
                }
            }
            _ if !taker.wants(level, field) => {
                if !self.feed.skip(length)? {
                    return self.cut(at, taker);
                }
                taker.passed(level, field);
            }
            _ => {
                if !self.feed.want(length as usize)? {
                    return self.cut(at, taker);
                }
                self.feed.used += length as usize;
                let begin = self.feed.used - length as usize;
                let bytes = self.feed.buffer.get(begin..self.feed.used);
                let wire = WireValue::Bytes(bytes.unwrap_or_default());
                taker.take(XPlanePiece::Field(level, field, wire), end)?;
            }
        }
        Ok(true)
    }

    fn open(
        &mut self,
        level: XPlaneLevel,
        end: u64,
        taker: &mut dyn XPlaneVisitor,
    ) -> Result<(), ImportError> {
        self.depth += 1;
        if let Some(slot) = self.ends.get_mut(self.depth) {
            *slot = end;
        }
        taker.take(XPlanePiece::Begin(level), self.feed.position())
    }

    fn close(&mut self, taker: &mut dyn XPlaneVisitor) -> Result<(), ImportError> {
        let level = self.level();
        self.depth -= 1;
        taker.take(XPlanePiece::End(level), self.feed.position())
    }

    /// What is at byte `at` is no field: the rest of what holds it is left out.
    fn broken(&mut self, at: u64, taker: &mut dyn XPlaneVisitor) -> Result<bool, ImportError> {
        if self.depth == 0 {
            return self.stray(at, taker);
        }
        let end = self.end();
        if !self.feed.skip(end.saturating_sub(self.feed.position()))? {
            return self.cut(at, taker);
        }
        self.damage.part(at, end - at);
        Ok(true)
    }

    /// What is at byte `at`, between planes, is no field. Where it is longer than the beginning of one it was not cut off:
    /// something else stands there.
    fn stray(&mut self, at: u64, taker: &mut dyn XPlaneVisitor) -> Result<bool, ImportError> {
        // Zeros are room that was set aside.
        let is_room = self.feed.ahead().iter().all(|it| *it == 0);
        self.feed.skip(u64::MAX)?;
        let left = self.feed.position() - at;
        if left > LONGEST_HEAD as u64 && !is_room {
            self.damage.part(at, left);
        } else {
            self.damage.rest(at, left);
        }
        self.finish(taker)
    }

    /// Nothing can be read from byte `at` on.
    fn cut(&mut self, at: u64, taker: &mut dyn XPlaneVisitor) -> Result<bool, ImportError> {
        self.feed.skip(u64::MAX)?;
        self.damage.rest(at, self.feed.position() - at);
        self.finish(taker)
    }

    fn finish(&mut self, taker: &mut dyn XPlaneVisitor) -> Result<bool, ImportError> {
        while self.depth > 0 {
            self.close(taker)?;
        }
        Ok(false)
    }
}

/// How the format writes a field, wherever it is sound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum XPlaneForm {
    Number,
    /// A message or a text.
    Message,
}

impl XPlaneForm {
    /// Of a field; nothing where the format has none of this number (`xplane.proto`).
    const fn of(level: XPlaneLevel, field: u32) -> Option<Self> {
        match (level, field) {
            (XPlaneLevel::Space, 1..=4)
            | (XPlaneLevel::Plane, 2..=6)
            | (XPlaneLevel::Line, 2 | 4 | 11) => Some(Self::Message),
            (XPlaneLevel::Plane, 1) | (XPlaneLevel::Line, 1 | 3 | 9 | 10) => Some(Self::Number),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a walk met, in words.
    #[derive(Default)]
    struct FieldLog(Vec<String>);

    impl XPlaneVisitor for FieldLog {
        fn wants(&self, _: XPlaneLevel, field: u32) -> bool {
            field != 5
        }

        fn take(&mut self, piece: XPlanePiece<'_>, _: u64) -> Result<(), ImportError> {
            self.0.push(match piece {
                XPlanePiece::Begin(level) => format!("begin {level:?}"),
                XPlanePiece::Field(_, field, WireValue::Varint(number)) => {
                    format!("{field}={number}")
                }
                XPlanePiece::Field(_, field, _) => format!("{field}"),
                XPlanePiece::End(_) => "end".to_owned(),
            });
            Ok(())
        }
    }

    fn met(bytes: &[u8]) -> (String, SpaceDamage) {
        let source = Source::from_bytes("a", bytes.to_vec()).unwrap();
        let mut met = FieldLog::default();
        let damage = walk(&source, &mut met).unwrap();
        (met.0.join(" "), damage)
    }

    #[test]
    fn what_is_cut_ends_and_what_is_broken_costs_no_more_than_its_message() {
        // A plane with its number, a line with a number and an event, and a message that nobody wants; a host's name.
        let plane = [8, 7, 0x1A, 6, 8, 9, 0x22, 2, 8, 1, 0x2A, 1, 0xFF];
        let file = [&[0x0A, 13][..], &plane, &[0x22, 1, b'h']].concat();
        let whole = "begin Plane 1=7 begin Line 1=9 4 end end 4";
        assert_eq!(met(&file), (whole.to_owned(), SpaceDamage::default()));
        let (said, damage) = met(&file[..11]);
        assert_eq!(said, "begin Plane 1=7 begin Line 1=9 end end");
        assert_eq!(damage.left(), Some((8, 3)));
        // The event says that it is longer than its line.
        let mut broken = file.clone();
        broken[9] = 99;
        let (said, damage) = met(&broken);
        assert_eq!(said, "begin Plane 1=7 begin Line 1=9 end end 4");
        assert_eq!((damage.left(), damage.count()), (None, 1));
        // The event's field becomes one that the format does not have, the line's a number that is written as a message.
        for (flip, (known, unknown)) in [
            (0x08, (0, 1)),
            (0x10, (0, 1)),
            (0x40, (0, 1)),
            (0x68, (1, 0)),
        ] {
            let mut broken = file.clone();
            broken[8] ^= flip;
            let (said, damage) = met(&broken);
            assert_eq!(
                said, "begin Plane 1=7 begin Line 1=9 end end 4",
                "{flip:#x}"
            );
            assert_eq!(
                (damage.count(), damage.unknowns()),
                (known, unknown),
                "{flip:#x}"
            );
        }
    }
}
