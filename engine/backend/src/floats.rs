//! Floats that any thread may read and write at any time: a race shows in the numbers, and is never undefined.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Floats as relaxed atomics of their bit patterns.
#[derive(Debug)]
pub struct Floats(Box<[AtomicU32]>);

impl Floats {
    /// `len` zeros, or nothing where memory does not suffice.
    pub fn zeros(len: usize) -> Option<Self> {
        let mut cells = Vec::new();
        cells.try_reserve_exact(len).ok()?;
        cells.resize_with(len, || AtomicU32::new(0));
        Some(Self(cells.into_boxed_slice()))
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The float at `place`; NaN beyond the end.
    #[inline]
    pub fn get(&self, place: usize) -> f32 {
        let cell = self.0.get(place);
        cell.map_or(f32::NAN, |cell| f32::from_bits(cell.load(Relaxed)))
    }

    /// Writes the float at `place`; nothing happens beyond the end.
    #[inline]
    pub fn set(&self, place: usize, value: f32) {
        if let Some(cell) = self.0.get(place) {
            cell.store(value.to_bits(), Relaxed);
        }
    }

    /// Fills `into` with the floats from `first` on; what lies beyond the end is left as it was.
    pub fn load(&self, first: usize, into: &mut [f32]) {
        let cells = self.0.get(first..).unwrap_or_default();
        for (value, cell) in into.iter_mut().zip(cells) {
            *value = f32::from_bits(cell.load(Relaxed));
        }
    }

    /// Writes `values` from `first` on; what does not fit is left out.
    pub fn store(&self, first: usize, values: &[f32]) {
        let cells = self.0.get(first..).unwrap_or_default();
        for (value, cell) in values.iter().zip(cells) {
            cell.store(value.to_bits(), Relaxed);
        }
    }

    /// Copies these floats of `from`; nothing where either does not reach so far.
    pub fn copy_from(&self, from: &Self, range: Range<usize>) {
        let (to, from) = (self.0.get(range.clone()), from.0.get(range));
        for (to, from) in to.unwrap_or_default().iter().zip(from.unwrap_or_default()) {
            to.store(from.load(Relaxed), Relaxed);
        }
    }

    /// Sets these floats to `value`.
    pub fn fill(&self, range: Range<usize>, value: f32) {
        for cell in self.0.get(range).unwrap_or_default() {
            cell.store(value.to_bits(), Relaxed);
        }
    }

    /// Each float in order.
    pub fn iter(&self) -> impl Iterator<Item = f32> {
        self.0.iter().map(|cell| f32::from_bits(cell.load(Relaxed)))
    }

    /// All of them.
    pub fn to_vec(&self) -> Vec<f32> {
        self.iter().collect()
    }
}

impl From<&[f32]> for Floats {
    fn from(values: &[f32]) -> Self {
        let cells = values.iter().map(|value| AtomicU32::new(value.to_bits()));
        Self(cells.collect())
    }
}
