//! The words of a workload besides calls, as tables: what each takes. Checks, suggestions and help read them.

mod ranks;

use std::sync::LazyLock;

pub(crate) use ranks::PLACEMENT;

use crate::call::GROUPS;
use crate::verb::{BlockRule, WordForm, WordRule};
use ranks::RANKS;

const fn rule(
    name: &'static str,
    arguments: (usize, usize),
    required: usize,
    properties: &'static [&'static str],
    usage: &'static str,
) -> WordRule {
    WordRule {
        name,
        takes: WordForm::Entries {
            arguments,
            required,
            properties,
        },
        block: BlockRule::Never,
        usage,
        about: "",
        read: None,
    }
}

const fn with(block: BlockRule, rule: WordRule) -> WordRule {
    WordRule { block, ..rule }
}

const fn about(about: &'static str, rule: WordRule) -> WordRule {
    WordRule { about, ..rule }
}

/// What a host thread does: calls, and what is around them.
pub(crate) static CALLS: LazyLock<Vec<WordRule>> = LazyLock::new(|| {
    let calls = GROUPS.iter().flat_map(|(_, words)| words.iter());
    calls.chain(BLOCKS).copied().collect()
});

/// What is around calls.
pub(crate) const BLOCKS: &[WordRule] = &[
    about(
        "Makes its calls so many times; `index` names the number of the round, counted from 0.",
        with(
            BlockRule::Must,
            rule(
                "repeat",
                (1, 1),
                0,
                &["index"],
                "repeat 8 index=\"i\" { … }",
            ),
        ),
    ),
    about(
        "Makes its calls, and goes on with the first `catch` behind it that takes the error of one that fails.",
        with(BlockRule::Must, rule("try", (0, 0), 0, &[], "try { … }")),
    ),
    about(
        "Is made in place of what is left of the `try` before it, after an error of this kind, or of any. Besides the words for errors, the numbers and names of runtimes are known (`catch \"600\"`), each for all errors that return it.",
        with(
            BlockRule::May,
            rule("catch", (0, 1), 0, &[], "catch \"not-ready\" { … }"),
        ),
    ),
    about(
        "Measures its calls on a stream, between the records of two events of its own.",
        with(
            BlockRule::Must,
            rule(
                "time",
                (1, 1),
                1,
                &["on"],
                "time \"step\" on=\"compute\" { … }",
            ),
        ),
    ),
    about(
        "Is for one rank alone.",
        with(
            BlockRule::Must,
            rule("only", (1, 1), 0, &[], "only 0 { … }"),
        ),
    ),
    about(
        "Is for all ranks but one.",
        with(
            BlockRule::Must,
            rule("except", (1, 1), 0, &[], "except 0 { … }"),
        ),
    ),
];

/// What `set-all` gives, in the order of the kernel's arguments.
pub(crate) const SET_ALL_WORDS: &[WordRule] = &[
    rule("buffer", (1, 2), 0, &[], "buffer \"x\" i"),
    rule("number", (1, 1), 0, &[], "number 2.0"),
];

/// What stands at the top of a file.
pub(crate) const TOP: &[WordRule] = &[
    about(
        "What the workload shows, in one or two sentences.",
        rule("about", (1, 1), 0, &[], "about \"what the workload shows\""),
    ),
    about(
        "The lesson that the text is handed in for; a run takes no notice of it.",
        rule("lesson", (1, 1), 0, &[], "lesson \"first-wait\""),
    ),
    about(
        "A number that a run can have another value of, within its limits; formulas use it by its name.",
        rule(
            "param",
            (2, 2),
            0,
            &["min", "max", "about"],
            "param \"n\" 1024 min=1 max=4096 about=\"elements\"",
        ),
    ),
    about(
        "A stream, or an array of them. Its role chooses it for operations that name none; of two, the one of lower priority runs first. With `blocking=#true` it and the stream of `kind=\"legacy\"` wait for each other (rule A22); `kind=\"per-thread\"` is one for each host thread. With `failure=\"continue\"` it goes on after an operation that failed (rule F13).",
        rule(
            "stream",
            (1, 1),
            0,
            &["role", "priority", "count", "kind", "blocking", "failure"],
            "stream \"copy\" role=\"host-to-device\"",
        ),
    ),
    about(
        "An event. `blocking=#true` lets a thread that waits for it sleep; without, it spins (rule A10). `kind=\"sync progress timeline\"` says what it is made for, as in `AscendCL` (rule F1), and `slot=` when it takes one of the `event-slots` (rule F3): at its `creation` or at each `record`. `pool=` takes it from an `event-pool` at run time. One for several processes, `interprocess=#true`, keeps no times (rule A12).",
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
    ),
    about(
        "Floats on the device, which begin as zeros, and their copy on the host, which `init` fills: `k` is the element's number, and `part` the number of the buffer in its array. `memory` is `device`, `pinned`, `pageable` (copies block, rule A31) or `stream-ordered` (allocated and freed by calls, rule A33).",
        rule(
            "buffer",
            (1, 1),
            1,
            &["f32", "count", "init", "memory"],
            "buffer \"x\" f32=\"n\" init=\"k % 7\"",
        ),
    ),
    about(
        "Events that `acquire` and `release` take and give back.",
        rule(
            "event-pool",
            (1, 1),
            1,
            &["count", "timing"],
            "event-pool \"pool\" count=4",
        ),
    ),
    about(
        "How many events the device has room for (rule F3).",
        rule("event-slots", (1, 1), 0, &[], "event-slots 4"),
    ),
    about(
        "A thread that takes the callbacks of the streams that it is subscribed to (rule F15).",
        rule(
            "callback-thread",
            (1, 1),
            0,
            &["count"],
            "callback-thread \"calls\"",
        ),
    ),
    about(
        "A signal that host threads raise, and that they and streams wait for.",
        rule("signal", (1, 1), 0, &["count"], "signal \"go\""),
    ),
    about(
        "Calls become instructions of a virtual machine, whose lives are shown. With `high` and `low` whoever calls waits once so many are on their way, until that few are left (rule E13); with `threads=\"many\"` workers launch them.",
        rule(
            "machine",
            (0, 0),
            0,
            &["high", "low", "threads"],
            "machine high=64 low=32",
        ),
    ),
    about(
        "Who orders the uses of buffers on several streams: `manual` the workload, `automatic` a wait for the last use on another stream (rule E2), `least` a wait for each conflict that nothing orders yet, `compared` automatic with a comparison to the least.",
        rule(
            "synchronization",
            (1, 1),
            0,
            &[],
            "synchronization \"automatic\"",
        ),
    ),
    about(
        "How a paced device takes its time: GiB a second that each copy engine moves (a kernel takes an element for four bytes), compute slots, and by what every length is multiplied. Another device takes no notice of it.",
        rule(
            "pace",
            (0, 0),
            0,
            &["rate", "slots", "stretch"],
            "pace rate=1 slots=2 stretch=10",
        ),
    ),
    about(
        "A shader in WGSL, for pipelines.",
        rule(
            "shader",
            (1, 1),
            1,
            &["wgsl"],
            "shader \"mine\" wgsl=\"@compute @workgroup_size(64) fn main() {}\"",
        ),
    ),
    about(
        "A pipeline that is compiled when a call creates it: of a kernel of the library or of a shader. `slow-micros` and `fails` make its compilation slow or let it fail; `cache=#false` compiles it each time.",
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
    ),
    about(
        "A name for promises; each call that is given it makes a new one.",
        rule(
            "promise",
            (1, 1),
            0,
            &["count"],
            "promise \"built\" count=4",
        ),
    ),
    about(
        "A launch that is recorded once and launched many times (rules D1 to D10).",
        rule(
            "recorded",
            (1, 1),
            0,
            &["kernel", "count"],
            "recorded \"step\"",
        ),
    ),
    about(
        "A graph of captured calls (rules A36 to A44).",
        rule("graph", (1, 1), 0, &["count"], "graph \"step\""),
    ),
    about(
        "A host thread and what it calls. `edition` chooses the text of the WebGPU specification that its promises go by.",
        with(
            BlockRule::Must,
            rule("host", (1, 1), 0, &["edition"], "host \"main\" { … }"),
        ),
    ),
    about(
        "What is checked after the run.",
        with(
            BlockRule::Must,
            rule("expect", (0, 0), 0, &[], "expect { … }"),
        ),
    ),
    RANKS[0],
    RANKS[1],
];

/// What a launch says of its kernel.
pub(crate) const LAUNCH: &[WordRule] = &[
    rule("read", (1, 2), 0, &[], "read \"x\" i"),
    rule("write", (1, 2), 0, &[], "write \"y\""),
    rule("set", (2, 2), 0, &[], "set \"a\" 2.0"),
];

/// What can be expected.
pub(crate) const EXPECTATIONS: &[WordRule] = &[
    about(
        "How much of the time that the less busy of two streams was busy, both were: 0 to 1.",
        rule(
            "overlap",
            (2, 2),
            0,
            &["at-least", "at-most"],
            "overlap \"copy\" \"compute\" at-least=0.3",
        ),
    ),
    about(
        "How much of the time from the first operation to the end of the last a stream was busy: 0 to 1.",
        rule(
            "busy",
            (1, 1),
            0,
            &["at-least", "at-most"],
            "busy \"compute\" at-least=0.5",
        ),
    ),
    about(
        "Every element of a buffer's copy on the host is what the formula says, within `tolerance`; `k` and `part` are as for `init`.",
        rule(
            "each",
            (1, 1),
            1,
            &["equals", "tolerance"],
            "each \"y\" equals=\"a * k + 1\"",
        ),
    ),
    about(
        "What all elements of a buffer's copy on the host come to.",
        rule(
            "sum",
            (1, 1),
            0,
            &["equals", "tolerance", "at-least", "at-most"],
            "sum \"bins\" equals=\"n\"",
        ),
    ),
    about(
        "What the latest promise of a name came to: `resolved` or `rejected`, and with which value. One that is pending is neither.",
        rule(
            "settles",
            (2, 2),
            0,
            &["value"],
            "settles \"mapped\" \"rejected\" value=\"AbortError\"",
        ),
    ),
    about(
        "Every operation of the first label ends before any of the second begins.",
        rule("before", (2, 2), 0, &[], "before \"load\" \"use\""),
    ),
    about(
        "There are as many operations of the first label as of the second, and each of the first ends before its partner begins.",
        rule("in-turn", (2, 2), 0, &[], "in-turn \"load\" \"use\""),
    ),
    about(
        "Every operation of the first label ends before any of the second ends.",
        rule(
            "ends-before",
            (2, 2),
            0,
            &[],
            "ends-before \"load\" \"use\"",
        ),
    ),
    about(
        "Something enforces that every operation of the first label ends before any of the second begins, whatever the times turned out to be. With `by=\"turn\"`, each of the first before its partner, and with `shift=1` before the one after that. An operation of a graph counts as its nodes; a label of a call that submits nothing means its return. What a loss of the device took counts as well: the calls order it all the same. At most 25,000,000 pairs are compared, and 100,000,000 for all such lines together.",
        rule(
            "ordered",
            (2, 2),
            0,
            &["by", "shift"],
            "ordered \"upload\" \"kernel\"",
        ),
    ),
    about(
        "Nothing orders the operations of two labels, either way: all of them, or `at-least` so many pairs. `by=\"turn\" shift=1` compares each of the second with the one of the first that is a place further.",
        rule(
            "apart",
            (2, 2),
            0,
            &["by", "shift", "at-least"],
            "apart \"upload\" \"other\"",
        ),
    ),
    about(
        "How many races are found, of a buffer where one is named.",
        rule(
            "race",
            (0, 1),
            0,
            &["equals", "at-least", "at-most"],
            "race at-most=0",
        ),
    ),
    about(
        "How many calls of host threads wait: synchronisations, whether they had to wait or not, and copies of pageable memory.",
        rule(
            "host-waits",
            (0, 0),
            0,
            &["equals", "at-least", "at-most"],
            "host-waits at-most=1",
        ),
    ),
    about(
        "How many waits and joins streams ran: a barrier is one for each other stream, one that is captured is none, and those that the engine inserts do not count.",
        rule(
            "stream-waits",
            (0, 0),
            0,
            &["equals", "at-least", "at-most"],
            "stream-waits at-most=2",
        ),
    ),
    about(
        "The host has waited for every operation of a label by its last call.",
        rule("host-knows", (1, 1), 0, &[], "host-knows \"download\""),
    ),
    about(
        "Every operation of a label ran on this stream.",
        rule("on", (2, 2), 0, &[], "on \"upload\" \"copy\""),
    ),
    about(
        "How many calls of a verb were made.",
        rule(
            "calls",
            (1, 1),
            0,
            &["equals", "at-least", "at-most"],
            "calls \"query\" at-most=0",
        ),
    ),
    about(
        "How many calls of the first label were made before the first of the second; with `after`, behind the last of a third.",
        rule(
            "called-before",
            (2, 2),
            0,
            &["after", "equals", "at-least", "at-most"],
            "called-before \"frame\" \"settled\" at-least=4",
        ),
    ),
    about(
        "How many launches waited for their pipeline.",
        rule(
            "stalled",
            (0, 0),
            0,
            &["equals", "at-least", "at-most"],
            "stalled at-most=0",
        ),
    ),
    about(
        "How many buffers of an array operations use.",
        rule(
            "used",
            (1, 1),
            0,
            &["equals", "at-least", "at-most"],
            "used \"x\" at-most=2",
        ),
    ),
    about(
        "The time that `elapsed` measured last between two events, in microseconds.",
        rule(
            "elapsed",
            (2, 2),
            0,
            &["equals", "at-least", "at-most"],
            "elapsed \"start\" \"end\" at-most=3000",
        ),
    ),
    about(
        "How often a problem of this code is reported.",
        rule(
            "problem",
            (1, 1),
            0,
            &["equals", "at-least", "at-most"],
            "problem \"wait-before-record\" at-least=1",
        ),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_consistent() {
        for rules in [TOP, CALLS.as_slice(), LAUNCH, SET_ALL_WORDS, EXPECTATIONS] {
            for (place, rule) in rules.iter().enumerate() {
                let mut later = rules.iter().skip(place + 1);
                assert!(later.all(|other| other.name != rule.name), "{}", rule.name);
                let ((properties, required), arguments) = (rule.properties(), rule.arguments());
                assert!(required <= properties.len() && arguments.0 <= arguments.1);
                assert!(rule.usage.starts_with(rule.name), "{}", rule.usage);
                let usage = rule.usage.replace("{ … }", "{ }");
                assert!(crate::kdl::parse(&usage).is_ok(), "{usage}");
            }
        }
    }
}
