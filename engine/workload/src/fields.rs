//! The sorts of fields that calls have.

mod errors;
mod launches;

pub use errors::ErrorField;
pub use launches::{
    ArgumentNameField, ArgumentValueField, ArgumentValuesField, KernelArguments, KernelField,
};

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::kdl::KdlNode;
use record::time::Nanos;
use record::{BufferIndex, EventIndex, SignalIndex, StreamIndex};

use super::phase::{CallField, CallMentions, ReadField, Reference, ResourceClass, VariableValues};
use super::reader::KdlReader;
use super::verb::FieldSlot;
use super::{
    CaptureMode, ErrorFilter, Expression, GraphIndex, LossBy, LossMoment, MapMode, PipelineIndex,
    PipelinePurpose, Plan, PromiseIndex, RecordedIndex, Reduction, ThreadIndex,
};

/// A place in one of a plan's lists.
pub trait PlanIndex: Copy + std::fmt::Debug + PartialEq {
    /// What the list is of.
    const CLASS: ResourceClass;

    /// The place with this number.
    fn at(number: u32) -> Self;

    /// Its number.
    fn number(self) -> u32;

    /// The name of what is there.
    fn name(self, plan: &Plan) -> Option<&str>;

    /// The event that it is, where it is one.
    fn event_mut(&mut self) -> Option<&mut EventIndex> {
        None
    }
}

macro_rules! plan_indices {
    ($($index:ident: $class:ident, $list:ident $(.$name:ident)?;)*) => {$(
        impl PlanIndex for $index {
            const CLASS: ResourceClass = ResourceClass::$class;

            fn at(number: u32) -> Self {
                Self(number)
            }

            fn number(self) -> u32 {
                self.0
            }

            fn name(self, plan: &Plan) -> Option<&str> {
                plan.$list.get(self.0 as usize).map(|it| it$(.$name)?.as_str())
            }

            plan_indices!(@event $class);
        }
    )*};
    (@event Event) => {
        fn event_mut(&mut self) -> Option<&mut EventIndex> {
            Some(self)
        }
    };
    (@event $other:ident) => {};
}

plan_indices! {
    StreamIndex: Stream, streams.name;
    EventIndex: Event, events.name;
    BufferIndex: Buffer, buffers.name;
    SignalIndex: Signal, signals;
    PipelineIndex: Pipeline, pipelines.name;
    PromiseIndex: Promise, promises;
    ThreadIndex: Thread, callback_threads;
    RecordedIndex: Recorded, recorded.name;
    GraphIndex: Graph, graphs;
}

/// A declared resource, or one element of an array of them.
#[derive(Clone, Copy, Debug)]
pub struct ResourceField<I>(PhantomData<I>);

impl<I: PlanIndex> CallField for ResourceField<I> {
    type Written = Reference;
    type Planned = I;

    fn plan(written: &Reference, values: VariableValues<'_>) -> I {
        I::at(values.layout.element(written, values.variables))
    }

    fn mention<'w>(written: &'w Reference, mentioned: &mut CallMentions<'w>) {
        mentioned.references.push(written);
    }

    fn event_mut(planned: &mut I) -> Option<&mut EventIndex> {
        planned.event_mut()
    }

    fn key(planned: &I) -> u32 {
        planned.number()
    }

    fn label<'p>(planned: &'p I, plan: &'p Plan) -> Cow<'p, str> {
        Cow::Borrowed(planned.name(plan).unwrap_or("?"))
    }
}

impl<I: PlanIndex> ReadField for ResourceField<I> {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed(I::CLASS.word())
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<Reference> {
        reader.resource_at(I::CLASS, node, slot)
    }
}

/// A pipeline that the call creates, labelled as `WebGPU`'s method for its kind.
#[derive(Clone, Copy, Debug)]
pub struct CreatedPipeline<const IS_ASYNC: bool>;

impl<const IS_ASYNC: bool> CallField for CreatedPipeline<IS_ASYNC> {
    type Written = Reference;
    type Planned = PipelineIndex;

    fn plan(written: &Reference, values: VariableValues<'_>) -> PipelineIndex {
        ResourceField::plan(written, values)
    }

    fn mention<'w>(written: &'w Reference, mentioned: &mut CallMentions<'w>) {
        mentioned.references.push(written);
    }

    fn key(planned: &PipelineIndex) -> u32 {
        planned.0
    }

    fn label<'p>(planned: &'p PipelineIndex, plan: &'p Plan) -> Cow<'p, str> {
        let kind = plan.pipelines.get(planned.index()).map(|it| it.kind);
        let kind = match kind.unwrap_or_default() {
            PipelinePurpose::Compute => "Compute",
            PipelinePurpose::Render => "Render",
        };
        let suffix = if IS_ASYNC { "Async" } else { "" };
        let name = ResourceField::label(planned, plan);
        Cow::Owned(format!("{kind}Pipeline{suffix} {name}"))
    }
}

impl<const IS_ASYNC: bool> ReadField for CreatedPipeline<IS_ASYNC> {
    fn sort() -> Cow<'static, str> {
        ResourceField::<PipelineIndex>::sort()
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<Reference> {
        ResourceField::<PipelineIndex>::read(reader, node, slot)
    }
}

/// An event that is taken from a pool, by the name that it goes by.
#[derive(Clone, Copy, Debug)]
pub struct PooledEvent;

impl CallField for PooledEvent {
    type Written = Reference;
    type Planned = EventIndex;

    fn plan(written: &Reference, values: VariableValues<'_>) -> EventIndex {
        ResourceField::plan(written, values)
    }

    fn mention<'w>(written: &'w Reference, mentioned: &mut CallMentions<'w>) {
        mentioned.references.push(written);
    }

    fn key(planned: &EventIndex) -> u32 {
        planned.0
    }

    fn label<'p>(planned: &'p EventIndex, plan: &'p Plan) -> Cow<'p, str> {
        ResourceField::label(planned, plan)
    }
}

impl ReadField for PooledEvent {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed("event of a pool")
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, _: FieldSlot) -> Option<Reference> {
        reader.pooled(node)
    }
}

/// A name for the promise that the call makes.
#[derive(Clone, Copy, Debug)]
pub struct NewPromise;

impl CallField for NewPromise {
    type Written = Reference;
    type Planned = PromiseIndex;

    fn plan(written: &Reference, values: VariableValues<'_>) -> PromiseIndex {
        ResourceField::plan(written, values)
    }

    fn mention<'w>(written: &'w Reference, mentioned: &mut CallMentions<'w>) {
        mentioned.references.push(written);
        mentioned.promise = Some(written);
    }

    fn label<'p>(planned: &'p PromiseIndex, plan: &'p Plan) -> Cow<'p, str> {
        ResourceField::label(planned, plan)
    }
}

impl ReadField for NewPromise {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed("promise")
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<Reference> {
        reader.resource_at(ResourceClass::Promise, node, slot)
    }
}

/// A number that a formula may give.
pub trait FormulaNumber: Copy + std::fmt::Debug + PartialEq {
    /// What it is.
    const SORT: &'static str;
    /// Whether it is a length of time, which the formula gives in microseconds.
    const IS_TIME: bool = false;

    /// What the value of the formula comes to.
    fn of(value: f64) -> Self;

    /// The number as a text.
    fn text(self) -> String;
}

impl FormulaNumber for f64 {
    const SORT: &'static str = "number";

    fn of(value: f64) -> Self {
        value
    }

    fn text(self) -> String {
        self.to_string()
    }
}

impl FormulaNumber for f32 {
    const SORT: &'static str = "number";

    fn of(value: f64) -> Self {
        value as Self
    }

    fn text(self) -> String {
        self.to_string()
    }
}

/// A rank.
impl FormulaNumber for u32 {
    const SORT: &'static str = "rank, counted from 0";

    fn of(value: f64) -> Self {
        value.max(0.0) as Self
    }

    fn text(self) -> String {
        self.to_string()
    }
}

impl FormulaNumber for Nanos {
    const SORT: &'static str = "number of microseconds";
    const IS_TIME: bool = true;

    fn of(value: f64) -> Self {
        Self((value * 1e3).round() as i64)
    }

    fn text(self) -> String {
        self.to_string()
    }
}

/// A number, or a formula over the parameters and the indices of the loops around.
#[derive(Clone, Copy, Debug)]
pub struct NumberField<N>(PhantomData<N>);

impl<N: FormulaNumber> CallField for NumberField<N> {
    type Written = Expression;
    type Planned = N;

    fn plan(written: &Expression, values: VariableValues<'_>) -> N {
        N::of(written.evaluate(values.variables))
    }

    fn mention<'w>(written: &'w Expression, mentioned: &mut CallMentions<'w>) {
        if N::IS_TIME {
            mentioned.micros.push(written);
        }
    }

    fn key(planned: &N) -> u32 {
        // As text, so that what is labelled alike has the same key.
        planned.text().bytes().fold(0, |sum: u32, byte| {
            sum.wrapping_mul(31).wrapping_add(u32::from(byte))
        })
    }

    fn label<'p>(planned: &'p N, _: &'p Plan) -> Cow<'p, str> {
        Cow::Owned(planned.text())
    }
}

impl<N: FormulaNumber> ReadField for NumberField<N> {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed(N::SORT)
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<Expression> {
        let entry = slot.entry(node)?;
        reader.call_number(entry)
    }
}

/// A name or a text that is shown as it is.
#[derive(Clone, Copy, Debug)]
pub struct TextField;

impl CallField for TextField {
    type Written = Arc<str>;
    type Planned = Arc<str>;

    fn plan(written: &Arc<str>, _: VariableValues<'_>) -> Arc<str> {
        Arc::clone(written)
    }

    fn mention<'w>(_: &'w Arc<str>, _: &mut CallMentions<'w>) {}

    fn label<'p>(planned: &'p Arc<str>, _: &'p Plan) -> Cow<'p, str> {
        Cow::Borrowed(planned)
    }
}

impl ReadField for TextField {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed("text")
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<Arc<str>> {
        let entry = slot.entry(node)?;
        reader.text(entry).map(Arc::from)
    }
}

/// `#true`, or `#false` where it is left out.
#[derive(Clone, Copy, Debug)]
pub struct FlagField;

impl CallField for FlagField {
    type Written = bool;
    type Planned = bool;

    const IS_OPTIONAL: bool = true;

    fn plan(written: &bool, _: VariableValues<'_>) -> bool {
        *written
    }

    fn mention<'w>(_: &'w bool, _: &mut CallMentions<'w>) {}

    fn label<'p>(planned: &'p bool, _: &'p Plan) -> Cow<'p, str> {
        Cow::Borrowed(if *planned { "#true" } else { "#false" })
    }
}

impl ReadField for FlagField {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed("#true or #false")
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<bool> {
        match slot.entry(node) {
            Some(entry) => reader.flag(entry),
            None => Some(false),
        }
    }
}

/// One of a closed set of words.
pub trait ClosedWord: Copy + std::fmt::Debug + PartialEq + 'static {
    /// What the words are for.
    const WHAT: &'static str;

    /// Every value with the word for it.
    fn labels() -> &'static [(&'static str, Self)];
}

macro_rules! closed_words {
    ($($name:ident $what:literal)*) => {$(
        impl ClosedWord for $name {
            const WHAT: &'static str = $what;

            fn labels() -> &'static [(&'static str, Self)] {
                Self::LABELS
            }
        }
    )*};
}

closed_words! {
    MapMode "mode"
    ErrorFilter "filter"
    CaptureMode "mode"
    Reduction "reduction"
    LossBy "way"
}

/// One word of a closed set.
#[derive(Clone, Copy, Debug)]
pub struct WordField<W>(PhantomData<W>);

impl<W: ClosedWord> CallField for WordField<W> {
    type Written = W;
    type Planned = W;

    fn plan(written: &W, _: VariableValues<'_>) -> W {
        *written
    }

    fn mention<'w>(_: &'w W, _: &mut CallMentions<'w>) {}

    fn label<'p>(planned: &'p W, _: &'p Plan) -> Cow<'p, str> {
        let found = W::labels().iter().find(|(_, value)| value == planned);
        Cow::Borrowed(found.map_or("?", |(word, _)| word))
    }
}

impl<W: ClosedWord> ReadField for WordField<W> {
    fn sort() -> Cow<'static, str> {
        let words = W::labels().iter().map(|(word, _)| format!("`{word}`"));
        Cow::Owned(words.collect::<Vec<_>>().join(", "))
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<W> {
        let entry = slot.entry(node)?;
        reader.one_of(entry, W::WHAT, W::labels())
    }
}

/// A field that may be left out.
#[derive(Clone, Copy, Debug)]
pub struct OptionalField<F>(PhantomData<F>);

impl<F: CallField> CallField for OptionalField<F> {
    type Written = Option<F::Written>;
    type Planned = Option<F::Planned>;

    const IS_OPTIONAL: bool = true;

    fn plan(written: &Self::Written, values: VariableValues<'_>) -> Self::Planned {
        written.as_ref().map(|it| F::plan(it, values))
    }

    fn mention<'w>(written: &'w Self::Written, mentioned: &mut CallMentions<'w>) {
        if let Some(written) = written {
            F::mention(written, mentioned);
        }
    }

    fn key(planned: &Self::Planned) -> u32 {
        planned.as_ref().map_or(u32::MAX, F::key)
    }

    fn label<'p>(planned: &'p Self::Planned, plan: &'p Plan) -> Cow<'p, str> {
        planned
            .as_ref()
            .map_or(Cow::Borrowed(""), |it| F::label(it, plan))
    }
}

impl<F: ReadField> ReadField for OptionalField<F> {
    fn sort() -> Cow<'static, str> {
        F::sort()
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<Self::Written> {
        match slot.entry(node) {
            Some(_) => F::read(reader, node, slot).map(Some),
            None => Some(None),
        }
    }
}

/// A field that has its default where it is left out.
#[derive(Clone, Copy, Debug)]
pub struct DefaultField<F>(PhantomData<F>);

impl<F: CallField<Written: Default>> CallField for DefaultField<F> {
    type Written = F::Written;
    type Planned = F::Planned;

    const IS_OPTIONAL: bool = true;

    fn plan(written: &Self::Written, values: VariableValues<'_>) -> Self::Planned {
        F::plan(written, values)
    }

    fn mention<'w>(written: &'w Self::Written, mentioned: &mut CallMentions<'w>) {
        F::mention(written, mentioned);
    }

    fn key(planned: &Self::Planned) -> u32 {
        F::key(planned)
    }

    fn label<'p>(planned: &'p Self::Planned, plan: &'p Plan) -> Cow<'p, str> {
        F::label(planned, plan)
    }
}

impl<F: ReadField<Written: Default>> ReadField for DefaultField<F> {
    fn sort() -> Cow<'static, str> {
        F::sort()
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<Self::Written> {
        match slot.entry(node) {
            Some(_) => F::read(reader, node, slot),
            None => Some(Self::Written::default()),
        }
    }
}

/// The moment of a loss: at once, so many microseconds later, or while a pipeline or a stream is at work.
#[derive(Clone, Copy, Debug)]
pub struct LossMomentField;

/// The moment of a loss as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum WrittenMoment {
    /// So many microseconds after the call.
    Micros(Expression),
    /// At once, or while something of a name is at work.
    Fixed(LossMoment),
}

impl CallField for LossMomentField {
    type Written = WrittenMoment;
    type Planned = LossMoment;

    const IS_OPTIONAL: bool = true;

    fn plan(written: &WrittenMoment, values: VariableValues<'_>) -> LossMoment {
        match written {
            WrittenMoment::Micros(micros) => {
                LossMoment::Time(Nanos::of(micros.evaluate(values.variables)))
            }
            WrittenMoment::Fixed(moment) => moment.clone(),
        }
    }

    fn mention<'w>(_: &'w WrittenMoment, _: &mut CallMentions<'w>) {}

    fn key(planned: &LossMoment) -> u32 {
        match planned {
            LossMoment::Time(time) => time.0 as u32,
            _ => 0,
        }
    }

    fn label<'p>(planned: &'p LossMoment, _: &'p Plan) -> Cow<'p, str> {
        Cow::Owned(planned.suffix())
    }
}

impl ReadField for LossMomentField {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed("pipeline, stream, or number of microseconds; at once where it is left out")
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, _: FieldSlot) -> Option<WrittenMoment> {
        reader.loss_moment(node)
    }
}
