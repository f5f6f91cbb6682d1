//! Why a recorded launch cannot be changed or launched.

/// Why a recorded launch cannot be changed or launched. What is refused leaves it as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// There is no such kernel.
    #[error("there is no kernel “{0}”: name one of the library")]
    NoKernel(String),
    /// The kernel takes more buffers, or fewer.
    #[error("“{kernel}” {word} {wanted}, and {given} given: give it each of them, in this order")]
    Arity {
        /// The kernel.
        kernel: &'static str,
        /// `reads` or `writes`.
        word: &'static str,
        /// The names of what it takes.
        wanted: String,
        /// How many were given.
        given: usize,
    },
    /// The kernel has no argument of this name (rule D3).
    #[error("“{kernel}” has no argument “{name}”: {help}")]
    NoArgument {
        /// The kernel.
        kernel: &'static str,
        /// The name.
        name: String,
        /// The nearest name, or all of them.
        help: String,
    },
    /// The kernel has not so many arguments (rule D3).
    #[error("“{kernel}” has no argument at place {place}, counted from 0: {help}")]
    NoPlace {
        /// The kernel.
        kernel: &'static str,
        /// The place.
        place: usize,
        /// All names.
        help: String,
    },
    /// The argument is of another sort (rule D3).
    #[error(
        "argument “{name}” of “{kernel}” expects {expected} and got {found}: give it {expected}"
    )]
    Sort {
        /// The kernel.
        kernel: &'static str,
        /// The argument.
        name: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What it was given.
        found: String,
    },
    /// The kernel takes its size from its buffers alone.
    #[error(
        "“{0}” takes its size from its buffers, so that its dimensions cannot be set: only saxpy, scale and add treat \
         each element by itself"
    )]
    NoElements(&'static str),
    /// It treats more elements than a buffer has. Seen when it is launched (rules D4, D6).
    #[error(
        "“{kernel}” would treat {elements} elements, and “{name}” has {len}: it would reach beyond its end; set fewer, \
         or another buffer"
    )]
    Beyond {
        /// The kernel.
        kernel: &'static str,
        /// The argument.
        name: &'static str,
        /// How many it would treat.
        elements: usize,
        /// How many there are.
        len: usize,
    },
    /// It was made and never given a buffer. Seen when it is launched.
    #[error("“{kernel}” was given no buffer as “{name}”: set it, or record the launch")]
    Missing {
        /// The kernel.
        kernel: &'static str,
        /// The argument.
        name: &'static str,
    },
    /// A buffer is no longer the one that was recorded: the lint `STALE_LAUNCH_ARG`. Seen when it is launched (rule D10).
    #[error(
        "the buffer that “{kernel}” was recorded with as “{name}” is gone (it was its making {recorded}{now}): set the \
         argument again, or record the launch anew"
    )]
    Stale {
        /// The kernel.
        kernel: &'static str,
        /// The argument.
        name: &'static str,
        /// The generation that was recorded.
        recorded: u32,
        /// `, and there is its making 2 now`, or nothing where there is none.
        now: String,
    },
}
