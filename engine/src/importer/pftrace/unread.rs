//! Counts what of a file is not read, by kind, and says what that means for a reader.

use std::collections::BTreeMap;

use prost::encoding::{DecodeContext, WireType, decode_key, skip_field};

/// Fields of a packet that only say where it comes from.
const FRAME: &[u32] = &[3, 8, 10, 12, 13, 41, 42, 58, 59, 79, 87, 98];

/// Fields that hold no timeline: how the file was made, and the machine.
const ABOUT: &[u32] = &[33, 35, 36, 45, 46, 48, 51, 69, 82, 89, 96, 115, 124, 1136];

/// Kinds of packets that hold more than is read, and what a reader misses.
const KINDS: &[(u32, &str)] = &[
    (
        1,
        "of ftrace (which thread ran on which processor is not shown)",
    ),
    (2, "of the list of processes"),
    (9, "of figures of processes"),
    (7, "of figures of the system"),
    (37, "of heap profiles"),
    (38, "of battery and power"),
    (39, "of the Android log"),
    (40, "of figures of the system"),
    (54, "of streaming profiles"),
    (56, "of heap graphs"),
    (57, "of graphics frames"),
    (62, "of memory of Vulkan"),
    (63, "of the log of a GPU"),
    (66, "of samples of the processor"),
    (76, "of frame timelines"),
];

/// Packets that were not read, by kind.
#[derive(Debug, Default)]
pub(super) struct Unread(BTreeMap<u32, u64>);

impl Unread {
    /// Takes a packet of which nothing was read.
    pub fn packet(&mut self, bytes: &[u8]) {
        let kind = fields(bytes).find(|field| !FRAME.contains(field));
        // A packet that is empty but for its frame misses nothing.
        if let Some(kind) = kind
            && !ABOUT.contains(&kind)
        {
            *self.0.entry(kind).or_default() += 1;
        }
    }

    /// A sentence for each kind, the most frequent first.
    pub fn told(&self) -> Vec<String> {
        let mut kinds: Vec<(u32, u64)> =
            self.0.iter().map(|(kind, count)| (*kind, *count)).collect();
        kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
        let words = kinds.into_iter().map(|(kind, count)| {
            let known = KINDS.iter().find(|(field, _)| *field == kind);
            let what = known.map_or_else(
                || format!("of kind {kind} of Perfetto's packets"),
                |(_, what)| (*what).to_owned(),
            );
            let packets = if count == 1 { "packet" } else { "packets" };
            format!("{count} {packets} {what} are not read.")
        });
        words.collect()
    }
}

/// The numbers of a message's fields, as far as they make sense.
fn fields(mut bytes: &[u8]) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let (field, wire) = decode_key(&mut bytes).ok()?;
        if wire == WireType::EndGroup {
            return None;
        }
        skip_field(wire, field, &mut bytes, DecodeContext::default()).ok()?;
        Some(field)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_and_frames_are_not() {
        let mut unread = Unread::default();
        // A timestamp and an empty bundle of ftrace.
        let bundle = [8 << 3, 5, 1 << 3 | 2, 0];
        unread.packet(&bundle);
        unread.packet(&bundle);
        unread.packet(&[8 << 3, 5]);
        let told = unread.told();
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("2 packets of ftrace"), "{told:?}");
    }
}
