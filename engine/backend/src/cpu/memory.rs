//! The buffers of a device, and the operations that work on them.

use super::kernels::{KernelImplementation, KernelInvocation, implementation};
use crate::floats::Floats;
use crate::threads::ExecutionError;
use crate::work_flow::{WorkFlow, in_parts};
use crate::{
    BackendError, BackendState, BufferSide, DeviceLayout, Operation, available_memory,
    operation_check,
};
use record::BufferIndex;
use workload::KernelArguments;

/// The buffers of a device.
#[derive(Debug)]
pub struct CpuMemory {
    buffers: Vec<CpuBuffer>,
}

/// A buffer on the device and its copy on the host.
#[derive(Debug)]
struct CpuBuffer {
    device: Floats,
    host: Floats,
}

impl CpuMemory {
    /// Makes the buffers of `layout`, all zeros.
    ///
    /// # Errors
    /// They do not fit into the memory that is free.
    pub fn new(layout: &DeviceLayout) -> Result<Self, BackendError> {
        available_memory::check(&layout.buffers)?;
        let make = |len: &usize| {
            let (device, host) = (Floats::zeros(*len), Floats::zeros(*len));
            let buffer = device
                .zip(host)
                .map(|(device, host)| CpuBuffer { device, host });
            buffer.ok_or_else(|| available_memory::too_much(&layout.buffers))
        };
        let buffers = layout.buffers.iter().map(make).collect::<Result<_, _>>()?;
        Ok(Self { buffers })
    }

    /// The numbers of a buffer, at one of its two places; empty where there is no such buffer.
    pub fn read(&self, buffer: BufferIndex, side: BufferSide) -> Vec<f32> {
        let buffer = self.buffers.get(buffer.index());
        let floats = buffer.map(|buffer| match side {
            BufferSide::Device => &buffer.device,
            BufferSide::Host => &buffer.host,
        });
        floats.map(Floats::to_vec).unwrap_or_default()
    }

    /// Writes into the host copy of a buffer.
    pub fn write(&self, buffer: BufferIndex, first: usize, values: &[f32]) {
        if let Some(buffer) = self.buffers.get(buffer.index()) {
            buffer.host.store(first, values);
        }
    }

    /// Gives a buffer on the device these numbers.
    ///
    /// # Errors
    /// There is no such buffer, or it has another length.
    pub fn place(&self, buffer: BufferIndex, values: &[f32]) -> Result<(), ExecutionError> {
        let found = self.buffers.get(buffer.index());
        let Some(found) = found.filter(|it| it.device.len() == values.len()) else {
            let text = format!("{} numbers do not fit buffer {}", values.len(), buffer.0);
            return Err(ExecutionError::Failed(text));
        };
        found.device.store(0, values);
        Ok(())
    }

    /// Gives every buffer on the device the numbers of its copy on the host, as a device that is opened anew has.
    pub fn restore(&self) {
        for buffer in &self.buffers {
            buffer.device.copy_from(&buffer.host, 0..buffer.host.len());
        }
    }

    /// Whether an operation names buffers that exist and, if a kernel, fits them.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, operation: &Operation) -> Result<(), BackendError> {
        operation_check::operation(operation, &|buffer| self.len(buffer))
    }

    /// The length of a buffer, in numbers; nothing where there is none.
    pub fn len(&self, buffer: BufferIndex) -> Option<usize> {
        let found = self.buffers.get(buffer.index());
        found.map(|found| found.device.len())
    }

    /// Runs an operation that works on buffers or computes, as `flow` says. The others do nothing.
    ///
    /// # Errors
    /// It failed, or was stopped in its middle.
    pub fn perform(
        &self,
        operation: &Operation,
        flow: &dyn WorkFlow,
    ) -> Result<(), ExecutionError> {
        let buffer = |index: BufferIndex| {
            let missing = || ExecutionError::Failed(format!("there is no buffer {}", index.0));
            self.buffers.get(index.index()).ok_or_else(missing)
        };
        match operation {
            Operation::Upload(index) => {
                let buffer = buffer(*index)?;
                copy(flow, &buffer.host, &buffer.device)
            }
            Operation::Download(index) => {
                let buffer = buffer(*index)?;
                copy(flow, &buffer.device, &buffer.host)
            }
            Operation::Copy { from, to } => {
                copy(flow, &buffer(*from)?.device, &buffer(*to)?.device)
            }
            Operation::Fill { buffer: to, value } => {
                let to = &buffer(*to)?.device;
                in_parts(flow, to.len(), |part| {
                    to.fill(part, *value);
                    Ok(())
                })
            }
            Operation::Launch(launch) => {
                let kernel = implementation(launch.kernel.name);
                self.launch(launch, kernel, None, flow)
            }
            Operation::Packed(packed) if packed.is_empty() => Ok(()),
            Operation::Packed(packed) => {
                let kernel = packed.kept::<&'static KernelImplementation>().copied();
                self.launch(&packed.launch, kernel, packed.elements, flow)
            }
            Operation::HostFunction(length) => flow.spin(*length),
            Operation::Collective(exchange) => {
                let (read, written) = exchange.what.buffers();
                let values = read.map(|buffer| self.read(buffer, BufferSide::Device));
                let values = exchange.perform(values.unwrap_or_default(), &|| flow.is_over())?;
                written.map_or(Ok(()), |buffer| self.place(buffer, &values))
            }
            _ => Ok(()),
        }
    }

    /// Looks at a launch, and finds its kernel once and for all.
    ///
    /// # Errors
    /// It does not fit.
    pub fn pack(
        &self,
        launch: &KernelArguments,
        elements: Option<usize>,
    ) -> Result<BackendState, BackendError> {
        operation_check::arguments(launch, elements, &|buffer| self.len(buffer))?;
        let kernel = implementation(launch.kernel.name);
        let unknown = || BackendError::Unknown(format!("the kernel {}", launch.kernel.name));
        Ok(Box::new(kernel.ok_or_else(unknown)?))
    }

    fn launch(
        &self,
        launch: &KernelArguments,
        kernel: Option<&KernelImplementation>,
        elements: Option<usize>,
        flow: &dyn WorkFlow,
    ) -> Result<(), ExecutionError> {
        let floats = |buffers: &[BufferIndex]| -> Option<Vec<&Floats>> {
            let found = buffers.iter().map(|index| self.buffers.get(index.index()));
            found
                .map(|buffer| buffer.map(|buffer| &buffer.device))
                .collect()
        };
        let missing =
            || ExecutionError::Failed(format!("{} has no buffers to run on", launch.kernel.name));
        let reads = floats(&launch.reads).ok_or_else(missing)?;
        let writes = floats(&launch.writes).ok_or_else(missing)?;
        let kernel = kernel.ok_or_else(missing)?;
        (kernel.run)(&KernelInvocation {
            reads: &reads,
            writes: &writes,
            parameters: &launch.parameters,
            elements: elements.unwrap_or(usize::MAX),
            flow,
        })
    }
}

/// Copies one to the other, part by part.
fn copy(flow: &dyn WorkFlow, from: &Floats, to: &Floats) -> Result<(), ExecutionError> {
    in_parts(flow, from.len().min(to.len()), |part| {
        to.copy_from(from, part);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work_flow::AtOnce;

    #[test]
    fn copies_go_both_ways() {
        let layout = DeviceLayout {
            buffers: vec![3, 3],
            ..DeviceLayout::default()
        };
        let memory = CpuMemory::new(&layout).unwrap();
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
            memory.perform(&operation, &AtOnce(&|| false)).unwrap();
        }
        assert_eq!(memory.read(b, BufferSide::Host), [0.0, 1.0, 2.0]);
        assert_eq!(memory.read(a, BufferSide::Device), [7.0; 3]);
        let unknown = memory.check(&Operation::Upload(BufferIndex(9)));
        assert!(unknown.unwrap_err().to_string().contains("buffer 9"));
    }
}
