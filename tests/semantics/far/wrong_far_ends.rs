//! Far ends that are no workers, or not of this version: one clear error each.

use engine::runner::far::{PROTOCOL, WorkerTarget};

use super::view::View;
use super::{long, request};
use crate::house::program::wait_for_end;

/// A far end that is this shell script.
fn script(text: &str) -> WorkerTarget {
    WorkerTarget {
        name: "odd".to_owned(),
        command: ["sh", "-c", text].map(Into::into).into(),
        can_drop: false,
        silence: std::time::Duration::from_mins(1),
        shares_clock: false,
    }
}

/// Why a run there is refused.
fn refusal(text: &str) -> String {
    let mut view = View::of(script(text));
    view.run(request("single-stream", "mock"));
    view.until("a refusal", |view| !view.refused.is_empty());
    view.refused.swap_remove(0)
}

/// A worker's first words, as `printf` writes them.
fn hello(protocol: u32) -> String {
    greeting(&format!(r#"{{"protocol":{protocol},"version":"9.9.9"}}"#))
}

fn greeting(text: &str) -> String {
    // In MessagePack a text of this length is its length in a byte of its own, and then the text.
    let body = text.len() + 2;
    let escaped = text.replace('"', "\\\"");
    format!(
        "printf '\\nsyncline worker\\n'; printf '\\{body:03o}\\000\\000\\000\\000'; printf '\\331\\{:03o}'; printf \"%s\" \"{escaped}\"",
        text.len()
    )
}

#[test]
fn a_far_end_that_is_no_worker_is_shown_in_its_own_words() {
    let said = refusal("echo 'bash: syncline: command not found' >&2; exit 127");
    assert!(
        said.contains("command not found") && said.contains("exit code 127"),
        "{said}"
    );
    let said = refusal("echo Welcome; echo 'mail: 3'");
    assert!(
        said.contains("no worker answered") && said.contains("Welcome"),
        "{said}"
    );
    let said = refusal("exit 0");
    assert!(said.contains("no worker answered"), "{said}");
}

#[test]
fn another_version_is_named_with_ours() {
    let said = refusal(&format!("{}; sleep 5", hello(PROTOCOL + 1)));
    assert!(
        said.contains("9.9.9")
            && said.contains(env!("CARGO_PKG_VERSION"))
            && said.contains("same version"),
        "{said}"
    );
}

#[test]
fn a_link_that_greets_and_drops_is_told_of_and_given_up() {
    let folder = tempfile::tempdir().unwrap();
    // In the place of `ssh`: a far end that says its first words and is gone, whatever it is asked for.
    let ssh = folder.path().join("ssh");
    let text = format!(
        r#"{{"protocol":{PROTOCOL},"version":"{}","token":"a1","keep":true}}"#,
        env!("CARGO_PKG_VERSION")
    );
    let length = text.len() + 2;
    let words = [
        b"\nsyncline worker\n".as_slice(),
        &(length as u32).to_le_bytes(),
        &[0, 0xD9, text.len() as u8],
        text.as_bytes(),
    ];
    std::fs::write(folder.path().join("words"), words.concat()).unwrap();
    std::fs::write(
        &ssh,
        format!("#!/bin/sh\ncat '{}/words'\n", folder.path().display()),
    )
    .unwrap();
    std::fs::set_permissions(&ssh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = std::process::Command::new(crate::house::program::syncline())
        .args(["backends", "--on", "drops"])
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("the link to drops dropped") && said.contains("it is tried again"),
        "{said}"
    );
    assert!(said.contains("again and again"), "{said}");
}

#[test]
fn a_token_that_no_worker_makes_is_refused() {
    // It would become a word of the command line by which the link is made again.
    let hello = format!(
        r#"{{"protocol":{PROTOCOL},"version":"{}","token":"a1 and more","keep":true}}"#,
        env!("CARGO_PKG_VERSION")
    );
    let said = refusal(&format!("{}; sleep 5", greeting(&hello)));
    assert!(said.contains("has a token that no worker makes"), "{said}");
}

#[test]
fn frames_that_are_none_are_refused() {
    let hello = hello(PROTOCOL);
    let said = refusal(&format!(
        "{hello}; printf '\\377\\377\\377\\377\\000'; sleep 5"
    ));
    assert!(said.contains("4294967295 bytes"), "{said}");
    let said = refusal(&format!("{hello}; printf '\\005\\000\\000\\000\\000ab'"));
    assert!(
        said.contains("exit code 0") || said.contains("in the middle"),
        "{said}"
    );
    let said = refusal(&format!(
        "{hello}; printf '\\002\\000\\000\\000\\000\\301\\301'; sleep 5"
    ));
    assert!(said.contains("could not be read"), "{said}");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let absent = WorkerTarget {
        command: vec!["/no/such/ssh".into()],
        ..script("")
    };
    let mut view = View::of(absent);
    view.run(long(1));
    view.until("a refusal", |view| !view.refused.is_empty());
    assert!(
        view.refused[0].contains("/no/such/ssh"),
        "{:?}",
        view.refused
    );
}

/// A frame of a worker's, by its body in `MessagePack`.
fn frame(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_le_bytes()[..], &[0], body].concat()
}

/// A text in `MessagePack`.
fn text(text: &str) -> Vec<u8> {
    [&[0xD9, text.len() as u8], text.as_bytes()].concat()
}

/// In the place of `ssh`: a rank that is over before the others are there, and answers whatever it is asked for after that.
#[test]
fn a_rank_that_is_over_before_the_others_are_there_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let greeting = format!(
        r#"{{"protocol":{PROTOCOL},"version":"{}","token":"a1","keep":true}}"#,
        env!("CARGO_PKG_VERSION")
    );
    let seated = [text("127.0.0.1:9"), text("somewhere")].concat();
    let message = |number: u8, what: &[u8]| {
        frame(&[&[0x81][..], &text("Message"), &[0x92, number], what].concat())
    };
    let pong = frame(&[&[0x81][..], &text("Pong"), &[0x94, 0, 0, 0, 0]].concat());
    let words = [
        b"\nsyncline worker\n".to_vec(),
        frame(&text(&greeting)),
        pong.clone(),
        message(
            1,
            &[&[0x81][..], &text("seated"), &[0x92], &seated].concat(),
        ),
        message(2, &[&[0x81][..], &text("finished"), &[0x92, 1, 0]].concat()),
    ];
    std::fs::write(folder.path().join("words"), words.concat()).unwrap();
    std::fs::write(folder.path().join("pong"), pong).unwrap();
    let place = folder.path().display();
    let script =
        format!("#!/bin/sh\ncd '{place}'; cat words; while cat pong; do sleep 0.2; done\n");
    let ssh = folder.path().join("ssh");
    std::fs::write(&ssh, script).unwrap();
    std::fs::set_permissions(&ssh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut child = std::process::Command::new(crate::house::program::syncline())
        .args(["run", "two-machines", "--machine", "right=odd"])
        .env("PATH", format!("{place}:{path}"))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let patience = std::time::Duration::from_mins(5);
    let status = wait_for_end(&mut child, patience, "a rank that is over");
    assert!(matches!(status.code(), Some(1 | 2)), "{status}");
}
