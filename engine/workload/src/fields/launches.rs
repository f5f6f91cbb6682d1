//! Kernels with their arguments, and single arguments of recorded launches.

use std::borrow::Cow;

use crate::kdl::KdlNode;
use record::BufferIndex;

use super::{NumberField, ResourceField};
use crate::phase::{
    AsPlanned, AsWritten, CallField, CallMentions, CallPhase, ReadField, ResourceClass,
    VariableValues,
};
use crate::reader::{KdlReader, SET_ALL_WORDS};
use crate::verb::FieldSlot;
use crate::{ArgumentName, ArgumentValue, Kernel, Plan};

/// A kernel of the library, and what it is called with.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelArguments<P: CallPhase = AsPlanned> {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// The buffers it reads, in the order the kernel names them.
    pub reads: Vec<P::Of<ResourceField<BufferIndex>>>,
    /// The buffers it writes, in the order the kernel names them.
    pub writes: Vec<P::Of<ResourceField<BufferIndex>>>,
    /// Its numbers, in the order the kernel names them.
    pub parameters: Vec<P::Of<NumberField<f64>>>,
}

/// A kernel by its name, with its arguments in the block of the call.
#[derive(Clone, Copy, Debug)]
pub struct KernelField;

impl CallField for KernelField {
    type Written = KernelArguments<AsWritten>;
    type Planned = KernelArguments;

    fn plan(written: &Self::Written, values: VariableValues<'_>) -> KernelArguments {
        let buffers = |all: &[_]| {
            let planned = all.iter().map(|it| ResourceField::plan(it, values));
            planned.collect()
        };
        let numbers = written.parameters.iter();
        KernelArguments {
            kernel: written.kernel,
            reads: buffers(&written.reads),
            writes: buffers(&written.writes),
            parameters: numbers.map(|it| NumberField::plan(it, values)).collect(),
        }
    }

    fn mention<'w>(written: &'w Self::Written, mentioned: &mut CallMentions<'w>) {
        let buffers = written.reads.iter().chain(&written.writes);
        mentioned.references.extend(buffers);
    }

    fn label<'p>(planned: &'p KernelArguments, _: &'p Plan) -> Cow<'p, str> {
        Cow::Borrowed(planned.kernel.name)
    }
}

impl ReadField for KernelField {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed("kernel, with `read`, `write` and `set` in the block")
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<Self::Written> {
        let entry = slot.entry(node)?;
        let kernel = reader.kernel(entry)?;
        reader.kernel_arguments(kernel, node, entry)
    }
}

/// Which argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentNameField;

impl CallField for ArgumentNameField {
    type Written = ArgumentName;
    type Planned = ArgumentName;

    fn plan(written: &ArgumentName, _: VariableValues<'_>) -> ArgumentName {
        written.clone()
    }

    fn mention<'w>(_: &'w ArgumentName, _: &mut CallMentions<'w>) {}

    fn label<'p>(planned: &'p ArgumentName, _: &'p Plan) -> Cow<'p, str> {
        match planned {
            ArgumentName::Named(name) => Cow::Borrowed(name),
            ArgumentName::At(place) => Cow::Owned(place.to_string()),
        }
    }
}

impl ReadField for ArgumentNameField {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed("name of an argument, or its place counted from 0")
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<ArgumentName> {
        let entry = slot.entry(node)?;
        reader.argument_name(entry)
    }
}

/// A value for an argument: a number, or a buffer.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentValueField;

impl CallField for ArgumentValueField {
    type Written = ArgumentValue<AsWritten>;
    type Planned = ArgumentValue;

    fn plan(written: &Self::Written, values: VariableValues<'_>) -> ArgumentValue {
        match written {
            ArgumentValue::Buffer(it) => ArgumentValue::Buffer(ResourceField::plan(it, values)),
            ArgumentValue::Number(it) => ArgumentValue::Number(NumberField::plan(it, values)),
        }
    }

    fn mention<'w>(written: &'w Self::Written, mentioned: &mut CallMentions<'w>) {
        if let ArgumentValue::Buffer(it) = written {
            mentioned.references.push(it);
        }
    }

    fn label<'p>(_: &'p ArgumentValue, _: &'p Plan) -> Cow<'p, str> {
        Cow::Borrowed("")
    }
}

impl ReadField for ArgumentValueField {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed("number, or a buffer")
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, slot: FieldSlot) -> Option<Self::Written> {
        reader.argument_value(node, slot)
    }
}

/// Values for the first arguments, in the block of the call.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentValuesField;

impl CallField for ArgumentValuesField {
    type Written = Vec<ArgumentValue<AsWritten>>;
    type Planned = Vec<ArgumentValue>;

    const IS_OPTIONAL: bool = true;

    fn plan(written: &Self::Written, values: VariableValues<'_>) -> Vec<ArgumentValue> {
        let all = written.iter();
        all.map(|it| ArgumentValueField::plan(it, values)).collect()
    }

    fn mention<'w>(written: &'w Self::Written, mentioned: &mut CallMentions<'w>) {
        for value in written {
            ArgumentValueField::mention(value, mentioned);
        }
    }

    fn label<'p>(_: &'p Vec<ArgumentValue>, _: &'p Plan) -> Cow<'p, str> {
        Cow::Borrowed("")
    }
}

impl ReadField for ArgumentValuesField {
    fn sort() -> Cow<'static, str> {
        Cow::Borrowed("`buffer` and `number`, one for each argument, in the block")
    }

    fn read(reader: &mut KdlReader<'_>, node: &KdlNode, _: FieldSlot) -> Option<Self::Written> {
        let mut values = Vec::new();
        let mut is_whole = true;
        for child in node.inside() {
            let word = reader.rule(child, SET_ALL_WORDS, "set-all");
            let value = match word.map(|rule| rule.name) {
                Some("buffer") => {
                    let buffer = reader.resource_at(ResourceClass::Buffer, child, FieldSlot::Named);
                    buffer.map(ArgumentValue::Buffer)
                }
                Some(_) => {
                    let entry = FieldSlot::At(0).entry(child);
                    let number = entry.and_then(|entry| reader.call_number(entry));
                    number.map(ArgumentValue::Number)
                }
                None => None,
            };
            is_whole &= value.is_some();
            values.extend(value);
        }
        is_whole.then_some(values)
    }
}
