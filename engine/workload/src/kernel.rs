//! The kernel library's names, buffers and numbers; what each computes is the same on every backend.

/// A kernel of the library.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Its name in workloads.
    pub name: &'static str,
    /// One sentence that says what it computes, in terms of its buffers' and parameters' names.
    pub about: &'static str,
    /// The buffers it reads, in order.
    pub reads: &'static [&'static str],
    /// The buffers it writes, in order. What they held may count too.
    pub writes: &'static [&'static str],
    /// Its numbers, each with the value it has unless `set`.
    pub parameters: &'static [(&'static str, f64)],
    /// Whether a buffer that it writes may be one that it reads.
    pub in_place: bool,
    check: fn(&LaunchShape<'_>) -> Result<(), String>,
}

/// What a launch gives a kernel: the lengths of its buffers, in floats, and its numbers.
#[derive(Clone, Copy, Debug)]
pub struct LaunchShape<'a> {
    /// Length of each buffer read, in floats.
    pub reads: &'a [usize],
    /// Length of each buffer written, in floats.
    pub writes: &'a [usize],
    /// Value of each parameter.
    pub parameters: &'a [f64],
}

impl LaunchShape<'_> {
    fn read(&self, place: usize) -> usize {
        self.reads.get(place).copied().unwrap_or_default()
    }

    fn write(&self, place: usize) -> usize {
        self.writes.get(place).copied().unwrap_or_default()
    }

    fn parameter(&self, place: usize) -> f64 {
        self.parameters.get(place).copied().unwrap_or_default()
    }

    /// A parameter that counts something.
    fn whole(&self, place: usize, name: &str) -> Result<usize, String> {
        let value = self.parameter(place);
        if value >= 0.0 && value.fract() == 0.0 && value <= 1e9 {
            Ok(value as usize)
        } else {
            Err(format!(
                "“{name}” counts something, so it cannot be {value}"
            ))
        }
    }

    /// The sizes of a matrix product `c (rows × columns) = a (rows × inner) · b (inner × columns)`, in the order
    /// rows, columns, inner. Parameters of 0 stand for square matrices.
    ///
    /// # Errors
    /// The buffers are too small or not square.
    pub fn matmul(&self) -> Result<[usize; 3], String> {
        let given = [
            self.whole(0, "rows")?,
            self.whole(1, "columns")?,
            self.whole(2, "inner")?,
        ];
        let (a, b, c) = (self.read(0), self.read(1), self.write(0));
        if given == [0; 3] {
            let side = a.isqrt();
            return if side * side == a && b == a && c == a {
                Ok([side; 3])
            } else {
                Err(format!(
                    "a square product needs three buffers of one square length, and these hold {a}, {b} and {c}; set \
                     rows, columns and inner for other shapes"
                ))
            };
        }
        let [rows, columns, inner] = given;
        let fits = |len: usize, m: usize, n: usize| m.checked_mul(n) == Some(len) && len > 0;
        if fits(a, rows, inner) && fits(b, inner, columns) && fits(c, rows, columns) {
            Ok(given)
        } else {
            Err(format!(
                "a of {rows} × {inner}, b of {inner} × {columns} and c of {rows} × {columns} do not fit buffers of \
                 {a}, {b} and {c} floats"
            ))
        }
    }

    /// Width and height of the grid of a stencil. A width of 0 stands for a square.
    ///
    /// # Errors
    /// The buffer's length is not a multiple of the width, or not a square.
    pub fn grid(&self) -> Result<[usize; 2], String> {
        let (len, given) = (self.read(0), self.whole(0, "width")?);
        let width = if given == 0 { len.isqrt() } else { given };
        if width > 0 && len.is_multiple_of(width) && (given > 0 || width * width == len) {
            Ok([width, len / width])
        } else if given == 0 {
            Err(format!(
                "{len} floats are no square; set width for a grid of another shape"
            ))
        } else {
            Err(format!("{len} floats cannot be split into rows of {width}"))
        }
    }
}

/// Kernels are the same when their names are: the names of the library are unique.
impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Kernel {
    /// The kernel called `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        KERNELS.iter().find(|kernel| kernel.name == name)
    }

    /// Whether it treats every element by itself, so that it can be given fewer of them.
    pub fn is_elementwise(&self) -> bool {
        matches!(self.name, "saxpy" | "scale" | "add")
    }

    /// Whether it writes all of the buffer at a place among those that it writes, whatever that held, with these numbers.
    pub fn overwrites(&self, place: usize, parameters: &[f64]) -> bool {
        match self.name {
            "scale" | "add" | "reduce" | "scan" | "stencil" | "histogram" => true,
            "matmul" => parameters.get(3) == Some(&0.0),
            "nbody" => place == 0,
            _ => false,
        }
    }

    /// Whether the kernel can run on buffers of these lengths with these numbers.
    ///
    /// # Errors
    /// Which rule is broken, in words.
    pub fn check(&self, shape: &LaunchShape<'_>) -> Result<(), String> {
        for ((name, _), value) in self.parameters.iter().zip(shape.parameters) {
            if !value.is_finite() {
                return Err(format!(
                    "“{name}” is {value}, which is no number to compute with"
                ));
            }
        }
        (self.check)(shape)
    }
}

/// Every kernel of the library.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        name: "saxpy",
        about: "y = a · x + y, element by element",
        reads: &["x"],
        writes: &["y"],
        parameters: &[("a", 1.0)],
        in_place: true,
        check: same_length,
    },
    Kernel {
        name: "scale",
        about: "y = a · x + b, element by element",
        reads: &["x"],
        writes: &["y"],
        parameters: &[("a", 1.0), ("b", 0.0)],
        in_place: true,
        check: same_length,
    },
    Kernel {
        name: "add",
        about: "z = x + y, element by element",
        reads: &["x", "y"],
        writes: &["z"],
        parameters: &[],
        in_place: true,
        check: same_length,
    },
    Kernel {
        name: "matmul",
        about: "c = a · b, or c + a · b where accumulate is 1: tiled product of row-major matrices, rows × inner by \
                inner × columns (all 0: square)",
        reads: &["a", "b"],
        writes: &["c"],
        parameters: &[
            ("rows", 0.0),
            ("columns", 0.0),
            ("inner", 0.0),
            ("accumulate", 0.0),
        ],
        in_place: false,
        check: |shape| {
            if ![0.0, 1.0].contains(&shape.parameter(3)) {
                return Err(format!(
                    "“accumulate” is 0 or 1, not {}",
                    shape.parameter(3)
                ));
            }
            shape.matmul().map(|_| ())
        },
    },
    Kernel {
        name: "reduce",
        about: "sum[j] = the sum, as a tree, of the j-th of as many equal chunks of x as sum has elements",
        reads: &["x"],
        writes: &["sum"],
        parameters: &[],
        in_place: false,
        check: |shape| {
            let (from, to) = (shape.read(0), shape.write(0));
            if to > 0 && from.is_multiple_of(to) {
                Ok(())
            } else {
                Err(format!(
                    "{from} floats cannot be split into {to} equal chunks"
                ))
            }
        },
    },
    Kernel {
        name: "scan",
        about: "y[j] = x[0] + … + x[j], the inclusive prefix sum",
        reads: &["x"],
        writes: &["y"],
        parameters: &[],
        in_place: false,
        check: same_length,
    },
    Kernel {
        name: "stencil",
        about: "y = x + rate · (left + right + up + down − 4 · x) on a grid of rows of width floats (0: square); \
                outside the edge lies the cell itself",
        reads: &["x"],
        writes: &["y"],
        parameters: &[("width", 0.0), ("rate", 0.1)],
        in_place: false,
        check: |shape| same_length(shape).and_then(|()| shape.grid().map(|_| ())),
    },
    Kernel {
        name: "histogram",
        about: "bins[j] = how many x fall into the j-th of the equal parts of low … high; what lies outside counts in \
                the first or the last",
        reads: &["x"],
        writes: &["bins"],
        parameters: &[("low", 0.0), ("high", 1.0)],
        in_place: false,
        check: |shape| {
            if shape.parameter(0) < shape.parameter(1) {
                Ok(())
            } else {
                Err(format!(
                    "“low” ({}) must be below “high” ({})",
                    shape.parameter(0),
                    shape.parameter(1)
                ))
            }
        },
    },
    Kernel {
        name: "nbody",
        about: "one step of gravity: bodies are (x, y, z, mass) in position, (vx, vy, vz, 0) in velocity; velocity \
                gains dt · pull of every other body, its distance softened by softening; next = position + dt · velocity",
        reads: &["position"],
        writes: &["next", "velocity"],
        parameters: &[("dt", 0.01), ("softening", 0.1)],
        in_place: false,
        check: |shape| {
            same_length(shape)?;
            if !shape.read(0).is_multiple_of(4) {
                return Err(format!(
                    "a body is four floats, and {} is no multiple of 4",
                    shape.read(0)
                ));
            }
            if shape.parameter(1) > 0.0 {
                Ok(())
            } else {
                Err(format!(
                    "“softening” must be above 0, not {}",
                    shape.parameter(1)
                ))
            }
        },
    },
    Kernel {
        name: "spin",
        about: "computes on one core for as many microseconds as micros says, and touches no buffer",
        reads: &[],
        writes: &[],
        parameters: &[("micros", 100.0)],
        in_place: true,
        check: |shape| {
            if (0.0..=60_000_000.0).contains(&shape.parameter(0)) {
                Ok(())
            } else {
                Err(format!(
                    "“micros” goes from 0 to 60000000 (a minute), not {}",
                    shape.parameter(0)
                ))
            }
        },
    },
    Kernel {
        name: "trap",
        about: "fails, as an illegal access would: the device takes no more work",
        reads: &[],
        writes: &[],
        parameters: &[],
        in_place: true,
        check: |_| Ok(()),
    },
];

fn same_length(shape: &LaunchShape<'_>) -> Result<(), String> {
    let mut lens = shape.reads.iter().chain(shape.writes);
    let first = lens.next().copied().unwrap_or_default();
    if lens.all(|len| *len == first) {
        return Ok(());
    }
    let lens: Vec<String> = shape
        .reads
        .iter()
        .chain(shape.writes)
        .map(ToString::to_string)
        .collect();
    Err(format!(
        "its buffers must be of one length, and these hold {} floats",
        lens.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        name: &str,
        reads: &[usize],
        writes: &[usize],
        parameters: &[f64],
    ) -> Result<(), String> {
        Kernel::find(name).unwrap().check(&LaunchShape {
            reads,
            writes,
            parameters,
        })
    }

    #[test]
    fn names_are_unique_and_documented() {
        for (place, kernel) in KERNELS.iter().enumerate() {
            assert!(!kernel.about.is_empty());
            assert!(
                KERNELS
                    .iter()
                    .skip(place + 1)
                    .all(|other| other.name != kernel.name)
            );
            for word in kernel.reads.iter().chain(kernel.writes) {
                assert!(
                    kernel.about.contains(word),
                    "{} does not explain {word}",
                    kernel.name
                );
            }
            for (word, default) in kernel.parameters {
                assert!(kernel.about.contains(word) && default.is_finite());
            }
        }
    }

    #[test]
    fn shapes() {
        assert!(check("saxpy", &[8], &[8], &[1.0]).is_ok());
        assert!(
            check("saxpy", &[8], &[9], &[1.0])
                .unwrap_err()
                .contains("8, 9")
        );
        assert!(check("saxpy", &[8], &[8], &[f64::NAN]).is_err());
        assert!(check("matmul", &[16, 16], &[16], &[0.0; 4]).is_ok());
        assert!(check("matmul", &[6, 8], &[12], &[3.0, 4.0, 2.0, 1.0]).is_ok());
        assert!(check("matmul", &[6, 8], &[11], &[3.0, 4.0, 2.0, 1.0]).is_err());
        assert!(check("matmul", &[8, 8], &[8], &[0.0; 4]).is_err());
        assert!(
            check("reduce", &[12], &[3], &[]).is_ok() && check("reduce", &[12], &[5], &[]).is_err()
        );
        assert!(check("stencil", &[16], &[16], &[0.0, 0.1]).is_ok());
        assert!(check("stencil", &[15], &[15], &[0.0, 0.1]).is_err());
        assert!(check("stencil", &[15], &[15], &[5.0, 0.1]).is_ok());
        assert!(check("histogram", &[9], &[3], &[1.0, 1.0]).is_err());
        assert!(check("nbody", &[12], &[12, 12], &[0.1, 0.1]).is_ok());
        assert!(check("nbody", &[10], &[10, 10], &[0.1, 0.1]).is_err());
        assert!(check("spin", &[], &[], &[-1.0]).is_err());
    }
}
