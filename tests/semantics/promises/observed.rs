//! What is shown of wgpu itself: what it did in this run for the same calls, or that it was not observed.

use std::collections::BTreeMap;

use engine::record::{ObservedOutcome, PromiseOutcome, Record};
use engine::runner::RecoveryMode;

use super::{BUSY, backends, lose};

const CALLS: &str = r#"
stream "a"
buffer "x" f32=64
buffer "y" f32=64
pipeline "fine" kernel="saxpy" cache=#false
pipeline "unlucky" kernel="scale" fails=#true
pipeline "late" kernel="saxpy" cache=#false
promise "lost"; promise "map"; promise "again"; promise "fine"; promise "unlucky"; promise "done"; promise "told"
promise "empty"; promise "caught"; promise "pending"; promise "between"; promise "late-map"; promise "late"
promise "late-scope"; promise "late-done"
"#;

/// What each promise of the run came to, by its name.
fn settled(backend: &str, end: &str) -> BTreeMap<String, PromiseOutcome> {
    let source = format!(
        r#"{CALLS}
        host "main" {{
            device-lost promise="lost"
            map-async "x" promise="map"
            settle "map"
            push-error-scope "validation"; pop-error-scope promise="empty"
            push-error-scope "validation"; map-async "x" promise="again"; pop-error-scope promise="caught"
            create-pipeline-async "fine" promise="fine"
            create-pipeline-async "unlucky" promise="unlucky"
            compilation-info "fine" promise="told"
            work-done promise="done"
            settle-all
            unmap "x"
            push-error-scope "validation"
            launch "spin" on="a" {{ set "micros" 20000 }}
            map-async "y" promise="pending"
            {end}
            settle "lost"
            pop-error-scope promise="between"
            push-error-scope "validation"; pop-error-scope promise="late-scope"
            map-async "x" promise="late-map"
            create-pipeline-async "late" promise="late"
            work-done promise="late-done"
            settle-all
        }}"#
    );
    let (records, _) = lose(backend, &source, None, RecoveryMode::Stay);
    let mut names = BTreeMap::new();
    for record in &records {
        if let Record::Promise(it) = record {
            names.insert(it.id, it.name.clone());
        }
    }
    let settled = records.into_iter().filter_map(|record| match record {
        Record::Settlement(it) => Some((names[&it.promise].clone(), *it)),
        _ => None,
    });
    settled.collect()
}

#[test]
fn what_wgpu_did_is_what_it_did_in_this_run() {
    for backend in backends() {
        for end in ["lose-device by=\"destroy\"", "lose-device by=\"driver\""] {
            let settled = settled(backend, end);
            assert_eq!(settled.len(), 15, "{backend}, {end}");
            let of = |name: &str| &settled[name].observed;
            if backend != "wgpu" {
                let nothing = settled
                    .values()
                    .all(|it| it.observed == ObservedOutcome::Nothing);
                assert!(nothing, "{backend}, {end}");
                continue;
            }
            let same = |text: &str| ObservedOutcome::Same(text.to_owned());
            let other = |text: &str| ObservedOutcome::Other(text.to_owned());
            assert_eq!(of("map"), &same("map_async: Ok(())"));
            // It refuses the second map, and raises no error besides.
            assert_eq!(of("again"), &other("map_async: Err(BufferAsyncError)"));
            assert_eq!(of("empty"), &same("ErrorScopeGuard::pop: None"));
            // What the second map raised by the specification cannot be seen in a scope of another call.
            assert_eq!(of("caught"), &ObservedOutcome::Not);
            let made = same("the call returned a pipeline and raised no error");
            assert_eq!(of("fine"), &made);
            assert_eq!(of("unlucky"), &ObservedOutcome::Not);
            assert_eq!(of("told"), &same("get_compilation_info: no messages"));
            assert_eq!(of("done"), &same("on_submitted_work_done: called"));
            // By the specification it is rejected; a staging copy is mapped all the same where the loss comes later.
            assert!(of("pending").agrees().is_some(), "{:?}", of("pending"));
            // A scope that met the loss is not asked of wgpu; one that was popped just before it was known is.
            let between = [ObservedOutcome::Not, same("ErrorScopeGuard::pop: None")];
            assert!(between.contains(of("between")), "{:?}", of("between"));
            assert_eq!(of("late-scope"), &same("ErrorScopeGuard::pop: None"));
            assert_eq!(of("late-map"), &same("map_async: Err(BufferAsyncError)"));
            assert_eq!(of("late"), &made);
            for name in ["lost", "late-done"] {
                assert!(of(name).agrees().is_some(), "{name}: {:?}", of(name));
            }
        }
    }
}

#[test]
fn on_wgpu_every_promise_says_what_was_observed() {
    for backend in backends() {
        let (records, _) = lose(backend, BUSY, Some("driver@5ms"), RecoveryMode::Resume);
        for record in &records {
            if let Record::Settlement(it) = record {
                let is_told = it.observed != ObservedOutcome::Nothing;
                assert_eq!(is_told, backend == "wgpu", "{backend}: {it:?}");
            }
        }
    }
}
