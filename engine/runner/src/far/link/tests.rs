//! Far ends that say nothing, or nothing that can be read: nobody waits for them for ever.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::far::packet::{Down, unix_now};
use crate::far::{PROTOCOL, Target, wire};
use crate::{Control, Engine, Message, RunRequest};
use record::time::Nanos;

/// A worker's first words, as they go over the link.
fn hello(folder: &Path) {
    let text = format!(r#"{{"protocol":{PROTOCOL},"version":"x","token":"ab"}}"#);
    let mut bytes = b"\nsyncline worker\n".to_vec();
    bytes.extend((text.len() as u32 + 2).to_le_bytes());
    bytes.extend([0, 0xd9, text.len() as u8]);
    bytes.extend(text.as_bytes());
    std::fs::write(folder.join("hello"), bytes).unwrap();
    let pong = Down::Pong {
        sent: unix_now(),
        unix: unix_now(),
        waiting: 0,
        age: Nanos::ZERO,
    };
    std::fs::write(folder.join("pong"), wire::frame(&pong, false).unwrap()).unwrap();
    // Of a number that is not the next one's, so it is none that anybody waits for.
    let stale = Down::Message(7, Message::Started { run: 1 });
    std::fs::write(folder.join("stale"), wire::frame(&stale, false).unwrap()).unwrap();
    let refused = Down::Message(1, Message::Refused("ö".repeat(1 << 20)));
    std::fs::write(
        folder.join("refused"),
        wire::frame(&refused, false).unwrap(),
    )
    .unwrap();
}

/// Why a run at a far end that is this script is refused, and how often it was started for that.
fn refusal(script: &str, can_drop: bool) -> (String, usize) {
    let folder = tempfile::tempdir().unwrap();
    hello(folder.path());
    let place = folder.path().display();
    let target = Target {
        name: "odd".to_owned(),
        command: [
            "sh".into(),
            "-c".into(),
            format!("cd '{place}'; echo >> starts; {script}").into(),
        ]
        .into(),
        can_drop,
        silence: Duration::from_secs(2),
        shares_clock: false,
    };
    let engine = Engine::connect(target, Box::new(|| ()));
    engine.send(Control::Run(Box::<RunRequest>::default()));
    let until = Instant::now() + Duration::from_mins(1);
    let reason = loop {
        let message = engine.messages().recv_deadline(until);
        if let Message::Refused(reason) = message.expect("nobody waits for ever") {
            break reason;
        }
    };
    drop(engine);
    let starts = std::fs::read_to_string(folder.path().join("starts")).unwrap();
    (reason, starts.lines().count())
}

#[test]
fn whoever_says_nothing_is_not_waited_for() {
    for script in ["exec sleep 600", "cat hello; exec sleep 600"] {
        for can_drop in [false, true] {
            let (reason, starts) = refusal(script, can_drop);
            assert!(
                reason.contains("did not answer within 0.7 s"),
                "{script}: {reason}"
            );
            assert_eq!(starts, 1, "{script}");
        }
    }
}

#[test]
fn whoever_says_something_else_all_the_time_is_not_waited_for() {
    for can_drop in [false, true] {
        let script = "cat hello; while cat stale; do sleep 0.1; done";
        let (reason, starts) = refusal(script, can_drop);
        assert!(reason.contains("did not answer within 0.7 s"), "{reason}");
        assert_eq!(starts, 1);
    }
}

#[test]
fn a_reason_is_shown_as_far_as_anybody_reads() {
    let (reason, _) = refusal("cat hello pong refused; exec sleep 600", false);
    assert!(reason.starts_with("öö"), "{reason}");
    assert_eq!(reason.len(), super::REASON);
}

#[test]
fn whoever_falls_silent_later_is_not_waited_for() {
    for can_drop in [false, true] {
        let (reason, starts) = refusal("cat hello pong; exec sleep 600", can_drop);
        assert!(reason.contains("did not answer for 2.0 s"), "{reason}");
        assert_eq!(starts, 1);
    }
}

#[test]
fn whoever_only_answers_that_it_is_there_is_not_waited_for() {
    let (reason, starts) = refusal("cat hello; while cat pong; do sleep 0.3; done", false);
    assert!(reason.contains("did not begin within 4.0 s"), "{reason}");
    assert_eq!(starts, 1);
}

#[test]
fn what_cannot_be_read_is_not_asked_for_again() {
    let garbled = r"cat hello; printf '\002\000\000\000\000\301\301'; exec sleep 600";
    let (reason, starts) = refusal(garbled, true);
    assert!(reason.contains("could not be read"), "{reason}");
    assert_eq!(starts, 1);
}

#[test]
fn a_link_that_comes_back_and_brings_nothing_is_given_up_in_the_end() {
    let (reason, starts) = refusal("cat hello", true);
    assert!(reason.contains("exit code 0"), "{reason}");
    assert!((2..12).contains(&starts), "{starts}");
}
