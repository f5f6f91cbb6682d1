//! Sentences of a lesson in the languages that it is written in.

use workload::kdl::KdlNode;

/// A language of lessons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextLanguage {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl TextLanguage {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// Its code, as lessons and options write it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// What it calls itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "简体中文",
        }
    }

    /// The language that the environment asks for, by `LC_ALL`, `LC_MESSAGES` or `LANG`.
    pub fn of_system() -> Self {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
        let mut found = names.iter().filter_map(|name| std::env::var(name).ok());
        let locale = found.find(|it| !it.is_empty());
        Self::of_locale(&locale.unwrap_or_default())
    }

    /// The language that a locale of the system names, such as `zh_CN.UTF-8`: English where it is neither.
    pub fn of_locale(locale: &str) -> Self {
        if locale.starts_with("zh") {
            Self::Chinese
        } else {
            Self::English
        }
    }
}

/// A sentence in every language that it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalizedText([Option<String>; 2]);

impl LocalizedText {
    /// What stands in the block of a node, in the nodes `en` and `zh`.
    pub(crate) fn of(node: &KdlNode) -> Self {
        let children = node.inside();
        Self(TextLanguage::ALL.map(|language| {
            let own = children.iter().find(|it| it.name == language.code());
            let text = own.and_then(|it| it.argument(0)?.value.as_text());
            text.map(str::to_owned)
        }))
    }

    /// What there is in each language.
    pub(crate) fn of_each<'a>(text: impl Fn(TextLanguage) -> Option<&'a str>) -> Self {
        Self(TextLanguage::ALL.map(|language| text(language).map(str::to_owned)))
    }

    /// The same text in both languages.
    pub(crate) fn of_both(english: &str, chinese: &str) -> Self {
        Self([Some(english.to_owned()), Some(chinese.to_owned())])
    }

    /// The sentence in a language; in English where it is not translated.
    pub fn get(&self, language: TextLanguage) -> &str {
        let [english, chinese] = &self.0;
        let own = match language {
            TextLanguage::English => english,
            TextLanguage::Chinese => chinese,
        };
        own.as_deref().or(english.as_deref()).unwrap_or_default()
    }

    /// The languages that it lacks.
    pub fn missing(&self) -> impl Iterator<Item = TextLanguage> {
        let all = TextLanguage::ALL.into_iter().zip(&self.0);
        all.filter(|(_, text)| text.is_none())
            .map(|(language, _)| language)
    }

    /// The same with a word in place of `{found}`.
    pub(crate) fn filled(&self, found: &str) -> Self {
        let [english, chinese] = &self.0;
        Self([english, chinese].map(|text| Some(text.as_ref()?.replace("{found}", found))))
    }
}
