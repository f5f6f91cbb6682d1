//! How well a few letters match a name: they must come in their order, and count more where words begin and where they
//! stand together.

/// What a letter counts that was found, and how much more at the beginning of a word or right behind the one before.
const FOUND: u32 = 1;
const BEGINS: u32 = 8;
const FOLLOWS: u32 = 5;
/// How much more the first letter counts at the beginning of the name.
const FIRST: u32 = 3;

/// How well `wanted` matches `name`, whatever the case; nothing where a letter is missing.
pub fn score(wanted: &str, name: &str) -> Option<u32> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let wanted = wanted.to_lowercase();
    let mut letters = wanted.chars().filter(|it| !it.is_whitespace());
    let first = letters.next()?;
    let rest: Vec<char> = letters.collect();
    let starts = name
        .iter()
        .enumerate()
        .filter(|(_, letter)| **letter == first);
    starts.filter_map(|(at, _)| from(&name, at, &rest)).max()
}

/// The score where the first letter is the one at `start`, and each that follows the next that fits best.
fn from(name: &[char], start: usize, rest: &[char]) -> Option<u32> {
    let mut at = start;
    let mut score = FOUND + begins(name, at) + if at == 0 { FIRST } else { 0 };
    for letter in rest {
        let behind = name.iter().enumerate().skip(at + 1);
        let mut places = behind
            .filter(|(_, it)| *it == letter)
            .map(|(place, _)| place);
        let next = places.next()?;
        let better = places.find(|place| next != at + 1 && begins(name, *place) > 0);
        let place = if begins(name, next) > 0 {
            next
        } else {
            better.unwrap_or(next)
        };
        let follows = if place == at + 1 { FOLLOWS } else { 0 };
        score += FOUND + begins(name, place) + follows;
        at = place;
    }
    Some(score)
}

fn begins(name: &[char], at: usize) -> u32 {
    let before = at.checked_sub(1).and_then(|it| name.get(it));
    if before.is_none_or(|it| !it.is_alphanumeric()) {
        BEGINS
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_must_come_in_their_order() {
        assert!(score("zin", "Zoom in").is_some());
        assert!(score("niz", "Zoom in").is_none());
        assert!(score("", "Zoom in").is_none() && score("zoomx", "Zoom in").is_none());
    }

    #[test]
    fn beginnings_of_words_and_letters_together_count_more() {
        let names = [
            "Critical path",
            "Command palette…",
            "Copy as a table row",
            "Pin the lane",
        ];
        let best = |wanted: &str| {
            let scored = names
                .iter()
                .filter_map(|name| Some((score(wanted, name)?, *name)));
            scored.max().map(|(_, name)| name)
        };
        assert_eq!(best("cp"), Some("Critical path"));
        assert_eq!(best("pin"), Some("Pin the lane"));
        assert_eq!(best("ctr"), Some("Copy as a table row"));
        assert_eq!(best("PALETTE"), Some("Command palette…"));
    }
}
