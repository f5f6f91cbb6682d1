//! A case as calls of the engine's own, and what the engine makes of them.

use std::collections::HashMap;

use engine::order::{
    CallOrigin, DeclaredUse, HostOp, HostWaitTarget, Order, StreamOrderTraits, SyncOp, WHOLE,
    of_graph,
};
use engine::record::{BufferIndex, EventIndex, SpanId, StreamIndex};

use super::case::{self, Case, Expected, ExpectedLint, Kind, Part, Returns};

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    pub hazards: Vec<Expected>,
    pub lints: Vec<ExpectedLint>,
}

/// Numbers for names, in the order of their first use.
#[derive(Default)]
struct Numbers(Vec<String>);

impl Numbers {
    fn number(&mut self, name: &str) -> (u32, bool) {
        let known = self.0.iter().position(|it| it == name);
        let place = known.unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        });
        (place as u32, known.is_none())
    }
}

#[derive(Default)]
struct Replay {
    order: Order,
    streams: Numbers,
    events: Numbers,
    buffers: Numbers,
    graphs: HashMap<String, Vec<DeclaredUse>>,
    at: u32,
}

/// What the engine finds in the calls of a case.
pub fn replay(case: &Case) -> Found {
    let mut replay = Replay::default();
    for (at, op) in case.ops.iter().enumerate() {
        replay.at = at as u32;
        replay.make(op);
    }
    let buffers = &replay.buffers.0;
    let hazards = replay.order.hazards().into_iter();
    let hazards = hazards.map(|hazard| Expected::Hazard {
        at: hazard.second.origin.site,
        prev: hazard.first.origin.site,
        buf: buffers[hazard.buffer.index()].clone(),
        kind: hazard.kind.label().to_owned(),
    });
    let hazards = hazards.collect();
    let lints = replay.order.lints().into_iter();
    let lints = lints.map(|lint| ExpectedLint {
        at: lint.at.site,
        code: lint.kind.label().to_owned(),
    });
    Found {
        hazards,
        lints: lints.collect(),
    }
}

impl Replay {
    fn act(&mut self, act: SyncOp, uses: &[DeclaredUse]) {
        let span = SpanId::NONE;
        let site = self.at;
        let origin = CallOrigin { site, span };
        let op = HostOp {
            host: 0,
            origin,
            act,
        };
        self.order.take(&op, uses);
    }

    fn host_waits(&mut self, awaited: HostWaitTarget) {
        self.act(SyncOp::Begin(awaited, 0), &[]);
        self.act(SyncOp::End(0), &[]);
    }

    fn stream(&mut self, name: &str) -> StreamIndex {
        let (number, is_new) = self.streams.number(name);
        let stream = StreamIndex(number);
        if let Some(device) = name.strip_prefix("legacy").filter(|_| is_new) {
            let traits = StreamOrderTraits {
                device: device.parse().unwrap_or(0),
                is_legacy: true,
                is_blocking: false,
            };
            self.act(SyncOp::Create(stream, traits), &[]);
        }
        stream
    }

    fn event(&mut self, name: &str) -> EventIndex {
        EventIndex(self.events.number(name).0)
    }

    fn buffer(&mut self, name: &str) -> BufferIndex {
        BufferIndex(self.buffers.number(name).0)
    }

    fn uses(&mut self, reads: &[Part], writes: &[Part]) -> Vec<DeclaredUse> {
        let reads = reads.iter().map(|part| (part, false));
        let parts = reads.chain(writes.iter().map(|part| (part, true)));
        let one = |(part, writes): (&Part, bool)| {
            let (name, bytes) = match part {
                Part::Whole(name) => (name, WHOLE),
                Part::Bytes(name, from, to) => (name, *from..*to),
            };
            let buffer = self.buffer(name);
            DeclaredUse {
                buffer,
                writes,
                bytes,
            }
        };
        parts.map(one).collect()
    }

    fn work(&mut self, stream: &str, reads: &[Part], writes: &[Part], returns: Returns) {
        let stream = self.stream(stream);
        let uses = self.uses(reads, writes);
        self.act(SyncOp::Work(stream), &uses);
        if returns == Returns::Blocking {
            self.host_waits(HostWaitTarget::Stream(stream));
        }
    }

    fn make(&mut self, op: &case::Op) {
        match op {
            case::Op::StreamCreate {
                stream,
                kind,
                blocking,
                device,
                ..
            } => {
                let stream = StreamIndex(self.streams.number(stream).0);
                let traits = StreamOrderTraits {
                    device: *device,
                    is_legacy: *kind == Kind::Legacy,
                    is_blocking: *blocking,
                };
                self.act(SyncOp::Create(stream, traits), &[]);
            }
            case::Op::Launch {
                stream,
                reads,
                writes,
                ..
            } => self.work(stream, reads, writes, Returns::Async),
            case::Op::Memcpy {
                stream,
                src,
                dst,
                host,
            } => self.work(
                stream,
                std::slice::from_ref(src),
                std::slice::from_ref(dst),
                *host,
            ),
            case::Op::Memset { stream, dst, host } => {
                self.work(stream, &[], std::slice::from_ref(dst), *host);
            }
            case::Op::HostRead { bufs } => {
                let uses = self.uses(bufs, &[]);
                self.act(SyncOp::Touch, &uses);
            }
            case::Op::HostWrite { bufs } => {
                let uses = self.uses(&[], bufs);
                self.act(SyncOp::Touch, &uses);
            }
            case::Op::PledgeStream { buf, stream } => {
                let (buffer, stream) = (self.buffer(buf), self.stream(stream));
                self.act(SyncOp::Pledge(buffer, stream), &[]);
            }
            case::Op::GraphDefine { graph, body, .. } => {
                let body = body.iter().map(|call| self.uses(&call.reads, &call.writes));
                let uses = of_graph(&body.collect::<Vec<_>>());
                self.graphs.insert(graph.clone(), uses);
            }
            case::Op::GraphLaunch { graph, stream } => {
                let stream = self.stream(stream);
                let uses = self.graphs.get(graph).cloned().unwrap_or_default();
                self.act(SyncOp::Work(stream), &uses);
            }
            case::Op::Alloc { .. } | case::Op::Free { .. } => self.manage(op),
            other => self.synchronise(other),
        }
    }

    fn manage(&mut self, op: &case::Op) {
        let (buffer, mode, stream, implies) = match op {
            case::Op::Alloc {
                buf,
                mode,
                stream,
                implicit_device_sync,
                ..
            }
            | case::Op::Free {
                buf,
                mode,
                stream,
                implicit_device_sync,
            } => (buf, mode, stream, *implicit_device_sync),
            _ => return,
        };
        let buffer = self.buffer(buffer);
        let stream = stream.as_ref().filter(|_| mode == "async");
        let stream = stream.map(|stream| self.stream(stream));
        if implies {
            self.host_waits(HostWaitTarget::Device(0));
        }
        let act = match op {
            case::Op::Alloc { addr, bytes, .. } => {
                let at = addr.map(|at| Box::new(at..at + (*bytes).max(1)));
                SyncOp::Allocate(buffer, stream, at)
            }
            _ => SyncOp::Free(buffer, stream),
        };
        self.act(act, &[]);
    }

    fn synchronise(&mut self, op: &case::Op) {
        match op {
            case::Op::EventCreate { event, .. } => {
                let event = self.event(event);
                self.act(SyncOp::Forget(event), &[]);
            }
            case::Op::EventRecord { event, stream } => {
                let (event, stream) = (self.event(event), self.stream(stream));
                self.act(SyncOp::Record(event, stream), &[]);
            }
            case::Op::EventWait { event, stream } => {
                let (event, stream) = (self.event(event), self.stream(stream));
                self.act(SyncOp::Wait(event, stream), &[]);
            }
            case::Op::EventReset { event, stream } => {
                let (event, stream) = (self.event(event), self.stream(stream));
                self.act(SyncOp::Reset(event, stream), &[]);
            }
            case::Op::EventSync { event } => {
                let event = self.event(event);
                self.host_waits(HostWaitTarget::Event(event));
            }
            case::Op::EventQuery { event, result } if result == "complete" => {
                let event = self.event(event);
                self.host_waits(HostWaitTarget::Query(event));
            }
            case::Op::StreamSync { stream } => {
                let stream = self.stream(stream);
                self.host_waits(HostWaitTarget::Stream(stream));
            }
            case::Op::StreamQuery { stream, result } if result == "complete" => {
                let stream = self.stream(stream);
                self.host_waits(HostWaitTarget::Stream(stream));
            }
            case::Op::DeviceSync { device } => {
                self.host_waits(HostWaitTarget::Device(*device));
                self.act(SyncOp::Settle, &[]);
            }
            // A query that is not complete orders nothing, and neither does a stream's end.
            _ => {}
        }
    }
}
