//! Every mistake in a workload is named at its place, with what to write instead.

mod streams;

use engine::workload::{Document, Plan, WorkloadError};

/// Resources and calls that a faulty line is put among.
fn around(resource: &str, call: &str, expectation: &str) -> String {
    format!(
        "param \"n\" 16 min=1 max=64\nstream \"copy\"\nstream \"lanes\" count=2\nevent \"ready\"\n\
         buffer \"x\" f32=\"n\" count=3\nbuffer \"y\" f32=\"n\"\nbuffer \"z\" f32=7\nsignal \"go\"\n\
         {resource}\nhost \"main\" {{\n    signal \"go\"\n    {call}\n    work micros=1 label=\"job\"\n}}\n\
         expect {{\n    {expectation}\n}}\n"
    )
}

fn planned(source: &str) -> Result<Plan, Vec<WorkloadError>> {
    Document::parse("a.kdl", source)?.plan(&[])
}

/// Line, the characters that are underlined, message and help of the one error of a source.
fn only(source: &str) -> (u32, String, String, String) {
    let errors = planned(source).expect_err(source);
    let [error] = errors.as_slice() else {
        panic!("{source}\n{errors:#?}")
    };
    let marked = error
        .text
        .chars()
        .skip(error.column as usize - 1)
        .take(error.length as usize);
    (
        error.line,
        marked.collect(),
        error.message.clone(),
        error.help.clone(),
    )
}

/// Each mistake with the characters that are underlined, and a part of the message and of the help.
const RESOURCES: &[(&str, &str, &str, &str)] = &[
    ("strem \"b\"", "strem", "nothing called “strem”", "“stream”"),
    (
        "stream \"b\" rol=\"compute\"",
        "rol",
        "no property “rol”",
        "“role”",
    ),
    (
        "stream \"b\" role=\"computer\"",
        "\"computer\"",
        "no role “computer”",
        "“compute”",
    ),
    (
        "stream \"b\" priority=1.5",
        "1.5",
        "1.5 is no priority",
        "-100",
    ),
    (
        "stream \"copy\"",
        "\"copy\"",
        "“copy” is declared already",
        "another name",
    ),
    (
        "stream",
        "stream",
        "needs 1 argument, and has 0",
        "stream \"copy\"",
    ),
    (
        "stream \"b\" \"c\"",
        "\"c\"",
        "takes 1 argument at most",
        "write:",
    ),
    (
        "stream \"b\" count=0",
        "0",
        "the count of “b” is 0",
        "1 to 131072",
    ),
    (
        "stream \"b\" count=200000",
        "200000",
        "the count of “b” is 200000",
        "1 to 131072",
    ),
    (
        "stream \"b\" count=20000",
        "\"b\"",
        "more than 16384 streams",
        "thread",
    ),
    ("stream \"b[0]\"", "\"b[0]\"", "has brackets", "count="),
    ("stream \"\"", "\"\"", "empty", "name"),
    ("stream 7", "7", "7 is no text", "quotation marks"),
    (
        "event \"e\" timing=1",
        "1",
        "1 is neither #true nor #false",
        "#true",
    ),
    ("event \"e\" { }", "event", "has no block", "write:"),
    ("buffer \"b\"", "buffer", "needs f32=…", "f32="),
    (
        "buffer \"b\" f32=0",
        "0",
        "the length of “b” is 0",
        "whole number from 1",
    ),
    (
        "buffer \"b\" f32=\"-n\"",
        "\"-n\"",
        "is -16",
        "whole number from 1",
    ),
    (
        "buffer \"b\" f32=\"n / 3\"",
        "\"n / 3\"",
        "is 5.333",
        "whole number",
    ),
    (
        "buffer \"b\" f32=\"n / 0\"",
        "\"n / 0\"",
        "is inf",
        "whole number",
    ),
    (
        "buffer \"b\" f32=1e300",
        "1e300",
        "the length of “b” is",
        "whole number",
    ),
    (
        "buffer \"b\" f32=2000000000 count=4096",
        "2000000000",
        "bytes",
        "shorter",
    ),
    (
        "buffer \"b\" f32=\"m * 2\"",
        "m",
        "nothing is called “m”",
        "known here: n",
    ),
    ("buffer \"b\" f32=\"n * (2\"", "\"", "“)” is expected", ""),
    (
        "buffer \"b\" f32=n init=\"k + prat\"",
        "prat",
        "nothing is called “prat”",
        "“part”",
    ),
    ("param \"m\" 3 min=4", "3", "“m” is 3", "between"),
    (
        "param \"m\" 3 min=4 max=2",
        "4",
        "min (4) is above max (2)",
        "swap",
    ),
    ("param \"m\" \"3\"", "\"3\"", "is no number", "12"),
    ("param \"m\" #nan", "#nan", "is no number", "12"),
    (
        "param \"m\" -1e400",
        "-1e400",
        "-1e400 is too large: the largest number is 1.79",
        "1e6",
    ),
    (
        "param \"m+1\" 3",
        "\"m+1\"",
        "cannot be used in expressions",
        "letters",
    ),
    ("param \"k\" 3", "\"k\"", "meaning of its own", "another"),
    ("param \"n\" 3", "\"n\"", "declared already", "another"),
    (
        "host \"main\" { work micros=1 }",
        "\"main\"",
        "declared already",
        "another",
    ),
    ("host \"b\" { }", "host", "does nothing", "calls"),
    ("host \"b\"", "host", "needs a block", "{ … }"),
    ("about \"a\"\nabout \"b\"", "about", "one about", "join"),
    (
        "(u8)stream \"b\"",
        "(u8)stream \"b\"",
        "annotations",
        "write:",
    ),
];

#[test]
fn mistakes_in_resources() {
    for (line, marked, message, help) in RESOURCES {
        let found = only(&around(line, "", "problem \"x\" at-most=0"));
        assert_eq!(found.1, *marked, "{line}: {found:?}");
        assert!(
            found.2.contains(message) && found.3.contains(help),
            "{line}: {found:?}"
        );
        assert!((9..=10).contains(&found.0), "{line}: {found:?}");
    }
}

const CALLS: &[(&str, &str, &str, &str)] = &[
    (
        "lanuch \"spin\" on=\"copy\"",
        "lanuch",
        "nothing called “lanuch”",
        "“launch”",
    ),
    (
        "wait \"raedy\" on=\"copy\"",
        "raedy",
        "no event “raedy”",
        "“ready”",
    ),
    (
        "wait \"ready\" on=\"cpy\"",
        "cpy",
        "no stream “cpy”",
        "“copy”",
    ),
    ("wait \"ready\"", "wait", "needs on=…", "on="),
    (
        "wait \"ready\" on=\"lanes\"",
        "\"lanes\"",
        "there are 2 of these",
        "index",
    ),
    (
        "wait \"ready\" on=\"lanes[i]\"",
        "i",
        "nothing is called “i”",
        "known here: n",
    ),
    (
        "wait \"ready\" on=\"lanes[0\"",
        "lanes[0",
        "ends without “]”",
        "lanes[i]",
    ),
    (
        "wait \"ready[0]\" 1 on=\"copy\"",
        "1",
        "given twice",
        "keep",
    ),
    (
        "wait \"ready\" \"0/0\" on=\"copy\"",
        "\"ready\"",
        "this index is NaN",
        "number",
    ),
    (
        "upload \"w\" on=\"copy\"",
        "w",
        "no buffer “w”",
        "declared: x, y, z",
    ),
    (
        "upload \"y\" on=\"copy\" on=\"copy\"",
        "on",
        "given twice",
        "keep",
    ),
    (
        "launch \"saxpi\" on=\"copy\"",
        "\"saxpi\"",
        "no kernel “saxpi”",
        "“saxpy”",
    ),
    (
        "launch \"saxpy\" on=\"copy\" { write \"y\" }",
        "\"saxpy\"",
        "reads 1 buffer, and none is given",
        "order: read x",
    ),
    (
        "launch \"spin\" on=\"copy\" { write \"y\" }",
        "\"spin\"",
        "writes no buffer, and 1 is given",
        "leave write out",
    ),
    (
        "launch \"spin\" on=\"copy\" { set \"micro\" 1 }",
        "\"micro\"",
        "no number “micro”",
        "“micros”",
    ),
    (
        "launch \"spin\" on=\"copy\" { set \"micros\" 1; set \"micros\" 2 }",
        "\"micros\"",
        "set twice",
        "keep",
    ),
    (
        "launch \"spin\" on=\"copy\" { sett \"micros\" 1 }",
        "sett",
        "a launch has nothing",
        "“set”",
    ),
    (
        "copy \"y\" \"z\" on=\"copy\"",
        "copy \"y\" \"z\" on=\"copy\"",
        "16 floats to a buffer of 7",
        "equally",
    ),
    (
        "copy \"x[0]\" \"x[3]\" on=\"copy\"",
        "copy \"x[0]\" \"x[3]\" on=\"copy\"",
        "to itself",
        "two buffers",
    ),
    (
        "fill \"y\" value=\"1/0\" on=\"copy\"",
        "fill \"y\" value=\"1/0\" on=\"copy\"",
        "fills with inf",
        "number",
    ),
    ("work micros=-1", "work micros=-1", "takes -1 µs", "minute"),
    ("work", "work", "needs micros=…", "micros="),
    ("repeat 2 { }", "repeat", "does nothing", "calls"),
    (
        "repeat \"n / 3\" { synchronize-device }",
        "\"n / 3\"",
        "repeats 5.333",
        "whole number",
    ),
    (
        "repeat -1 { synchronize-device }",
        "-1",
        "repeats -1",
        "whole number",
    ),
    (
        "repeat 2 index=\"n\" { synchronize-device }",
        "\"n\"",
        "declared already",
        "another",
    ),
    (
        "repeat 1e8 { repeat 1e8 { synchronize-device } }",
        "1e8",
        "more than 100000000 calls",
        "less",
    ),
    (
        "repeat 1e8 { repeat 1e8 { repeat 0 { synchronize-device } } }",
        "1e8",
        "more than",
        "less",
    ),
    (
        "repeat 1e7 index=\"i\" { repeat \"i\" { synchronize-device } }",
        "1e7",
        "more than",
        "less",
    ),
];

#[test]
fn mistakes_in_calls() {
    for (line, marked, message, help) in CALLS {
        let found = only(&around("", line, "problem \"x\" at-most=0"));
        assert_eq!(
            (found.0, found.1.as_str()),
            (12, *marked),
            "{line}: {found:?}"
        );
        assert!(
            found.2.contains(message) && found.3.contains(help),
            "{line}: {found:?}"
        );
    }
}

const SHAPES: &[(&str, &str)] = &[
    (
        "saxpy\" on=\"copy\" { read \"y\"; write \"z\" }",
        "16, 7 floats",
    ),
    (
        "scan\" on=\"copy\" { read \"y\"; write \"y\" }",
        "writes a buffer that it reads",
    ),
    (
        "matmul\" on=\"copy\" { read \"z\"; read \"z\"; write \"y\" }",
        "square",
    ),
    (
        "reduce\" on=\"copy\" { read \"y\"; write \"z\" }",
        "16 floats cannot be split into 7",
    ),
    (
        "stencil\" on=\"copy\" { read \"y\"; write \"x[0]\"; set \"width\" 5 }",
        "rows of 5",
    ),
    (
        "nbody\" on=\"copy\" { read \"x[0]\"; write \"x[1]\"; write \"x[4]\" }",
        "one buffer twice",
    ),
    (
        "spin\" on=\"copy\" { set \"micros\" \"0/0\" }",
        "“micros” is NaN",
    ),
];

#[test]
fn launches_that_do_not_fit_their_kernel() {
    for (line, message) in SHAPES {
        let found = only(&around(
            "",
            &format!("launch \"{line}"),
            "problem \"x\" at-most=0",
        ));
        assert!(
            found.0 == 12 && found.2.contains(message),
            "{line}: {found:?}"
        );
    }
}

const EXPECTATIONS: &[(&str, &str, &str, &str)] = &[
    (
        "overlop \"copy\" \"lanes\" at-least=0.1",
        "overlop",
        "nothing called “overlop”",
        "“overlap”",
    ),
    (
        "overlap \"copy\" \"lanes\"",
        "overlap",
        "of no number",
        "at-least=0.1",
    ),
    (
        "overlap \"copy\" \"lanes\" at-least=30",
        "30",
        "between 0 and 1",
        "30 %",
    ),
    (
        "overlap \"copy\" \"lane\" at-least=0",
        "lane",
        "no stream “lane”",
        "“lanes”",
    ),
    ("each \"y\"", "each", "needs equals=…", "equals="),
    (
        "each \"y\" equals=\"i\"",
        "i",
        "nothing is called “i”",
        "n, part, k",
    ),
    (
        "each \"y\" equals=1 tolerance=-1",
        "-1",
        "tolerance cannot be -1",
        "above 0",
    ),
    (
        "sum \"y\" equals=\"1/0\"",
        "\"1/0\"",
        "this bound is inf",
        "number",
    ),
    (
        "before \"jbo\" \"job\"",
        "\"jbo\"",
        "no call has the label “jbo”",
        "“job”",
    ),
];

#[test]
fn mistakes_in_expectations() {
    for (line, marked, message, help) in EXPECTATIONS {
        let found = only(&around("", "synchronize-device", line));
        assert_eq!(
            (found.0, found.1.as_str()),
            (16, *marked),
            "{line}: {found:?}"
        );
        assert!(
            found.2.contains(message) && found.3.contains(help),
            "{line}: {found:?}"
        );
    }
}

#[test]
fn a_wait_before_any_stream_exists() {
    let (line, marked, message, help) =
        only("event \"ready\"\nhost \"main\" {\n  wait \"ready\" on=\"compute\"\n}\n");
    assert_eq!((line, marked.as_str()), (3, "compute"));
    assert!(message.contains("declares no stream at all"), "{message}");
    assert_eq!(help, "declare one: stream \"compute\"");
}

#[test]
fn a_signal_that_nothing_raises() {
    let (line, marked, message, _) = only("signal \"go\"\nhost \"main\" { await \"go\" }\n");
    assert_eq!((line, marked.as_str()), (2, "\"go\""));
    assert!(message.contains("waits for ever"));
}

#[test]
fn all_mistakes_are_reported_in_the_order_of_lines() {
    let errors =
        planned("strem \"a\"\nstream \"b\" rol=1\nhost \"main\" {\n upload \"x\" on=\"c\"\n}\n")
            .unwrap_err();
    let lines: Vec<u32> = errors.iter().map(|error| error.line).collect();
    assert_eq!(lines, [1, 2, 4, 4]);
}

#[test]
fn what_is_no_kdl_is_reported_at_its_place() {
    for (source, line) in [
        ("stream \"a\"\nhost \"main\" {\n", 2..=3),
        ("stream \"a\nhost", 1..=2),
        ("a\nb 1.\n", 2..=2),
        ("stream \"a\" count=\n", 1..=2),
        ("host \"m\" { } }\n", 1..=1),
        ("param n true\n", 1..=1),
    ] {
        let errors = planned(source).unwrap_err();
        assert!(
            errors.iter().any(|error| line.contains(&error.line)),
            "{source}: {errors:#?}"
        );
    }
    for empty in ["", "\n", "// nothing\n"] {
        assert!(
            planned(empty).unwrap_err()[0]
                .message
                .contains("makes no calls")
        );
    }
}
