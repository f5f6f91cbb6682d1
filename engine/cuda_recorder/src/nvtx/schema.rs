//! Schemas: how a program lays out its payloads and the values of its counters.
#![expect(
    unsafe_code,
    reason = "schemas are structs of C, and payloads point to texts"
)]

use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use super::append_list::AppendList;
use super::counters::{CounterSemantics, unit};
use super::event::NvtxValue;
use super::number::{NumberForm, number_form, text_width};
use super::text;
use super::thread::COUNTS;

/// Numbers that a program chooses itself are below this (`NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START`).
static NUMBERS: AtomicU64 = AtomicU64::new(1 << 32);
static SCHEMAS: AppendList<PayloadSchema> = AppendList::new();
static COUNTERS: AppendList<RegisteredCounter> = AppendList::new();

/// Entries of a schema that are read at most.
const MOST_ENTRIES: usize = 256;

/// `nvtxPayloadSchemaEntry_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SchemaEntry {
    flags: u64,
    kind: u64,
    name: *const c_char,
    description: *const c_char,
    detail: u64,
    offset: u64,
    semantics: *const CounterSemantics,
    reserved: *const c_void,
}

/// `nvtxPayloadSchemaAttr_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SchemaAttributes {
    fields: u64,
    name: *const c_char,
    kind: u64,
    flags: u64,
    entries: *const SchemaEntry,
    count: usize,
    bytes: usize,
    pack: usize,
    number: u64,
    extension: *const c_void,
}

/// `nvtxPayloadEnum_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EnumEntry {
    name: *const c_char,
    value: u64,
    is_flag: i8,
}

/// `nvtxPayloadEnumAttr_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EnumAttributes {
    fields: u64,
    name: *const c_char,
    entries: *const EnumEntry,
    count: usize,
    bytes: usize,
    number: u64,
    extension: *const c_void,
}

/// Flags of entries (`NVTX_PAYLOAD_ENTRY_FLAG_*`).
pub mod entry_flag {
    pub const POINTER: u64 = 1 << 1;
    pub const OFFSETS: u64 = 3 << 2;
    pub const ARRAYS: u64 = 7 << 4;
    pub const FIXED: u64 = 1 << 4;
    pub const TERMINATED: u64 = 2 << 4;
    pub const LENGTH_INDEX: u64 = 3 << 4;
    pub const ROLE: u64 = 3 << 10;
    pub const MESSAGE: u64 = 1 << 10;
}

/// Types of entries that are more than numbers (`NVTX_PAYLOAD_ENTRY_TYPE_*`).
pub mod entry_type {
    pub const CHAR: u64 = 1;
    pub const ADDRESS: u64 = 23;
    pub const CATEGORY: u64 = 68;
    pub const COLOR: u64 = 69;
    pub const REGISTERED: u64 = 80;
    pub const REFERENCED: u64 = 1022;
    pub const RAW: u64 = 1023;
}

/// Which fields of attributes are set (`NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_*`).
mod set {
    pub const BYTES: u64 = 1 << 6;
    pub const PACK: u64 = 1 << 7;
    pub const NUMBER: u64 = 1 << 8;
    pub const ENUM_NUMBER: u64 = 1 << 5;
}

/// How payloads are laid out, or what values are called.
pub struct PayloadSchema {
    domain: u32,
    number: u64,
    pub bytes: usize,
    align: usize,
    pub form: SchemaForm,
}

/// What a schema is of.
pub enum SchemaForm {
    Entries(Vec<PayloadEntry>),
    /// Names of values, and whether each is a flag.
    Enum(Vec<(u64, String, bool)>),
    /// A union, whose parts are not read.
    Unread,
}

/// A part of a payload.
pub struct PayloadEntry {
    pub flags: u64,
    pub kind: u64,
    pub name: String,
    unit: String,
    /// How many values or units it has, or the entry that says so.
    pub detail: u64,
    /// Where it is, if that is the same in each payload; else behind the one before.
    pub offset: Option<usize>,
}

/// The number itself where the program chose one, else a new one.
pub fn number_or_next(number: u64) -> u64 {
    match number {
        0 => NUMBERS.fetch_add(1, Ordering::Relaxed),
        own => own,
    }
}

/// The schema of a number in a domain.
pub fn find(domain: u32, number: u64) -> Option<&'static PayloadSchema> {
    SCHEMAS
        .iter()
        .find(|it| it.number == number && it.domain == domain)
}

/// How a number of a type is stored, where the type is a number or a schema of nothing else.
pub fn plain_form(domain: u32, kind: u64) -> Option<NumberForm> {
    let form = number_form(kind);
    form.or_else(|| match &find(domain, kind)?.form {
        SchemaForm::Entries(entries) => match entries.as_slice() {
            [only] if only.flags & entry_flag::ARRAYS == 0 => number_form(only.kind),
            _ => None,
        },
        SchemaForm::Enum(_) | SchemaForm::Unread => None,
    })
}

/// Registers how payloads are laid out, and answers with the schema's number, 0 where it cannot be one.
///
/// # Safety
/// The pointer is null or that of attributes whose texts and entries are there.
pub unsafe fn register(domain: u32, given: *const SchemaAttributes) -> u64 {
    if given.is_null() {
        return 0;
    }
    // SAFETY: the caller's.
    let given = unsafe { given.read_unaligned() };
    if given.entries.is_null() || given.count == 0 || given.count > MOST_ENTRIES {
        COUNTS.misfit();
        return 0;
    }
    let entries = (0..given.count).map(|place| {
        // SAFETY: there are so many.
        let entry = unsafe { given.entries.add(place).read_unaligned() };
        // SAFETY: texts are null or texts, and semantics are linked.
        let (name, unit) = unsafe { (text::string(entry.name), unit(entry.semantics)) };
        PayloadEntry {
            flags: entry.flags,
            kind: entry.kind,
            name,
            unit,
            detail: entry.detail,
            offset: (place == 0 || entry.offset != 0).then_some(entry.offset as usize),
        }
    });
    let mut entries: Vec<PayloadEntry> = entries.collect();
    let pack = if given.fields & set::PACK == 0 {
        0
    } else {
        given.pack
    };
    let (bytes, align) = lay_out(domain, &mut entries, pack);
    let is_own = given.fields & set::NUMBER != 0;
    let number = number_or_next(if is_own { given.number } else { 0 });
    let is_known = given.fields & set::BYTES != 0 && given.bytes != 0;
    SCHEMAS.add(PayloadSchema {
        domain,
        number,
        bytes: if is_known { given.bytes } else { bytes },
        align,
        form: match given.kind {
            1 | 2 => SchemaForm::Entries(entries),
            _ => SchemaForm::Unread,
        },
    });
    number
}

/// Places entries one behind the other, as a compiler for C would, up to the first whose length its payload tells; answers
/// with the bytes of all and what they are aligned to.
fn lay_out(domain: u32, entries: &mut [PayloadEntry], pack: usize) -> (usize, usize) {
    let (mut end, mut widest, mut is_known) = (0_usize, 1, true);
    for entry in entries {
        let (bytes, align) = entry.size(domain).unwrap_or((0, 1));
        let align = if pack == 0 { align } else { align.min(pack) };
        widest = widest.max(align);
        if entry.offset.is_none() && is_known {
            entry.offset = Some(end.next_multiple_of(align.max(1)));
        }
        is_known &= entry.size(domain).is_some();
        end = entry.offset.unwrap_or(end).saturating_add(bytes);
    }
    (end.next_multiple_of(widest), widest)
}

impl PayloadEntry {
    /// Its bytes and alignment, where those are the same in each payload.
    pub fn size(&self, domain: u32) -> Option<(usize, usize)> {
        let count = usize::try_from(self.detail).ok()?;
        if self.flags & (entry_flag::POINTER | entry_flag::OFFSETS) != 0 {
            return Some((8, 8));
        }
        let array = self.flags & entry_flag::ARRAYS;
        if let Some(width) = text_width(self.kind) {
            return match (array, count) {
                (0, 0) => Some((8, 8)),
                (0 | entry_flag::FIXED, _) => Some((width.checked_mul(count)?, width)),
                _ => None,
            };
        }
        let (bytes, align) = match number_form(self.kind) {
            Some(form) => (form.bytes(), form.bytes()),
            None => find(domain, self.kind).map(|it| (it.bytes, it.align))?,
        };
        match array {
            0 => Some((bytes, align)),
            entry_flag::FIXED => Some((bytes.checked_mul(count)?, align)),
            _ => None,
        }
    }
}

/// Registers names of values.
///
/// # Safety
/// The pointer is null or that of attributes whose texts and entries are there.
pub unsafe fn register_enum(domain: u32, given: *const EnumAttributes) -> u64 {
    if given.is_null() {
        return 0;
    }
    // SAFETY: the caller's.
    let given = unsafe { given.read_unaligned() };
    if given.entries.is_null()
        || given.count > MOST_ENTRIES
        || !matches!(given.bytes, 1 | 2 | 4 | 8)
    {
        COUNTS.misfit();
        return 0;
    }
    let names = (0..given.count).map(|place| {
        // SAFETY: there are so many, and their names are texts.
        unsafe {
            let entry = given.entries.add(place).read_unaligned();
            (entry.value, text::string(entry.name), entry.is_flag != 0)
        }
    });
    let is_own = given.fields & set::ENUM_NUMBER != 0;
    let number = number_or_next(if is_own { given.number } else { 0 });
    SCHEMAS.add(PayloadSchema {
        domain,
        number,
        bytes: given.bytes,
        align: given.bytes,
        form: SchemaForm::Enum(names.collect()),
    });
    number
}

struct RegisteredCounter {
    domain: u32,
    number: u64,
    layout: CounterLayout,
}

/// How the values of a counter or a group are laid out.
pub struct CounterLayout {
    pub bytes: usize,
    pub entries: Vec<CounterEntry>,
}

/// A counter of a group.
pub struct CounterEntry {
    pub name: String,
    pub unit: String,
    offset: usize,
    form: NumberForm,
}

impl CounterLayout {
    /// The values among bytes, in the order of the group.
    pub fn values(&self, bytes: &[u8]) -> Vec<NvtxValue> {
        let read = |entry: &CounterEntry| entry.form.read(bytes.get(entry.offset..)?);
        let values = self
            .entries
            .iter()
            .map(|entry| read(entry).unwrap_or(NvtxValue::Unsigned(0)));
        values.collect()
    }
}

/// How a counter with this schema is laid out: one value, or those entries of a schema that are numbers.
pub fn counter_layout(domain: u32, schema: u64) -> CounterLayout {
    let alone = |form: NumberForm| CounterLayout {
        bytes: form.bytes(),
        entries: vec![CounterEntry {
            name: String::new(),
            unit: String::new(),
            offset: 0,
            form,
        }],
    };
    if let Some(form) = number_form(schema) {
        return alone(form);
    }
    let Some((bytes, entries)) = find(domain, schema).and_then(|it| match &it.form {
        SchemaForm::Entries(entries) => Some((it.bytes, entries)),
        _ => None,
    }) else {
        return alone(NumberForm::Signed(8));
    };
    let entries = entries
        .iter()
        .filter(|it| it.flags & entry_flag::ARRAYS == 0);
    let entries = entries.filter_map(|entry| {
        Some(CounterEntry {
            name: entry.name.clone(),
            unit: entry.unit.clone(),
            offset: entry.offset?,
            form: number_form(entry.kind)?,
        })
    });
    CounterLayout {
        bytes,
        entries: entries.collect(),
    }
}

/// Keeps the layout of a counter.
pub fn add_counter(domain: u32, number: u64, layout: CounterLayout) {
    COUNTERS.add(RegisteredCounter {
        domain,
        number,
        layout,
    });
}

/// The layout of a counter that was registered.
pub fn counter(domain: u32, number: u64) -> Option<&'static CounterLayout> {
    let found = COUNTERS
        .iter()
        .find(|it| it.number == number && it.domain == domain);
    found.map(|it| &it.layout)
}
