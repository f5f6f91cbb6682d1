//! Texts that are repeated in many titles: no file makes all of these long.

/// So many bytes of such a text are kept; names of processes and threads have some tens.
const MOST: usize = 512;
/// What stands in place of the rest.
const REST: char = '…';

/// A text, or its beginning where it is longer than anybody reads.
pub(super) fn cropped(mut text: String) -> String {
    if text.len() > MOST {
        text.truncate(text.floor_char_boundary(MOST));
        text.push(REST);
        text.shrink_to_fit();
    }
    text
}

/// The beginning of a text that stays as it is up to there.
pub(super) fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MOST)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_lose_their_end_at_a_letter() {
        assert_eq!(cropped("stream 7".to_owned()), "stream 7");
        let long = cropped("é".repeat(1_000));
        assert_eq!(long, "é".repeat(256) + "…");
        assert_eq!(head(&"aé".repeat(1_000)).len(), 511);
    }
}
