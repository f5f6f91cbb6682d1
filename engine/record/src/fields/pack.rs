//! Packs fields, span by span.

use std::collections::HashMap;

use super::code::{decimal, number, real, zigzag};
use super::{FieldForm, FieldType, Fields, STEP};
use crate::{NameId, SpanId};

/// Stands for a form that the fields under way do not have yet.
const UNUSED: u32 = u32::MAX;

/// A form as it was met.
struct FormState {
    form: FieldForm,
    /// Its place among those that the fields under way use.
    place: u32,
    /// Where the first whole numbers of it are.
    base: u32,
    /// How many marks there were when it was met last.
    step: usize,
}

/// Packs fields. Names are numbered by whoever uses it, and so are texts.
#[derive(Default)]
pub struct FieldEncoder {
    known: Vec<FormState>,
    /// Forms by a number made of what is in them.
    places: HashMap<u64, Vec<u32>>,
    recent: [(u64, u32); 8],
    /// The form of the span under way, a number made of it, and its values.
    form: Vec<(NameId, FieldType)>,
    mark: u64,
    values: Vec<(i64, u8)>,
    fields: Fields,
    /// The last whole numbers, where the first ones of their forms are in `fields`.
    last: Vec<i64>,
}

impl FieldEncoder {
    /// The next field of the span under way is a whole number.
    pub fn integer(&mut self, name: NameId, value: i64) {
        self.field(name, FieldType::Integer, (value, 0));
    }

    /// The same, `digits` divided by ten to the power `scale`. Exact while both are of at most 15 digits.
    pub fn decimal(&mut self, name: NameId, digits: i64, scale: u8) {
        self.field(name, FieldType::Number, (digits, scale));
    }

    /// The same, a number of any size.
    pub fn real(&mut self, name: NameId, value: f64) {
        self.field(name, FieldType::Number, (value.to_bits() as i64, u8::MAX));
    }

    /// The same, the number of a text.
    pub fn text(&mut self, name: NameId, text: u32) {
        self.field(name, FieldType::Text, (i64::from(text), 0));
    }

    fn field(&mut self, name: NameId, written: FieldType, value: (i64, u8)) {
        let word = u64::from(name.0) << 2 | written as u64;
        let mixed = (self.mark ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.mark = mixed ^ mixed >> 32;
        self.form.push((name, written));
        self.values.push(value);
    }

    /// The span under way has no more fields.
    pub fn end(&mut self) {
        let fields = &mut self.fields;
        if (fields.spans as usize).is_multiple_of(STEP) {
            fields.marks.push(fields.bytes.len() as u32);
        }
        fields.spans += 1;
        if self.form.is_empty() {
            fields.bytes.push(0);
            return;
        }
        fields.count += self.form.len() as u32;
        let known = self.known_form();
        self.write(known);
        self.form.clear();
        self.values.clear();
        self.mark = 0;
    }

    /// The number of the form under way.
    fn known_form(&mut self) -> u32 {
        let is = |known: Option<&FormState>, form: &[(NameId, FieldType)]| {
            known.is_some_and(|known| *known.form == *form)
        };
        let slot = (self.mark >> 8) as usize % self.recent.len();
        if let Some(&(mark, known)) = self.recent.get(slot)
            && mark == self.mark
            && is(self.known.get(known as usize), &self.form)
        {
            return known;
        }
        let places = self.places.entry(self.mark).or_default();
        let found = places
            .iter()
            .find(|it| is(self.known.get(**it as usize), &self.form));
        let next = self.known.len() as u32;
        let known = found.copied().unwrap_or(next);
        if known == next {
            places.push(next);
            let form: FieldForm = self.form.as_slice().into();
            self.fields.forms.push(form.clone());
            self.known.push(FormState {
                form,
                place: UNUSED,
                base: 0,
                step: 0,
            });
        }
        if let Some(slot) = self.recent.get_mut(slot) {
            *slot = (self.mark, known);
        }
        known
    }

    fn write(&mut self, number_of_form: u32) {
        let Some(known) = self.known.get_mut(number_of_form as usize) else {
            return;
        };
        let fields = &mut self.fields;
        if known.place == UNUSED {
            known.place = fields.used.len() as u32;
            known.base = fields.bases.len() as u32;
            fields.used.push((number_of_form, known.base));
            let pairs = self.form.iter().zip(&self.values);
            let whole = pairs.filter(|((_, written), _)| *written == FieldType::Integer);
            fields.bases.extend(whole.map(|(_, (value, _))| *value));
            self.last.resize(fields.bases.len(), 0);
        }
        let step = std::mem::replace(&mut known.step, fields.marks.len());
        let goes_on = step == fields.marks.len();
        number(&mut fields.bytes, u64::from(known.place) + 1);
        let mut base = known.base as usize;
        for ((_, written), &(value, scale)) in self.form.iter().zip(&self.values) {
            match written {
                FieldType::Integer => {
                    let first = fields.bases.get(base).copied().unwrap_or(0);
                    if let Some(last) = self.last.get_mut(base) {
                        let last = std::mem::replace(last, value);
                        let from = if goes_on { last } else { first };
                        number(&mut fields.bytes, zigzag(value.wrapping_sub(from)));
                    }
                    base += 1;
                }
                FieldType::Number if scale == u8::MAX => {
                    real(&mut fields.bytes, f64::from_bits(value as u64));
                }
                FieldType::Number => decimal(&mut fields.bytes, value, scale),
                FieldType::Text => number(&mut fields.bytes, value as u64),
            }
        }
    }

    /// How many forms it knows.
    pub fn forms(&self) -> usize {
        self.known.len()
    }

    /// What has gathered, as that of spans that count from 0; the next span begins anew.
    pub fn finish(&mut self) -> Fields {
        for &(form, _) in &self.fields.used {
            if let Some(known) = self.known.get_mut(form as usize) {
                (known.place, known.step) = (UNUSED, 0);
            }
        }
        self.last.clear();
        let mut fields = std::mem::take(&mut self.fields);
        fields.first = SpanId(0);
        let (bytes, marks) = (fields.bytes.len(), fields.marks.len());
        fields.shrink();
        self.fields.bytes.reserve(bytes + bytes / 8);
        self.fields.marks.reserve(marks + marks / 8);
        fields
    }
}
