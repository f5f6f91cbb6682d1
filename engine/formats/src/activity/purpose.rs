//! What a stream did, and what it proves to be for.

use record::{Role, SpanKind};

/// Kinds of work that tell what a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// Kernels, and graphs of them.
    Kernel,
    /// Kernels that talk to other devices.
    Collective,
    /// Copies from the host to a device.
    Upload,
    /// Copies from a device to the host.
    Download,
    /// Copies within a device or between two.
    Copy,
    /// Anything else, such as memory that is set.
    Other,
}

impl WorkKind {
    /// What an operation of a kind and a name is.
    pub fn of(kind: SpanKind, name: &str) -> Self {
        match kind {
            SpanKind::Kernel if is_collective(name) => Self::Collective,
            SpanKind::Kernel | SpanKind::Graph => Self::Kernel,
            SpanKind::Upload => Self::Upload,
            SpanKind::Download => Self::Download,
            SpanKind::Copy => Self::Copy,
            _ => Self::Other,
        }
    }
}

/// Whether a kernel of that name talks to other devices.
fn is_collective(name: &str) -> bool {
    ["nccl", "rccl", "hcom_", "hccl"].iter().any(|known| {
        name.get(..known.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(known))
    }) || name.contains("ncclKernel")
        || name.contains("ncclDevKernel")
}

/// How often a stream did each kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkCounts([u32; 6]);

impl WorkCounts {
    /// Notes that it did so once more.
    pub fn note(&mut self, work: WorkKind) {
        if let Some(count) = self.0.get_mut(work as usize) {
            *count += 1;
        }
    }

    /// What the stream is for: kernels or collectives before anything else, or else what it did most.
    pub fn role(&self) -> Role {
        let [kernels, collectives, uploads, downloads, copies, others] = self.0;
        if kernels > 0 && kernels >= collectives {
            return Role::Compute;
        }
        if collectives > 0 {
            return Role::Collective;
        }
        // Of equals the last is taken.
        let moved = [
            (others, Role::Compute),
            (copies, Role::DeviceToDevice),
            (downloads, Role::DeviceToHost),
            (uploads, Role::HostToDevice),
        ];
        let most = moved.into_iter().max_by_key(|(count, _)| *count);
        most.filter(|(count, _)| *count > 0)
            .map_or(Role::None, |(_, role)| role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_for_what_it_runs() {
        let role = |did| WorkCounts(did).role();
        assert_eq!(role([9, 1, 99, 99, 99, 99]), Role::Compute);
        assert_eq!(role([1, 9, 99, 0, 0, 0]), Role::Collective);
        assert_eq!(role([0, 1, 9, 0, 0, 0]), Role::Collective);
        assert_eq!(role([0, 0, 3, 1, 0, 0]), Role::HostToDevice);
        assert_eq!(role([0, 0, 1, 3, 0, 0]), Role::DeviceToHost);
        assert_eq!(role([0; 6]), Role::None);
    }

    #[test]
    fn kernels_of_collectives_are_known_by_name() {
        let of = |name| WorkKind::of(SpanKind::Kernel, name);
        assert_eq!(of("ncclDevKernel_SendRecv(x)"), WorkKind::Collective);
        assert_eq!(of("void ncclKernel_AllReduce<1>"), WorkKind::Collective);
        assert_eq!(of("gemm"), WorkKind::Kernel);
    }
}
