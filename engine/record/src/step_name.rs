//! What steps and frames of a program are called: ranges that are named so are iterations.

/// The words for a step.
const WORDS: [&str; 6] = ["step", "iteration", "iter", "frame", "batch", "epoch"];

/// How telling the name of a mark is, the most telling last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkWording {
    /// Any name.
    Plain,
    /// It is a word for a step.
    Word,
    /// It is such a word with a number.
    Numbered,
}

/// What all marks of one sort are called, and how telling that is. A word for a step with a number behind it may stand
/// anywhere, as in `Step 0 to 10`: marks that differ in their numbers alone are of one sort. What a bracket behind such a word
/// says, as in `step[DECODE bs=1]`, is about the step.
pub fn mark_stem(name: &str) -> (String, MarkWording) {
    let lower = name.to_lowercase();
    if is_numbered(&lower) {
        return (without_numbers(&lower), MarkWording::Numbered);
    }
    let bare = lower.split(['[', '(', '{', '<']).next().unwrap_or_default();
    let bare = bare.trim_end_matches(|it: char| !it.is_alphanumeric());
    if WORDS.contains(&bare) {
        return (bare.to_owned(), MarkWording::Word);
    }
    (name.to_owned(), MarkWording::Plain)
}

/// Whether a name has a word for a step, and right behind it a number.
fn is_numbered(lower: &str) -> bool {
    let is_word = |it: char| it.is_alphabetic();
    let mut rest = lower;
    while let Some(begin) = rest.find(is_word) {
        let word = rest.get(begin..).unwrap_or_default();
        let end = word.find(|it: char| !is_word(it)).unwrap_or(word.len());
        let (word, behind) = word.split_at(end);
        let number = behind.trim_start_matches(|it: char| !it.is_alphanumeric());
        let after = number.trim_start_matches(|it: char| it.is_ascii_digit());
        let is_number = after.len() < number.len() && !after.starts_with(is_word);
        if is_number && WORDS.iter().any(|it| word.ends_with(it)) {
            return true;
        }
        rest = behind;
    }
    false
}

/// A name with one sign in the place of each number.
fn without_numbers(lower: &str) -> String {
    let mut stem = String::with_capacity(lower.len());
    for sign in lower.chars() {
        match sign {
            '0'..='9' if stem.ends_with('0') => {}
            '0'..='9' => stem.push('0'),
            other => stem.push(other),
        }
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_frames_are_known_by_name() {
        for (name, expected) in [
            ("ProfilerStep#12", ("profilerstep#0", MarkWording::Numbered)),
            ("train_step_3", ("train_step_0", MarkWording::Numbered)),
            ("Frame 17", ("frame 0", MarkWording::Numbered)),
            ("Step 10 to 20", ("step 0 to 0", MarkWording::Numbered)),
            (
                "Epoch 1, step 30",
                ("epoch 0, step 0", MarkWording::Numbered),
            ),
            ("step[DECODE bs=1]", ("step", MarkWording::Word)),
            ("iteration", ("iteration", MarkWording::Word)),
            ("batch_size=32", ("batch_size=32", MarkWording::Plain)),
            ("step2vec", ("step2vec", MarkWording::Plain)),
            (
                "Optimizer.step#SGD.step",
                ("Optimizer.step#SGD.step", MarkWording::Plain),
            ),
            ("layer 4", ("layer 4", MarkWording::Plain)),
        ] {
            assert_eq!(
                mark_stem(name),
                (expected.0.to_owned(), expected.1),
                "{name}"
            );
        }
    }
}
