//! Reads `.pftrace`: what Syncline wrote without loss, and the tracks, slices, counters and arrows of other tools.

mod clocks;
mod damage;
mod density;
mod event;
mod extra_counters;
mod fields;
mod frame;
mod ftrace;
mod gpu;
mod items;
mod legacy;
mod missing_spans;
mod other_tools;
mod replay;
mod resync;
mod sequence;
mod slice_kind;
mod syncline;
mod tracks;
mod unread_fields;
mod utf8;
mod writer_thread;

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use prost::Message as _;

pub(super) use fields::SliceFields;
pub(super) use slice_kind::of_work as kind_of_work;

use super::{ImportError, Importer, Receipt, ReceiptUnit, RecordSink, Source};
use crate::perfetto::proto::TracePacket;
use crate::perfetto::view::PacketView;
use damage::PacketDamage;
use frame::{NextPacket, PacketReader};

/// What one packet may hold packed, unpacked: writers pack at most some hundred kilobytes.
const LARGEST_PACK: u64 = 64 << 20;

/// The format `.pftrace`.
pub struct PftraceImporter;

impl Importer for PftraceImporter {
    fn name(&self) -> &'static str {
        "pftrace"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["pftrace", "perfetto-trace", "proto"]
    }

    fn about(&self) -> &'static str {
        "saved by Syncline, or with track events by other tools"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        frame::begins_file(head) || resync::is_ours(head)
    }

    fn unit(&self) -> ReceiptUnit {
        ReceiptUnit::Packet
    }

    fn read(&self, source: &Source, sink: &mut RecordSink<'_>) -> Result<Receipt, ImportError> {
        let mut frames = PacketReader::new(source.reader()?, source.unpacked_length());
        let mut damage = PacketDamage::default();
        let mut reading = if syncline::begins(source.head()) {
            PftraceReader::Own(Box::default())
        } else {
            PftraceReader::Undecided
        };
        loop {
            let (at, length, rest) = match frames.next().map_err(|error| source.failed(error))? {
                NextPacket::Packet { at, bytes } => {
                    if !reading.is_too_long(bytes)
                        && reading.take_all(source, bytes, sink, &mut damage)?
                    {
                        sink.advance(frames.position())?;
                        continue;
                    }
                    (at, bytes.len() as u64, None)
                }
                NextPacket::Rest { at, left, is_cut } => (at, left, Some(is_cut)),
                NextPacket::End => break,
            };
            // Of ours it is known where the next packet begins, whatever the length of this one says.
            let next = match &reading {
                PftraceReader::Own(_) => frames.resume().map_err(|error| source.failed(error))?,
                PftraceReader::Undecided | PftraceReader::Foreign(_) if rest.is_some() => frames
                    .resume_with_any()
                    .map_err(|error| source.failed(error))?,
                PftraceReader::Undecided | PftraceReader::Foreign(_) => Some(length),
            };
            let Some(skipped) = next else {
                // Of a packed file only now is known how long it is.
                let known = source.unpacked_length().is_some();
                let left = if known || rest.is_none() {
                    length
                } else {
                    frames.position().saturating_sub(at)
                };
                // What begins no packet was not cut off: something else stands there.
                if rest == Some(false) {
                    damage.packet(at, left);
                } else {
                    damage.rest(at, left);
                }
                break;
            };
            damage.packet(at, skipped);
            sink.advance(frames.position())?;
        }
        let mut receipt = reading.finish(source, sink, &mut damage)?;
        damage.tell(sink, &mut receipt);
        receipt.events = frames.count();
        receipt.read = sink.count();
        sink.send()?;
        Ok(receipt)
    }
}

/// What became of a packet.
enum PacketOutcome {
    Whole,
    Damaged,
    /// It holds others, packed.
    Pack(Vec<u8>),
}

impl PacketOutcome {
    fn of(makes_sense: bool) -> Self {
        if makes_sense {
            Self::Whole
        } else {
            Self::Damaged
        }
    }
}

/// Whose file it is, which the first packet says.
enum PftraceReader {
    Undecided,
    Own(Box<syncline::OwnFile>),
    Foreign(Box<other_tools::ForeignFile>),
}

impl PftraceReader {
    /// Whether a packet of ours holds further ones, so that its length must be wrong.
    fn is_too_long(&self, packet: &[u8]) -> bool {
        matches!(self, Self::Own(_)) && resync::holds_others(packet)
    }

    /// Takes a packet, or those that are packed in it. Says whether it makes sense.
    fn take_all(
        &mut self,
        source: &Source,
        bytes: &[u8],
        sink: &mut RecordSink<'_>,
        damage: &mut PacketDamage,
    ) -> Result<bool, ImportError> {
        let pack = match self.take(source, bytes, sink, damage)? {
            PacketOutcome::Whole => return Ok(true),
            PacketOutcome::Damaged => return Ok(false),
            PacketOutcome::Pack(pack) => pack,
        };
        let inflated = ZlibDecoder::new(pack.as_slice()).take(LARGEST_PACK);
        let mut frames = PacketReader::new(inflated, Some(LARGEST_PACK));
        loop {
            match frames.next() {
                Ok(NextPacket::Packet { at, bytes }) => {
                    let taken = self.take(source, bytes, sink, damage)?;
                    if matches!(taken, PacketOutcome::Damaged) {
                        damage.packet(at, bytes.len() as u64);
                    }
                }
                Ok(NextPacket::End) => return Ok(true),
                Ok(NextPacket::Rest { at, .. }) => {
                    damage.packet(at, pack.len() as u64);
                    return Ok(true);
                }
                Err(_) => {
                    damage.packet(0, pack.len() as u64);
                    return Ok(true);
                }
            }
        }
    }

    fn take(
        &mut self,
        source: &Source,
        bytes: &[u8],
        sink: &mut RecordSink<'_>,
        damage: &mut PacketDamage,
    ) -> Result<PacketOutcome, ImportError> {
        let view = PacketView::of(bytes);
        if density::is_crowded(self.decoded_of(view.as_ref(), bytes)) {
            damage.crowded(bytes.len() as u64);
            return Ok(PacketOutcome::Whole);
        }
        if let (Self::Foreign(foreign), Some(view)) = (&mut *self, &view)
            && !view.has_more
        {
            return Ok(PacketOutcome::of(foreign.take_plain(view)));
        }
        let Some(view) = view else {
            return Ok(PacketOutcome::Damaged);
        };
        let Some((mut packet, texts)) = self.decode(bytes) else {
            return Ok(PacketOutcome::Damaged);
        };
        if let Some(pack) = packet.compressed_packets.take() {
            return Ok(PacketOutcome::Pack(pack));
        }
        if matches!(self, Self::Undecided) {
            *self = if syncline::is_ours(&packet) {
                Self::Own(Box::default())
            } else {
                Self::Foreign(Box::default())
            };
        }
        match self {
            Self::Own(own) => own.take(source, packet, sink, damage)?,
            Self::Foreign(foreign) => {
                foreign.tally.texts += texts;
                return Ok(PacketOutcome::of(foreign.take(&view, packet, bytes)));
            }
            Self::Undecided => {}
        }
        Ok(PacketOutcome::Whole)
    }

    /// What of a packet is decoded: all of it, but of another tool's that holds nothing but an event and texts only these.
    fn decoded_of<'a>(&self, view: Option<&PacketView<'a>>, bytes: &'a [u8]) -> &'a [u8] {
        match (self, view) {
            (Self::Foreign(_), Some(view)) if !view.has_more => view.interned.unwrap_or_default(),
            _ => bytes,
        }
    }

    /// A packet, and how many of its texts are no UTF-8. In ours all are, unless it is damaged.
    fn decode(&self, bytes: &[u8]) -> Option<(TracePacket, u64)> {
        if let Ok(packet) = TracePacket::decode(bytes) {
            return Some((packet, 0));
        }
        if matches!(self, Self::Own(_)) {
            return None;
        }
        let (mended, texts) = utf8::packet(bytes)?;
        Some((TracePacket::decode(mended.as_slice()).ok()?, texts))
    }

    fn finish(
        self,
        source: &Source,
        sink: &mut RecordSink<'_>,
        damage: &mut PacketDamage,
    ) -> Result<Receipt, ImportError> {
        match self {
            Self::Own(own) => Ok(own.finish(sink, damage)),
            Self::Foreign(foreign) => foreign.finish(source, sink),
            Self::Undecided => Ok(Receipt::default()),
        }
    }
}
