//! Far ends that say nothing, or nothing that can be read: nobody waits for them for ever.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::WorkerLink;
use crate::far::memory_budget::MemoryRoom;
use crate::far::packet::{DownPacket, unix_now};
use crate::far::{PROTOCOL, WorkerTarget, wire};
use crate::outbox::Outbox;
use crate::{Control, Engine, Message, RunRequest};
use record::time::Nanos;
use record::{Record, RunOutcome};

/// A worker's first words, as they go over the link.
fn hello(folder: &Path) {
    let text = format!(r#"{{"protocol":{PROTOCOL},"version":"x","token":"ab"}}"#);
    let mut bytes = b"\nsyncline worker\n".to_vec();
    bytes.extend((text.len() as u32 + 2).to_le_bytes());
    bytes.extend([0, 0xd9, text.len() as u8]);
    bytes.extend(text.as_bytes());
    std::fs::write(folder.join("hello"), bytes).unwrap();
    let pong = DownPacket::Pong {
        sent: unix_now(),
        unix: unix_now(),
        waiting: 0,
        age: Nanos::ZERO,
    };
    std::fs::write(folder.join("pong"), wire::frame(&pong, false).unwrap()).unwrap();
    // Of a number that is not the next one's, so it is none that anybody waits for.
    let stale = DownPacket::Message(7, Message::Started { run: 1 });
    std::fs::write(folder.join("stale"), wire::frame(&stale, false).unwrap()).unwrap();
    let refused = DownPacket::Message(1, Message::Refused("ö".repeat(1 << 20)));
    std::fs::write(
        folder.join("refused"),
        wire::frame(&refused, false).unwrap(),
    )
    .unwrap();
}

/// A far end that is this script.
fn scripted(folder: &Path, script: &str, can_drop: bool) -> WorkerTarget {
    let place = folder.display();
    WorkerTarget {
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
    }
}

/// Why a run at a far end that is this script is refused, and how often it was started for that.
fn refusal(script: &str, can_drop: bool) -> (String, usize) {
    let folder = tempfile::tempdir().unwrap();
    hello(folder.path());
    let target = scripted(folder.path(), script, can_drop);
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

#[cfg(target_os = "linux")]
#[test]
fn whoever_sends_more_than_this_machine_can_keep_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    hello(folder.path());
    let started = DownPacket::Message(1, Message::Started { run: 1 });
    let started = wire::frame(&started, false).unwrap();
    std::fs::write(folder.path().join("started"), started).unwrap();
    // It is there all the time, so it is not the silence that ends it.
    let script = "cat hello pong started; while cat pong; do sleep 0.3; done";
    let target = scripted(folder.path(), script, false);
    let (outbox, messages) = Outbox::new(Box::new(|| ()));
    let (controls, inbox) = crossbeam_channel::bounded(8);
    let is_closing = Arc::new(AtomicBool::new(false));
    let mut link = WorkerLink::new(target, inbox, Arc::new(outbox), Arc::clone(&is_closing));
    link.room = MemoryRoom { total: 1 };
    let named = std::thread::Builder::new().name("link".to_owned());
    let link = named.spawn(move || link.work()).unwrap();
    controls
        .send(Control::Run(Box::<RunRequest>::default()))
        .unwrap();
    let mut found = None;
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        match messages
            .recv_deadline(until)
            .expect("nobody waits for ever")
        {
            Message::Batch(records) => found = found.or(records.into_iter().find_map(outcome)),
            Message::Finished { .. } => break,
            _ => {}
        }
    }
    is_closing.store(true, Ordering::SeqCst);
    link.join().unwrap();
    let Some(RunOutcome::Failed(why)) = found else {
        panic!("{found:?}");
    };
    assert!(
        why.contains("sends more than this machine can keep"),
        "{why}"
    );
}

fn outcome(record: Record) -> Option<RunOutcome> {
    match record {
        Record::End(end) => Some(end.outcome),
        _ => None,
    }
}

#[test]
fn whoever_is_to_stop_is_woken_first() {
    let folder = tempfile::tempdir().unwrap();
    hello(folder.path());
    let script = "cat hello pong; kill -STOP $$; echo > woke; exec sleep 600";
    let target = WorkerTarget {
        silence: Duration::from_mins(2),
        ..scripted(folder.path(), script, false)
    };
    let engine = Engine::connect(target, Box::new(|| ()));
    let until = Instant::now() + Duration::from_mins(1);
    while !folder.path().join("woke").exists() {
        assert!(Instant::now() < until, "it is stopped and stays so");
        // One that comes before it stopped itself is heard as well, so it is said again.
        engine.send(Control::Stop);
        let _ = engine.messages().recv_timeout(Duration::from_millis(50));
    }
}
