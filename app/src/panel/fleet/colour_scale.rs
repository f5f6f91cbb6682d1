//! Which value has which colour: from the least to the most, or to what few values lie beyond.

/// The level of a cell without a value.
pub const NO_VALUE: u8 = 0;
/// The levels of values are 1 to this.
const MOST: f64 = 254.0;
/// So many values are looked at to know how they are spread.
const SAMPLE: usize = 100_000;
/// Where the scale ends if a few values would take most of it: one in so many lies beyond.
const BEYOND: usize = 200;
/// What part of the scale the others would have at most then.
const CROWDED: f64 = 1.0 / 3.0;
/// How far the colours of the others reach then: those beyond have the strongest one.
pub const USUAL: f64 = 0.85;

/// The scale of a measure's colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColourScale {
    /// The least value.
    pub low: i64,
    /// The value where the scale ends: all beyond it have the strongest colour.
    pub high: i64,
    /// The greatest value.
    pub most: i64,
    /// Whether some cells have no value.
    pub has_gaps: bool,
}

impl ColourScale {
    /// The scale of these values, which reaches over `least` at least, so that values that hardly differ look so; nothing where
    /// there is no value.
    pub fn of(values: &[Option<i64>], least: i64) -> Option<Self> {
        let all = || values.iter().copied().flatten();
        let (low, most) = (all().min()?, all().max()?);
        let every = values.len().div_ceil(SAMPLE).max(1);
        let mut sample: Vec<i64> = values.iter().step_by(every).copied().flatten().collect();
        let at = sample.len().saturating_sub(1 + sample.len() / BEYOND);
        let usual = if at < sample.len() {
            *sample.select_nth_unstable(at).1
        } else {
            most
        };
        let part = usual.saturating_sub(low) as f64 / most.saturating_sub(low).max(1) as f64;
        let is_crowded = sample.len() >= BEYOND && usual > low && part < CROWDED;
        let high = if is_crowded { usual } else { most };
        let high = high.max(low.saturating_add(least));
        Some(Self {
            low,
            high,
            most,
            has_gaps: values.contains(&None),
        })
    }

    /// How far a value lies from the least, 0, to the most, 1. Where all are the same it is in the middle.
    pub fn share(self, value: i64) -> f64 {
        if self.high <= self.low {
            return 0.5;
        }
        if value > self.high {
            return 1.0;
        }
        let whole = self.high.saturating_sub(self.low) as f64;
        let share = value.saturating_sub(self.low).max(0) as f64 / whole;
        share * if self.is_cut() { USUAL } else { 1.0 }
    }

    /// The level of a cell: greater for greater values, and 0 without one.
    pub fn level(self, value: Option<i64>) -> u8 {
        value.map_or(NO_VALUE, |it| 1 + (self.share(it) * MOST) as u8)
    }

    /// How far the colour of a level lies along the scale.
    pub fn share_of_level(level: u8) -> f32 {
        (f32::from(level) - 1.0).max(0.0) / MOST as f32
    }

    /// Whether some values lie beyond the strongest colour.
    pub const fn is_cut(self) -> bool {
        self.high < self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_reach_from_the_least_value_to_the_most() {
        let scale = ColourScale::of(&[Some(10), None, Some(30), Some(20)], 0).unwrap();
        assert_eq!((scale.low, scale.high, scale.most), (10, 30, 30));
        assert!(!scale.is_cut() && scale.has_gaps);
        let levels = [None, Some(10), Some(20), Some(30), Some(90)].map(|it| scale.level(it));
        assert_eq!(levels, [NO_VALUE, 1, 128, 255, 255]);
        assert!((ColourScale::share_of_level(255) - 1.0).abs() < 1e-6);
        assert_eq!(ColourScale::of(&[None], 0), None);
        // One value is in the middle.
        assert_eq!(ColourScale::of(&[Some(7)], 0).unwrap().level(Some(7)), 128);
    }

    #[test]
    fn values_that_hardly_differ_look_so() {
        let values = [10_000, 10_063, 10_031].map(Some);
        let scale = ColourScale::of(&values, 1_000).unwrap();
        assert_eq!(
            (scale.low, scale.high, scale.most),
            (10_000, 11_000, 10_063)
        );
        assert!(!scale.is_cut());
        assert!(values.map(|it| scale.level(it)).iter().all(|it| *it < 20));
        assert_eq!(scale.level(Some(11_000)), 255);
    }

    #[test]
    fn a_few_far_values_do_not_take_the_scale_from_the_others() {
        let mut values: Vec<Option<i64>> = (0..1_000).map(|it| Some(1_000 + it)).collect();
        values[17] = Some(1_000_000);
        let scale = ColourScale::of(&values, 0).unwrap();
        assert!(scale.is_cut() && scale.high < 2_000);
        assert_eq!(scale.most, 1_000_000);
        // They stand out from all others.
        assert!(scale.level(Some(scale.high)) < 220);
        assert_eq!(scale.level(Some(scale.most)), 255);
        // Where half are far, they are no exception.
        for value in values.iter_mut().step_by(2) {
            *value = Some(1_000_000);
        }
        assert!(!ColourScale::of(&values, 0).unwrap().is_cut());
    }
}
