//! Automatic synchronisation: which streams an operation has to wait for because of its buffers (rules E2 to E6).

use order::{Actor, CallOrigin, DeclaredUse, HostOp, Order, SyncOp};
use record::{BufferIndex, StreamIndex};
use workload::{Plan, StreamRole, Synchronization};

/// The host thread that all calls count as made by.
const HOST: u32 = 0;

/// A wait that has to come before an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredWait {
    /// The stream to wait for.
    pub from: StreamIndex,
    /// The buffers that it is for, each with the call that used it there.
    pub buffers: Vec<(BufferIndex, u32)>,
    /// Whether each of them was only read there and is only read here, and the stream comes after the other anyway: then
    /// it is of no use. Where it does not, this wait may be what orders the read after the last write, or a later write
    /// after the read there (rule E2).
    pub is_redundant: bool,
    /// Whether one of the two streams cannot be told to wait, so that whoever submits waits (rules E4, E6).
    pub is_held: bool,
}

/// The last use of a buffer.
#[derive(Clone, Copy, Debug)]
struct LastUse {
    stream: StreamIndex,
    writes: bool,
    site: u32,
}

/// What is known of the buffers' last uses.
#[derive(Debug)]
pub struct AutomaticInsertion {
    mode: Synchronization,
    roles: Vec<StreamRole>,
    last: Vec<Option<LastUse>>,
    order: Order,
}

impl AutomaticInsertion {
    /// No buffer was used.
    pub fn new(plan: &Plan) -> Self {
        let mut order = Order::new();
        for act in super::Insertions::streams(plan) {
            take(&mut order, HOST, act);
        }
        Self {
            mode: plan.synchronization,
            roles: plan.streams.iter().map(|stream| stream.role).collect(),
            last: vec![None; plan.buffers.len() * 2],
            order,
        }
    }

    /// The streams that whoever submits to `stream` has to wait for itself.
    pub fn blocking_streams(&self, stream: StreamIndex, uses: &[DeclaredUse]) -> Vec<StreamIndex> {
        let is_automatic = !matches!(self.mode, Synchronization::Manual | Synchronization::Least);
        let last = uses.iter().filter(|_| is_automatic);
        let last = last.filter_map(|it| self.last.get(it.buffer.index()).copied().flatten());
        let mut held: Vec<StreamIndex> = last
            .map(|last| last.stream)
            .filter(|&from| from != stream && !(self.can_wait(from) && self.can_wait(stream)))
            .collect();
        held.sort_unstable();
        held.dedup();
        held
    }

    /// The waits that have to come before an operation of `stream` with these uses, which count as made.
    pub fn before(
        &mut self,
        stream: StreamIndex,
        origin: CallOrigin,
        uses: &[DeclaredUse],
    ) -> Vec<RequiredWait> {
        match self.mode {
            Synchronization::Manual => Vec::new(),
            Synchronization::Automatic | Synchronization::Compared => {
                self.by_last_stream(stream, origin.site, uses)
            }
            Synchronization::Least => self.by_conflict(stream, origin, uses),
        }
    }

    /// Something else than uses happened that orders operations, which the least has to know of.
    pub fn note(&mut self, host: u32, act: &SyncOp) {
        // What stands for a signal is compared as if it was raised: an order that is known late is of no use here. And
        // all host threads count as one: uses are ordered in the order in which they come.
        let is_known_late = matches!(act, SyncOp::Work(_) | SyncOp::Hold(..) | SyncOp::Raise(_));
        let is_of_all = matches!(act, SyncOp::EndAll) && host > 0;
        if self.mode != Synchronization::Manual && !is_known_late && !is_of_all {
            take(&mut self.order, HOST, act.clone());
        }
    }

    /// Outputs, then inputs: a buffer that was used last on another stream is waited for, reads too (rules E2, E3).
    fn by_last_stream(
        &mut self,
        stream: StreamIndex,
        site: u32,
        uses: &[DeclaredUse],
    ) -> Vec<RequiredWait> {
        let mut needs: Vec<RequiredWait> = Vec::new();
        let outputs = uses.iter().filter(|it| it.writes);
        for it in outputs.chain(uses.iter().filter(|it| !it.writes)) {
            // A kernel that reads and writes a buffer writes it.
            let writes = uses.iter().any(|own| own.writes && own.buffer == it.buffer);
            let Some(slot) = self.last.get_mut(it.buffer.index()) else {
                continue;
            };
            let now = LastUse {
                stream,
                writes,
                site,
            };
            let before = slot.replace(now);
            let Some(last) = before.filter(|last| last.stream != stream) else {
                continue;
            };
            let reads = !last.writes && !writes;
            add(&mut needs, last.stream, (it.buffer, last.site), reads);
        }
        for need in &mut needs {
            need.is_held = !self.can_wait(need.from) || !self.can_wait(stream);
            need.is_redundant &= self.order.comes_after(HOST, stream, need.from);
        }
        take(&mut self.order, HOST, SyncOp::Work(stream));
        needs
    }

    /// A conflict that nothing orders is waited for, and nothing else.
    fn by_conflict(
        &mut self,
        stream: StreamIndex,
        origin: CallOrigin,
        uses: &[DeclaredUse],
    ) -> Vec<RequiredWait> {
        let act = SyncOp::Work(stream);
        self.order.take(
            &HostOp {
                host: HOST,
                origin,
                act,
            },
            uses,
        );
        let mut needs = Vec::new();
        for hazard in self.order.hazards() {
            if let Actor::Stream(from) = hazard.first.actor {
                add(
                    &mut needs,
                    from,
                    (hazard.buffer, hazard.first.origin.site),
                    false,
                );
            }
        }
        self.without_covered(&mut needs);
        needs
    }

    /// A wait for a stream that has waited for another itself is a wait for both.
    fn without_covered(&mut self, needs: &mut Vec<RequiredWait>) {
        let mut at = 0;
        while let Some(from) = needs.get(at).map(|it| it.from) {
            let mut others = needs.iter().map(|it| it.from).filter(|it| *it != from);
            if others.any(|other| self.order.comes_after(HOST, other, from)) {
                needs.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Streams of these roles can be told to wait for each other (rule E4).
    fn can_wait(&self, stream: StreamIndex) -> bool {
        let role = self.roles.get(stream.index());
        role.is_some_and(|role| {
            !matches!(
                role,
                StreamRole::Barrier | StreamRole::CriticalSection | StreamRole::LazyJob
            )
        })
    }
}

fn take(order: &mut Order, host: u32, act: SyncOp) {
    let origin = CallOrigin::default();
    order.take(&HostOp { host, origin, act }, &[]);
    drop(order.hazards());
    drop(order.lints());
}

fn add(
    needs: &mut Vec<RequiredWait>,
    from: StreamIndex,
    buffer: (BufferIndex, u32),
    redundant: bool,
) {
    if let Some(known) = needs.iter_mut().find(|need| need.from == from) {
        known.is_redundant &= redundant;
        if !known.buffers.contains(&buffer) {
            known.buffers.push(buffer);
        }
        return;
    }
    needs.push(RequiredWait {
        from,
        buffers: vec![buffer],
        is_redundant: redundant,
        is_held: false,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: BufferIndex = BufferIndex(0);
    const S1: StreamIndex = StreamIndex(0);
    const S2: StreamIndex = StreamIndex(1);
    const S3: StreamIndex = StreamIndex(2);

    fn of(mode: Synchronization, roles: [StreamRole; 3]) -> AutomaticInsertion {
        AutomaticInsertion {
            mode,
            roles: roles.to_vec(),
            last: vec![None; 2],
            order: Order::new(),
        }
    }

    /// The chain of `rule.oneflow_last_used_stream_chain`: W s1, R s2, R s3, W s1.
    fn chain(mode: Synchronization) -> Vec<Vec<(StreamIndex, bool)>> {
        let mut automatic = of(mode, [StreamRole::Compute; 3]);
        let uses = [
            (S1, DeclaredUse::write(X)),
            (S2, DeclaredUse::read(X)),
            (S3, DeclaredUse::read(X)),
            (S1, DeclaredUse::write(X)),
        ];
        let uses = uses.into_iter().enumerate();
        uses.map(|(site, (stream, it))| {
            let origin = CallOrigin {
                site: site as u32,
                ..CallOrigin::default()
            };
            let needs = automatic.before(stream, origin, &[it]);
            for need in &needs {
                automatic.note(0, &SyncOp::Join(need.from, stream));
            }
            let kept = needs.iter().map(|need| (need.from, need.is_redundant));
            kept.collect()
        })
        .collect()
    }

    #[test]
    fn a_use_waits_for_the_stream_of_the_last_use_reads_too() {
        let expected = [
            vec![],
            vec![(S1, false)],
            // Nothing else orders the read of the third after the write of the first, nor the next write after this read.
            vec![(S2, false)],
            vec![(S3, false)],
        ];
        assert_eq!(chain(Synchronization::Automatic), expected);
    }

    #[test]
    fn a_wait_between_two_reads_is_redundant_where_the_order_is_there_already() {
        let mut automatic = of(Synchronization::Automatic, [StreamRole::Compute; 3]);
        let nothing = CallOrigin::default();
        let read = [DeclaredUse::read(X)];
        automatic.before(S1, nothing, &[DeclaredUse::write(X)]);
        automatic.before(S2, nothing, &read);
        automatic.note(0, &SyncOp::Join(S1, S2));
        automatic.note(0, &SyncOp::Join(S2, S3));
        let needs = automatic.before(S3, nothing, &read);
        assert_eq!((needs[0].from, needs[0].is_redundant), (S2, true));
    }

    #[test]
    fn what_a_kernel_reads_and_writes_counts_as_written() {
        let mut automatic = of(Synchronization::Automatic, [StreamRole::Compute; 3]);
        let nothing = CallOrigin::default();
        automatic.before(S1, nothing, &[DeclaredUse::read(X), DeclaredUse::write(X)]);
        automatic.note(0, &SyncOp::Join(S1, S2));
        let needs = automatic.before(S2, nothing, &[DeclaredUse::read(X)]);
        assert!(!needs[0].is_redundant);
    }

    #[test]
    fn the_least_waits_for_conflicts_alone() {
        let expected = [
            vec![],
            vec![(S1, false)],
            vec![(S1, false)],
            vec![(S2, false), (S3, false)],
        ];
        assert_eq!(chain(Synchronization::Least), expected);
    }

    #[test]
    fn the_least_waits_once_for_a_stream_that_has_waited_for_the_other() {
        let mut least = of(Synchronization::Least, [StreamRole::Compute; 3]);
        let y = BufferIndex(1);
        let site = |site| CallOrigin {
            site,
            ..CallOrigin::default()
        };
        let from = |needs: &[RequiredWait]| needs.iter().map(|it| it.from).collect::<Vec<_>>();
        least.before(S1, site(0), &[DeclaredUse::write(X)]);
        let after = [DeclaredUse::read(X), DeclaredUse::write(y)];
        assert_eq!(from(&least.before(S2, site(1), &after)), [S1]);
        least.note(0, &SyncOp::Join(S1, S2));
        let both = [DeclaredUse::read(X), DeclaredUse::read(y)];
        assert_eq!(from(&least.before(S3, site(2), &both)), [S2]);
        // What the first did since is covered by nothing.
        least.note(0, &SyncOp::Join(S2, S3));
        least.before(S1, site(3), &[DeclaredUse::write(X)]);
        let needs = from(&least.before(S2, site(4), &both));
        assert_eq!(needs, [S1]);
    }

    #[test]
    fn a_role_that_cannot_wait_is_held() {
        let roles = [
            StreamRole::HostToDevice,
            StreamRole::LazyJob,
            StreamRole::Compute,
        ];
        let mut automatic = of(Synchronization::Automatic, roles);
        let nothing = CallOrigin::default();
        assert!(
            automatic
                .before(S1, nothing, &[DeclaredUse::write(X)])
                .is_empty()
        );
        assert!(automatic.before(S2, nothing, &[DeclaredUse::read(X)])[0].is_held);
        assert!(automatic.before(S3, nothing, &[DeclaredUse::read(X)])[0].is_held);
        assert!(!automatic.before(S1, nothing, &[DeclaredUse::read(X)])[0].is_held);
    }
}
