//! Names for a list of them: each is shortened, and those that would look the same say what tells them apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::function_name::{closing, function_name};
use crate::words::shorten;

/// Letters of what tells names apart, at most.
const MOST_APART: usize = 24;

/// Names as a list shows them, each in about so many letters: as [`function_name`] has them, and where different ones would be
/// the same then, with what tells them apart in square brackets behind it.
pub fn distinct_names(names: &[&str], letters: usize) -> Vec<String> {
    let mut alike: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for name in names {
        let short = shorten(&function_name(name), letters);
        alike.entry(short).or_default().insert(name);
    }
    let mut shown: BTreeMap<&str, String> = BTreeMap::new();
    for (short, group) in alike {
        let group: Vec<&str> = group.into_iter().collect();
        if let [only] = group.as_slice() {
            shown.insert(only, short);
            continue;
        }
        for (name, part) in group.iter().zip(differences(&group)) {
            shown.insert(name, with_part(&short, &part, letters));
        }
    }
    let shown = |name: &&str| shown.get(*name).cloned().unwrap_or_default();
    names.iter().map(shown).collect()
}

/// A short name and what tells it apart; of a name that the others begin with that is nothing.
fn with_part(short: &str, part: &str, letters: usize) -> String {
    if part.is_empty() {
        return short.to_owned();
    }
    let room = letters.saturating_sub(part.chars().count() + 3);
    format!("{} [{part}]", shorten(short, room))
}

/// What tells each of several different names apart: what follows the words that all of them begin with, within its brackets
/// where that is enough, and otherwise a number.
fn differences(names: &[&str]) -> Vec<String> {
    let start = shared_words(names);
    let within = |rest: &str| closing(rest).and_then(|end| rest.get(..end)).map(beginning);
    let rests: Vec<&str> = names
        .iter()
        .map(|it| it.get(start..).unwrap_or_default())
        .collect();
    let whole: Vec<String> = rests.iter().map(|it| beginning(it)).collect();
    let inner = rests.iter().zip(&whole);
    let inner: Vec<String> = inner
        .map(|(rest, whole)| within(rest).unwrap_or_else(|| whole.clone()))
        .collect();
    let is_distinct = |parts: &[String]| parts.iter().collect::<BTreeSet<_>>().len() == parts.len();
    let mut all = [inner, whole].into_iter();
    let numbers = || (1..=names.len()).map(|it| format!("no. {it}")).collect();
    all.find(|it| is_distinct(it)).unwrap_or_else(numbers)
}

/// How many bytes of whole words all of some names begin with.
fn shared_words(names: &[&str]) -> usize {
    let Some((first, others)) = names.split_first() else {
        return 0;
    };
    let same = |other: &&str| {
        let both = first.char_indices().zip(other.chars());
        let mut different = both.filter(|((_, own), other)| own != other);
        let shorter = first.len().min(other.len());
        different.next().map_or(shorter, |((at, _), _)| at)
    };
    let same = others.iter().map(same).min().unwrap_or(0);
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let shared = first.get(..same).unwrap_or_default();
    shared.trim_end_matches(is_word).len()
}

/// The first letters of a text.
fn beginning(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= MOST_APART {
        return text.to_owned();
    }
    text.chars().take(MOST_APART - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel of PyTorch that is made for several shapes.
    fn copy(shape: &str, alignment: &str) -> String {
        format!(
            "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, {shape}>(float*, \
             at::native::(anonymous namespace)::CatArrInputTensorMetadata<float, unsigned int, {alignment}>, int)"
        )
    }

    #[test]
    fn names_that_look_the_same_say_what_tells_them_apart() {
        let kernels = [
            copy("2, 128, 1", "128, 1"),
            copy("2, 64, 64", "64, 64"),
            copy("3, 128, 1", "128, 1"),
        ];
        let [first, second, third] = kernels.each_ref().map(String::as_str);
        let names = [first, "aten::cat", second, third, first];
        let expected = [
            "CatArrayBatchedCopy<float, int> [2, 128, 1]",
            "aten::cat",
            "CatArrayBatchedCopy<float, int> [2, 64, 64]",
            "CatArrayBatchedCopy<float, int> [3, 128, 1]",
            "CatArrayBatchedCopy<float, int> [2, 128, 1]",
        ];
        assert_eq!(distinct_names(&names, 60), expected);
        // One alone needs nothing more.
        let alone = ["CatArrayBatchedCopy<float, int>"];
        assert_eq!(distinct_names(&[first], 60), alone);
    }

    #[test]
    fn long_names_are_told_apart_in_the_letters_that_there_are() {
        let long = |middle: &str| format!("{}{middle}{}", "a/".repeat(40), "/z".repeat(40));
        let [x, y] = ["größe", "y"].map(long);
        let found = distinct_names(&[&x, &y], 40);
        assert_ne!(found[0], found[1]);
        assert!(found.iter().all(|it| it.chars().count() <= 40), "{found:?}");
        // Where the difference lies far behind the first one, they are numbered.
        let word = |letter: &str| format!("{0}{letter}{0}", "long_word_".repeat(9));
        let [x, y] = ["b", "c"].map(word);
        let found = distinct_names(&[&x, &y], 40);
        assert!(
            found[0].ends_with("[no. 1]") && found[1].ends_with("[no. 2]"),
            "{found:?}"
        );
    }

    #[test]
    fn a_name_that_another_begins_with_stays_as_it_is() {
        let short = "void f<int>(int)";
        let found = distinct_names(&[short, "void f<int>(int) [clone .cold]"], 40);
        assert_ne!(found[0], found[1]);
    }
}
