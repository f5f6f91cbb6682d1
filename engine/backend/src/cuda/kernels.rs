//! The kernel library on the device: CUDA C, compiled by NVRTC where that is installed, else the PTX that was made of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::code::DriverErrorCode;
use super::context::CudaContext;
use super::module::CudaFunction;
use super::nvrtc;
use super::stream::LaunchGrid;
use crate::dispatch::KernelDispatch;
use crate::kernel_shader;
use device::lock;

/// A kernel's source, and what was made of it for where no compiler is.
pub struct KernelSource {
    /// Its name, and that of its function.
    pub name: &'static str,
    /// In CUDA C.
    pub cuda: &'static str,
    /// In PTX 6.5 for `sm_52` and newer, which every driver since CUDA 10.2 takes.
    pub ptx: &'static str,
}

macro_rules! sources {
    ($($name:literal)*) => {
        &[$(KernelSource {
            name: $name,
            cuda: include_str!(concat!("../../../../assets/kernels/", $name, ".cu")),
            ptx: include_str!(concat!("../../../../assets/kernels/", $name, ".ptx")),
        },)*]
    };
}

/// Every kernel of the library, and the one that loses devices.
pub const SOURCES: &[KernelSource] = sources![
    "saxpy" "scale" "add" "matmul" "reduce" "scan" "stencil" "histogram" "nbody" "spin" "trap" "fault"
];

/// The kernel called `name`.
pub fn source(name: &str) -> Option<&'static KernelSource> {
    SOURCES.iter().find(|source| source.name == name)
}

/// The kernel of the library whose shader this is.
pub fn of_shader(shader: &str) -> Option<&'static KernelSource> {
    let is_it = |source: &&KernelSource| kernel_shader(source.name) == Some(shader);
    SOURCES.iter().find(is_it)
}

/// Threads of a block: the same as in a workgroup.
pub fn grid(kernel: &str, dispatch: &KernelDispatch) -> Option<LaunchGrid> {
    let threads = match kernel {
        "matmul" => [16, 16, 1],
        "spin" | "trap" | "fault" => [1; 3],
        _ => [256, 1, 1],
    };
    let blocks = dispatch.groups?;
    Some(LaunchGrid { blocks, threads })
}

/// The kernels that were loaded into a context.
pub struct LoadedKernels {
    context: Arc<CudaContext>,
    /// The architecture that is compiled for, such as `compute_90`.
    architecture: String,
    loaded: Mutex<HashMap<&'static str, Arc<CudaFunction>>>,
}

impl LoadedKernels {
    /// None yet.
    pub fn new(context: &Arc<CudaContext>, architecture: String) -> Self {
        Self {
            context: Arc::clone(context),
            architecture,
            loaded: Mutex::default(),
        }
    }

    /// The architecture that is compiled for.
    pub fn architecture(&self) -> &str {
        &self.architecture
    }

    /// The function of the kernel called `name`, which is loaded at its first use.
    ///
    /// # Errors
    /// What the driver says.
    pub fn get(&self, name: &'static str) -> Result<Arc<CudaFunction>, DriverErrorCode> {
        if let Some(found) = lock(&self.loaded).get(name) {
            return Ok(Arc::clone(found));
        }
        self.load(name).map(|(function, _)| function)
    }

    /// Loads the kernel called `name` anew, and says whether NVRTC compiled it here.
    ///
    /// # Errors
    /// What the driver says.
    pub fn load(&self, name: &'static str) -> Result<(Arc<CudaFunction>, bool), DriverErrorCode> {
        let unknown =
            || DriverErrorCode::new(500, String::new(), format!("there is no kernel {name}"));
        let source = source(name).ok_or_else(unknown)?;
        // What this compiler makes may be newer than what the driver takes; what is carried never is.
        let compiled = nvrtc::nvrtc().ok().and_then(|nvrtc| {
            let ptx = nvrtc.compile(source.cuda, &format!("{name}.cu"), &self.architecture);
            CudaFunction::load(&self.context, &ptx.ok()?.ptx, name).ok()
        });
        let is_compiled = compiled.is_some();
        let function = match compiled {
            Some(function) => function,
            None => CudaFunction::load(&self.context, source.ptx, name)?,
        };
        let function = Arc::new(function);
        lock(&self.loaded).insert(name, Arc::clone(&function));
        Ok((function, is_compiled))
    }

    /// Loads every kernel, so that none is loaded in the middle of a run.
    ///
    /// # Errors
    /// What the driver says.
    pub fn warm(&self) -> Result<(), DriverErrorCode> {
        SOURCES
            .iter()
            .try_for_each(|source| self.get(source.name).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::KERNELS;

    #[test]
    fn every_kernel_of_the_library_is_here_in_both_forms() {
        for kernel in KERNELS {
            let found = source(kernel.name).unwrap();
            let pointers = (kernel.reads.len() + kernel.writes.len()).max(1);
            let entry = format!(".visible .entry {}(", kernel.name);
            let (_, rest) = found.ptx.split_once(&entry).unwrap();
            let (parameters, _) = rest.split_once(')').unwrap();
            assert_eq!(parameters.matches(".param").count(), 1 + pointers);
            assert!(
                parameters.contains("[48]"),
                "{} takes its words",
                kernel.name
            );
            assert!(
                found
                    .cuda
                    .contains(&format!("__global__ void {}(", kernel.name))
            );
        }
        for source in SOURCES {
            assert!(source.ptx.starts_with(".version 6.5\n.target sm_52\n"));
        }
    }

    #[test]
    fn shaders_are_known_by_their_text() {
        let shader = kernel_shader("saxpy").unwrap();
        assert_eq!(of_shader(shader).unwrap().name, "saxpy");
        assert!(of_shader("fn main() {}").is_none());
    }
}
