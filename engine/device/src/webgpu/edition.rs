//! The editions of the specification whose rules a content timeline can live by.

/// An edition of the specification, or another authority where its text and its tests disagree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SpecAuthority {
    /// The text before July 2024 (gpuweb #4752): the device steps of a pipeline's creation are one block that reads the
    /// loss only when it begins, and a map that the loss ends is an `OperationError`.
    Former,
    /// Today's text: two blocks of device steps, the second when the compile ends or the device is lost.
    #[default]
    Present,
    /// Today's text as the conformance suite (CTS) reads it, where the two differ.
    Suite,
}

impl SpecAuthority {
    /// Every edition, with the word for it in files and on screen.
    pub const LABELS: &'static [(&'static str, Self)] = &[
        ("before-2024-07", Self::Former),
        ("present", Self::Present),
        ("suite", Self::Suite),
    ];

    /// The word for it.
    pub fn label(self) -> &'static str {
        let found = Self::LABELS.iter().find(|(_, edition)| *edition == self);
        found.map_or("present", |(label, _)| label)
    }

    /// The edition that is written as `label`.
    pub fn from_label(label: &str) -> Option<Self> {
        let found = Self::LABELS.iter().find(|(known, _)| *known == label);
        found.map(|(_, edition)| *edition)
    }

    /// One sentence that says which text it is.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Former => {
                "the text before July 2024: one block of device steps, and no hook on the loss"
            }
            Self::Present => "today's text: device steps in two phases, both aware of the loss",
            Self::Suite => "today's text as the conformance suite reads it",
        }
    }
}

impl From<workload::Edition> for SpecAuthority {
    fn from(edition: workload::Edition) -> Self {
        match edition {
            workload::Edition::Present => Self::Present,
            workload::Edition::Former => Self::Former,
        }
    }
}
