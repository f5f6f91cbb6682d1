//! Reads a track event where it lies in its packet.

use std::fmt::Write as _;

use super::extra_counters::ExtraCounters;
use super::items::SliceFlows;
use super::legacy::{self, LegacyPhase};
use super::sequence::PacketSequence;
use crate::importer::chrome::{ChromeTexts, MOST_ARGUMENTS};
use crate::importer::crop::head;
use crate::perfetto::view::{WireValue, each_field};
use record::FieldValue;

/// Annotations may lie so deep in each other. Those of writers lie two or three deep.
const DEEPEST: usize = 90;

/// A track event without what it may have several of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventView<'a> {
    /// What happened, one of the numbers of `event_type`.
    pub kind: i32,
    pub track: Option<u64>,
    /// The name, by the number of the text.
    pub name: Option<u32>,
    /// Its categories, joined by commas, by the number of the text; nothing where it has none.
    pub category: Option<u32>,
    /// A counter's new value.
    pub value: Option<f64>,
    /// The time, in microseconds, of writers that give no timestamp to the packet.
    pub micros: Option<i64>,
    /// What it has to do with events of GPUs, as a message.
    pub correlation: Option<&'a [u8]>,
    /// The API that it is a call of.
    pub api: Option<u64>,
    /// What it says in the form that came before tracks.
    pub legacy: Option<LegacyPhase>,
}

/// What an event has several of. One of these serves all events, so that none has to reserve.
#[derive(Default)]
pub(super) struct EventViewLists {
    /// Fields: names and texts by their numbers.
    pub values: Vec<(u32, FieldValue)>,
    pub through: Vec<u64>,
    pub ending: Vec<u64>,
    pub extra: ExtraCounters,
    /// Whether some fields were left out, because there are too many.
    pub is_cropped: bool,
    path: String,
    categories: CategoryList,
}

/// The categories of an event, as one text. Only the whole is kept: in a hostile file each category may be a new one.
#[derive(Default)]
struct CategoryList {
    joined: Vec<u8>,
    /// The only one, where its text is kept already.
    only: Option<u32>,
}

impl CategoryList {
    fn clear(&mut self) {
        self.joined.clear();
        self.only = None;
    }

    fn push(&mut self, category: &[u8], number: Option<u32>) {
        self.only = number.filter(|_| self.joined.is_empty());
        if !self.joined.is_empty() {
            self.joined.push(b',');
        }
        self.joined.extend_from_slice(category);
    }

    /// The number of the text of all of them.
    fn text(&self, texts: &mut ChromeTexts) -> Option<u32> {
        let new = || texts.add_bytes(&self.joined);
        let is_any = !self.joined.is_empty();
        is_any.then(|| self.only.unwrap_or_else(new))
    }
}

impl EventViewLists {
    /// Forgets those of the event before.
    pub fn clear(&mut self) {
        self.values.clear();
        self.through.clear();
        self.ending.clear();
        self.extra.clear();
        self.path.clear();
        self.is_cropped = false;
        self.categories.clear();
    }

    /// Whether another field is kept; of too many it is said that they were left out.
    fn has_room(&mut self) -> bool {
        let has_room = self.values.len() < MOST_ARGUMENTS;
        self.is_cropped |= !has_room;
        has_room
    }

    /// The arrows.
    pub fn flows(&self) -> SliceFlows<'_> {
        SliceFlows {
            through: &self.through,
            ending: &self.ending,
        }
    }
}

/// Reads an event of a writer. Nothing where the bytes are no event.
pub(super) fn read<'a>(
    bytes: &'a [u8],
    sequence: &PacketSequence,
    texts: &mut ChromeTexts,
    lists: &mut EventViewLists,
) -> Option<EventView<'a>> {
    lists.clear();
    let (mut event, mut own, mut iid) = (EventView::default(), None, None);
    each_field(bytes, |field, wire| {
        match field {
            3 => wire.varints(|iid| {
                if let Some(category) = sequence.category(iid) {
                    let words = texts.text(category).as_bytes();
                    lists.categories.push(words, Some(category));
                }
            })?,
            4 => annotation(wire.bytes()?, sequence, texts, lists, 0)?,
            6 => event.legacy = Some(legacy::read(wire.bytes()?, sequence, texts)?),
            9 => event.kind = wire.varint()? as i32,
            10 => iid = Some(wire.varint()?),
            11 => event.track = Some(wire.varint()?),
            12 | 31 | 45 | 46 => lists.extra.take(field, wire)?,
            16 => event.micros = Some(wire.varint()? as i64),
            22 => lists.categories.push(wire.bytes()?, None),
            23 => own = Some(wire.bytes()?),
            30 => event.value = event.value.or(Some(wire.varint()? as i64 as f64)),
            36 => wire.varints(|flow| lists.through.push(flow))?,
            42 => wire.varints(|flow| lists.ending.push(flow))?,
            44 => event.value = Some(f64::from_bits(wire.fixed()?)),
            47 => wire.fixeds(|flow| lists.through.push(flow))?,
            48 => wire.fixeds(|flow| lists.ending.push(flow))?,
            3000 => event.correlation = Some(wire.bytes()?),
            3001 => event.api = Some(wire.varint()?),
            _ => {}
        }
        Some(())
    })?;
    event.category = lists.categories.text(texts);
    event.name = own.map(|own| texts.add_bytes(own));
    event.name = event.name.or(iid.and_then(|iid| sequence.name(iid)));
    event.name = event.name.or(event.legacy.and_then(|it| it.name));
    Some(event)
}

/// Reads an annotation; of one that holds others, each of those, under a path such as `grid.0`.
fn annotation(
    bytes: &[u8],
    sequence: &PacketSequence,
    texts: &mut ChromeTexts,
    lists: &mut EventViewLists,
    depth: usize,
) -> Option<()> {
    let (mut iid, mut own, mut value, mut is_nested) = (None, None, None, false);
    each_field(bytes, |field, wire| {
        match field {
            1 => iid = Some(wire.varint()?),
            10 => own = Some(wire.bytes()?),
            2..=7 | 9 | 17 => value = Some((field, wire)),
            11 | 12 => {
                wire.bytes()?;
                is_nested = true;
            }
            _ => {}
        }
        Some(())
    })?;
    if depth > DEEPEST {
        return None;
    }
    let own = own.map(|own| texts.add_bytes(own));
    let own = own.or(iid.and_then(|iid| sequence.annotation(iid)));
    if !is_nested && depth == 0 {
        let value = value.map(|(field, wire)| plain(field, wire, sequence, texts));
        if let Some(value) = value.filter(|_| lists.has_room()) {
            lists
                .values
                .push((own.unwrap_or_else(|| texts.add("?")), value?));
        }
        return Some(());
    }
    let before = lists.path.len();
    match own.map(|own| head(texts.text(own))) {
        Some(own) if before == 0 => lists.path.push_str(own),
        Some(own) => {
            // Writing to a String cannot fail.
            let _ = write!(lists.path, ".{own}");
        }
        None if before == 0 => lists.path.push('?'),
        None => {}
    }
    if is_nested {
        nested(bytes, sequence, texts, lists, depth)?;
    }
    if let Some((field, wire)) = value.filter(|_| lists.has_room()) {
        let name = texts.add(&lists.path);
        lists
            .values
            .push((name, plain(field, wire, sequence, texts)?));
    }
    lists.path.truncate(before);
    Some(())
}

/// Reads what an annotation holds: elements by their place, and then entries by their name.
fn nested(
    bytes: &[u8],
    sequence: &PacketSequence,
    texts: &mut ChromeTexts,
    lists: &mut EventViewLists,
    depth: usize,
) -> Option<()> {
    let (path, mut place) = (lists.path.len(), 0);
    each_field(bytes, |field, wire| {
        if field == 12 {
            let _ = write!(lists.path, ".{place}");
            place += 1;
            annotation(wire.bytes()?, sequence, texts, lists, depth + 1)?;
            lists.path.truncate(path);
        }
        Some(())
    })?;
    each_field(bytes, |field, wire| {
        if field == 11 {
            annotation(wire.bytes()?, sequence, texts, lists, depth + 1)?;
        }
        Some(())
    })
}

/// The value of an annotation.
fn plain(
    field: u32,
    wire: WireValue<'_>,
    sequence: &PacketSequence,
    texts: &mut ChromeTexts,
) -> Option<FieldValue> {
    Some(match field {
        2 => FieldValue::Text(texts.add(if wire.varint()? == 0 { "false" } else { "true" })),
        3 => {
            let number = wire.varint()?;
            i64::try_from(number).map_or_else(
                |_| FieldValue::Text(texts.add(&number.to_string())),
                FieldValue::Integer,
            )
        }
        4 => FieldValue::Integer(wire.varint()? as i64),
        5 => FieldValue::Number(f64::from_bits(wire.fixed()?)),
        7 => FieldValue::Text(texts.add(&format!("{:#x}", wire.varint()?))),
        17 => {
            let text = sequence.text(wire.varint()?);
            FieldValue::Text(text.unwrap_or_else(|| texts.add("?")))
        }
        _ => FieldValue::Text(texts.add_bytes(wire.bytes()?)),
    })
}
