//! What the kernels of the library compute, on the host: written anew from what their names promise.

use crate::codes::{ASSERT, ILLEGAL_ADDRESS, LAUNCH_FAILED};
use crate::memory::Words;

/// What a kernel is given: its words, then its buffers.
#[derive(Clone)]
pub struct Arguments {
    /// Twelve words: how many elements, unused, sizes, parameters.
    pub given: [u32; 12],
    /// Its buffers.
    pub buffers: Vec<Words>,
}

impl Arguments {
    fn len(&self) -> usize {
        self.given[0] as usize
    }

    fn size(&self, place: usize) -> usize {
        self.given.get(4 + place).copied().unwrap_or_default() as usize
    }

    fn number(&self, place: usize) -> f32 {
        f32::from_bits(self.given.get(8 + place).copied().unwrap_or_default())
    }

    /// A float of a buffer.
    fn at(&self, buffer: usize, place: usize) -> Result<f32, i32> {
        let words = self.buffers.get(buffer).ok_or(ILLEGAL_ADDRESS)?;
        words.word(place).map(f32::from_bits).ok_or(ILLEGAL_ADDRESS)
    }

    fn put(&self, buffer: usize, place: usize, value: f32) -> Result<(), i32> {
        let words = self.buffers.get(buffer).ok_or(ILLEGAL_ADDRESS)?;
        let is_inside = words.set(place, value.to_bits());
        is_inside.then_some(()).ok_or(ILLEGAL_ADDRESS)
    }

    /// Nanoseconds that a spin is to take.
    pub fn spin(&self) -> u64 {
        self.size(0) as u64 | (self.size(1) as u64) << 32
    }
}

/// How long a kernel takes, in nanoseconds; nothing for one that never ends.
pub fn cost(name: &str, arguments: &Arguments) -> Option<u64> {
    let len = arguments.len() as u64;
    match name {
        "spin" => Some(arguments.spin()),
        "fault" if arguments.size(0) == 3 => None,
        "matmul" => {
            let [rows, columns, inner] = [0, 1, 2].map(|it| arguments.size(it) as u64);
            Some(3_000 + rows * columns * inner / 8_000)
        }
        "nbody" => Some(3_000 + len * len / 1_000),
        "histogram" | "reduce" => Some(3_000 + len.max(arguments.size(0) as u64) / 50),
        _ => Some(2_000 + len / 100),
    }
}

/// Runs a kernel. Unknown ones compute nothing.
///
/// # Errors
/// The code of its fault.
pub fn run(name: &str, a: &Arguments) -> Result<(), i32> {
    match name {
        "saxpy" => each(a, 1, |k| Ok(a.number(0).mul_add(a.at(0, k)?, a.at(1, k)?))),
        "scale" => each(a, 1, |k| Ok(a.number(0).mul_add(a.at(0, k)?, a.number(1)))),
        "add" => each(a, 2, |k| Ok(a.at(0, k)? + a.at(1, k)?)),
        "matmul" => matmul(a),
        "reduce" => each(a, 1, |k| {
            let chunk = a.size(0);
            let values = (k * chunk..(k + 1) * chunk).map(|it| a.at(0, it).map(f64::from));
            let sum: Result<f64, i32> = values.sum();
            Ok(sum? as f32)
        }),
        "scan" => {
            let mut sum = 0.0;
            each(a, 1, |k| {
                sum += f64::from(a.at(0, k)?);
                Ok(sum as f32)
            })
        }
        "stencil" => stencil(a),
        "histogram" => histogram(a),
        "nbody" => nbody(a),
        "trap" if a.size(0) == 1 => {
            let words = a.buffers.first().ok_or(ILLEGAL_ADDRESS)?;
            words.set(1, 1).then_some(()).ok_or(ILLEGAL_ADDRESS)
        }
        "trap" => Err(LAUNCH_FAILED),
        "fault" => Err(match a.size(0) {
            0 => LAUNCH_FAILED,
            1 => ILLEGAL_ADDRESS,
            _ => ASSERT,
        }),
        _ => Ok(()),
    }
}

/// Writes each element of a buffer.
fn each(
    a: &Arguments,
    to: usize,
    mut value: impl FnMut(usize) -> Result<f32, i32>,
) -> Result<(), i32> {
    (0..a.len()).try_for_each(|k| a.put(to, k, value(k)?))
}

fn matmul(a: &Arguments) -> Result<(), i32> {
    let [rows, columns, inner] = [0, 1, 2].map(|it| a.size(it));
    let keeps = a.number(3) != 0.0;
    for row in 0..rows {
        for column in 0..columns {
            let mut sum = 0.0_f32;
            for step in 0..inner {
                let left = a.at(0, row * inner + step)?;
                sum = left.mul_add(a.at(1, step * columns + column)?, sum);
            }
            let place = row * columns + column;
            let before = if keeps { a.at(2, place)? } else { 0.0 };
            a.put(2, place, before + sum)?;
        }
    }
    Ok(())
}

fn stencil(a: &Arguments) -> Result<(), i32> {
    let (width, height) = (a.size(0), a.size(1));
    each(a, 1, |k| {
        let (row, column) = (k / width, k % width);
        let or = |is_edge: bool, other: usize| a.at(0, if is_edge { k } else { other });
        let left = or(column == 0, k.wrapping_sub(1))?;
        let right = or(column + 1 == width, k + 1)?;
        let above = or(row == 0, k.wrapping_sub(width))?;
        let below = or(row + 1 == height, k + width)?;
        let center = a.at(0, k)?;
        let around = left + right + above + below;
        Ok(a.number(1).mul_add(around - 4.0 * center, center))
    })
}

fn histogram(a: &Arguments) -> Result<(), i32> {
    let mut counts = vec![0.0_f32; a.len()];
    let scale = a.len() as f32 / (a.number(1) - a.number(0));
    for k in 0..a.size(0) {
        let spot = (a.at(0, k)? - a.number(0)) * scale;
        let last = counts.len().saturating_sub(1);
        let bin = if spot > 0.0 {
            (spot as usize).min(last)
        } else {
            0
        };
        if let Some(count) = counts.get_mut(bin) {
            *count += 1.0;
        }
    }
    each(a, 1, |k| Ok(counts.get(k).copied().unwrap_or_default()))
}

fn nbody(a: &Arguments) -> Result<(), i32> {
    let (dt, softening) = (a.number(0), a.number(1));
    let body = |k: usize| -> Result<[f32; 4], i32> {
        Ok([
            a.at(0, 4 * k)?,
            a.at(0, 4 * k + 1)?,
            a.at(0, 4 * k + 2)?,
            a.at(0, 4 * k + 3)?,
        ])
    };
    for k in 0..a.len() {
        let own = body(k)?;
        let mut pull = [0.0_f32; 3];
        for other in 0..a.len() {
            let [x, y, z, mass] = body(other)?;
            let away = [x - own[0], y - own[1], z - own[2]];
            let square = away.iter().map(|d| d * d).sum::<f32>() + softening * softening;
            let strength = mass / (square * square.sqrt());
            for (pull, away) in pull.iter_mut().zip(away) {
                *pull += strength * away;
            }
        }
        for (side, (pull, own)) in pull.iter().zip(own).enumerate() {
            let speed = dt.mul_add(*pull, a.at(2, 4 * k + side)?);
            a.put(2, 4 * k + side, speed)?;
            a.put(1, 4 * k + side, dt.mul_add(speed, own))?;
        }
        a.put(1, 4 * k + 3, own[3])?;
    }
    Ok(())
}
