//! The kernel library as shaders: the same numbers as the processor's, in WGSL.

/// The entry point of every shader of the library.
pub const ENTRY: &str = "main";

macro_rules! shaders {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../assets/kernels/", $name, ".wgsl"))),)*]
    };
}

/// Every kernel's name and shader.
const SHADERS: &[(&str, &str)] = shaders![
    "saxpy" "scale" "add" "matmul" "reduce" "scan" "stencil" "histogram" "nbody" "spin" "trap"
];

/// The shader of the kernel called `name`, in WGSL. Its entry point is [`ENTRY`].
///
/// Binding 0 is a uniform: the number of elements written, three sizes of the kernel's own, its parameters. From
/// binding 1 on come the buffers that it reads, then those that it writes; a kernel without buffers has one of two
/// words instead.
pub fn kernel_shader(name: &str) -> Option<&'static str> {
    let found = SHADERS.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{CompileRequest, DeviceLimits, shader};
    use record::PipelineKind;
    use workload::{KERNELS, Kernel};

    #[test]
    fn every_kernel_has_a_shader_that_is_valid_everywhere() {
        assert_eq!(SHADERS.len(), KERNELS.len());
        for kernel in KERNELS {
            let request = CompileRequest {
                shader: kernel_shader(kernel.name).unwrap().into(),
                entry: ENTRY.to_owned(),
                kind: PipelineKind::Compute,
                cache: true,
                slow: Duration::ZERO,
            };
            let found = shader::check(&request, &DeviceLimits::default());
            assert_eq!(found, Ok(()), "{}", kernel.name);
            assert_eq!(
                bindings(&request.shader),
                1 + buffers(kernel),
                "{}",
                kernel.name
            );
        }
    }

    fn bindings(shader: &str) -> usize {
        shader.matches("@binding(").count()
    }

    fn buffers(kernel: &Kernel) -> usize {
        (kernel.reads.len() + kernel.writes.len()).max(1)
    }
}
