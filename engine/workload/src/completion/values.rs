//! What may stand in the place of a value: names that the text declares, words of a closed list, kernels, and the numbers that
//! formulas know.

use super::caret::{Caret, CaretPart};
use super::declared::{DeclaredName, declared};
use super::{WorkloadCompletion, field_of, is_property, rule};
use crate::verb::{FieldSlot, WordRule};
use crate::{
    Edition, ErrorKind, ErrorMatch, FailureMode, FaultKind, KERNELS, MachineThreads, MemoryKind,
    PipelinePurpose, RuntimeError, SlotUse, StreamKind, StreamRole, Synchronization,
};

/// The functions of formulas.
const FUNCTIONS: &[&str] = &["min", "max", "floor", "abs", "sqrt"];

/// What may stand where a value is written, and where that begins, in bytes.
pub(super) fn values(caret: &Caret, text: &str, before: &str) -> (usize, Vec<WorkloadCompletion>) {
    let Some(rule) = rule(caret) else {
        return (caret.start, Vec::new());
    };
    let names = declared(text);
    let sort = sort(rule, &caret.part);
    if let Some(sort) = &sort
        && is_number(sort)
    {
        return formula(caret, &names, before);
    }
    let words = match (&sort, &caret.part) {
        // Of a moment each property is of another class, and of a number.
        (Some(sort), CaretPart::Value(name)) if sort.starts_with("pipeline, stream") => {
            of_class(&[name], &names)
        }
        (Some(sort), _) => of_sort(sort, &names),
        (None, CaretPart::Entry(place)) if is_counted(rule.name, *place) => {
            return formula(caret, &names, before);
        }
        (None, CaretPart::Entry(place)) => of_entry(rule.name, *place, caret, &names),
        (None, CaretPart::Value(name)) if is_label(name) => of_class(&["label"], &names),
        (None, CaretPart::Value(name)) => match of_property(rule, name, &names) {
            Some(words) => words,
            // Any other is a number.
            None => return formula(caret, &names, before),
        },
        _ => Vec::new(),
    };
    (
        caret.start,
        if caret.is_quoted || sort.is_some() {
            words
        } else {
            Vec::new()
        },
    )
}

/// What sort of value a call's field has, where it is one.
fn sort(rule: &WordRule, part: &CaretPart) -> Option<String> {
    let field = match part {
        CaretPart::Value(name) => field_of(rule, |slot| is_property(slot, name)),
        CaretPart::Entry(place) => field_of(rule, |slot| match slot {
            FieldSlot::Named => *place == 0,
            FieldSlot::At(at) | FieldSlot::AtOr(at, _) => at == *place,
            _ => false,
        }),
        _ => None,
    };
    let is_index = matches!(part, CaretPart::Entry(1));
    let named = || field_of(rule, |slot| matches!(slot, FieldSlot::Named));
    match field {
        Some(field) => Some((field.sort)().into_owned()),
        None if is_index && named().is_some() => Some("number".to_owned()),
        None => None,
    }
}

fn is_number(sort: &str) -> bool {
    sort.starts_with("number") || sort.starts_with("rank")
}

/// Whether an argument of a word that is no call is a number.
fn is_counted(word: &str, place: usize) -> bool {
    match word {
        "repeat" | "only" | "except" | "number" => place == 0,
        "set" | "read" | "write" | "buffer" => place == 1,
        _ => false,
    }
}

fn is_label(property: &str) -> bool {
    property == "after"
}

/// The words of a sort: a class of names, a closed list of words in backticks, or kernels.
fn of_sort(sort: &str, names: &[DeclaredName]) -> Vec<WorkloadCompletion> {
    if sort.starts_with("kernel") {
        return kernels();
    }
    if sort == "#true or #false" {
        return words(["#true", "#false"]);
    }
    if sort.starts_with("error") {
        let success = WorkloadCompletion {
            text: ErrorMatch::SUCCESS.to_owned(),
            about: "No call failed.".to_owned(),
        };
        return std::iter::once(success).chain(errors()).collect();
    }
    let listed: Vec<&str> = sort.split('`').skip(1).step_by(2).collect();
    if !listed.is_empty() {
        return words(listed);
    }
    let class = match sort {
        "event of a pool" => "event",
        other => other,
    };
    of_class(&[class], names)
}

/// What a property of a declaration says in words; nothing where it is a number.
fn of_property(
    rule: &WordRule,
    name: &str,
    names: &[DeclaredName],
) -> Option<Vec<WorkloadCompletion>> {
    fn first<T>(labels: &[(&'static str, T)]) -> Vec<WorkloadCompletion> {
        words(labels.iter().map(|it| it.0))
    }
    Some(match (rule.name, name) {
        ("stream", "role") => words(StreamRole::LABELS.iter().map(|it| it.0)),
        ("stream", "kind") => first(StreamKind::LABELS),
        ("stream", "failure") => first(FailureMode::LABELS),
        ("event", "slot") => first(SlotUse::LABELS),
        ("event", "pool") => of_class(&["event-pool"], names),
        ("buffer", "memory") => first(MemoryKind::LABELS),
        ("pipeline", "kind") => first(PipelinePurpose::LABELS),
        ("pipeline" | "recorded", "kernel") => kernels(),
        ("pipeline", "shader") => of_class(&["shader"], names),
        ("host", "edition") => first(Edition::LABELS),
        ("machine", "threads") => first(MachineThreads::LABELS),
        ("ordered" | "apart", "by") => words(["turn"]),
        ("time", "on") => of_class(&["stream"], names),
        (
            _,
            "about" | "label" | "at" | "wgsl" | "index" | "devices" | "promise" | "event" | "value",
        ) => Vec::new(),
        _ => return None,
    })
}

/// What may be an argument of a word that is no call.
fn of_entry(
    word: &str,
    place: usize,
    caret: &Caret,
    names: &[DeclaredName],
) -> Vec<WorkloadCompletion> {
    match (word, place) {
        ("overlap" | "busy", _) | ("on", 1) => of_class(&["stream"], names),
        ("each" | "sum" | "race" | "used" | "read" | "write" | "buffer", 0) => {
            of_class(&["buffer"], names)
        }
        ("elapsed", _) => of_class(&["event"], names),
        ("settles", 0) => of_class(&["promise"], names),
        ("settles", 1) => words(["resolved", "rejected"]),
        ("calls", 0) => words(crate::reader::CALLS.iter().map(|it| it.name)),
        ("synchronization", 0) => words(Synchronization::LABELS.iter().map(|it| it.0)),
        ("fault", 0) => words(FaultKind::LABELS.iter().map(|it| it.0)),
        ("catch", 0) => errors(),
        ("set", 0) => numbers_of_kernel(caret),
        (
            "before" | "in-turn" | "ends-before" | "ordered" | "apart" | "host-knows" | "on"
            | "called-before",
            _,
        ) => of_class(&["label", "buffer"], names),
        _ => Vec::new(),
    }
}

/// The words for errors, then the numbers that runtimes return for them.
fn errors() -> Vec<WorkloadCompletion> {
    let words = ErrorKind::LABELS
        .iter()
        .map(|(word, kind)| WorkloadCompletion {
            text: (*word).to_owned(),
            about: kind.about().trim().to_owned(),
        });
    let numbers = RuntimeError::all().iter().map(|error| WorkloadCompletion {
        text: error.number.to_string(),
        about: format!("{} {}", error.runtime.name(), error.name),
    });
    words.chain(numbers).collect()
}

/// The numbers of the kernel whose launch the caret is in.
fn numbers_of_kernel(caret: &Caret) -> Vec<WorkloadCompletion> {
    let launch = caret.blocks.last();
    let given = launch.into_iter().flat_map(|it| &it.arguments);
    let kernel = given
        .into_iter()
        .find_map(|name| KERNELS.iter().find(|it| it.name == name));
    let numbers = kernel.into_iter().flat_map(|it| it.parameters);
    let words = numbers.map(|(name, value)| WorkloadCompletion {
        text: (*name).to_owned(),
        about: format!("{value} where it is not set"),
    });
    words.collect()
}

/// What a formula knows, for the word of it that is being written.
fn formula(
    caret: &Caret,
    names: &[DeclaredName],
    before: &str,
) -> (usize, Vec<WorkloadCompletion>) {
    let written = before.get(caret.start..).unwrap_or_default();
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let word = written
        .rsplit(|c| !is_of_word(c))
        .next()
        .unwrap_or_default();
    let start = before.len() - word.len();
    if !caret.is_quoted {
        return (start, Vec::new());
    }
    let mut found = of_class(&["param"], names);
    for block in caret.blocks.iter().rev() {
        let index = block.properties.iter().find(|it| it.0 == "index");
        found.extend(index.map(|(_, name)| WorkloadCompletion {
            text: name.clone(),
            about: "the number of the round".to_owned(),
        }));
    }
    found.extend(words(FUNCTIONS.iter().copied()));
    (start, found)
}

fn kernels() -> Vec<WorkloadCompletion> {
    let all = KERNELS.iter().map(|it| WorkloadCompletion {
        text: it.name.to_owned(),
        about: it.about.to_owned(),
    });
    all.collect()
}

/// The names of these classes.
fn of_class(classes: &[&str], names: &[DeclaredName]) -> Vec<WorkloadCompletion> {
    let of = names.iter().filter(|it| classes.contains(&it.class));
    let words = of.map(|it| WorkloadCompletion {
        text: it.name.clone(),
        about: if it.about.is_empty() {
            it.class.to_owned()
        } else {
            it.about.clone()
        },
    });
    words.collect()
}

fn words<'w>(all: impl IntoIterator<Item = &'w str>) -> Vec<WorkloadCompletion> {
    let all = all.into_iter().map(|it| WorkloadCompletion {
        text: it.to_owned(),
        about: String::new(),
    });
    all.collect()
}
