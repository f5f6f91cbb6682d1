//! What WebGPU's calls name: pipelines, promises, editions of the specification.

use std::sync::Arc;

use record::time::Nanos;

/// For what the host maps a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapMode {
    /// To read what the device wrote.
    #[default]
    Read,
    /// To write what the device shall read.
    Write,
}

/// Which errors a scope catches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorFilter {
    /// Calls that break a rule.
    #[default]
    Validation,
    /// Memory that there is not.
    OutOfMemory,
    /// Anything else that went wrong inside.
    Internal,
}

/// Which text of the WebGPU specification a host thread is treated by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edition {
    /// Today's: a pipeline has two phases on the device timeline, and each listens for a loss.
    #[default]
    Present,
    /// The text before July 2024: one block of device steps, which looks for a loss at its beginning alone.
    Former,
}

/// What a pipeline is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PipelinePurpose {
    /// Kernels.
    #[default]
    Compute,
    /// Drawing.
    Render,
}

macro_rules! labels {
    ($($name:ident { $($label:literal => $variant:ident,)* })*) => {$(
        impl $name {
            /// Every value with the word for it in a workload.
            pub const LABELS: &'static [(&'static str, Self)] = &[$(($label, Self::$variant),)*];

            /// The word for it.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)* }
            }
        }
    )*};
}

labels! {
    MapMode { "read" => Read, "write" => Write, }
    ErrorFilter { "validation" => Validation, "out-of-memory" => OutOfMemory, "internal" => Internal, }
    Edition { "present" => Present, "before-2024-07" => Former, }
    PipelinePurpose { "compute" => Compute, "render" => Render, }
}

/// A pipeline of a [`crate::Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PipelineIndex(pub u32);

/// A name for promises of a [`crate::Plan`]; each call that is given it makes a new promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PromiseIndex(pub u32);

impl PipelineIndex {
    /// The position in the plan's list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl PromiseIndex {
    /// The position in the plan's list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A pipeline to compile when a call says so.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelinePlan {
    /// Its name; an array's elements are written `name[0]`, `name[1]`, ….
    pub name: String,
    /// What it is for.
    pub kind: PipelinePurpose,
    /// What is compiled.
    pub shader: ShaderPlan,
    /// The shader's function that it begins with; the shader's only one where nothing is given.
    pub entry: Option<String>,
    /// By how much compiling it is slowed down on purpose.
    pub slow: Nanos,
    /// Whether compiling it fails on purpose, as inside a driver.
    pub fails: bool,
    /// Whether one of the same shader that was compiled before may be used again.
    pub cache: bool,
    /// Line in the source, counted from 1.
    pub line: u32,
}

/// Where a pipeline's shader comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShaderPlan {
    /// A kernel of the library, by its name.
    Kernel(&'static str),
    /// A text in WGSL that the workload holds.
    Text {
        /// The shader's name.
        name: Arc<str>,
        /// The text.
        source: Arc<str>,
        /// The line of the workload on which the text begins, counted from 1.
        line: u32,
    },
}
