//! The colours of spans by the value that they have of one field.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use eframe::egui::Color32;
use engine::capture::Capture;
use engine::record::{SpanId, Value};

use crate::text;
use crate::theme::{Theme, mixed};

/// So many spans are looked at, spread over the capture, to know which values there are.
const SAMPLED: usize = 20_000;
/// The same for the names of fields.
const NAMED: usize = 2_000;
/// Names of fields that a menu lists, at most.
pub const MOST_FIELDS: usize = 40;
/// Numbers are put into ranges where there are more different ones.
const MOST_NUMBERS: usize = 20;
/// So many ranges numbers are put into.
const RANGES: usize = 8;
/// Values are told apart up to so many; spans of others have the colour of those without the field.
const MOST_VALUES: usize = 4_096;

/// So many spans are remembered with what they have of the field: to read that takes longer than to draw them.
const MOST_REMEMBERED: usize = 1 << 18;

/// How values are told apart.
#[derive(Clone, Debug, PartialEq)]
enum ValueClasses {
    /// Each by itself, with its place.
    Each(BTreeMap<String, usize>),
    /// Numbers by ranges of equal length between two, or of equal ratio where they differ by very much.
    Ranges {
        least: f64,
        most: f64,
        is_ratio: bool,
    },
}

impl Default for ValueClasses {
    fn default() -> Self {
        Self::Each(BTreeMap::new())
    }
}

/// Which colour each value of a field has.
#[derive(Default)]
pub struct FieldColours {
    field: String,
    classes: ValueClasses,
    /// The places of the values of spans that were asked for.
    remembered: HashMap<SpanId, Option<usize>>,
    /// How many spans the capture had when they were: what a run has of a span may come behind it.
    spans: usize,
    /// How many spans the capture had when its values were looked at, and under which name it ran.
    known: (usize, String),
    generation: u32,
}

impl FieldColours {
    /// Goes over to a field, or to another capture. Looks at its values anew only where one of both is another, or the capture
    /// has grown by much.
    pub fn update(&mut self, capture: &Capture, field: &str) {
        let spans = capture.span_count();
        if self.spans != spans {
            self.remembered.clear();
            self.spans = spans;
        }
        let run = capture.run().map_or("", |it| it.name.as_str());
        let is_same = self.field == field && self.known.1 == run;
        if is_same && (self.known.0..=self.known.0 * 2).contains(&spans) {
            return;
        }
        field.clone_into(&mut self.field);
        self.known = (spans, run.to_owned());
        self.generation += 1;
        self.remembered.clear();
        self.classes = if field.is_empty() {
            ValueClasses::default()
        } else {
            classes(sampled(capture, SAMPLED).filter_map(|it| value(capture, it, field)))
        };
    }

    /// Another number whenever colours have changed.
    pub const fn generation(&self) -> u32 {
        self.generation
    }

    /// The colour of a span by its value; nothing where it has none.
    pub fn of(&mut self, theme: &Theme, capture: &Capture, span: SpanId) -> Option<Color32> {
        let class = self.class_of(capture, span)?;
        Some(self.colour(theme, class))
    }

    /// The place of a span's value among those that are told apart.
    pub fn class_of(&mut self, capture: &Capture, span: SpanId) -> Option<usize> {
        if let Some(known) = self.remembered.get(&span) {
            return *known;
        }
        let value = value(capture, span, &self.field);
        let class = value.and_then(|it| self.class(&it));
        if self.remembered.len() >= MOST_REMEMBERED {
            self.remembered.clear();
        }
        self.remembered.insert(span, class);
        class
    }

    fn class(&mut self, value: &Value) -> Option<usize> {
        match &mut self.classes {
            ValueClasses::Each(known) => {
                let next = known.len();
                let words = words(value);
                if next >= MOST_VALUES {
                    return known.get(&words).copied();
                }
                Some(*known.entry(words).or_insert(next))
            }
            ValueClasses::Ranges {
                least,
                most,
                is_ratio,
            } => {
                let (least, most) = scaled((*least, *most), *is_ratio);
                let (value, _) = scaled((number(value)?, 1.0), *is_ratio);
                let share = (value - least) / (most - least) * RANGES as f64;
                Some((share.max(0.0) as usize).min(RANGES - 1))
            }
        }
    }

    /// The colour of a class.
    pub fn colour(&self, theme: &Theme, class: usize) -> Color32 {
        match &self.classes {
            ValueClasses::Each(_) => theme.value(class),
            ValueClasses::Ranges { .. } => {
                let share = 0.25 + 0.75 * class as f32 / (RANGES - 1) as f32;
                mixed(theme.value(0), theme.row, share)
            }
        }
    }

    /// What a class is called.
    pub fn label(&self, class: usize) -> String {
        match &self.classes {
            ValueClasses::Each(known) => {
                let mut all = known.iter();
                let found = all.find(|it| *it.1 == class);
                found.map_or_else(String::new, |it| text::shown(it.0))
            }
            ValueClasses::Ranges {
                least,
                most,
                is_ratio,
            } => {
                let (first, last) = scaled((*least, *most), *is_ratio);
                let edge = |at: usize| {
                    let edge = first + (last - first) * at as f64 / RANGES as f64;
                    text::significant(if *is_ratio { edge.exp() } else { edge })
                };
                format!("{} to {}", edge(class), edge(class + 1))
            }
        }
    }
}

/// The logarithms of two numbers, or these themselves.
fn scaled((one, other): (f64, f64), is_ratio: bool) -> (f64, f64) {
    if is_ratio {
        (one.max(f64::MIN_POSITIVE).ln(), other.ln())
    } else {
        (one, other)
    }
}

/// How the values of a field are told apart.
fn classes(values: impl Iterator<Item = Value>) -> ValueClasses {
    let mut numbers: Option<(f64, f64)> = None;
    let mut has_texts = false;
    let mut seen = BTreeMap::new();
    for value in values {
        match number(&value) {
            Some(it) => {
                let (least, most) = numbers.unwrap_or((it, it));
                numbers = Some((least.min(it), most.max(it)));
            }
            None => has_texts = true,
        }
        if seen.len() < MOST_VALUES {
            seen.entry(sort_key(&value)).or_insert(value);
        }
    }
    let different = seen.len();
    let many = numbers.filter(|_| !has_texts && different > MOST_NUMBERS);
    if let Some((least, most)) = many {
        return ValueClasses::Ranges {
            least,
            most,
            is_ratio: least > 0.0 && most / least >= 100.0,
        };
    }
    let each = seen.values().map(words).zip(0..);
    ValueClasses::Each(each.collect())
}

/// Numbers by their size and before texts, which are in the order of letters.
fn sort_key(value: &Value) -> (bool, i64, String) {
    match value {
        Value::Integer(it) => (false, *it, String::new()),
        Value::Number(it) => (false, *it as i64, format!("{it:e}")),
        Value::Text(it) => (true, 0, it.to_string()),
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Integer(it) => it.to_string(),
        Value::Number(it) => text::number(*it),
        Value::Text(it) => it.to_string(),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(it) => Some(*it as f64),
        Value::Number(it) => Some(*it).filter(|it| it.is_finite()),
        Value::Text(_) => None,
    }
}

/// What a span has of a field.
fn value(capture: &Capture, span: SpanId, field: &str) -> Option<Value> {
    let mut all = capture.arguments(span);
    all.find(|(name, _)| *name == field).map(|it| it.1)
}

/// Some spans, spread over all.
fn sampled(capture: &Capture, most: usize) -> impl Iterator<Item = SpanId> {
    let step = (capture.span_ids() / most).max(1);
    (0..capture.span_ids())
        .step_by(step)
        .map(|it| SpanId(it as u32))
}

/// The names of fields that spans have, as far as some of them tell.
pub fn fields(capture: &Capture) -> Vec<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for span in sampled(capture, NAMED) {
        for (name, _) in capture.arguments(span) {
            if !found.contains(name) {
                found.insert(name.to_owned());
            }
        }
    }
    let mut found: Vec<String> = found.into_iter().collect();
    found.sort_by_cached_key(|it| it.to_lowercase());
    found.truncate(MOST_FIELDS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_told_apart_and_many_numbers_put_into_ranges() {
        let whole = |all: std::ops::Range<i64>| classes(all.map(Value::Integer));
        let ValueClasses::Each(few) = whole(3..15) else {
            panic!("12 numbers are few");
        };
        // By their size, and not by their letters.
        assert_eq!((few["3"], few["10"], few["14"]), (0, 7, 11));
        let text = classes(["b", "a", "b"].into_iter().map(|it| Value::Text(it.into())));
        let ValueClasses::Each(text) = text else {
            panic!("texts have no ranges");
        };
        assert_eq!((text["a"], text["b"], text.len()), (0, 1, 2));
        let linear = ValueClasses::Ranges {
            least: 0.0,
            most: 80.0,
            is_ratio: false,
        };
        assert_eq!(whole(0..81), linear);
        let mut colours = FieldColours {
            classes: linear,
            ..FieldColours::default()
        };
        let mut class = |value| colours.class(&Value::Integer(value));
        assert_eq!(
            [
                class(-5),
                class(0),
                class(9),
                class(10),
                class(80),
                class(99)
            ],
            [Some(0), Some(0), Some(0), Some(1), Some(7), Some(7)]
        );
        assert_eq!(colours.label(1), "10 to 20");
        assert_eq!(colours.class(&Value::Text("none".into())), None);
    }

    #[test]
    fn numbers_that_differ_by_much_have_ranges_of_one_ratio() {
        let powers = classes((0..24).map(|it| Value::Integer(1 << it)));
        let mut colours = FieldColours {
            classes: powers,
            ..FieldColours::default()
        };
        let mut class = |value| colours.class(&Value::Integer(value)).unwrap();
        assert_eq!((class(1), class(1 << 23), class(0)), (0, 7, 0));
        let each: Vec<usize> = (0..24).map(|it| class(1 << it)).collect();
        assert!(each.is_sorted() && each.windows(2).all(|it| it[1] - it[0] <= 1));
    }
}
