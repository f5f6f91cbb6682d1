//! One definition a call: what it is called, how it is written, what its fields are, and what it is labelled on screen.
//!
//! [`calls`] makes of a list of them an enum by [`CallPhase`](crate::phase::CallPhase), and all that is done with every call alike:
//! reading it, planning it, listing what it refers to, labelling it, and the rules that check a text and make the
//! reference of the language.

use std::borrow::Cow;

use crate::kdl::{KdlEntry, KdlNode};

use super::call::Call;
use super::model::StreamRole;
use super::phase::AsWritten;
use super::reader::KdlReader;

/// Where in a node a field of a call stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldSlot {
    /// The first argument; the second is its index, where it is an array.
    Named,
    /// The argument at this place, counted from 0.
    At(usize),
    /// A property.
    Property(&'static str),
    /// The property `on`, the stream of an operation.
    On,
    /// The same; where it is left out, a stream of this role is chosen, for this reason (rule E1).
    Chosen(StreamRole, &'static str),
    /// The argument at this place, or the property of this name.
    AtOr(usize, &'static str),
    /// One of these properties, at most.
    OneOf(&'static [&'static str]),
    /// The block.
    Block,
}

impl FieldSlot {
    /// What stands there in a node.
    pub(crate) fn entry(self, node: &KdlNode) -> Option<&KdlEntry> {
        match self {
            Self::Named => node.argument(0),
            Self::At(place) => node.argument(place),
            Self::Property(name) => node.property(name),
            Self::On | Self::Chosen(..) => node.property("on"),
            Self::AtOr(place, name) => node.property(name).or_else(|| node.argument(place)),
            Self::OneOf(names) => names.iter().find_map(|name| node.property(name)),
            Self::Block => None,
        }
    }
}

/// A field of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldRule {
    /// What it is for.
    pub about: &'static str,
    /// What sort of value it is.
    pub sort: fn() -> Cow<'static, str>,
    /// Where it stands.
    pub slot: FieldSlot,
    /// Whether it may be left out.
    pub is_optional: bool,
}

/// Reads a call.
pub(crate) type ReadCall = fn(&mut KdlReader<'_>, &KdlNode) -> Option<Call<AsWritten>>;

/// What one word of a workload takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordRule {
    /// The word.
    pub name: &'static str,
    /// What stands behind it.
    pub takes: WordForm,
    /// Whether it has a block of its own.
    pub block: BlockRule,
    /// How it is written.
    pub usage: &'static str,
    /// What it does, where it is a call.
    pub about: &'static str,
    /// How it is read, where it is a call.
    pub read: Option<ReadCall>,
}

/// What stands behind a word.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WordForm {
    /// The fields of a call, and `label`.
    Fields(&'static [FieldRule]),
    /// So many arguments, at least and at most, and properties, of which the first `required` must be given.
    Entries {
        /// The fewest and the most arguments.
        arguments: (usize, usize),
        /// How many of the properties must be given.
        required: usize,
        /// The properties.
        properties: &'static [&'static str],
    },
}

/// Whether a word has a block of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockRule {
    /// It has none.
    Never,
    /// It may have one.
    May,
    /// It has one.
    Must,
}

impl FieldRule {
    /// The fewest and the most arguments that a node has with it.
    const fn arguments(&self) -> (usize, usize) {
        let most = match self.slot {
            FieldSlot::Named => 2,
            FieldSlot::At(place) | FieldSlot::AtOr(place, _) => place + 1,
            _ => 0,
        };
        match self.slot {
            FieldSlot::Named => (1, most),
            FieldSlot::At(_) if !self.is_optional => (most, most),
            FieldSlot::AtOr(place, _) => (place, most),
            _ => (0, most),
        }
    }

    /// The properties that it may be given by, and whether one must be.
    fn properties(&self) -> (Vec<&'static str>, bool) {
        match self.slot {
            FieldSlot::Property(name) => (vec![name], !self.is_optional),
            FieldSlot::On => (vec!["on"], true),
            FieldSlot::Chosen(..) => (vec!["on"], false),
            FieldSlot::AtOr(_, name) => (vec![name], false),
            FieldSlot::OneOf(names) => (names.to_vec(), false),
            FieldSlot::Named | FieldSlot::At(_) | FieldSlot::Block => (Vec::new(), false),
        }
    }
}

impl WordRule {
    /// The fewest and the most arguments.
    pub fn arguments(&self) -> (usize, usize) {
        match self.takes {
            WordForm::Entries { arguments, .. } => arguments,
            WordForm::Fields(fields) => {
                let all = fields.iter().map(FieldRule::arguments);
                all.fold((0, 0), |sum, it| (sum.0.max(it.0), sum.1.max(it.1)))
            }
        }
    }

    /// The properties that may be given, those that must be first, and how many those are.
    pub fn properties(&self) -> (Vec<&'static str>, usize) {
        match self.takes {
            WordForm::Entries {
                required,
                properties,
                ..
            } => (properties.to_vec(), required),
            WordForm::Fields(fields) => {
                let all = || fields.iter().map(FieldRule::properties);
                let of = |is_required| {
                    let these = all().filter(move |it| it.1 == is_required);
                    these.flat_map(|it| it.0)
                };
                let mut names: Vec<_> = of(true).collect();
                let required = names.len();
                names.extend(of(false));
                names.push("label");
                (names, required)
            }
        }
    }
}

/// Calls by their definitions. Each has what it does, its word in a workload, how that is written, what its span is
/// labelled (fields in braces), whether it has a block, and its fields: their sort, and where they stand. Those of
/// `inside` have no word of their own.
macro_rules! calls {
    (
        $(#[$meta:meta])*
        pub enum $name:ident in $whole:ident {
            $(
                $(#[doc = $about:literal])+
                $variant:ident = $word:literal, $usage:literal, $label:literal $(, block $block:ident)? {
                    $(
                        $(#[doc = $field_about:literal])+
                        $field:ident: $sort:ty = $slot:expr,
                    )*
                }
            )*
            $(inside {
                $(
                    $(#[doc = $inner_about:literal])+
                    $inner:ident = $inner_label:literal {
                        $(
                            $(#[doc = $inner_field_about:literal])+
                            $inner_field:ident: $inner_sort:ty,
                        )*
                    }
                )*
            })?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name<P: $crate::phase::CallPhase = $crate::phase::AsPlanned> {
            $(
                $(#[doc = $about])+
                $variant {
                    $(
                        $(#[doc = $field_about])+
                        $field: P::Of<$sort>,
                    )*
                },
            )*
            $($(
                $(#[doc = $inner_about])+
                $inner {
                    $(
                        $(#[doc = $inner_field_about])+
                        $inner_field: P::Of<$inner_sort>,
                    )*
                },
            )*)?
        }

        impl $name {
            /// The rules of these words.
            pub(crate) const WORDS: &'static [$crate::verb::WordRule] = &[$(
                $crate::verb::WordRule {
                    name: $word,
                    takes: $crate::verb::WordForm::Fields(&[$(
                        $crate::verb::FieldRule {
                            about: concat!($($field_about),+),
                            sort: <$sort as $crate::phase::ReadField>::sort,
                            slot: $slot,
                            is_optional: <$sort as $crate::phase::CallField>::IS_OPTIONAL,
                        },
                    )*]),
                    block: $crate::verb::calls!(@block $($block)?),
                    usage: $usage,
                    about: concat!($($about),+),
                    read: Some(|_reader, _node| {
                        // Every field is read before one may fail, so that all that is wrong is reported.
                        $(let $field = <$sort as $crate::phase::ReadField>::read(_reader, _node, $slot);)*
                        Some($crate::call::Call::$whole($name::$variant { $($field: $field?,)* }))
                    }),
                },
            )*];

            /// The word for it in a workload.
            pub const fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $word,)*
                    // What a measured block begins and ends with.
                    $($(Self::$inner { .. } => "time",)*)?
                }
            }

            /// What the call's span is labelled.
            pub fn label(&self, plan: &$crate::Plan) -> String {
                match self {
                    $(Self::$variant { $($field,)* } => {
                        $(let $field = <$sort as $crate::phase::CallField>::label($field, plan);)*
                        $(let _ = &$field;)*
                        format!($label)
                    })*
                    $($(Self::$inner { $($inner_field,)* } => {
                        $(let $inner_field = <$inner_sort as $crate::phase::CallField>::label($inner_field, plan);)*
                        $(let _ = &$inner_field;)*
                        format!($inner_label)
                    })*)?
                }
            }

            /// A number that is another one where [`Self::label`] is another text, for calls at one place of a workload.
            pub fn key(&self) -> u64 {
                let mut _key = $crate::verb::LabelKey::default();
                match self {
                    $(Self::$variant { $($field,)* } => {
                        $(_key.add(<$sort as $crate::phase::CallField>::key($field));)*
                    })*
                    $($(Self::$inner { $($inner_field,)* } => {
                        $(_key.add(<$inner_sort as $crate::phase::CallField>::key($inner_field));)*
                    })*)?
                }
                _key.get()
            }

            /// The events that it names, for those of a pool to be put in their place.
            pub fn events_mut(&mut self) -> Vec<&mut record::EventIndex> {
                let mut _events = Vec::new();
                match self {
                    $(Self::$variant { $($field,)* } => {
                        $(_events.extend(<$sort as $crate::phase::CallField>::event_mut($field));)*
                    })*
                    $($(Self::$inner { $($inner_field,)* } => {
                        $(_events.extend(<$inner_sort as $crate::phase::CallField>::event_mut($inner_field));)*
                    })*)?
                }
                _events
            }
        }

        impl $name<$crate::phase::AsWritten> {
            /// The call, for these values of the variables.
            pub(crate) fn plan(&self, _values: $crate::phase::VariableValues<'_>) -> $name {
                match self {
                    $(Self::$variant { $($field,)* } => $name::$variant {
                        $($field: <$sort as $crate::phase::CallField>::plan($field, _values),)*
                    },)*
                    $($(Self::$inner { $($inner_field,)* } => $name::$inner {
                        $($inner_field: <$inner_sort as $crate::phase::CallField>::plan($inner_field, _values),)*
                    },)*)?
                }
            }

            /// Notes what it refers to.
            pub(crate) fn mention<'w>(&'w self, _mentioned: &mut $crate::phase::CallMentions<'w>) {
                match self {
                    $(Self::$variant { $($field,)* } => {
                        $(<$sort as $crate::phase::CallField>::mention($field, _mentioned);)*
                    })*
                    $($(Self::$inner { $($inner_field,)* } => {
                        $(<$inner_sort as $crate::phase::CallField>::mention($inner_field, _mentioned);)*
                    })*)?
                }
            }
        }
    };
    (@block) => { $crate::verb::BlockRule::Never };
    (@block $block:ident) => { $crate::verb::BlockRule::$block };
}

pub(crate) use calls;

/// The numbers of the fields of a call, as one.
#[derive(Clone, Copy, Debug)]
pub struct LabelKey(u64);

impl Default for LabelKey {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl LabelKey {
    /// Takes in one more.
    pub const fn add(&mut self, number: u32) {
        let mixed = (self.0 ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    /// All of them.
    pub const fn get(self) -> u64 {
        self.0
    }
}
