//! The numbers by which the model knows its things: dense, and never used twice.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A promise.
    ModelPromiseId
    /// A pipeline.
    ModelPipelineId
    /// A shader module.
    ModuleId
    /// A buffer.
    BufferId
}

/// A timeline of the programming model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelTimeline {
    /// Where calls are made and promises settle: one a host thread, counted from 0.
    Content(u32),
    /// What the implementation does with calls, one step after the other.
    Device,
}

impl ModelTimeline {
    /// The content timeline at this position.
    pub const fn content(place: u32) -> Self {
        Self::Content(place)
    }

    /// The position among the content timelines; 0 for the device timeline.
    pub(super) const fn place(self) -> usize {
        match self {
            Self::Content(place) => place as usize,
            Self::Device => 0,
        }
    }
}
