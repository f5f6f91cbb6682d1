//! The language as tables: what each word of a workload takes. Checks, suggestions and help read them.

mod calls;
mod launches;
mod ranks;

pub(super) use calls::CALLS;
pub(super) use launches::VALUES;
pub(super) use ranks::PLACEMENT;

use ranks::RANKS;

/// What one word takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub name: &'static str,
    /// The fewest and the most arguments.
    pub arguments: (usize, usize),
    /// Properties that may be given; those that must be come first.
    pub properties: &'static [&'static str],
    /// How many of the properties must be given.
    pub required: usize,
    /// Whether it has a block of its own.
    pub block: Block,
    /// How it is written.
    pub usage: &'static str,
}

/// Whether a word has a block of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Never,
    May,
    Must,
}

const fn rule(
    name: &'static str,
    arguments: (usize, usize),
    required: usize,
    properties: &'static [&'static str],
    usage: &'static str,
) -> Rule {
    Rule {
        name,
        arguments,
        properties,
        required,
        block: Block::Never,
        usage,
    }
}

const fn with(block: Block, rule: Rule) -> Rule {
    Rule { block, ..rule }
}

/// What stands at the top of a file.
pub(super) const TOP: &[Rule] = &[
    rule("about", (1, 1), 0, &[], "about \"what the workload shows\""),
    rule(
        "param",
        (2, 2),
        0,
        &["min", "max", "about"],
        "param \"n\" 1024 min=1 max=4096 about=\"elements\"",
    ),
    rule(
        "stream",
        (1, 1),
        0,
        &["role", "priority", "count", "kind", "blocking", "failure"],
        "stream \"copy\" role=\"host-to-device\"",
    ),
    rule(
        "event",
        (1, 1),
        0,
        &[
            "timing",
            "count",
            "blocking",
            "kind",
            "slot",
            "pool",
            "interprocess",
        ],
        "event \"ready\" count=2",
    ),
    rule(
        "buffer",
        (1, 1),
        1,
        &["f32", "count", "init", "memory"],
        "buffer \"x\" f32=\"n\" init=\"k % 7\"",
    ),
    rule(
        "event-pool",
        (1, 1),
        1,
        &["count", "timing"],
        "event-pool \"pool\" count=4",
    ),
    rule("event-slots", (1, 1), 0, &[], "event-slots 4"),
    rule(
        "callback-thread",
        (1, 1),
        0,
        &["count"],
        "callback-thread \"calls\"",
    ),
    rule("signal", (1, 1), 0, &["count"], "signal \"go\""),
    rule(
        "machine",
        (0, 0),
        0,
        &["high", "low", "threads"],
        "machine high=64 low=32",
    ),
    rule(
        "synchronization",
        (1, 1),
        0,
        &[],
        "synchronization \"automatic\"",
    ),
    rule(
        "shader",
        (1, 1),
        1,
        &["wgsl"],
        "shader \"mine\" wgsl=\"@compute @workgroup_size(64) fn main() {}\"",
    ),
    rule(
        "pipeline",
        (1, 1),
        0,
        &[
            "kernel",
            "shader",
            "entry",
            "kind",
            "count",
            "slow-micros",
            "fails",
            "cache",
        ],
        "pipeline \"saxpy\" kernel=\"saxpy\"",
    ),
    rule(
        "promise",
        (1, 1),
        0,
        &["count"],
        "promise \"built\" count=4",
    ),
    rule(
        "recorded",
        (1, 1),
        0,
        &["kernel", "count"],
        "recorded \"step\"",
    ),
    rule("graph", (1, 1), 0, &["count"], "graph \"step\""),
    with(
        Block::Must,
        rule("host", (1, 1), 0, &["edition"], "host \"main\" { … }"),
    ),
    with(Block::Must, rule("expect", (0, 0), 0, &[], "expect { … }")),
    RANKS[0],
    RANKS[1],
];

/// What a launch says of its kernel.
pub(super) const LAUNCH: &[Rule] = &[
    rule("read", (1, 2), 0, &[], "read \"x\" i"),
    rule("write", (1, 2), 0, &[], "write \"y\""),
    rule("set", (2, 2), 0, &[], "set \"a\" 2.0"),
];

/// What can be expected.
pub(super) const EXPECTATIONS: &[Rule] = &[
    rule(
        "overlap",
        (2, 2),
        0,
        &["at-least", "at-most"],
        "overlap \"copy\" \"compute\" at-least=0.3",
    ),
    rule(
        "busy",
        (1, 1),
        0,
        &["at-least", "at-most"],
        "busy \"compute\" at-least=0.5",
    ),
    rule(
        "each",
        (1, 1),
        1,
        &["equals", "tolerance"],
        "each \"y\" equals=\"a * k + 1\"",
    ),
    rule(
        "sum",
        (1, 1),
        0,
        &["equals", "tolerance", "at-least", "at-most"],
        "sum \"bins\" equals=\"n\"",
    ),
    rule(
        "settles",
        (2, 2),
        0,
        &["value"],
        "settles \"mapped\" \"rejected\" value=\"AbortError\"",
    ),
    rule("before", (2, 2), 0, &[], "before \"load\" \"use\""),
    rule("in-turn", (2, 2), 0, &[], "in-turn \"load\" \"use\""),
    rule(
        "ends-before",
        (2, 2),
        0,
        &[],
        "ends-before \"load\" \"use\"",
    ),
    rule(
        "problem",
        (1, 1),
        0,
        &["equals", "at-least", "at-most"],
        "problem \"wait-before-record\" at-least=1",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_consistent() {
        for rules in [TOP, CALLS, LAUNCH, VALUES, EXPECTATIONS] {
            for (place, rule) in rules.iter().enumerate() {
                assert!(
                    rules
                        .iter()
                        .skip(place + 1)
                        .all(|other| other.name != rule.name),
                    "{}",
                    rule.name
                );
                assert!(
                    rule.required <= rule.properties.len() && rule.arguments.0 <= rule.arguments.1
                );
                assert!(rule.usage.starts_with(rule.name), "{}", rule.usage);
                assert!(
                    kdl::KdlDocument::parse_v2(&rule.usage.replace("{ … }", "{ }")).is_ok(),
                    "{}",
                    rule.usage
                );
            }
        }
    }
}
