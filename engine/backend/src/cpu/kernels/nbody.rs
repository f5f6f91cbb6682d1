//! One step of gravity between all pairs of bodies.

use super::{KernelImplementation, KernelInvocation, KernelWork, first_len};
use crate::threads::ExecutionError;
use crate::work_flow::in_large_parts;

pub const NBODY: KernelImplementation = KernelImplementation {
    name: "nbody",
    run: nbody,
    work: |shape| KernelWork::Elements((first_len(shape) / 4).saturating_pow(2)),
    per_nano: 2,
};

fn nbody(arguments: &KernelInvocation<'_>) -> Result<(), ExecutionError> {
    let (position, next) = (arguments.read(0)?, arguments.write(0)?);
    let velocity = arguments.write(1)?;
    let (dt, softening) = (arguments.number(0), arguments.number(1));
    let mut bodies = vec![[0.0_f32; 4]; position.len() / 4];
    for (place, body) in bodies.iter_mut().enumerate() {
        position.load(place * 4, body);
    }
    in_large_parts(arguments.flow, bodies.len(), |part| {
        let some = bodies.iter().enumerate();
        for (place, [x, y, z, mass]) in some.skip(part.start).take(part.len()) {
            let mut pull = [0.0_f32; 3];
            for [to_x, to_y, to_z, other] in &bodies {
                let away = [to_x - x, to_y - y, to_z - z];
                let square: f32 = away.iter().map(|d| d * d).sum::<f32>() + softening * softening;
                let strength = other / (square * square.sqrt());
                for (pull, away) in pull.iter_mut().zip(away) {
                    *pull += strength * away;
                }
            }
            for (axis, (from, pull)) in [x, y, z].into_iter().zip(pull).enumerate() {
                let at = place * 4 + axis;
                let speed = dt.mul_add(pull, velocity.get(at));
                velocity.set(at, speed);
                next.set(at, dt.mul_add(speed, *from));
            }
            next.set(place * 4 + 3, *mass);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_near, noise, run};

    #[test]
    fn as_a_plain_sum_over_pairs() {
        let (count, dt, softening) = (17, 0.05, 0.2);
        let (position, velocity) = (noise(count * 4, 1), noise(count * 4, 2));
        let at = |body: usize, axis: usize| f64::from(position[body * 4 + axis]);
        let (mut next, mut speeds) = (Vec::new(), Vec::new());
        for body in 0..count {
            for axis in 0..3 {
                let pull = |other: usize| {
                    let square: f64 = (0..3).map(|k| (at(other, k) - at(body, k)).powi(2)).sum();
                    let distance = (square + softening * softening).sqrt();
                    at(other, 3) * (at(other, axis) - at(body, axis)) / distance.powi(3)
                };
                let pull: f64 = (0..count).filter(|other| *other != body).map(pull).sum();
                let speed = f64::from(velocity[body * 4 + axis]) + dt * pull;
                speeds.push(speed);
                next.push(at(body, axis) + dt * speed);
            }
            speeds.push(f64::from(velocity[body * 4 + 3]));
            next.push(at(body, 3));
        }
        let zeros = vec![0.0; count * 4];
        let found = run(
            "nbody",
            &[&position],
            &[&zeros, &velocity],
            &[dt, softening],
        );
        assert_near(&found[0], &next, 1e-5);
        assert_near(&found[1], &speeds, 1e-4);
    }
}
