//! The last whole numbers that each form had among a few spans: the next ones are near them.

/// Whole numbers by form.
#[derive(Default)]
pub struct RecentNumbers {
    /// Each form that was met, and where its numbers begin.
    forms: Vec<(u32, usize)>,
    numbers: Vec<i64>,
}

/// The numbers of one form while a span of it is read.
pub struct FormCursor {
    at: usize,
    /// Whether no span before had the form.
    is_new: bool,
}

impl RecentNumbers {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.forms.clear();
        self.numbers.clear();
    }

    /// Where the numbers of a form are. Whoever asks reads a whole span of it.
    pub fn begin(&mut self, form: u32) -> FormCursor {
        let known = self.forms.iter().find(|(other, _)| *other == form);
        let at = known.map(|(_, at)| *at);
        if at.is_none() {
            self.forms.push((form, self.numbers.len()));
        }
        FormCursor {
            at: at.unwrap_or(self.numbers.len()),
            is_new: at.is_none(),
        }
    }

    /// The next number, from its distance to the one before, or to `base` where there is none.
    pub fn next(&mut self, place: &mut FormCursor, base: i64, distance: i64) -> Option<i64> {
        if place.is_new {
            let number = base.wrapping_add(distance);
            self.numbers.push(number);
            return Some(number);
        }
        let number = self.numbers.get_mut(place.at)?;
        place.at += 1;
        *number = number.wrapping_add(distance);
        Some(*number)
    }
}
