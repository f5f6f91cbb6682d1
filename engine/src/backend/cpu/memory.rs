//! The buffers of a device, and the operations that work on them.

mod available;

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::buffer::Floats;
use super::kernels::{Arguments, implementation};
use crate::backend::{Error, Layout, Operation, Side};
use crate::time::Nanos;
use crate::workload::{BufferIndex, Kernel, Launch, Shape};

/// Why an operation did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The run was stopped in its middle.
    Stopped,
    /// It failed, for this reason.
    Failed(String),
}

/// The buffers of a device.
#[derive(Debug)]
pub struct Memory {
    buffers: Vec<Buffer>,
}

/// A buffer on the device and its copy on the host.
#[derive(Debug)]
struct Buffer {
    device: Floats,
    host: Floats,
}

impl Memory {
    /// Makes the buffers of `layout`, all zeros.
    ///
    /// # Errors
    /// They do not fit into the memory that is free.
    pub fn new(layout: &Layout) -> Result<Self, Error> {
        available::check(&layout.buffers)?;
        let make = |len: &usize| {
            let (device, host) = (Floats::zeros(*len), Floats::zeros(*len));
            let buffer = device
                .zip(host)
                .map(|(device, host)| Buffer { device, host });
            buffer.ok_or_else(|| available::too_much(&layout.buffers))
        };
        let buffers = layout.buffers.iter().map(make).collect::<Result<_, _>>()?;
        Ok(Self { buffers })
    }

    /// The numbers of a buffer, at one of its two places; empty where there is no such buffer.
    pub fn read(&self, buffer: BufferIndex, side: Side) -> Vec<f32> {
        let buffer = self.buffers.get(buffer.index());
        let floats = buffer.map(|buffer| match side {
            Side::Device => &buffer.device,
            Side::Host => &buffer.host,
        });
        floats.map(Floats::to_vec).unwrap_or_default()
    }

    /// Writes into the host copy of a buffer.
    pub fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]) {
        if let Some(buffer) = self.buffers.get(buffer.index()) {
            buffer.host.store(first, values);
        }
    }

    /// Gives every buffer on the device the numbers of its copy on the host, as a device that is opened anew has.
    pub fn restore(&self) {
        for buffer in &self.buffers {
            buffer.device.copy_from(&buffer.host);
        }
    }

    /// Whether an operation names buffers that exist and, if a kernel, fits them.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, operation: &Operation) -> Result<(), Error> {
        match operation {
            Operation::Upload(buffer)
            | Operation::Download(buffer)
            | Operation::Fill { buffer, .. } => self.len(*buffer).map(drop),
            Operation::Copy { from, to } => self.len(*from).and(self.len(*to)).map(drop),
            Operation::Launch(launch) => self.check_launch(launch),
            _ => Ok(()),
        }
    }

    fn check_launch(&self, launch: &Launch) -> Result<(), Error> {
        let wrong = |reason: String| Error::Launch {
            kernel: launch.kernel.to_owned(),
            reason,
        };
        let kernel = Kernel::named(launch.kernel).zip(implementation(launch.kernel));
        let (kernel, _) = kernel.ok_or_else(|| wrong("there is no such kernel".to_owned()))?;
        let lens = |buffers: &[BufferIndex]| -> Result<Vec<usize>, Error> {
            buffers.iter().map(|buffer| self.len(*buffer)).collect()
        };
        let shape = Shape {
            reads: &lens(&launch.reads)?,
            writes: &lens(&launch.writes)?,
            parameters: &launch.parameters,
        };
        kernel.check(&shape).map_err(wrong)
    }

    fn len(&self, buffer: BufferIndex) -> Result<usize, Error> {
        let found = self.buffers.get(buffer.index());
        let unknown = || Error::Unknown(format!("buffer {}", buffer.0));
        found.map(|found| found.device.len()).ok_or_else(unknown)
    }

    /// Runs an operation that works on buffers or computes. The others do nothing.
    ///
    /// # Errors
    /// It failed, or `is_over` came true in its middle.
    pub fn perform(&self, operation: &Operation, is_over: &dyn Fn() -> bool) -> Result<(), Fault> {
        let buffer = |index: BufferIndex| {
            let missing = || Fault::Failed(format!("there is no buffer {}", index.0));
            self.buffers.get(index.index()).ok_or_else(missing)
        };
        match operation {
            Operation::Upload(index) => buffer(*index).map(|b| b.device.copy_from(&b.host)),
            Operation::Download(index) => buffer(*index).map(|b| b.host.copy_from(&b.device)),
            Operation::Copy { from, to } => {
                buffer(*to)?.device.copy_from(&buffer(*from)?.device);
                Ok(())
            }
            Operation::Fill { buffer: to, value } => buffer(*to).map(|b| b.device.fill(*value)),
            Operation::Launch(launch) => self.launch(launch, is_over),
            Operation::HostFunction(length) => spin(*length, is_over),
            Operation::Record(_) | Operation::Wait(_) | Operation::Hold(_) => Ok(()),
        }
    }

    fn launch(&self, launch: &Launch, is_over: &dyn Fn() -> bool) -> Result<(), Fault> {
        let floats = |buffers: &[BufferIndex]| -> Option<Vec<&Floats>> {
            let found = buffers.iter().map(|index| self.buffers.get(index.index()));
            found
                .map(|buffer| buffer.map(|buffer| &buffer.device))
                .collect()
        };
        let missing = || Fault::Failed(format!("{} has no buffers to run on", launch.kernel));
        let reads = floats(&launch.reads).ok_or_else(missing)?;
        let writes = floats(&launch.writes).ok_or_else(missing)?;
        let kernel = implementation(launch.kernel).ok_or_else(missing)?;
        (kernel.run)(&Arguments {
            reads: &reads,
            writes: &writes,
            parameters: &launch.parameters,
            is_over,
        })
    }
}

/// Computes for about `length` on an idle core: as many steps as that takes, so cores that are shared
/// take longer.
///
/// # Errors
/// `is_over` came true in its middle.
pub fn spin(length: Nanos, is_over: &dyn Fn() -> bool) -> Result<(), Fault> {
    const PIECE: u64 = 20_000;
    let mut steps = (length.0.max(0) as f64 * steps_per_nano()) as u64;
    while steps > 0 {
        let piece = steps.min(PIECE);
        burn(piece);
        steps -= piece;
        if steps > 0 && is_over() {
            return Err(Fault::Stopped);
        }
    }
    Ok(())
}

/// Steps of [`spin`] in a nanosecond, measured once as the best of several tries.
fn steps_per_nano() -> f64 {
    static RATE: OnceLock<f64> = OnceLock::new();
    *RATE.get_or_init(|| {
        const STEPS: u64 = 100_000;
        burn(STEPS);
        let tries = (0..20).map(|_| {
            let start = Instant::now();
            burn(STEPS);
            start.elapsed()
        });
        let best = tries.min().unwrap_or_default().max(Duration::from_nanos(1));
        STEPS as f64 / best.as_nanos() as f64
    })
}

/// Measures the speed of [`spin`] now rather than in the middle of a run.
pub fn calibrate() {
    steps_per_nano();
}

#[inline(never)]
fn burn(steps: u64) {
    let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..steps {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spin_takes_at_least_about_its_length_and_stops_when_told() {
        let length = Nanos::from_millis(5);
        let start = Instant::now();
        spin(length, &|| false).unwrap();
        assert!(
            start.elapsed() >= Duration::from_millis(3),
            "{:?}",
            start.elapsed()
        );
        let start = Instant::now();
        assert_eq!(
            spin(Nanos::from_millis(60_000), &|| true),
            Err(Fault::Stopped)
        );
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn copies_go_both_ways() {
        let layout = Layout {
            buffers: vec![3, 3],
            ..Layout::default()
        };
        let memory = Memory::new(&layout).unwrap();
        let (a, b) = (BufferIndex(0), BufferIndex(1));
        memory.write(a, 1, &[1.0, 2.0, 3.0]);
        for operation in [
            Operation::Upload(a),
            Operation::Copy { from: a, to: b },
            Operation::Download(b),
            Operation::Fill {
                buffer: a,
                value: 7.0,
            },
        ] {
            memory.check(&operation).unwrap();
            memory.perform(&operation, &|| false).unwrap();
        }
        assert_eq!(memory.read(b, Side::Host), [0.0, 1.0, 2.0]);
        assert_eq!(memory.read(a, Side::Device), [7.0; 3]);
        let unknown = memory.check(&Operation::Upload(BufferIndex(9)));
        assert!(unknown.unwrap_err().to_string().contains("buffer 9"));
    }
}
