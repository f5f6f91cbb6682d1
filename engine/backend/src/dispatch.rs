//! What a kernel of the library is dispatched with: its numbers, and how many workgroups.

use workload::LaunchShape;

/// Elements of a workgroup of the kernels that treat every element alike.
const GROUP: usize = 256;
/// Bins that one workgroup of the histogram counts.
const BINS: usize = 1024;
/// Side of a tile of the matrix product.
const TILE: usize = 16;

/// What a shader of the library is given in its uniform, as words.
pub type UniformWords = [u32; 12];

/// What a kernel is dispatched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelDispatch {
    /// The words of its uniform.
    pub given: UniformWords,
    /// Workgroups to each side; none where there is nothing to do.
    pub groups: Option<[u32; 3]>,
    /// How often the loops of one invocation turn.
    pub turns: u64,
}

impl KernelDispatch {
    /// For the kernel called `kernel`, where a side takes at most `most` workgroups.
    ///
    /// # Errors
    /// The buffers do not fit it.
    pub fn of(kernel: &str, shape: &LaunchShape<'_>, most: u32) -> Result<Self, String> {
        let write = shape.writes.first().copied().unwrap_or_default();
        let read = shape.reads.first().copied().unwrap_or_default();
        let line = |elements: usize| line(elements.div_ceil(GROUP), most);
        let (len, sizes, groups, turns) = match kernel {
            "matmul" => {
                let [rows, columns, inner] = shape.matmul()?;
                let sides = [columns, rows].map(|side| side.div_ceil(TILE) as u32);
                let fits = write > 0 && sides.iter().all(|side| *side <= most);
                if write > 0 && !fits {
                    return Err(format!("c has a side of more than {most} tiles of {TILE}"));
                }
                let groups = fits.then_some([sides[0], sides[1], 1]);
                (write, [rows, columns, inner], groups, inner + inner / TILE)
            }
            "stencil" => {
                let [width, height] = shape.grid()?;
                (write, [width, height, 0], line(write), 0)
            }
            "reduce" => {
                let chunk = read / write.max(1);
                (
                    write,
                    [chunk, 0, 0],
                    self::line(write, most),
                    chunk / GROUP + 8,
                )
            }
            "scan" => {
                let run = write.div_ceil(GROUP);
                let groups = (write > 0).then_some([1; 3]);
                (write, [run, 0, 0], groups, 2 * run + GROUP)
            }
            "histogram" => {
                let groups = self::line(write.div_ceil(BINS), most);
                (write, [read, 0, 0], groups, read / GROUP + BINS / GROUP)
            }
            "nbody" => (read / 4, [0; 3], line(read / 4), read / 4),
            "spin" | "trap" => (0, [0; 3], Some([1; 3]), 0),
            _ => (write, [0; 3], line(write), 0),
        };
        Ok(Self {
            given: words(len, sizes, shape.parameters),
            groups,
            turns: turns as u64,
        })
    }
}

/// The words of a uniform.
pub fn words(len: usize, sizes: [usize; 3], parameters: &[f64]) -> UniformWords {
    let mut words = [0; 12];
    let mut put = |place: usize, word: u32| {
        if let Some(slot) = words.get_mut(place) {
            *slot = word;
        }
    };
    put(0, len as u32);
    for (place, size) in sizes.into_iter().enumerate() {
        put(4 + place, size as u32);
    }
    for (place, parameter) in parameters.iter().take(4).enumerate() {
        put(8 + place, (*parameter as f32).to_bits());
    }
    words
}

/// So many workgroups, in rows where one side does not take them all.
pub fn line(count: usize, most: u32) -> Option<[u32; 3]> {
    let width = count.min(most as usize);
    (count > 0).then(|| [width as u32, count.div_ceil(width) as u32, 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(kernel: &str, reads: &[usize], writes: &[usize], parameters: &[f64]) -> [u32; 3] {
        let shape = LaunchShape {
            reads,
            writes,
            parameters,
        };
        let dispatch = KernelDispatch::of(kernel, &shape, 65535).unwrap();
        dispatch.groups.unwrap_or_default()
    }

    #[test]
    fn every_element_has_an_invocation() {
        assert_eq!(groups("saxpy", &[257], &[257], &[1.0]), [2, 1, 1]);
        assert_eq!(groups("saxpy", &[0], &[0], &[1.0]), [0; 3]);
        let many = 20_000_000;
        let [x, y, _] = groups("scale", &[many], &[many], &[1.0, 0.0]);
        assert!(x <= 65535 && x as usize * y as usize * 256 >= many);
        assert_eq!(
            groups("matmul", &[6, 8], &[12], &[3.0, 4.0, 2.0, 0.0]),
            [1, 1, 1]
        );
        assert_eq!(
            groups("matmul", &[1 << 16; 2], &[1 << 16], &[0.0; 4]),
            [16, 16, 1]
        );
        assert_eq!(groups("reduce", &[12], &[3], &[]), [3, 1, 1]);
        assert_eq!(groups("histogram", &[9], &[2000], &[0.0, 1.0]), [2, 1, 1]);
    }

    #[test]
    fn numbers_are_where_the_shader_looks() {
        let given = words(7, [1, 2, 3], &[2.5, -1.0]);
        assert_eq!((given[0], &given[4..7]), (7, &[1, 2, 3][..]));
        assert_eq!(f32::from_bits(given[8]), 2.5);
        assert_eq!(f32::from_bits(given[9]), -1.0);
    }
}
