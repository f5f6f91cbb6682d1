//! Columns that are written once: each number in as few bytes as those around it allow.

use record::impossible;
/// Numbers that share a base in a [`SteppedColumn`].
pub(super) const STEP: usize = 16;
/// Bytes behind the last column: every number is read as four, those of no bytes too.
pub(super) const PADDING: usize = 4;
/// More different numbers than this are not listed.
const MOST_LISTED: usize = 256;

/// Bytes that a difference takes, 0 to 4.
fn width(most: u32) -> u8 {
    (32 - most.leading_zeros()).div_ceil(8) as u8
}

/// The four bytes from a place on, as a number.
#[inline]
fn word(bytes: &[u8], at: usize) -> u32 {
    let four = bytes.get(at..at.wrapping_add(4));
    four.and_then(|it| it.first_chunk().copied())
        .map_or(0, u32::from_le_bytes)
}

/// The number of `width` bytes at a place.
#[inline]
fn number(bytes: &[u8], at: usize, width: u8) -> u32 {
    let mask = (1_u64 << (8 * u32::from(width))) - 1;
    word(bytes, at) & mask as u32
}

/// Writes differences to a base, each in `N` bytes.
fn write_each<const N: usize>(bytes: &mut Vec<u8>, values: &[u32], base: u32) {
    let from = bytes.len();
    bytes.resize(from + values.len() * N, 0);
    let slots = bytes
        .get_mut(from..)
        .unwrap_or_else(|| impossible!("room just made is not there"));
    for (slot, value) in slots.as_chunks_mut::<N>().0.iter_mut().zip(values) {
        let all = value.wrapping_sub(base).to_le_bytes();
        if let Some(low) = all.first_chunk::<N>() {
            *slot = *low;
        }
    }
}

/// Writes differences to a base, all in the same width.
fn write_all(bytes: &mut Vec<u8>, values: &[u32], base: u32, width: u8) {
    match width {
        0 => {}
        1 => write_each::<1>(bytes, values, base),
        2 => write_each::<2>(bytes, values, base),
        3 => write_each::<3>(bytes, values, base),
        _ => write_each::<4>(bytes, values, base),
    }
}

/// Reads as many differences to a base as there are `slots`.
fn read_all(bytes: &[u8], width: u8, base: u32, slots: &mut [u32]) {
    match width {
        0 => slots.fill(base),
        1 => {
            for (slot, byte) in slots.iter_mut().zip(bytes) {
                *slot = base.wrapping_add(u32::from(*byte));
            }
        }
        2 => {
            for (slot, it) in slots.iter_mut().zip(bytes.as_chunks().0) {
                *slot = base.wrapping_add(u32::from(u16::from_le_bytes(*it)));
            }
        }
        3 => {
            for (slot, [a, b, c]) in slots.iter_mut().zip(bytes.as_chunks().0) {
                *slot = base.wrapping_add(u32::from_le_bytes([*a, *b, *c, 0]));
            }
        }
        _ => {
            for (slot, it) in slots.iter_mut().zip(bytes.as_chunks().0) {
                *slot = base.wrapping_add(u32::from_le_bytes(*it));
            }
        }
    }
}

fn least_and_most(values: &[u32]) -> (u32, u32) {
    let least = values.iter().copied().min().unwrap_or(0);
    (least, values.iter().copied().max().unwrap_or(0))
}

/// A column whose numbers are alike: differences to one base, or places in a list of the few that occur.
#[derive(Clone, Copy, Default)]
pub(super) struct OffsetColumn {
    base: u32,
    /// Where its list begins; zero where it has none.
    list: u16,
    numbers: u16,
    width: u8,
}

impl OffsetColumn {
    /// Writes the numbers behind `bytes`.
    pub fn pack(bytes: &mut Vec<u8>, values: &[u32]) -> Self {
        let (base, most) = least_and_most(values);
        let (width, numbers) = (width(most - base), bytes.len() as u16);
        write_all(bytes, values, base, width);
        Self {
            base,
            list: 0,
            numbers,
            width,
        }
    }

    /// The same, with a list where that is shorter. Lists begin behind another column, never at the first byte.
    pub fn pack_listed(bytes: &mut Vec<u8>, values: &[u32]) -> Self {
        let (least, most) = least_and_most(values);
        let saved = values.len() * usize::from(width(most - least).saturating_sub(1));
        let Some((list, places)) = listed(values, (saved / 4).min(MOST_LISTED)) else {
            return Self::pack(bytes, values);
        };
        let from = bytes.len() as u16;
        write_all(bytes, &list, 0, 4);
        let packed = Self::pack(bytes, &places);
        Self {
            list: from,
            ..packed
        }
    }

    #[inline]
    fn meant(self, bytes: &[u8], number: u32) -> u32 {
        let value = self.base.wrapping_add(number);
        if self.list == 0 {
            return value;
        }
        word(bytes, usize::from(self.list) + value as usize * 4)
    }

    /// The number at a place, which must be one of the column's.
    #[inline]
    pub fn get(self, bytes: &[u8], at: usize) -> u32 {
        let place = usize::from(self.numbers) + at * usize::from(self.width);
        self.meant(bytes, number(bytes, place, self.width))
    }

    /// Reads from a place on as many as there are slots.
    pub fn read(self, bytes: &[u8], from: usize, slots: &mut [u32]) {
        let place = usize::from(self.numbers) + from * usize::from(self.width);
        let bytes_from = bytes
            .get(place..)
            .unwrap_or_else(|| impossible!("a column outside its chunk"));
        read_all(bytes_from, self.width, self.base, slots);
        if self.list != 0 {
            let list = usize::from(self.list);
            for slot in slots {
                *slot = word(bytes, list + *slot as usize * 4);
            }
        }
    }
}

/// A column whose numbers change slowly: differences to a base for each step of them.
#[derive(Clone, Copy, Default)]
pub(super) struct SteppedColumn {
    bases: u16,
    numbers: u16,
    width: u8,
}

impl SteppedColumn {
    /// Writes the numbers behind `bytes`.
    pub fn pack(bytes: &mut Vec<u8>, values: &[u32]) -> Self {
        let ranges: Vec<_> = values.chunks(STEP).map(least_and_most).collect();
        let most = ranges.iter().map(|(least, most)| most - least).max();
        let width = width(most.unwrap_or(0));
        let bases = bytes.len() as u16;
        for (least, _) in &ranges {
            bytes.extend_from_slice(&least.to_le_bytes());
        }
        let numbers = bytes.len() as u16;
        for (step, (least, _)) in values.chunks(STEP).zip(ranges) {
            write_all(bytes, step, least, width);
        }
        Self {
            bases,
            numbers,
            width,
        }
    }

    /// The base of the numbers of a step.
    #[inline]
    fn base(self, bytes: &[u8], step: usize) -> u32 {
        word(bytes, usize::from(self.bases) + step * 4)
    }

    #[inline]
    fn above(self, bytes: &[u8], at: usize) -> u32 {
        let place = usize::from(self.numbers) + at * usize::from(self.width);
        number(bytes, place, self.width)
    }

    /// The number at a place, which must be one of the column's.
    #[inline]
    pub fn get(self, bytes: &[u8], at: usize) -> u32 {
        self.base(bytes, at / STEP)
            .wrapping_add(self.above(bytes, at))
    }

    /// The first of `length` numbers, which are in order, that is not one of those that come before.
    #[inline]
    pub fn partition(
        self,
        bytes: &[u8],
        length: usize,
        comes_before: impl Fn(u32) -> bool,
    ) -> usize {
        let steps = length.div_ceil(STEP);
        let step = search(0, steps, |step| comes_before(self.base(bytes, step)));
        let Some(step) = step.checked_sub(1) else {
            return 0;
        };
        let base = self.base(bytes, step);
        let (from, to) = (step * STEP, length.min((step + 1) * STEP));
        search(from, to, |at| {
            comes_before(base.wrapping_add(self.above(bytes, at)))
        })
    }

    /// Reads from a place on as many as there are slots, all of one step.
    pub fn read(self, bytes: &[u8], from: usize, slots: &mut [u32]) {
        let place = usize::from(self.numbers) + from * usize::from(self.width);
        let base = self.base(bytes, from / STEP);
        read_all(
            bytes
                .get(place..)
                .unwrap_or_else(|| impossible!("a column outside its chunk")),
            self.width,
            base,
            slots,
        );
    }

    /// The place of a number among the first `length`, which differ. Where they are in order this is quick.
    pub fn position(self, bytes: &[u8], value: u32, length: usize) -> Option<usize> {
        let at = self.partition(bytes, length, |other| other < value);
        if at < length && self.get(bytes, at) == value {
            return Some(at);
        }
        let reach = (1_u64 << (8 * u32::from(self.width))) - 1;
        let mut slots = [0; STEP];
        for from in (0..length).step_by(STEP) {
            let above = value.checked_sub(self.base(bytes, from / STEP));
            if above.is_none_or(|above| u64::from(above) > reach) {
                continue;
            }
            let slots = slots.get_mut(..STEP.min(length - from))?;
            self.read(bytes, from, slots);
            if let Some(at) = slots.iter().position(|&other| other == value) {
                return Some(from + at);
            }
        }
        None
    }
}

/// At most some hundred numbers in bytes of their own.
#[derive(Clone)]
pub(super) struct CompressedColumn {
    numbers: ColumnEncoding,
    bytes: Box<[u8]>,
}

#[derive(Clone)]
enum ColumnEncoding {
    Flat(OffsetColumn),
    Stepped(SteppedColumn),
}

impl CompressedColumn {
    pub fn new(values: &[u32]) -> Self {
        let mut bytes = Vec::new();
        let numbers = ColumnEncoding::Flat(OffsetColumn::pack(&mut bytes, values));
        let mut steps = Vec::new();
        let stepped = SteppedColumn::pack(&mut steps, values);
        let is_less = steps.len() < bytes.len();
        let (numbers, mut bytes) = if is_less {
            (ColumnEncoding::Stepped(stepped), steps)
        } else {
            (numbers, bytes)
        };
        bytes.extend([0; PADDING]);
        let bytes = bytes.into_boxed_slice();
        Self { numbers, bytes }
    }

    /// The number at a place, which must be one of those.
    pub fn get(&self, at: usize) -> u32 {
        let bytes = &self.bytes;
        match self.numbers {
            ColumnEncoding::Flat(flat) => flat.get(bytes, at),
            ColumnEncoding::Stepped(stepped) => stepped.get(bytes, at),
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// The first number from `low` on, and below `high`, that is not one of those that come before.
#[inline]
fn search(mut low: usize, mut high: usize, comes_before: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low.midpoint(high);
        if comes_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The different numbers, and for each number its place among those. Nothing where they are too many.
fn listed(values: &[u32], most: usize) -> Option<(Vec<u32>, Vec<u32>)> {
    const SLOTS: usize = MOST_LISTED * 4;
    if most == 0 {
        return None;
    }
    let (mut list, mut places) = (Vec::new(), Vec::with_capacity(values.len()));
    // One more than the place of the number that was last met there.
    let mut slots = [0_u16; SLOTS];
    for &value in values {
        let mut slot = (value.wrapping_mul(0x9E37_79B1) >> 16) as usize % SLOTS;
        let place = loop {
            let known = slots.get_mut(slot)?;
            let Some(place) = known.checked_sub(1) else {
                if list.len() >= most {
                    return None;
                }
                list.push(value);
                *known = list.len() as u16;
                break *known - 1;
            };
            if list.get(usize::from(place)) == Some(&value) {
                break place;
            }
            slot = (slot + 1) % SLOTS;
        };
        places.push(u32::from(place));
    }
    Some((list, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of every width, short and long ones.
    fn columns() -> Vec<Vec<u32>> {
        let mut columns = Vec::new();
        for length in [1, 2, 31, 32, 33, 500, 512] {
            for spread in [
                1,
                2,
                256,
                257,
                65_536,
                65_537,
                1 << 24,
                (1 << 24) + 1,
                u32::MAX,
            ] {
                let random = |at: u32| at.wrapping_mul(2_654_435_761) % spread;
                columns.push((0..length).map(|at| 77 + random(at) / 2).collect());
                columns.push(
                    (0..length)
                        .map(|at| at * 1_000 + random(at) / 1_000)
                        .collect(),
                );
                columns.push((0..length).map(|at| random(at % 5)).collect());
            }
            columns.push((0..length).map(|at| u32::MAX * (at % 2)).collect());
        }
        columns
    }

    #[test]
    fn numbers_come_back_whatever_they_are() {
        for values in columns() {
            let mut bytes = vec![9; 5];
            let flat = OffsetColumn::pack(&mut bytes, &values);
            let listed = OffsetColumn::pack_listed(&mut bytes, &values);
            let stepped = SteppedColumn::pack(&mut bytes, &values);
            bytes.extend([0xAA; PADDING]);
            for (at, &value) in values.iter().enumerate() {
                assert_eq!(flat.get(&bytes, at), value);
                assert_eq!(listed.get(&bytes, at), value);
                assert_eq!(stepped.get(&bytes, at), value);
                let found = stepped.position(&bytes, value, values.len());
                assert_eq!(found.and_then(|at| values.get(at)), Some(&value));
                if values.is_sorted() {
                    let place = stepped.partition(&bytes, values.len(), |it| it < value);
                    assert_eq!(place, values.partition_point(|it| *it < value));
                }
            }
            let mut read = vec![0; values.len()];
            flat.read(&bytes, 0, &mut read);
            assert_eq!(read, values);
            listed.read(&bytes, 0, &mut read);
            assert_eq!(read, values);
            for (step, slots) in read.chunks_mut(STEP).enumerate() {
                slots.fill(0);
                stepped.read(&bytes, step * STEP, slots);
            }
            assert_eq!(read, values);
        }
    }

    #[test]
    fn few_different_numbers_take_a_byte_each_and_one_takes_none() {
        let mut bytes = vec![0];
        let values: Vec<u32> = (0..512).map(|at| (at % 3) << 20).collect();
        let listed = OffsetColumn::pack_listed(&mut bytes, &values);
        assert_eq!(bytes.len(), 1 + 3 * 4 + 512);
        assert_eq!(listed.get(&bytes, 5), 2 << 20);
        let before = bytes.len();
        let same = OffsetColumn::pack(&mut bytes, &[u32::MAX; 512]);
        assert_eq!(bytes.len(), before);
        bytes.extend([0; PADDING]);
        assert_eq!(same.get(&bytes, 511), u32::MAX);
    }
}
