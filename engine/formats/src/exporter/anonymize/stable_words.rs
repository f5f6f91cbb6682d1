//! Stable words: the same for the same text, and nothing that tells what the text was.

use std::collections::{BTreeMap, HashMap};

use record::{STEP_WORDS, SpanKind};

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum WordKind {
    Span(SpanKind),
    Field,
    Text,
    Note,
    Event,
    Buffer,
    Pipeline,
    Promise,
    Launch,
    Counter,
    Unit,
    Parameter,
    Workload,
    Step,
    Capture,
    Machine,
    Device,
    Host,
    Stream,
    Engine,
    Process,
    Thread,
}

impl WordKind {
    /// What its words begin with.
    const fn label(self) -> &'static str {
        match self {
            Self::Span(kind) => kind.label(),
            Self::Field => "argument",
            Self::Text => "text",
            Self::Note => "note",
            Self::Event => "event",
            Self::Buffer => "buffer",
            Self::Pipeline => "pipeline",
            Self::Promise => "promise",
            Self::Launch => "launch",
            Self::Counter => "counter",
            Self::Unit => "unit",
            Self::Parameter => "parameter",
            Self::Workload => "workload",
            Self::Step => "step",
            Self::Capture => "capture",
            Self::Machine => "machine",
            Self::Device => "device",
            Self::Host => "host",
            Self::Stream => "stream",
            Self::Engine => "engine",
            Self::Process => "process",
            Self::Thread => "thread",
        }
    }

    /// Whether its words end in a letter: a number would be taken for one that the machine has.
    const fn is_place(self) -> bool {
        matches!(
            self,
            Self::Capture
                | Self::Machine
                | Self::Device
                | Self::Host
                | Self::Stream
                | Self::Engine
                | Self::Process
                | Self::Thread
        )
    }
}

/// The words that were given out.
#[derive(Default)]
pub(super) struct StableWords {
    known: HashMap<(WordKind, Box<str>), u64>,
    counts: BTreeMap<WordKind, u64>,
}

impl StableWords {
    /// The word for a text; nothing stays nothing.
    pub fn word(&mut self, kind: WordKind, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        let number = self.number(kind, text);
        if kind.is_place() {
            format!("{} {}", kind.label(), letters(number))
        } else {
            format!("{} {number}", kind.label())
        }
    }

    /// The number of a text among those of its kind, from 1.
    fn number(&mut self, kind: WordKind, text: &str) -> u64 {
        if let Some(known) = self.known.get(&(kind, text.into())) {
            return *known;
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        self.known.insert((kind, text.into()), *count);
        *count
    }

    /// The word for a name that says which step, frame or batch something is: iterations are found by the word and its number,
    /// which stay. Nothing for any other name.
    pub fn step(&mut self, name: &str) -> Option<String> {
        let lower = name.to_lowercase();
        let mut words = lower.split(|it: char| !it.is_alphabetic());
        if !words.any(|word| STEP_WORDS.iter().any(|it| word.ends_with(it))) {
            return None;
        }
        let numbers = lower.split(|it: char| !it.is_ascii_digit());
        let numbers: Vec<&str> = numbers.filter(|it| !it.is_empty()).collect();
        let stem: String = lower.chars().filter(|it| !it.is_ascii_digit()).collect();
        let family = letters(self.number(WordKind::Step, &stem));
        if numbers.is_empty() {
            // A word for a step alone is a mark as well, and what is in brackets behind it is about the step.
            return Some(format!("step [{family}]"));
        }
        Some(format!("{family} step {}", numbers.join(" ")))
    }

    /// How many texts of each kind were replaced.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        let counts = self.counts.iter();
        let mut by_label = BTreeMap::new();
        for (kind, count) in counts {
            *by_label.entry(kind.label()).or_default() += count;
        }
        by_label
    }
}

/// A number from 1 in letters: a to z, aa, ab and so on.
fn letters(mut number: u64) -> String {
    let mut letters = Vec::new();
    while number > 0 {
        number -= 1;
        letters.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_has_one_word_and_steps_keep_their_numbers() {
        let mut words = StableWords::default();
        let kernel = WordKind::Span(SpanKind::Kernel);
        assert_eq!(words.word(kernel, "gemm"), "kernel 1");
        assert_eq!(words.word(kernel, "axpy"), "kernel 2");
        assert_eq!(words.word(kernel, "gemm"), "kernel 1");
        assert_eq!(words.word(WordKind::Host, "python 17"), "host a");
        assert_eq!(words.word(WordKind::Text, ""), "");
        assert_eq!(words.step("ProfilerStep#12").as_deref(), Some("a step 12"));
        assert_eq!(words.step("train step 3").as_deref(), Some("b step 3"));
        assert_eq!(words.step("ProfilerStep#13").as_deref(), Some("a step 13"));
        assert_eq!(words.step("gemm"), None);
        assert_eq!([1, 26, 27, 703].map(letters), ["a", "z", "aa", "aaa"]);
    }
}
