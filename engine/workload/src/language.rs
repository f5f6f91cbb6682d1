//! The reference of the language, made from the definitions that check a text and read it.

use std::fmt::Write as _;

use super::call::GROUPS;
use super::reader::{BLOCKS, EXPECTATIONS, LAUNCH, SET_ALL_WORDS, TOP};
use super::verb::{FieldRule, FieldSlot, WordForm, WordRule};
use super::{ErrorKind, KERNELS, NumberedRuntime};

/// The guide to the language without its title, in Markdown.
pub fn language_guide() -> String {
    let mut text = String::from(INTRODUCTION);
    text.push_str("\n## What a file declares\n");
    words(&mut text, TOP);
    text.push_str("\n## What a host thread does around calls\n");
    words(&mut text, BLOCKS);
    for (group, rules) in GROUPS {
        let _ = write!(text, "\n## {}\n", heading(group));
        words(&mut text, rules);
    }
    text.push_str("\n## What a launch says of its kernel\n");
    words(&mut text, LAUNCH);
    text.push_str("\n## What `set-all` gives\n");
    words(&mut text, SET_ALL_WORDS);
    text.push_str(ERRORS);
    for (word, kind) in ErrorKind::LABELS {
        let of = |runtime| {
            let errors = kind
                .runtime_errors()
                .filter(move |it| it.runtime == runtime);
            let errors: Vec<String> = errors.map(ToString::to_string).collect();
            match errors.as_slice() {
                [] => "–".to_owned(),
                errors => errors.join(", "),
            }
        };
        let (cuda, ascendcl) = (of(NumberedRuntime::Cuda), of(NumberedRuntime::AscendCl));
        let _ = writeln!(
            text,
            "| `{word}` | {} | {cuda} | {ascendcl} |",
            kind.about().trim()
        );
    }
    text.push_str("\n## What is expected\n");
    text.push_str(SHARES);
    words(&mut text, EXPECTATIONS);
    text.push_str("\n## Kernels\n\n| kernel | buffers | numbers, as they are without `set` | what it does |\n| --- | --- | --- | --- |\n");
    for kernel in KERNELS {
        let numbers = kernel.parameters.iter();
        let numbers = numbers.map(|(name, value)| format!("{name} {value}"));
        let reads = kernel.reads.iter().map(|name| format!("reads {name}"));
        let writes = kernel.writes.iter().map(|name| format!("writes {name}"));
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            kernel.name,
            listed(reads.chain(writes)),
            listed(numbers),
            kernel.about
        );
    }
    text
}

const INTRODUCTION: &str = "\
A workload is a [KDL](https://kdl.dev) document: one node a line, with arguments, `properties=` and a block in braces. What it declares may stand in any order. Each `host` block is one host thread, which makes its calls from top to bottom.

- Any call may have a `label=`: its spans are called by it (`k1: spin`), and expectations and `--lose` refer to it.
- A declaration with `count=` is an array. Its elements are written `\"x\" i` or `\"x[i + 1]\"`, and indices count modulo its length.
- Where a number stands, so may a formula in quotation marks, over the parameters and the indices of the loops around: `+ - * / % ( )`, `min`, `max`, `floor`, `abs`, `sqrt`. `%` has the sign of its divisor.
- A call that fails ends the run, unless a `try` is around it.
- In the tab *Source* what may stand at the caret is offered while you type: Tab takes the first word, the arrow keys and Enter another.
";

const ERRORS: &str = "
## Errors of calls

The words by which `catch` and `last-error` know them, and what runtimes return for them as far as that is documented. A number or a name of a runtime may stand in the place of a word, and means every error that returns it.

| word | what happened | CUDA | AscendCL |
| --- | --- | --- | --- |
";

const SHARES: &str = "
Judged once the run has ended, on its last attempt. A share of time may not be judged: overlap where the streams of the device take turns, and on `cpu` where threads had no processor core for so long that it could be the machine's doing (`syncline guide backends`). Such an expectation has neither passed nor failed, and the run does not fail of it.
";

fn listed(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() {
        return "none".to_owned();
    }
    all.join(", ")
}

/// What a group of calls is about.
fn heading(group: &str) -> &'static str {
    match group {
        "Data" => "Calls that move numbers, compute or allocate",
        "Event" => "Calls about events",
        "Stream" => "Calls about streams",
        "Host" => "Calls between host threads",
        "Launch" => "Calls about recorded launches and graphs",
        "Gpu" => "WebGPU's calls, and the loss of the device",
        _ => "Calls that ranks make together",
    }
}

fn words(text: &mut String, rules: &[WordRule]) {
    for rule in rules {
        let _ = write!(text, "\n### {}\n", rule.name);
        if !rule.about.is_empty() {
            let _ = write!(text, "\n{}\n", rule.about.trim());
        }
        let _ = write!(text, "\n```kdl\n{}\n```\n", rule.usage);
        let WordForm::Fields(fields) = rule.takes else {
            let (properties, required) = rule.properties();
            let properties = properties.iter().enumerate().map(|(place, name)| {
                let is_optional = if place < required { "" } else { " (optional)" };
                format!("`{name}=`{is_optional}")
            });
            let properties: Vec<String> = properties.collect();
            if !properties.is_empty() {
                let _ = write!(text, "\nProperties: {}.\n", properties.join(", "));
            }
            continue;
        };
        if !fields.is_empty() {
            text.push_str("\n| where | what |\n| --- | --- |\n");
        }
        for field in fields {
            let sort = (field.sort)();
            let _ = writeln!(
                text,
                "| {} | {} {sort} |",
                place(field),
                field.about.trim().trim_end_matches('.').to_owned() + ":"
            );
        }
    }
}

/// Where a field stands, in words.
fn place(field: &FieldRule) -> String {
    let is_optional = if field.is_optional { ", optional" } else { "" };
    match field.slot {
        FieldSlot::Named => "first argument, and the index behind it".to_owned(),
        FieldSlot::At(place) => format!("{} argument{is_optional}", ordinal(place)),
        FieldSlot::Property(name) => format!("`{name}=`{is_optional}"),
        FieldSlot::On => "`on=`".to_owned(),
        FieldSlot::Chosen(role, _) => format!("`on=`, or a stream of role `{}`", role.label()),
        FieldSlot::AtOr(place, name) => format!("{} argument, or `{name}=`", ordinal(place)),
        FieldSlot::OneOf(names) => {
            let names = names.iter().map(|name| format!("`{name}=`"));
            format!("one of {}, or none", names.collect::<Vec<_>>().join(", "))
        }
        FieldSlot::Block => "block".to_owned(),
    }
}

const fn ordinal(place: usize) -> &'static str {
    match place {
        0 => "first",
        1 => "second",
        _ => "third",
    }
}
