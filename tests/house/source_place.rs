//! Words and identifiers in blanked code, and a file's place among the modules.

/// The identifier that a text starts with; empty where it starts with none.
pub fn ident(text: &str) -> &str {
    let end = text
        .find(|character: char| !is_word(character))
        .unwrap_or(text.len());
    &text[..end]
}

/// Whether a text ends inside of a word.
pub fn next_word(before: &str) -> bool {
    // `b` and `c` are prefixes of literals where they stand alone.
    let stem = before.strip_suffix(['b', 'c']).unwrap_or(before);
    stem.chars().next_back().is_some_and(is_word)
        || (before.len() == stem.len() && before.chars().next_back().is_some_and(is_word))
}

/// Every place of a whole word.
pub fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            let before = code[..*at].chars().next_back();
            let after = code[at + word.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
}

/// The parts of a name: `wait_for`, `WaitFor` and `wait-for` are all wait and for.
pub fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && lower) {
            parts.push(String::new());
        }
        lower = character.is_lowercase();
        if let (Some(part), true) = (parts.last_mut(), character.is_alphanumeric()) {
            part.extend(character.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The crate of a file and its modules below it: `record` and `["time", "interval"]` for
/// `engine/record/src/time/interval.rs`.
///
/// `None` for a file that is no module of a crate's source; no modules for `lib.rs`.
pub fn modules(path: &str) -> Option<(&str, Vec<&str>)> {
    let (folder, inside) = path.split_once("/src/")?;
    let stem = inside.strip_suffix(".rs")?;
    let package = folder.strip_prefix("engine/").unwrap_or(folder);
    if package.contains('/') || package == "tests" {
        return None;
    }
    if stem == "lib" {
        return Some((package, Vec::new()));
    }
    Some((package, stem.split('/').collect()))
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
