//! Counts in sentences.

/// A count and what is counted, where `words` hold both forms of whatever the number changes: of
/// `{span has|spans have} no end` one is `1 span has no end`, and two are `2 spans have no end`.
#[must_use]
pub fn counted(count: u64, words: &str) -> String {
    let mut text = format!("{count} ");
    let mut rest = words;
    while let Some((before, from)) = rest.split_once('{') {
        let (forms, after) = from.split_once('}').unwrap_or((from, ""));
        let (one, many) = forms.split_once('|').unwrap_or((forms, forms));
        text.push_str(before);
        text.push_str(if count == 1 { one } else { many });
        rest = after;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn words_agree_with_their_number() {
        let words = "{end|ends} of {its span|their spans} {is|are} missing";
        assert_eq!(counted(1, words), "1 end of its span is missing");
        assert_eq!(counted(0, words), "0 ends of their spans are missing");
        assert_eq!(counted(2, "of them"), "2 of them");
        assert_eq!(counted(2, "{open"), "2 open");
    }
}
