//! Packs the fields of spans while the file is scanned; only what ties spans to others is handed on as it is.

use super::arguments::{ArgumentPayload, ChromeArgument};
use super::event::{ChromeEvent, flag};
use super::words;
use crate::importer::chrome::class::EventClass;
use record::{FieldEncoder, Fields, NameId};

/// Stands for a text that no field had yet.
const UNTOLD: u32 = u32::MAX;

/// So many forms are packed; in a file that goes on to have new ones, packing saves nothing.
const MOST_FORMS: usize = 1 << 16;

/// Packs the fields of one scanner.
#[derive(Default)]
pub struct ScannerFieldEncoder {
    packer: FieldEncoder,
    /// For each text its number among those of fields.
    numbers: Vec<u32>,
    /// How many texts have such a number.
    count: u32,
    /// Those that got theirs in the stretch under way.
    told: Vec<u32>,
}

/// Packed fields whose names and texts are still the scanner's.
#[derive(Default)]
pub struct ScannerFields {
    pub fields: Fields,
    /// The texts that are new in them.
    pub texts: Vec<u32>,
}

impl ScannerFieldEncoder {
    /// Takes an event with its arguments. Says whether they have to be handed on as well.
    pub fn take(&mut self, event: &mut ChromeEvent, arguments: &[ChromeArgument]) -> bool {
        if !makes_span(event.phase) {
            return true;
        }
        if self.packer.forms() >= MOST_FORMS {
            event.flags |= flag::LOOSE;
            self.packer.end();
            return true;
        }
        let class = EventClass::of(event.category);
        if is_told(event.category) {
            let category = self.number(event.category);
            self.packer.text(NameId(words::CATEGORY), category);
        }
        let mut ties =
            matches!(class, EventClass::Sync | EventClass::Task) || event.name == words::MEMORY;
        for argument in arguments {
            let name = NameId(argument.key);
            match argument.payload {
                ArgumentPayload::Integer(value) => self.packer.integer(name, value),
                ArgumentPayload::Decimal(digits, scale) => self.packer.decimal(name, digits, scale),
                ArgumentPayload::Number(value) => self.packer.real(name, value),
                ArgumentPayload::Text(text) => {
                    let text = self.number(text);
                    self.packer.text(name, text);
                }
            }
            let key = argument.key;
            ties |= matches!(
                key,
                words::PROCESS_GROUP
                    | words::COLLECTIVE_NUMBER
                    | words::DEVICE_ORDINAL
                    | words::NUM_THREADS
                    | words::CONNECTION
            );
        }
        self.packer.end();
        ties
    }

    fn number(&mut self, text: u32) -> u32 {
        let at = text as usize;
        if at >= self.numbers.len() {
            self.numbers.resize(at + 1, UNTOLD);
        }
        let Some(slot) = self.numbers.get_mut(at) else {
            return 0;
        };
        if *slot == UNTOLD {
            *slot = self.count;
            self.count += 1;
            self.told.push(text);
        }
        *slot
    }

    /// What has gathered.
    pub fn finish(&mut self) -> ScannerFields {
        ScannerFields {
            fields: self.packer.finish(),
            texts: std::mem::take(&mut self.told),
        }
    }
}

/// Whether a category is a field of its spans: the kind of a span and its lane say the others.
pub fn is_told(category: u32) -> bool {
    let class = EventClass::of(category);
    category != words::EMPTY && matches!(class, EventClass::Plain | EventClass::Annotation)
}

/// Whether an event of a phase gives one span, whose fields its arguments are.
pub fn makes_span(phase: u8) -> bool {
    matches!(
        phase,
        b'X' | b'i' | b'I' | b'R' | b'P' | b'B' | b'b' | b'S' | b'n' | b'T' | b'p'
    )
}
