//! How the elements of all ranks are joined.

/// How the elements of all ranks are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Added.
    #[default]
    Sum,
    /// Added, and divided by the number of ranks.
    Mean,
    /// The smallest.
    Minimum,
    /// The largest.
    Maximum,
}

impl Reduction {
    /// Every way with the word for it in a workload.
    pub const LABELS: &'static [(&'static str, Self)] = &[
        ("sum", Self::Sum),
        ("mean", Self::Mean),
        ("min", Self::Minimum),
        ("max", Self::Maximum),
    ];

    /// Two elements, joined.
    pub fn join(self, x: f32, y: f32) -> f32 {
        match self {
            Self::Sum | Self::Mean => x + y,
            Self::Minimum => x.min(y),
            Self::Maximum => x.max(y),
        }
    }
}
