//! A list that keeps its only value in place: of very many lists most have no second one.

/// Values in order; the first takes no allocation while it is alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SmallList<T> {
    /// None yet.
    #[default]
    None,
    /// One alone.
    One(T),
    /// Any number.
    Many(Vec<T>),
}

impl<T> SmallList<T> {
    /// All of them.
    #[inline]
    pub fn all(&self) -> &[T] {
        match self {
            Self::None => &[],
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }

    /// All of them, to be changed in place.
    pub fn all_mut(&mut self) -> &mut [T] {
        match self {
            Self::None => &mut [],
            Self::One(value) => std::slice::from_mut(value),
            Self::Many(values) => values,
        }
    }

    /// Puts a value at a position, which is at most their number.
    pub fn insert(&mut self, at: usize, value: T) {
        match std::mem::take(self) {
            Self::None => *self = Self::One(value),
            Self::One(first) => {
                let both = if at == 0 {
                    [value, first]
                } else {
                    [first, value]
                };
                *self = Self::Many(Vec::from(both));
            }
            Self::Many(mut values) => {
                values.insert(at.min(values.len()), value);
                *self = Self::Many(values);
            }
        }
    }

    /// Puts a value behind all others.
    pub fn push(&mut self, value: T) {
        if let Self::Many(values) = self {
            values.push(value);
        } else {
            self.insert(1, value);
        }
    }

    /// All of them in a list of its own.
    pub fn into_vec(self) -> Vec<T> {
        match self {
            Self::None => Vec::new(),
            Self::One(value) => vec![value],
            Self::Many(values) => values,
        }
    }

    /// Bytes that they hold on the heap, without what they hold themselves.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Many(values) => values.capacity() * size_of::<T>(),
            Self::None | Self::One(_) => 0,
        }
    }
}

impl<T> From<Vec<T>> for SmallList<T> {
    fn from(mut values: Vec<T>) -> Self {
        if values.len() > 1 {
            return Self::Many(values);
        }
        values.pop().map_or(Self::None, Self::One)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_order_wherever_they_are_put() {
        for puts in [&[0, 0, 0][..], &[0, 1, 2], &[0, 0, 1], &[0, 1, 0]] {
            let (mut few, mut all) = (SmallList::default(), Vec::new());
            for (value, at) in puts.iter().enumerate() {
                few.insert(*at, value);
                all.insert(*at, value);
                assert_eq!(few.all(), all);
                assert_eq!(few.heap_bytes() == 0, all.len() == 1);
            }
            few.push(9);
            few.all_mut().reverse();
            assert_eq!(few.all().first(), Some(&9));
            assert_eq!(SmallList::from(all.clone()).all(), all);
        }
        assert!(SmallList::<u8>::from(Vec::new()).all().is_empty());
    }
}
