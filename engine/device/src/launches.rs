//! A launch that is recorded once and launched many times, as NVIDIA Warp's `Launch` is (rules D1 to D10).
//!
//! Recording runs nothing (D1). Arguments are packed when they are recorded or set, numbers by value and buffers as
//! handles (D2), and a wrong one is refused at once (D3). What depends on limits is looked at when it is launched (D6),
//! and so is whether every buffer still is the one that was recorded (D10). The device is fixed, the stream is chosen
//! each time (D7).
//!
//! ```
//! use device::{LaunchArgument, BufferHandle, RecordedLaunch};
//! use record::BufferIndex;
//!
//! let (x, y) = (BufferHandle::new(BufferIndex(0), 1), BufferHandle::new(BufferIndex(1), 1));
//! let mut step = RecordedLaunch::new("saxpy", &[x], &[y], &[2.0])?;
//! step.set("a", LaunchArgument::Number(3.0))?;
//! assert_eq!((step.revision(), step.numbers()), (2, &[3.0][..]));
//!
//! let wrong = step.set("x", LaunchArgument::Number(3.0)).unwrap_err();
//! assert!(wrong.to_string().contains("expects a buffer"));
//! let unknown = step.set("b", LaunchArgument::Number(3.0)).unwrap_err();
//! assert!(unknown.to_string().contains("has no argument “b”"));
//! assert_eq!(step.revision(), 2, "what is refused changes nothing");
//!
//! let launch = step.packed(&|buffer| (buffer == x.buffer).then_some(1), &|_| 64);
//! assert!(launch.unwrap_err().to_string().contains("“y”"), "that buffer was freed");
//! # Ok::<(), device::LaunchError>(())
//! ```

mod error;
mod preparation;
#[cfg(test)]
mod tests;

pub use error::LaunchError;

use record::BufferIndex;
use workload::{Kernel, nearest};

/// A buffer as it was when it was recorded: one that is freed and made again is another one (rule D10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferHandle {
    /// The buffer.
    pub buffer: BufferIndex,
    /// Which making of it, counted from 1.
    pub generation: u32,
}

/// A value for an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaunchArgument {
    /// For a buffer that the kernel reads or writes.
    Buffer(BufferHandle),
    /// For a number.
    Number(f64),
}

/// A kernel call that was recorded and not run.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedLaunch {
    kernel: &'static Kernel,
    /// Those that are read, then those that are written; none while it has no value (rule D5).
    buffers: Vec<Option<BufferHandle>>,
    numbers: Vec<f64>,
    elements: Option<usize>,
    revision: u32,
}

impl RecordedLaunch {
    /// The buffers that it reads or writes, as far as they have been set.
    pub fn used(&self) -> impl Iterator<Item = BufferIndex> {
        self.buffers.iter().flatten().map(|it| it.buffer)
    }
}

impl BufferHandle {
    /// The `generation`th making of a buffer.
    pub const fn new(buffer: BufferIndex, generation: u32) -> Self {
        Self { buffer, generation }
    }
}

impl RecordedLaunch {
    /// Records a call of the kernel called `kernel`. Missing numbers have the kernel's own values.
    ///
    /// # Errors
    /// There is no such kernel, or it takes other arguments.
    pub fn new(
        kernel: &str,
        reads: &[BufferHandle],
        writes: &[BufferHandle],
        numbers: &[f64],
    ) -> Result<Self, LaunchError> {
        let mut launch = Self::empty(kernel)?;
        launch.elements = None;
        let kernel = launch.kernel;
        for (word, wanted, given) in [
            ("reads", kernel.reads, reads),
            ("writes", kernel.writes, writes),
        ] {
            if wanted.len() != given.len() {
                return Err(LaunchError::Arity {
                    kernel: kernel.name,
                    word,
                    wanted: wanted.join(", "),
                    given: given.len(),
                });
            }
        }
        launch.buffers = reads.iter().chain(writes).copied().map(Some).collect();
        launch.numbers = kernel.parameters.iter().map(|(_, own)| *own).collect();
        let first = kernel.reads.len() + kernel.writes.len();
        for (place, number) in numbers.iter().enumerate() {
            launch.put(first + place, LaunchArgument::Number(*number))?;
        }
        Ok(launch)
    }

    /// One that was made and not recorded: no elements, no buffers, every number zero. Launching it is legal and does
    /// nothing (rule D5).
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn empty(kernel: &str) -> Result<Self, LaunchError> {
        let found = Kernel::find(kernel);
        let found = found.ok_or_else(|| LaunchError::NoKernel(kernel.to_owned()))?;
        Ok(Self {
            kernel: found,
            buffers: vec![None; found.reads.len() + found.writes.len()],
            numbers: vec![0.0; found.parameters.len()],
            elements: Some(0),
            revision: 1,
        })
    }

    /// The kernel.
    pub const fn kernel(&self) -> &'static Kernel {
        self.kernel
    }

    /// How often it was changed, counted from 1.
    pub const fn revision(&self) -> u32 {
        self.revision
    }

    /// Its numbers, in the order in which the kernel names them.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// How many elements it treats; none for as many as its buffers have.
    pub const fn elements(&self) -> Option<usize> {
        self.elements
    }

    /// Counts its revisions on from those of what it takes the place of.
    #[must_use]
    pub const fn after(mut self, before: Option<u32>) -> Self {
        if let Some(before) = before {
            self.revision = before + 1;
        }
        self
    }

    /// The names of all arguments: buffers that are read, buffers that are written, numbers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        names(self.kernel)
    }

    /// Sets the argument of this name.
    ///
    /// # Errors
    /// There is none, or it is of another sort; nothing changes (rule D3).
    pub fn set(&mut self, name: &str, value: LaunchArgument) -> Result<(), LaunchError> {
        let found = self.names().position(|known| known == name);
        let place = found.ok_or_else(|| LaunchError::NoArgument {
            kernel: self.kernel.name,
            name: name.to_owned(),
            help: nearest(name, self.names()).unwrap_or_else(|| self.listed()),
        })?;
        self.set_at(place, value)
    }

    /// Sets the argument at this place of [`RecordedLaunch::names`].
    ///
    /// # Errors
    /// There is none, or it is of another sort; nothing changes (rule D3).
    pub fn set_at(&mut self, place: usize, value: LaunchArgument) -> Result<(), LaunchError> {
        self.put(place, value)?;
        self.revision += 1;
        Ok(())
    }

    /// Sets as many arguments as values are given, from the first on; the others stay (rule D3: fewer are no error).
    ///
    /// # Errors
    /// One is of another sort, or there are more values than arguments; nothing changes.
    pub fn set_all(&mut self, values: &[LaunchArgument]) -> Result<(), LaunchError> {
        let mut changed = self.clone();
        for (place, value) in values.iter().enumerate() {
            changed.put(place, *value)?;
        }
        changed.revision += 1;
        *self = changed;
        Ok(())
    }

    /// Sets how many elements it treats, from the first on. Whether its buffers have so many is looked at when it is
    /// launched (rules D4, D6).
    ///
    /// # Errors
    /// The kernel does not treat each element by itself.
    pub fn set_elements(&mut self, elements: usize) -> Result<(), LaunchError> {
        if !self.kernel.is_elementwise() {
            return Err(LaunchError::NoElements(self.kernel.name));
        }
        self.elements = Some(elements);
        self.revision += 1;
        Ok(())
    }

    fn put(&mut self, place: usize, value: LaunchArgument) -> Result<(), LaunchError> {
        let kernel = self.kernel.name;
        let Some(name) = self.names().nth(place) else {
            return Err(LaunchError::NoPlace {
                kernel,
                place,
                help: self.listed(),
            });
        };
        let wrong = |expected, found| LaunchError::Sort {
            kernel,
            name,
            expected,
            found,
        };
        let count = self.buffers.len();
        match (value, self.buffers.get_mut(place)) {
            (LaunchArgument::Buffer(handle), Some(slot)) => *slot = Some(handle),
            (LaunchArgument::Buffer(_), None) => {
                return Err(wrong("a number", "a buffer".to_owned()));
            }
            (LaunchArgument::Number(number), Some(_)) => {
                return Err(wrong("a buffer", format!("the number {number}")));
            }
            (LaunchArgument::Number(number), None) => {
                if !number.is_finite() {
                    return Err(wrong("a number", number.to_string()));
                }
                if let Some(slot) = self.numbers.get_mut(place - count) {
                    *slot = number;
                }
            }
        }
        Ok(())
    }

    fn listed(&self) -> String {
        let names: Vec<&str> = self.names().collect();
        format!("it takes, in this order: {}", names.join(", "))
    }
}

/// The names of all arguments of a kernel: buffers that are read, buffers that are written, numbers.
pub fn names(kernel: &'static Kernel) -> impl Iterator<Item = &'static str> + Clone + use<> {
    let numbers = kernel.parameters.iter().map(|(name, _)| *name);
    let buffers = kernel.reads.iter().chain(kernel.writes).copied();
    buffers.chain(numbers)
}
