//! What a recorded launch runs with: looked at once, when it is launched the first time after a change.

use super::{BufferHandle, LaunchError, RecordedLaunch};
use record::BufferIndex;
use workload::KernelArguments;

impl RecordedLaunch {
    /// The launch, for a device that packs it. `now` gives a buffer's generation, nothing where it is freed; `len` its
    /// length in elements.
    ///
    /// # Errors
    /// What only shows when it is launched (rule D6): a buffer is gone, was never given or is too short.
    pub fn packed(
        &self,
        now: &dyn Fn(BufferIndex) -> Option<u32>,
        len: &dyn Fn(BufferIndex) -> usize,
    ) -> Result<KernelArguments, LaunchError> {
        let (reads, writes) = if self.elements == Some(0) {
            // Nothing is touched, so that nothing has to be there (rule D5).
            (Vec::new(), Vec::new())
        } else {
            let mut reads = self.buffers(now, len)?;
            let writes = reads.split_off(self.kernel.reads.len());
            (reads, writes)
        };
        Ok(KernelArguments {
            kernel: self.kernel,
            reads,
            writes,
            parameters: self.numbers.clone(),
        })
    }

    fn buffers(
        &self,
        now: &dyn Fn(BufferIndex) -> Option<u32>,
        len: &dyn Fn(BufferIndex) -> usize,
    ) -> Result<Vec<BufferIndex>, LaunchError> {
        let kernel = self.kernel.name;
        let all = self.names().zip(&self.buffers);
        all.map(|(name, slot)| {
            let BufferHandle { buffer, generation } =
                slot.ok_or(LaunchError::Missing { kernel, name })?;
            let found = now(buffer);
            if found != Some(generation) {
                let now = found.map(|now| format!(", and there is its making {now} now"));
                return Err(LaunchError::Stale {
                    kernel,
                    name,
                    recorded: generation,
                    now: now.unwrap_or_default(),
                });
            }
            match self.elements {
                Some(elements) if elements > len(buffer) => Err(LaunchError::Beyond {
                    kernel,
                    name,
                    elements,
                    len: len(buffer),
                }),
                _ => Ok(buffer),
            }
        })
        .collect()
    }

    /// Each argument's name and value, buffers by their names.
    pub fn described(&self, name: &dyn Fn(BufferIndex) -> String) -> Vec<(String, String)> {
        let buffers = self.buffers.iter().map(|slot| match slot {
            Some(handle) => name(handle.buffer),
            None => "nothing".to_owned(),
        });
        let numbers = self.numbers.iter().map(ToString::to_string);
        let values = buffers.chain(numbers);
        self.names().map(str::to_owned).zip(values).collect()
    }
}
