//! How ranks compute together: rings for what all contribute to, a chain for a broadcast, and doubling steps for a barrier.

use std::ops::Range;

use super::link::PIECE;
use super::operation::MeshOperation;
use backend::CollectiveInterruption;
use record::impossible;
use workload::{CollectiveCall, Reduction};

/// Makes this rank's part of an operation, and gives what it writes.
///
/// # Errors
/// Another rank did not do its part.
pub fn perform(
    operation: MeshOperation<'_>,
    what: CollectiveCall,
    mut values: Vec<f32>,
) -> Result<Vec<f32>, CollectiveInterruption> {
    let ring = Ring(operation);
    match what {
        CollectiveCall::AllReduce { by, .. } => {
            ring.reduce_scatter(&mut values, by)?;
            let chunks = ring.chunks(values.len());
            ring.all_gather(&mut values, &chunks)?;
            Ok(values)
        }
        CollectiveCall::ReduceScatter { by, .. } => {
            ring.reduce_scatter(&mut values, by)?;
            let own = ring.chunks(values.len()).into_iter().nth(ring.0.rank());
            Ok(values
                .get(own.unwrap_or_else(|| impossible!("a rank outside its ring")))
                .unwrap_or_else(|| impossible!("a rank's part outside the buffer"))
                .to_vec())
        }
        CollectiveCall::AllGather { .. } => {
            let (part, ranks, rank) = (values.len(), ring.0.ranks(), ring.0.rank());
            let mut whole = vec![0.0; part * ranks];
            if let Some(own) = whole.get_mut(rank * part..(rank + 1) * part) {
                own.copy_from_slice(&values);
            }
            let chunks: Vec<_> = (0..ranks).map(|it| it * part..(it + 1) * part).collect();
            ring.all_gather(&mut whole, &chunks)?;
            Ok(whole)
        }
        CollectiveCall::Broadcast { root, .. } => ring.broadcast(values, root as usize),
        CollectiveCall::Send { to, .. } => {
            ring.0.send(to as usize, &values)?;
            Ok(values)
        }
        CollectiveCall::Receive { from, .. } => ring.0.receive(from as usize, None),
        CollectiveCall::Barrier { .. } => ring.barrier().map(|()| values),
    }
}

/// The ranks in a ring, each between the one before and the one after it.
struct Ring<'m>(MeshOperation<'m>);

impl Ring<'_> {
    /// The rank so many steps further on.
    fn at(&self, steps: isize) -> usize {
        let (rank, ranks) = (self.0.rank() as isize, self.0.ranks() as isize);
        (rank + steps).rem_euclid(ranks) as usize
    }

    /// The part of each rank in a buffer.
    fn chunks(&self, len: usize) -> Vec<Range<usize>> {
        let ranks = self.0.ranks();
        let start = |rank: usize| len * rank / ranks;
        (0..ranks).map(|it| start(it)..start(it + 1)).collect()
    }

    /// Afterwards this rank's part of `values` is what all ranks' come to.
    fn reduce_scatter(
        &self,
        values: &mut [f32],
        by: Reduction,
    ) -> Result<(), CollectiveInterruption> {
        let chunks = self.chunks(values.len());
        let chunk = |place: usize| {
            chunks
                .get(place)
                .cloned()
                .unwrap_or_else(|| impossible!("a rank outside its ring"))
        };
        for step in 0..self.0.ranks() as isize - 1 {
            let (given, taken) = (chunk(self.at(-1 - step)), chunk(self.at(-2 - step)));
            self.0.send(
                self.at(1),
                values
                    .get(given)
                    .unwrap_or_else(|| impossible!("a rank's part outside the buffer")),
            )?;
            let other = self.0.receive(self.at(-1), Some(taken.len()))?;
            let own = values
                .get_mut(taken)
                .unwrap_or_else(|| impossible!("a rank's part outside the buffer"));
            for (own, other) in own.iter_mut().zip(other) {
                *own = by.join(*own, other);
            }
        }
        if by == Reduction::Mean {
            let own = values
                .get_mut(chunk(self.0.rank()))
                .unwrap_or_else(|| impossible!("a rank's part outside the buffer"));
            let ranks = self.0.ranks() as f32;
            for value in own {
                *value /= ranks;
            }
        }
        Ok(())
    }

    /// Afterwards every rank has all chunks, of which each has its own before.
    fn all_gather(
        &self,
        values: &mut [f32],
        chunks: &[Range<usize>],
    ) -> Result<(), CollectiveInterruption> {
        let chunk = |place: usize| {
            chunks
                .get(place)
                .cloned()
                .unwrap_or_else(|| impossible!("a rank outside its ring"))
        };
        for step in 0..self.0.ranks() as isize - 1 {
            let (given, taken) = (chunk(self.at(-step)), chunk(self.at(-1 - step)));
            self.0.send(
                self.at(1),
                values
                    .get(given)
                    .unwrap_or_else(|| impossible!("a rank's part outside the buffer")),
            )?;
            let other = self.0.receive(self.at(-1), Some(taken.len()))?;
            if let Some(place) = values.get_mut(taken) {
                place.copy_from_slice(&other);
            }
        }
        Ok(())
    }

    /// A chain from the root on, piece by piece.
    fn broadcast(
        &self,
        mut values: Vec<f32>,
        root: usize,
    ) -> Result<Vec<f32>, CollectiveInterruption> {
        let place = (self.0.rank() + self.0.ranks() - root) % self.0.ranks();
        let is_last = place + 1 == self.0.ranks();
        for piece in values.chunks_mut(PIECE) {
            if place > 0 {
                let taken = self.0.receive(self.at(-1), Some(piece.len()))?;
                piece.copy_from_slice(&taken);
            }
            if !is_last {
                self.0.send(self.at(1), piece)?;
            }
        }
        Ok(values)
    }

    /// Each rank hears, through others, of all: in every step of twice as many.
    fn barrier(&self) -> Result<(), CollectiveInterruption> {
        let mut reach = 1;
        while reach < self.0.ranks() as isize {
            self.0.send(self.at(reach), &[])?;
            self.0.receive(self.at(-reach), Some(0))?;
            reach *= 2;
        }
        Ok(())
    }
}
