//! How far a call has come: as it is written, with names and formulas, and as it is planned, with places and numbers.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;

use crate::kdl::KdlNode;
use record::EventIndex;

use super::program::PlanLayout;
use super::reader::KdlReader;
use super::{Expression, Plan};
use crate::verb::FieldSlot;

/// How far a call has come on its way from the text of a workload to a device.
pub trait CallPhase: Clone + Debug + PartialEq {
    /// What a field of this sort is in this phase.
    type Of<F: CallField>: Clone + Debug + PartialEq;
}

/// As it is written: resources are references, which may have a formula for an index, and numbers are formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsWritten;

/// As it is made: resources are places in the lists of a plan, and numbers are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsPlanned;

impl CallPhase for AsWritten {
    type Of<F: CallField> = F::Written;
}

impl CallPhase for AsPlanned {
    type Of<F: CallField> = F::Planned;
}

/// A sort of field of calls: how it is read, what it comes to, and what it is called.
pub trait CallField {
    /// As it is written.
    type Written: Clone + Debug + PartialEq;
    /// As it is planned.
    type Planned: Clone + Debug + PartialEq;

    /// Whether it may be left out.
    const IS_OPTIONAL: bool = false;

    /// What it comes to for these values of the variables.
    fn plan(written: &Self::Written, values: VariableValues<'_>) -> Self::Planned;

    /// Notes what it refers to.
    fn mention<'w>(written: &'w Self::Written, mentioned: &mut CallMentions<'w>);

    /// The event that it is, for one of a pool to be put in its place.
    fn event_mut(planned: &mut Self::Planned) -> Option<&mut EventIndex> {
        let _ = planned;
        None
    }

    /// A number that is another one where [`CallField::label`] is another text.
    fn key(planned: &Self::Planned) -> u32 {
        let _ = planned;
        0
    }

    /// What it is called on screen.
    fn label<'p>(planned: &'p Self::Planned, plan: &'p Plan) -> Cow<'p, str>;
}

/// How such a field is read.
pub(crate) trait ReadField: CallField {
    /// What it is, for the reference of the language: “event”.
    fn sort() -> Cow<'static, str>;

    /// Reads it from a node; what is wrong is reported.
    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<Self::Written>;
}

/// Where the declared resources lie, and the values of the parameters and of the indices of the loops around a call.
#[derive(Clone, Copy, Debug)]
pub struct VariableValues<'v> {
    /// Where the elements of every declaration lie.
    pub(crate) layout: &'v PlanLayout,
    /// The variables' values.
    pub(crate) variables: &'v [f64],
}

/// What a call refers to.
#[derive(Debug, Default)]
pub struct CallMentions<'w> {
    /// Every resource.
    pub(crate) references: Vec<&'w Reference>,
    /// The promise that it makes.
    pub(crate) promise: Option<&'w Reference>,
    /// Every length of time, in microseconds.
    pub(crate) micros: Vec<&'w Expression>,
}

/// The sorts of resources that calls refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceClass {
    /// A stream.
    Stream,
    /// An event.
    Event,
    /// A buffer.
    Buffer,
    /// A signal between host threads.
    Signal,
    /// A pipeline.
    Pipeline,
    /// A name for promises.
    Promise,
    /// A pool of events.
    Pool,
    /// A callback thread.
    Thread,
    /// A recorded launch.
    Recorded,
    /// A graph.
    Graph,
}

/// A use of a resource, or of one element of an array of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What it is a use of.
    pub(crate) class: ResourceClass,
    /// The declaration's place among those of its class.
    pub(crate) declaration: usize,
    /// Which element of the array.
    pub(crate) index: Option<Expression>,
    /// The bytes of the source that it stands in.
    pub(crate) range: Range<usize>,
}
