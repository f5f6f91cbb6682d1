//! Mistakes with recorded launches and graphs are named at their place, with what to write instead.

use engine::workload::Document;

/// A workload with this line among the calls.
fn around(call: &str) -> String {
    format!(
        "stream \"a\"\nbuffer \"x\" f32=16\nbuffer \"y\" f32=16\nrecorded \"step\"\nrecorded \"never\"\n\
         graph \"g\"\ngraph \"none\"\nhost \"main\" {{\n    record-launch \"step\" \"saxpy\" {{ read \"x\"; write \"y\" }}\n    \
         begin-capture \"a\"\n    end-capture \"a\" \"g\"\n    {call}\n}}\n"
    )
}

/// Each mistake with the characters that are underlined, and a part of the message and of the help.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    (
        "relaunch \"stp\" on=\"a\"",
        "stp",
        "no recorded “stp”",
        "“step”",
    ),
    (
        "relaunch \"never\" on=\"a\"",
        "\"never\"",
        "nothing records this launch",
        "record-launch",
    ),
    (
        "set \"step\" \"b\" 2",
        "set \"step\" \"b\" 2",
        "has no argument “b”",
        "a",
    ),
    (
        "set \"step\" 3 2",
        "set \"step\" 3 2",
        "no argument at place 3",
        "x, y, a",
    ),
    ("set \"step\" -1 2", "-1", "-1 is no place", "from 0"),
    (
        "set \"step\" \"x\" 2",
        "set \"step\" \"x\" 2",
        "expects a buffer and gets a number",
        "buffer=",
    ),
    (
        "set \"step\" \"a\" buffer=\"x\"",
        "set \"step\" \"a\" buffer=\"x\"",
        "expects a number and gets a buffer",
        "2.0",
    ),
    (
        "set \"step\" \"a\"",
        "set",
        "to a number or to a buffer",
        "set \"step\"",
    ),
    (
        "set-all \"step\" { buffr \"x\" }",
        "buffr",
        "nothing called “buffr”",
        "“buffer”",
    ),
    (
        "record-launch \"step\" \"saxpi\"",
        "\"saxpi\"",
        "no kernel “saxpi”",
        "“saxpy”",
    ),
    (
        "record-launch \"step\" \"saxpy\"",
        "\"saxpy\"",
        "reads 1 buffer, and none is given",
        "in this order: read x",
    ),
    (
        "begin-capture \"a\" mode=\"globl\"",
        "\"globl\"",
        "no mode “globl”",
        "“global”",
    ),
    ("end-capture \"a\" \"h\"", "h", "no graph “h”", "g, none"),
    (
        "replay \"none\" on=\"a\"",
        "\"none\"",
        "nothing captures this graph",
        "end-capture",
    ),
    (
        "instantiate \"none\"",
        "\"none\"",
        "nothing captures this graph",
        "end-capture",
    ),
];

#[test]
fn each_mistake_is_named_at_its_place() {
    for (call, marked, message, help) in MISTAKES {
        let source = around(call);
        let errors = Document::check("a.kdl", &source);
        let error = errors.iter().find(|error| error.line == 12);
        let error = error.unwrap_or_else(|| panic!("{call}: {errors:#?}"));
        let found = error.text.chars().skip(error.column as usize - 1);
        let found: String = found.take(error.length as usize).collect();
        assert_eq!(found, *marked, "{call}: {error:?}");
        assert!(error.message.contains(message), "{call}: {}", error.message);
        assert!(error.help.contains(help), "{call}: {}", error.help);
    }
    assert_eq!(
        Document::check("a.kdl", &around("relaunch \"step\" on=\"a\"")),
        []
    );
}
