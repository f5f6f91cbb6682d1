//! Counts what of a file is not read, by kind, and says what that means for a reader.

use std::collections::BTreeMap;

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use record::counted;

use super::ftrace::READ;

/// Fields of a packet that only say where it comes from.
const FRAME: &[u32] = &[3, 8, 10, 12, 13, 41, 42, 58, 59, 79, 87, 98];

/// Fields that hold no timeline: how the file was made, and the machine.
const ABOUT: &[u32] = &[
    33, 35, 36, 45, 46, 48, 51, 69, 72, 78, 82, 89, 96, 115, 124, 125, 126, 1136,
];

/// The field of a packet that holds a bundle of ftrace.
const FTRACE: u32 = 1;
/// Stands for a bundle of ftrace in which programs only print, which no packet has a field for.
const PRINTED: u32 = 10_001;
/// The same for one that says nothing of processors either.
const KERNEL: u32 = 10_002;

/// Kinds of packets that hold more than is read, and what a reader misses.
const KINDS: &[(u32, &str)] = &[
    (PRINTED, "of ftrace with lines that programs printed"),
    (KERNEL, "of ftrace with events of the kernel"),
    (4, "of the files of the machine"),
    (5, "of Chrome's metadata and old events (chrome_events)"),
    (7, "of figures of the system"),
    (9, "of figures of processes"),
    (34, "of figures of ftrace itself"),
    (37, "of heap profiles"),
    (38, "of battery and power"),
    (39, "of the Android log"),
    (40, "of power rails"),
    (47, "of the list of packages"),
    (49, "of Perfetto's own doings"),
    (54, "of streaming profiles"),
    (56, "of heap graphs"),
    (57, "of graphics frames"),
    (61, "of symbols of modules"),
    (62, "of memory of Vulkan"),
    (63, "of the log of a GPU"),
    (64, "of names of obfuscated code"),
    (66, "of samples of the processor"),
    (67, "of the machine's processors"),
    (68, "of maps of memory"),
    (70, "of the display's state"),
    (71, "of memory that GPUs use"),
    (73, "of snapshots of memory"),
    (74, "of allocations"),
    (75, "of memory set free"),
    (76, "of frame timelines"),
    (77, "of energy by part"),
    (84, "of statsd"),
    (86, "of properties of Android"),
    (88, "of the network"),
    (90, "of the range of interest"),
    (91, "of what parts of the machine did"),
    (92, "of the network"),
    (93, "of layers on screen"),
    (94, "of changes on screen"),
    (95, "of events of Windows (etw)"),
    (99, "of JavaScript code"),
    (100, "of JavaScript's own code"),
    (101, "of WebAssembly code"),
    (102, "of regular expressions in JavaScript"),
    (103, "of JavaScript code that moved"),
    (104, "of protocol logs"),
    (107, "of clocks of other machines"),
    (109, "of Chrome's triggers"),
    (117, "of which thread ran on which processor"),
    (118, "of the processors' frequency"),
    (128, "of the machine's GPUs"),
    (129, "of the GPUs' frequency"),
    (130, "of interrupts"),
    (132, "of the system's journal"),
    (133, "that are packed with zstd"),
    (135, "of samples of stacks"),
];

/// Packets that were not read, by kind, and track events of other packets.
#[derive(Debug, Default)]
pub(super) struct UnreadPackets {
    packets: BTreeMap<u32, u64>,
    /// By their type and by their phase.
    events: BTreeMap<(i32, u8), u64>,
}

impl UnreadPackets {
    /// Takes a packet of which nothing was read.
    pub fn packet(&mut self, bytes: &[u8]) {
        let kind = fields(bytes).find(|(field, _)| !FRAME.contains(field));
        // A packet that is empty but for its frame misses nothing.
        if let Some((kind, body)) = kind
            && !ABOUT.contains(&kind)
        {
            let missed = if kind == FTRACE {
                of_ftrace(body)
            } else {
                Some(kind)
            };
            if let Some(kind) = missed {
                *self.packets.entry(kind).or_default() += 1;
            }
        }
    }

    /// Takes a track event that is of no type, and no phase, that is read.
    pub fn event(&mut self, kind: i32, phase: u8) {
        *self.events.entry((kind, phase)).or_default() += 1;
    }

    /// A sentence for each kind, the most frequent first.
    pub fn sentences(&self) -> Vec<String> {
        let mut kinds: Vec<(u32, u64)> = self
            .packets
            .iter()
            .map(|(kind, count)| (*kind, *count))
            .collect();
        kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
        let packets = kinds.into_iter().map(|(kind, count)| {
            let known = KINDS.iter().find(|(field, _)| *field == kind);
            let what = known.map_or_else(
                || format!("of kind {kind} of Perfetto's packets"),
                |(_, what)| (*what).to_owned(),
            );
            counted(
                count,
                &format!("{{packet {what} is|packets {what} are}} not read."),
            )
        });
        let events = self
            .events
            .iter()
            .map(|(kind, count)| told_of_events(*kind, *count));
        packets.chain(events).collect()
    }
}

/// What is said of track events of a type and a phase.
fn told_of_events((kind, phase): (i32, u8), count: u64) -> String {
    let is_letter = phase.is_ascii_graphic();
    let what = match (kind, phase) {
        (0, 0) => "with neither a type nor a phase".to_owned(),
        (_, 0) => format!("of type {kind}"),
        _ if is_letter => format!("of phase {}", char::from(phase)),
        _ => format!("of phase {phase}"),
    };
    let why = match (kind, phase) {
        // It may hold what happened to it, but nothing says whether that begins, ends or goes on.
        (0, 0) => ", which Perfetto does not show either",
        _ => "",
    };
    counted(
        count,
        &format!("{{track event {what} is|track events {what} are}} not read{why}."),
    )
}

/// What a bundle of ftrace holds besides what the scheduler did, which is read: what programs printed, or something else.
fn of_ftrace(bundle: &[u8]) -> Option<u32> {
    // In a bundle: its events. In an event: its time, its thread and its flags, and what was printed.
    const EVENT: u32 = 2;
    const COMMON: &[u32] = &[1, 2, 5];
    const PRINT: u32 = 3;
    let events = fields(bundle).filter(|(field, _)| *field == EVENT);
    let told = events.flat_map(|(_, event)| fields(event).map(|(field, _)| field));
    let unread = told.filter(|field| !COMMON.contains(field) && !READ.contains(field));
    unread
        .map(|field| if field == PRINT { PRINTED } else { KERNEL })
        .max()
}

/// The numbers of a message's fields, each with its bytes if it has a length, as far as they make sense.
fn fields(mut bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let (field, wire) = decode_key(&mut bytes).ok()?;
        if wire == WireType::EndGroup {
            return None;
        }
        let before = bytes;
        skip_field(wire, field, &mut bytes, DecodeContext::default()).ok()?;
        let mut body = before.get(..before.len() - bytes.len())?;
        if wire == WireType::LengthDelimited {
            decode_varint(&mut body).ok()?;
        }
        Some((field, body))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_and_frames_are_not() {
        let mut unread = UnreadPackets::default();
        // A timestamp and figures of the system.
        let figures = [8 << 3, 5, 7 << 3 | 2, 0];
        unread.packet(&figures);
        unread.packet(&figures);
        unread.packet(&[8 << 3, 5]);
        let told = unread.sentences();
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("2 packets of figures"), "{told:?}");
    }

    #[test]
    fn events_that_are_not_read_are_named() {
        let mut unread = UnreadPackets::default();
        for (kind, phase) in [(0, 0), (0, b'O'), (0, 200), (9, 0), (0, b'O')] {
            unread.event(kind, phase);
        }
        let expected = [
            "1 track event with neither a type nor a phase is not read, which Perfetto does not show either.",
            "2 track events of phase O are not read.",
            "1 track event of phase 200 is not read.",
            "1 track event of type 9 is not read.",
        ];
        assert_eq!(unread.sentences(), expected);
    }

    #[test]
    fn of_ftrace_all_but_the_scheduler_is_missed() {
        // A bundle with one event, which has a time and one more field.
        let bundle = |field: u8| [1 << 3 | 2, 6, 2 << 3 | 2, 4, 1 << 3, 7, field << 3 | 2, 0];
        let told = |field| {
            let mut unread = UnreadPackets::default();
            unread.packet(&bundle(field));
            unread.sentences().join(" ")
        };
        assert!(told(3).contains("programs printed"), "{}", told(3));
        assert_eq!(told(4), "");
        assert!(told(7).contains("events of the kernel"), "{}", told(7));
    }

    #[test]
    fn kinds_of_chromium_have_a_name_or_miss_nothing() {
        let mut unread = UnreadPackets::default();
        for kind in [5_u32, 51, 72, 89] {
            let tag = kind << 3 | 2;
            unread.packet(&[tag as u8 | 0x80, (tag >> 7) as u8, 0]);
        }
        let told = unread.sentences();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("chrome_events"), "{told:?}");
    }
}
