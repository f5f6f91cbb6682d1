//! The fields that an operation's span has besides its times.

use crate::recorder::Reporter;
use crate::shared::RunState;
use backend::Operation;
use record::{BufferIndex, NameId, QUERY_ANSWER, QueryAnswer, Record, SpanId, Value};
use workload::{KernelArguments, Plan};

/// The names of arguments.
#[derive(Clone, Debug)]
pub struct ArgumentNames {
    bytes: NameId,
    value: NameId,
    reads: NameId,
    writes: NameId,
    answer: NameId,
    /// For each kernel that was launched, its parameters' names.
    parameters: Vec<(&'static str, Vec<NameId>)>,
}

impl ArgumentNames {
    /// Interns the names.
    pub fn new(shared: &RunState, reporter: &Reporter) -> Self {
        let name = |text| shared.names.id(text, reporter);
        Self {
            bytes: name("bytes"),
            value: name("value"),
            reads: name("reads"),
            writes: name("writes"),
            answer: name(QUERY_ANSWER),
            parameters: Vec::new(),
        }
    }

    /// Reports what a query answered.
    pub fn report_answer(&self, reporter: &Reporter, span: SpanId, answer: QueryAnswer) {
        let value = Value::Text(answer.label().into());
        reporter.send(Record::Argument(span, self.answer, value));
    }

    /// Reports the arguments of an operation.
    pub fn report(
        &mut self,
        shared: &RunState,
        reporter: &Reporter,
        span: SpanId,
        operation: &Operation,
    ) {
        let send = |name, value| reporter.send(Record::Argument(span, name, value));
        let bytes = |buffer: BufferIndex| {
            let buffer = shared.plan.buffers.get(buffer.index());
            Value::Integer(buffer.map_or(0, |buffer| buffer.len as i64 * 4))
        };
        match operation {
            Operation::Upload(buffer)
            | Operation::Download(buffer)
            | Operation::Allocate(buffer)
            | Operation::Free(buffer) => {
                send(self.bytes, bytes(*buffer));
            }
            Operation::Copy { to, .. } => send(self.bytes, bytes(*to)),
            Operation::Fill { buffer, value } => {
                send(self.bytes, bytes(*buffer));
                send(self.value, Value::Number(f64::from(*value)));
            }
            Operation::Launch(launch) => {
                for (name, buffers) in [(self.reads, &launch.reads), (self.writes, &launch.writes)]
                {
                    if !buffers.is_empty() {
                        send(name, Value::Text(listed(&shared.plan, buffers).into()));
                    }
                }
                let names = self.names_of(shared, reporter, launch).iter();
                for (name, value) in names.zip(&launch.parameters) {
                    send(*name, Value::Number(*value));
                }
            }
            _ => {}
        }
    }

    fn names_of(
        &mut self,
        shared: &RunState,
        reporter: &Reporter,
        launch: &KernelArguments,
    ) -> &[NameId] {
        let known = self.parameters.iter();
        let known = known
            .map(|(kernel, _)| *kernel)
            .position(|kernel| kernel == launch.kernel.name);
        let place = known.unwrap_or_else(|| {
            let parameters = launch.kernel.parameters.iter();
            let names = parameters.map(|(name, _)| shared.names.id(name, reporter));
            self.parameters.push((launch.kernel.name, names.collect()));
            self.parameters.len() - 1
        });
        self.parameters.get(place).map_or(&[], |(_, names)| names)
    }
}

fn listed(plan: &Plan, buffers: &[BufferIndex]) -> String {
    let mut text = String::new();
    for buffer in buffers {
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(
            plan.buffers
                .get(buffer.index())
                .map_or("?", |buffer| &buffer.name),
        );
    }
    text
}
