//! The host thread reads or writes a buffer's copy on the host itself, as a program does that looks at a result or makes new
//! input.

use backend::{BackendError, BufferSide};
use order::{DeclaredUse, SyncOp};
use record::time::Nanos;
use record::{BufferIndex, Record, SpanKind, Value};

use super::order::origin;
use super::{Caller, CurrentCall};
use crate::uses::on_host;

/// Bytes that a host thread reads or writes in a nanosecond of virtual time.
const BYTES: i64 = 12;

impl Caller {
    /// Reads all elements, and tells their sum.
    pub(super) fn read_on_host(
        &mut self,
        current: &CurrentCall,
        buffer: BufferIndex,
    ) -> (SpanKind, Result<(), BackendError>) {
        self.touch(current, DeclaredUse::read(on_host(buffer)));
        let mut sum = 0.0;
        let made = self.blocked(current, SpanKind::HostWork, |shared, caller| {
            let values = shared.device.read(buffer, BufferSide::Host);
            sum = values.iter().map(|it| f64::from(*it)).sum();
            caller.take_virtual_time(values.len());
            Ok(())
        });
        let name = self.shared.names.id("sum", &self.reporter);
        let sum = Record::Argument(current.span, name, Value::Number(sum));
        self.reporter.send(sum);
        made
    }

    /// Gives all elements a value.
    pub(super) fn write_on_host(
        &mut self,
        current: &CurrentCall,
        buffer: BufferIndex,
        value: f32,
    ) -> (SpanKind, Result<(), BackendError>) {
        self.touch(current, DeclaredUse::write(on_host(buffer)));
        let name = self.shared.names.id("value", &self.reporter);
        let written = Record::Argument(current.span, name, Value::Number(f64::from(value)));
        self.reporter.send(written);
        self.blocked(current, SpanKind::HostWork, |shared, caller| {
            let plan = shared.plan.buffers.get(buffer.index());
            let values = vec![value; plan.map_or(0, |it| it.len)];
            shared.device.write(buffer, 0, &values);
            caller.take_virtual_time(values.len());
            Ok(())
        })
    }

    fn touch(&mut self, current: &CurrentCall, access: DeclaredUse) {
        let (act, uses) = (SyncOp::Touch, [access]);
        self.declare_uses(current.place, &act, &uses);
        let host = self.host.0 as u32;
        let origin = origin(current, current.span);
        self.shared.order.push(host, origin, act, &uses);
    }

    /// In virtual time nothing takes any unless that is said.
    fn take_virtual_time(&self, elements: usize) {
        if self.shared.device.caps().deterministic {
            let length = Nanos(1_000 + elements as i64 * 4 / BYTES);
            self.shared.device.work(self.host, length);
        }
    }
}
