//! A pipeline on its way through a backend: what is asked for, what comes of it, what the shader's messages are.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use record::{PipelineKind, Severity};

/// A pipeline to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileRequest {
    /// The shader, in WGSL.
    pub shader: Arc<str>,
    /// The entry point: of a kernel, or of the vertex stage; empty for the shader's only one. A render pipeline takes
    /// the shader's first entry point for fragments besides.
    pub entry: String,
    /// What it is for.
    pub kind: PipelineKind,
    /// Whether one that was compiled before on this device may be used again.
    pub cache: bool,
    /// How much longer than it takes the compile is made to last, to watch what happens meanwhile.
    pub slow: Duration,
}

/// A pipeline was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompiledPipeline {
    /// Whether it was compiled before.
    pub cache: CacheUse,
    /// What the driver took, [`CompileRequest::slow`] included; zero for a hit.
    pub driver: Duration,
}

/// What the cache of pipelines was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheUse {
    /// It held the pipeline.
    Hit,
    /// It did not, and does now.
    Miss,
    /// It was not asked.
    None,
}

impl CacheUse {
    /// Whether it held the pipeline; nothing where it was not asked.
    pub const fn is_hit(self) -> Option<bool> {
        match self {
            Self::Hit => Some(true),
            Self::Miss => Some(false),
            Self::None => None,
        }
    }
}

/// Why a pipeline could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The shader or what is asked of it is wrong; at least one message says what.
    #[error("{}", listed(messages))]
    Validation {
        /// What is wrong, in the order of the shader.
        messages: Vec<ShaderMessage>,
    },
    /// The shader is right and the implementation could not compile it, for this reason.
    #[error("the driver could not compile it: {0}; simplify the shader, or use another adapter")]
    Internal(String),
    /// The device was lost before it was compiled.
    #[error("the device was lost before it was compiled")]
    Lost,
}

/// What a shader's compiler says about one place of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderMessage {
    /// The line, counted from 1; 0 where it is about no place.
    pub line: u32,
    /// The column, counted from 1 in units of UTF-16 as WebGPU counts; 0 where it is about no place.
    pub column: u32,
    /// How much it is about, in units of UTF-16.
    pub length: u32,
    /// What it says.
    pub text: String,
    /// How bad it is.
    pub severity: Severity,
}

impl ShaderMessage {
    /// An error about the pipeline as a whole.
    pub fn overall(text: String) -> Self {
        Self {
            line: 0,
            column: 0,
            length: 0,
            text,
            severity: Severity::Error,
        }
    }
}

impl fmt::Display for ShaderMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}: ", self.line, self.column)?;
        }
        f.write_str(&self.text)
    }
}

fn listed(messages: &[ShaderMessage]) -> String {
    let lines: Vec<String> = messages.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
