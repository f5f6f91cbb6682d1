//! Reads payloads by their schemas, while the call lasts: what they point to is there no longer.
#![expect(unsafe_code, reason = "payloads point to texts")]

use std::ffi::c_void;

use super::event::{NvtxAttributes, NvtxField, NvtxValue};
use super::number::{MOST_VALUES, NumberForm, list, number_form, numbers, text_width};
use super::schema::{
    PayloadEntry, PayloadSchema, SchemaForm, entry_flag, entry_type, find, plain_form,
};
use super::text;

/// Schemas within schemas.
const DEEPEST: usize = 8;
/// Parts of an array of schemas that are read.
const MOST_PARTS: usize = 16;

/// The name of a value, or those of the flags that it is made of.
fn enum_name(names: &[(u64, String, bool)], value: u64) -> NvtxValue {
    if let Some((_, name, _)) = names.iter().find(|(it, ..)| *it == value) {
        return NvtxValue::Text(name.clone());
    }
    let flags = names
        .iter()
        .filter(|(it, _, is_flag)| *is_flag && *it != 0 && value & it == *it);
    let flags: Vec<&(u64, String, bool)> = flags.collect();
    let known = flags.iter().fold(0, |sum, (it, ..)| sum | it);
    if known != value || flags.is_empty() {
        return NvtxValue::Unsigned(value);
    }
    let words: Vec<&str> = flags.iter().map(|(_, name, _)| name.as_str()).collect();
    NvtxValue::Text(words.join(" | "))
}

/// Reads payloads into what a call says.
pub struct PayloadReader<'a, 'b> {
    domain: u32,
    into: &'a mut NvtxAttributes<'b>,
    depth: usize,
}

impl<'a, 'b> PayloadReader<'a, 'b> {
    pub const fn new(domain: u32, into: &'a mut NvtxAttributes<'b>) -> Self {
        Self {
            domain,
            into,
            depth: 0,
        }
    }

    fn field(&mut self, name: &str, value: NvtxValue) {
        self.into.fields.push(NvtxField {
            name: name.to_owned(),
            value,
        });
    }

    /// Reads a payload, and says whether all of it was understood. One without a size is a text at `open`.
    ///
    /// # Safety
    /// Entries that point to texts point to texts with an end, and so does `open`.
    pub unsafe fn payload(
        &mut self,
        schema: u64,
        bytes: &[u8],
        open: Option<*const c_void>,
    ) -> bool {
        if let (Some(at), Some(width)) = (open, text_width(schema)) {
            // SAFETY: the caller's.
            let text = unsafe { text::of_width(at, width) };
            self.field("payload", NvtxValue::Text(text));
            return true;
        }
        if schema == entry_type::REFERENCED {
            return true;
        }
        if schema == entry_type::RAW {
            self.field("payload", NvtxValue::Text(hexadecimal(bytes)));
            return true;
        }
        if let Some(width) = text_width(schema) {
            let text = inline_text(bytes, width);
            self.field("payload", NvtxValue::Text(text));
            return true;
        }
        if let Some(form) = number_form(schema) {
            let value = numbers(form, bytes);
            self.field("payload", value);
            return !bytes.is_empty();
        }
        // SAFETY: the caller's.
        find(self.domain, schema).is_some_and(|it| unsafe { self.schema(it, bytes, "") })
    }

    /// # Safety
    /// As for [`Self::payload`].
    unsafe fn schema(&mut self, schema: &PayloadSchema, bytes: &[u8], prefix: &str) -> bool {
        let entries = match &schema.form {
            SchemaForm::Entries(entries) if self.depth < DEEPEST => entries,
            SchemaForm::Enum(names) => {
                let read = NumberForm::Unsigned(schema.bytes).read(bytes);
                let Some(NvtxValue::Unsigned(value)) = read else {
                    return false;
                };
                let name = if prefix.is_empty() { "payload" } else { prefix };
                self.field(name, enum_name(names, value));
                return true;
            }
            _ => return false,
        };
        self.depth += 1;
        let (mut is_read, mut cursor) = (true, 0);
        for entry in entries {
            let name = match (prefix, entry.name.as_str()) {
                ("", "") => "payload".to_owned(),
                ("", own) => own.to_owned(),
                (outer, "") => outer.to_owned(),
                (outer, own) => format!("{outer}.{own}"),
            };
            let align = entry.size(self.domain).map_or(1, |(_, align)| align);
            let at = entry.offset.unwrap_or_else(|| cursor_of(cursor, align));
            let Some(rest) = bytes.get(at..) else {
                is_read = false;
                break;
            };
            // SAFETY: the caller's.
            match unsafe { self.entry(entry, entries, (bytes, rest), &name) } {
                Some(count) => cursor = at + count,
                None => is_read = false,
            }
        }
        self.depth -= 1;
        is_read
    }

    /// Reads an entry, and answers with its bytes.
    ///
    /// # Safety
    /// As for [`Self::payload`].
    unsafe fn entry(
        &mut self,
        entry: &PayloadEntry,
        all: &[PayloadEntry],
        (whole, from): (&[u8], &[u8]),
        name: &str,
    ) -> Option<usize> {
        let array = entry.flags & entry_flag::ARRAYS;
        let is_pointer = entry.flags & entry_flag::POINTER != 0;
        if entry.flags & entry_flag::OFFSETS != 0 {
            return None;
        }
        let count = match array {
            entry_flag::LENGTH_INDEX => length(all, whole, entry.detail)?,
            _ => usize::try_from(entry.detail).ok()?,
        };
        if let Some(width) = text_width(entry.kind) {
            // SAFETY: the caller's.
            let (text, bytes) = unsafe { entry_text(from, width, (array, count), is_pointer) }?;
            self.text(entry, name, text);
            return Some(bytes);
        }
        if is_pointer {
            let address = NumberForm::Unsigned(8).read(from)?;
            self.field(name, address);
            return Some(8);
        }
        let Some(form) = plain_form(self.domain, entry.kind) else {
            let inner = find(self.domain, entry.kind)?;
            if array == 0 {
                // SAFETY: the caller's.
                let is_read = unsafe { self.schema(inner, from, name) };
                return is_read.then_some(inner.bytes);
            }
            // Several of a schema, one behind the other.
            let parts = from.chunks_exact(inner.bytes.max(1)).take(count);
            for (place, part) in parts.enumerate().take(MOST_PARTS) {
                // SAFETY: the caller's.
                let is_read = unsafe { self.schema(inner, part, &format!("{name}[{place}]")) };
                is_read.then_some(())?;
            }
            return (count <= MOST_PARTS).then_some(inner.bytes.checked_mul(count)?);
        };
        if array == 0 {
            let value = form.read(from)?;
            self.number(entry, name, value);
            return Some(form.bytes());
        }
        let count = match array {
            entry_flag::TERMINATED => {
                let ends = |it: &[u8]| it.iter().all(|byte| *byte == 0);
                from.chunks(form.bytes()).position(ends)?
            }
            _ => count,
        };
        let bytes = form.bytes().checked_mul(count)?;
        let values = from.get(..bytes)?;
        let value = match entry.kind {
            entry_type::CHAR => NvtxValue::Text(inline_text(values, 1)),
            _ => list(form, values),
        };
        self.field(name, value);
        let has_end = array == entry_flag::TERMINATED;
        Some(bytes + if has_end { form.bytes() } else { 0 })
    }

    fn text(&mut self, entry: &PayloadEntry, name: &str, text: String) {
        if entry.flags & entry_flag::ROLE == entry_flag::MESSAGE {
            self.into.text = Some(text.into_bytes().into());
        } else {
            self.field(name, NvtxValue::Text(text));
        }
    }

    /// A number, or what it says of the event.
    fn number(&mut self, entry: &PayloadEntry, name: &str, value: NvtxValue) {
        let NvtxValue::Unsigned(bits) = value else {
            return self.field(name, value);
        };
        let is_message = entry.flags & entry_flag::ROLE == entry_flag::MESSAGE;
        match entry.kind {
            entry_type::CATEGORY => self.into.category = Some(bits as u32),
            entry_type::COLOR => self.into.color = Some(bits as u32),
            entry_type::REGISTERED if is_message => self.into.registered = Some(bits as u32),
            entry_type::ADDRESS => self.field(name, NvtxValue::Text(format!("{bits:#x}"))),
            _ => self.field(name, value),
        }
    }
}

const fn cursor_of(cursor: usize, align: usize) -> usize {
    cursor.next_multiple_of(if align == 0 { 1 } else { align })
}

/// How many values an array has, by the entry that says so.
fn length(all: &[PayloadEntry], whole: &[u8], place: u64) -> Option<usize> {
    let entry = all.get(usize::try_from(place).ok()?)?;
    let from = whole.get(entry.offset?..)?;
    match number_form(entry.kind)?.read(from)? {
        NvtxValue::Unsigned(count) => usize::try_from(count).ok(),
        NvtxValue::Integer(count) => usize::try_from(count.max(0)).ok(),
        _ => None,
    }
}

/// The text of an entry, and the bytes that it takes.
///
/// # Safety
/// An address that stands there is that of a text with an end.
unsafe fn entry_text(
    from: &[u8],
    width: usize,
    (array, count): (u64, usize),
    is_pointer: bool,
) -> Option<(String, usize)> {
    if is_pointer || (array, count) == (0, 0) {
        let Some(NvtxValue::Unsigned(address)) = NumberForm::Unsigned(8).read(from) else {
            return None;
        };
        let at = address as usize as *const c_void;
        // SAFETY: the caller's.
        return Some((unsafe { text::of_width(at, width) }, 8));
    }
    if array == entry_flag::TERMINATED {
        let text = inline_text(from, width);
        let ends = |it: &[u8]| it.iter().all(|byte| *byte == 0);
        let units = from.chunks(width).position(ends)?;
        return Some((text, (units + 1) * width));
    }
    let bytes = count.checked_mul(width)?;
    Some((inline_text(from.get(..bytes)?, width), bytes))
}

/// A text among other bytes, up to its end.
fn inline_text(bytes: &[u8], width: usize) -> String {
    let units = bytes.chunks_exact(width).map(|unit| {
        let mut whole = [0; 4];
        let (to, _) = whole.split_at_mut(width.min(4));
        to.copy_from_slice(unit);
        u32::from_le_bytes(whole)
    });
    let units = units.take_while(|unit| *unit != 0);
    if width == 1 {
        let bytes: Vec<u8> = units.map(|unit| unit as u8).collect();
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    let character = |unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
    units.map(character).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    let shown = bytes.iter().take(MOST_VALUES);
    let digits: Vec<String> = shown.map(|byte| format!("{byte:02x}")).collect();
    let mut text = digits.concat();
    if bytes.len() > MOST_VALUES {
        text.push('…');
    }
    text
}
