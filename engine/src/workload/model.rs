//! A workload with its parameters filled in: the resources to make, the host threads to run, what to expect.

/// A number that a workload can be run with other values of.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, as expressions use it.
    pub name: String,
    /// The value it has unless another is given.
    pub default: f64,
    /// The smallest value allowed.
    pub min: f64,
    /// The largest value allowed.
    pub max: f64,
    /// One line that says what it changes; may be empty.
    pub about: String,
    /// Line in the source, counted from 1.
    pub line: u32,
}

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the plan's list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

indices! {
    /// A stream of a [`Plan`].
    StreamIndex
    /// An event of a [`Plan`].
    EventIndex
    /// A buffer of a [`Plan`].
    BufferIndex
    /// A signal of a [`Plan`].
    SignalIndex
}

/// What a stream is for, as written; the same words as the capture's roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Kernels.
    #[default]
    Compute,
    /// Copies from the host to the device.
    HostToDevice,
    /// Copies from the device to the host.
    DeviceToHost,
    /// Copies within a device.
    DeviceToDevice,
    /// Communication between devices.
    Collective,
    /// Synchronisation alone.
    Barrier,
}

/// A stream to make.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamPlan {
    /// Its name; an array's elements are written `name[0]`, `name[1]`, ….
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Lower runs first where the backend knows priorities; 0 is the default.
    pub priority: i32,
}

/// An event to make.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPlan {
    /// Its name; an array's elements are written `name[0]`, `name[1]`, ….
    pub name: String,
    /// Whether its records keep a time.
    pub timing: bool,
}

/// A buffer of 32-bit floats to make, on the device and as its staging copy on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferPlan {
    /// Its name; an array's elements are written `name[0]`, `name[1]`, ….
    pub name: String,
    /// How many floats it holds.
    pub len: usize,
    /// What its host copy holds before the first call: the value of this expression for each element `k`.
    pub init: crate::workload::Expression,
}

/// A host thread: its name and what it calls.
#[derive(Clone, Debug, PartialEq)]
pub struct HostPlan {
    /// The thread's name.
    pub name: String,
}

/// A workload with its parameters filled in.
#[derive(Clone, Debug)]
pub struct Plan {
    /// One or two sentences that say what the workload shows.
    pub about: String,
    /// Each parameter's name and value, in the order of the file.
    pub parameters: Vec<(String, f64)>,
    /// The streams to make.
    pub streams: Vec<StreamPlan>,
    /// The events to make.
    pub events: Vec<EventPlan>,
    /// The buffers to make.
    pub buffers: Vec<BufferPlan>,
    /// The signals' names.
    pub signals: Vec<String>,
    /// The host threads to run, each a real thread.
    pub hosts: Vec<HostPlan>,
    /// What to check after the run.
    pub expectations: Vec<ExpectationPlan>,
}

/// What to check after the run. (Its forms are the workload module's to define.)
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectationPlan {
    /// As written.
    pub text: String,
    /// Line in the source, counted from 1.
    pub line: u32,
}
