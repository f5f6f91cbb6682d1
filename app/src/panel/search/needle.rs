//! What is looked for in names, whatever the case of its letters.

use memchr::memchr2_iter;

/// The letters that names of kernels and calls have most of, the most frequent first.
const FREQUENT: &[u8] = b"e_tarniolscdmupghkv0123<>:, ";

/// A text that names may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needle {
    lower: String,
    /// Where its rarest letter is, and that small and large, where all of them are of ASCII.
    rarest: Option<(usize, [u8; 2])>,
}

/// How rare a letter is in names: the greater, the rarer.
fn rarity(letter: u8) -> usize {
    let place = FREQUENT.iter().position(|&frequent| frequent == letter);
    place.unwrap_or(FREQUENT.len())
}

impl Needle {
    pub fn new(wanted: &str) -> Self {
        let lower = wanted.to_lowercase();
        let letters = lower.bytes().enumerate().filter(|_| lower.is_ascii());
        let rarest = letters.max_by_key(|&(_, letter)| rarity(letter));
        let rarest = rarest.map(|(at, letter)| (at, [letter, letter.to_ascii_uppercase()]));
        Self { lower, rarest }
    }

    /// Whether no name can hold this one that does not hold `before` too.
    pub fn narrows(&self, before: &Self) -> bool {
        !before.lower.is_empty() && self.lower.contains(&before.lower)
    }

    /// Whether a name holds it.
    pub fn is_in(&self, name: &str) -> bool {
        let Some((place, [small, large])) = self.rarest else {
            return name.to_lowercase().contains(&self.lower);
        };
        let (name, wanted) = (name.as_bytes(), self.lower.as_bytes());
        let Some(last) = name.len().checked_sub(wanted.len()) else {
            return false;
        };
        let places = name.get(place..=last + place).unwrap_or_default();
        let mut found =
            memchr2_iter(small, large, places).filter_map(|at| name.get(at..at + wanted.len()));
        found.any(|part| part.eq_ignore_ascii_case(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_either_case_are_found() {
        let found = |wanted: &str, name: &str| Needle::new(wanted).is_in(name);
        assert!(found("GEMM", "ampere_sgemm_128x64") && found("gemm", "Volta_GEMM"));
        assert!(found("x", "X") && found("64", "a64") && !found("644", "a64"));
        assert!(found("É", "été") && !found("é", "ete") && found("", "anything"));
        assert!(!found("longer than it", "longer"));
        assert!(found("exe", "exexexe") && found("e x", "the X") && found("ex", "ex"));
        assert!(!found("xe", "ex") && !found("ax", "xa xa"));
        assert!(Needle::new("gemm").narrows(&Needle::new("GE")));
        assert!(!Needle::new("gem").narrows(&Needle::new("gemm")));
        assert!(!Needle::new("gem").narrows(&Needle::default()));
    }
}
