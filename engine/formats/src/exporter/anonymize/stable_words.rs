//! Stable words: the same for the same text, and nothing that tells what the text was.

use std::collections::{BTreeMap, HashMap};

use record::{MarkWording, SpanKind, mark_stem};

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum WordKind {
    Span(SpanKind),
    Function,
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
            Self::Function => "function",
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

    /// The word for a name that says which step, frame or batch something is: iterations are found by that, and by what is alike
    /// but for the number. Nothing for any other name.
    pub fn step(&mut self, name: &str) -> Option<String> {
        match mark_stem(name) {
            (_, MarkWording::Plain) => None,
            // What stands behind the word is about the step.
            (word, MarkWording::Word) => {
                let about = letters(self.number(WordKind::Step, name));
                Some(format!("{word} [{about}]"))
            }
            (stem, MarkWording::Numbered) => {
                let numbers = name.split(|it: char| !it.is_ascii_digit());
                let numbers: Vec<&str> = numbers.filter(|it| !it.is_empty()).collect();
                let family = letters(self.number(WordKind::Step, &stem));
                Some(format!("{family} step {}", numbers.join(" ")))
            }
        }
    }

    /// The word for a function of a script, in the form by which it is known as one.
    pub fn function(&mut self, name: &str) -> String {
        format!("{} (text.py:1)", self.word(WordKind::Function, name))
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
        assert_eq!(words.step("iter[a=1]").as_deref(), Some("iter [c]"));
        assert_eq!(words.step("gemm"), None);
        assert_eq!(words.step("gpu_input_batch.py(57): __post_init__"), None);
        // What replaces a step is one of the same sort.
        for name in [
            "ProfilerStep#12",
            "step[DECODE bs=1]",
            "Epoch 1, step 30",
            "batch",
        ] {
            let word = words.step(name).unwrap();
            assert_eq!(mark_stem(&word).1, mark_stem(name).1, "{name}: {word}");
        }
        assert_eq!([1, 26, 27, 703].map(letters), ["a", "z", "aa", "aaa"]);
    }
}
