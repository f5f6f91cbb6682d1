//! What the window says in other languages: a file a language, with a sentence for each English one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine::lesson::TextLanguage;

/// The sentences of a language by the English ones.
type Sentences = BTreeMap<String, String>;

/// Simplified Chinese.
static CHINESE: LazyLock<Sentences> = LazyLock::new(|| {
    let text = include_str!("../../../assets/languages/zh.json");
    // A test reads it; a window without it would still speak English.
    serde_json::from_str(text).unwrap_or_default()
});

/// An English sentence in a language; as it is where that has none for it. Words in braces are for the caller to fill in.
pub fn tr(language: TextLanguage, english: &'static str) -> &'static str {
    let sentences = match language {
        TextLanguage::English => return english,
        TextLanguage::Chinese => &CHINESE,
    };
    sentences.get(english).map_or(english, String::as_str)
}

/// The English sentences that a language has one for.
pub fn translated(language: TextLanguage) -> Vec<&'static str> {
    match language {
        TextLanguage::English => Vec::new(),
        TextLanguage::Chinese => CHINESE.keys().map(String::as_str).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_filled_in_is_the_same_in_each_language() {
        let holes = |text: &str| {
            let mut found: Vec<String> = text
                .split('{')
                .skip(1)
                .filter_map(|rest| Some(rest.split_once('}')?.0.to_owned()))
                .collect();
            found.sort_unstable();
            found
        };
        let all = translated(TextLanguage::Chinese);
        assert!(all.len() > 40);
        for english in all {
            let chinese = tr(TextLanguage::Chinese, english);
            assert_eq!(holes(english), holes(chinese), "{english}");
            assert_ne!(english, chinese);
        }
        let unknown = "not in the file";
        assert_eq!(tr(TextLanguage::Chinese, unknown), unknown);
    }
}
