//! Waits of one device for records of another, and of a stream for its own.

use super::{OpenedFile, open};
use record::{Basis, DependencyKind, Role};

/// A kernel on stream 20 of device 1, then a kernel on stream 24 of device 0, with a wait for a record in between.
fn opened(rows: &str) -> OpenedFile {
    let text = format!(
        r#"{{"traceEvents": [
{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":10,"dur":2,"args":{{"correlation":1}}}},
{{"ph":"X","cat":"cuda_runtime","name":"cudaEventRecord","pid":9,"tid":9,"ts":13,"dur":1,"args":{{"correlation":2}}}},
{{"ph":"X","cat":"cuda_runtime","name":"cudaStreamWaitEvent","pid":9,"tid":9,"ts":15,"dur":1,"args":{{"correlation":3}}}},
{{"ph":"X","cat":"kernel","name":"first","pid":1,"tid":20,"ts":20,"dur":30,"args":{{"stream":20,"correlation":1}}}},
{{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":24,"ts":15,"dur":1,"args":{{"stream":24,"correlation":3,
"wait_on_stream":20,"wait_on_cuda_event_record_corr_id":2,"wait_on_cuda_event_id":7}}}},
{rows}
]}}"#
    );
    open(text.as_bytes()).unwrap()
}

const SECOND: &str = r#"{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":17,"dur":2,
"args":{"correlation":4}},
{"ph":"X","cat":"kernel","name":"second","pid":0,"tid":24,"ts":51,"dur":9,"args":{"stream":24,"correlation":4}}"#;

fn basis(rows: &str) -> Option<Basis> {
    let opened = opened(rows);
    let ties = opened.ties(DependencyKind::Event);
    assert!(ties.len() < 2, "{ties:?}");
    ties.first().map(|it| it.basis)
}

#[test]
fn a_stream_that_only_another_device_has_is_that_one() {
    assert_eq!(basis(SECOND), Some(Basis::Inferred));
    // Two others have one of that number: neither is known to be meant.
    let third = r#",{"ph":"X","cat":"kernel","name":"third","pid":2,"tid":20,"ts":5,"dur":1,"args":{"stream":20}}"#;
    assert_eq!(basis(&format!("{SECOND}{third}")), None);
    // Its own device has one: numbers count on one device.
    let own = third.replace("\"pid\":2", "\"pid\":0");
    assert_eq!(basis(&format!("{SECOND}{own}")), Some(Basis::Enforced));
}

#[test]
fn a_row_of_the_record_tells_its_stream() {
    let record = r#",{"ph":"X","cat":"cuda_event","name":"cudaEvent","pid":1,"tid":20,"ts":50,"dur":1,
"args":{"stream":20,"correlation":2,"event_id":7}}"#;
    assert_eq!(basis(&format!("{SECOND}{record}")), Some(Basis::Enforced));
    let other = record.replace("\"stream\":20", "\"stream\":24");
    let other = other.replace("\"pid\":1,\"tid\":20", "\"pid\":0,\"tid\":24");
    assert_eq!(basis(&format!("{SECOND}{other}")), None);
}

#[test]
fn who_waits_for_a_device_waits_for_what_its_streams_wait_for_on_others() {
    let sync = |device| {
        format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":9,"tid":9,"ts":18,"dur":40,"args":{{"correlation":5}}}},
{{"ph":"X","cat":"cuda_sync","name":"Context Sync","pid":{device},"tid":-1,"ts":18,"dur":40,"args":{{"stream":-1,"correlation":5}}}}"#
        )
    };
    let causes = |rows: &str| {
        let opened = opened(rows);
        let ties = opened.ties(DependencyKind::Synchronization);
        let causes = ties.iter().map(|it| (it.cause, it.basis));
        (causes.collect::<Vec<_>>(), opened.spans()[3].id)
    };
    // Nothing of its own ran on device 0: what stream 24 waits for is on device 1.
    let (found, first) = causes(&sync(0));
    assert_eq!(found, [(first, Basis::Inferred)]);
    let (found, first) = causes(&sync(1));
    assert_eq!(found, [(first, Basis::Enforced)]);
    // What ran behind the wait stands for it.
    let (found, first) = causes(&format!(
        "{SECOND},{}",
        sync(0).replace("\"ts\":18,", "\"ts\":20,")
    ));
    assert!(
        found.iter().all(|it| it.0 != first) && found.len() == 1,
        "{found:?}"
    );
}

#[test]
fn a_wait_for_a_record_of_its_own_stream_is_an_arrow_from_other_streams_alone() {
    // Its record had captured what the stream waited for before its last work.
    let own = r#",{"ph":"X","cat":"cuda_runtime","name":"cudaEventRecord","pid":9,"tid":9,"ts":16,"dur":0.5,"args":{"correlation":6}},
{"ph":"X","cat":"cuda_runtime","name":"cudaStreamWaitEvent","pid":9,"tid":9,"ts":20,"dur":1,"args":{"correlation":7}},
{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":24,"ts":20,"dur":1,"args":{"stream":24,"correlation":7,
"wait_on_stream":24,"wait_on_cuda_event_record_corr_id":6,"wait_on_cuda_event_id":8}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":22,"dur":2,"args":{"correlation":8}},
{"ph":"X","cat":"kernel","name":"third","pid":0,"tid":24,"ts":70,"dur":9,"args":{"stream":24,"correlation":8}}"#;
    let opened = opened(&format!("{SECOND}{own}"));
    let name = |id| opened.spans().iter().position(|it| it.id == id);
    let ties = opened.ties(DependencyKind::Event);
    let ties: Vec<_> = ties
        .iter()
        .map(|it| (name(it.cause), it.basis, name(it.effect)))
        .collect();
    let [
        (first, Basis::Inferred, second),
        (again, Basis::Inferred, third),
    ] = ties[..]
    else {
        panic!("{ties:?}");
    };
    assert!(first == again && second != third, "{ties:?}");
}

/// Collective kernels, each with its device, its start and the fields that tell it from others; which starts wait for which, and how
/// that is known.
fn collectives(parts: &[(u32, u32, &str)]) -> Vec<(i64, i64, Basis)> {
    let rows = parts.iter().map(|(device, start, told)| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum","pid":{device},"tid":7,"ts":{start},"dur":90,
"args":{{"stream":7,{told}}}}}"#
        )
    });
    let rows: Vec<String> = rows.collect();
    let text = format!(r#"{{"traceEvents": [{}]}}"#, rows.join(","));
    let opened = open(text.as_bytes()).unwrap();
    let start = |id| {
        opened
            .spans()
            .iter()
            .find(|it| it.id == id)
            .unwrap()
            .start
            .0
            / 1_000
    };
    let ties = opened.ties(DependencyKind::Collective);
    let ties = ties
        .iter()
        .map(|it| (start(it.effect), start(it.cause), it.basis));
    ties.collect()
}

#[test]
fn parts_of_collectives_belong_together_by_group_and_number() {
    let key = |group: &str, number: u32| {
        format!(r#""Process Group Name":"{group}","Seq":{number},"Group size":2"#)
    };
    let (first, second) = (key("1", 19), key("1", 20));
    let other = key("2", 19);
    // The first device has one more, before the other's begin.
    let parts = [(0, 0, &*first), (0, 100, &*second), (1, 150, &*second)];
    assert_eq!(collectives(&parts), [(100, 150, Basis::Enforced)]);
    assert_eq!(collectives(&[(0, 0, &*first), (1, 50, &*second)]), []);
    assert_eq!(collectives(&[(0, 0, &*first), (1, 50, &*other)]), []);
    // Without numbers they are told by their order.
    let plain = r#""Process Group Name":"1""#;
    let parts = [(0, 0, plain), (1, 50, plain)];
    assert_eq!(collectives(&parts), [(0, 50, Basis::Inferred)]);
}

#[test]
fn planes_of_ascends_collectives_are_for_those_whatever_their_tasks_are_called() {
    let ascend = br#"[{"name":"process_name","pid":3,"ph":"M","args":{"name":"HCCL"}},
{"name":"thread_name","pid":3,"tid":1,"ph":"M","args":{"name":"Plane 1"}},
{"name":"process_name","pid":4,"ph":"M","args":{"name":"Ascend Hardware"}},
{"name":"thread_name","pid":4,"tid":2,"ph":"M","args":{"name":"Stream 2"}},
{"name":"Reduce_Inline","pid":3,"tid":1,"ts":"5.25","dur":2,"ph":"X","args":{}},
{"name":"MatMul","pid":4,"tid":2,"ts":"9.25","dur":2,"ph":"X","args":{}}]"#;
    let opened = open(ascend).unwrap();
    let roles = opened.spans().into_iter().map(|it| opened.lane(it).role);
    assert_eq!(roles.collect::<Vec<_>>(), [Role::Collective, Role::Compute]);
}
