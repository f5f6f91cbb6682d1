//! What is looked for in names, whatever the case of its letters.

use engine::capture::NamePage;
use memchr::{memchr, memchr2, memchr2_iter};

use super::marks::{self, PageBits};

/// Of how many names of a page each is looked at alone; of more, all are at once.
const FEW: u32 = 64;

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

    /// Which names of a page hold it, of those that `known` says may.
    pub fn in_page(&self, page: &NamePage<'_>, known: &PageBits) -> PageBits {
        let mut found = PageBits::default();
        match self.rarest {
            Some(rarest) if marks::count(known) > FEW => {
                self.search(page, rarest, &mut found);
                for (found, known) in found.iter_mut().zip(known) {
                    *found &= known;
                }
            }
            _ => {
                for at in marks::places(known) {
                    if page.name(at).is_some_and(|name| self.is_in(name)) {
                        marks::set(&mut found, at);
                    }
                }
            }
        }
        found
    }

    /// Looks for its rarest letter through all names of a page at once.
    fn search(
        &self,
        page: &NamePage<'_>,
        (place, letters): (usize, [u8; 2]),
        found: &mut PageBits,
    ) {
        let (text, wanted) = (page.text.as_bytes(), self.lower.as_bytes());
        let [small, large] = letters;
        let mut ends = page.ends.iter().map(|&end| end as usize).enumerate();
        let Some((mut at, mut end)) = ends.next() else {
            return;
        };
        let mut from = place;
        while let Some(rest) = text.get(from..) {
            let hit = if small == large {
                memchr(small, rest)
            } else {
                memchr2(small, large, rest)
            };
            let Some(hit) = hit else { return };
            let start = from + hit - place;
            while end <= start {
                let Some(next) = ends.next() else { return };
                (at, end) = next;
            }
            let part = text.get(start..(start + wanted.len()).min(end));
            if part.is_some_and(|part| part.eq_ignore_ascii_case(wanted)) {
                marks::set(found, at);
                from = end + place;
            } else {
                from += hit + 1;
            }
        }
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

    #[test]
    fn a_page_at_once_and_name_by_name_find_the_same() {
        let names = [
            "ampere_sgemm",
            "",
            "m",
            "MEMCPY",
            "gem",
            "m",
            "gemm",
            "GEMM GEMM",
            "été gemm",
            "emg",
            "",
        ];
        let (mut text, mut ends) = (String::new(), Vec::new());
        for at in 0..marks::ALL.len() * 64 {
            text.push_str(names[at * 7 % names.len()]);
            ends.push(text.len() as u32);
        }
        let (first, text) = (engine::record::NameId(0), text.as_str());
        let page = NamePage {
            first,
            text,
            ends: &ends,
        };
        for wanted in [
            "g",
            "m",
            "gemm",
            "em",
            "mg",
            "mm ",
            "?",
            "é",
            "mmm",
            "memcpygem",
            "mm",
        ] {
            let needle = Needle::new(wanted);
            let found = needle.in_page(&page, &marks::ALL);
            let alone = |at: &usize| needle.is_in(page.name(*at).unwrap());
            let expected: Vec<usize> = (0..ends.len()).filter(alone).collect();
            assert_eq!(
                marks::places(&found).collect::<Vec<_>>(),
                expected,
                "{wanted}"
            );
            let mut few = PageBits::default();
            (0..20).for_each(|at| marks::set(&mut few, at * 3));
            let part: Vec<usize> = marks::places(&needle.in_page(&page, &few)).collect();
            let expected: Vec<usize> = marks::places(&found)
                .filter(|at| at % 3 == 0 && *at < 60)
                .collect();
            assert_eq!(part, expected, "{wanted}");
        }
    }
}
