//! What the letters of the format mean where writers take them lightly: ends, arrows, times and counters.

use std::fmt::Write as _;

use super::{OpenedFile, open};
use record::{DependencyKind, Record, SpanKind};

fn names(opened: &OpenedFile) -> Vec<(String, i64, i64)> {
    let name = |id| {
        opened.records.iter().find_map(|it| match it {
            Record::Name(known, text) if *known == id => Some(text.to_string()),
            _ => None,
        })
    };
    let spans = opened.spans();
    let times = spans.iter().map(|it| {
        let name = name(it.name).unwrap_or_default();
        (name, it.start.0, it.end.0)
    });
    times.collect()
}

fn repaired(opened: &OpenedFile, cause: &str) -> u64 {
    let repairs = opened.receipt.repairs.iter();
    let found = repairs.filter(|(known, _)| known == cause);
    found.map(|(_, count)| count).sum()
}

fn pairs(opened: &OpenedFile) -> Vec<(u32, u32)> {
    let ties = opened.ties(DependencyKind::Flow);
    ties.iter().map(|it| (it.cause.0, it.effect.0)).collect()
}

#[test]
fn an_end_that_no_open_span_has_ends_nothing() {
    let text = br#"[{"ph":"B","pid":1,"tid":1,"ts":0,"name":"main"},
{"ph":"B","pid":1,"tid":1,"ts":10,"name":"join"},{"ph":"E","pid":1,"tid":1,"ts":20,"name":"schedule"},
{"ph":"E","pid":1,"tid":1,"ts":30,"name":"join"},{"ph":"E","pid":1,"tid":1,"ts":60}]"#;
    let opened = open(text).unwrap();
    let expected = [
        ("main".to_owned(), 0, 60_000),
        ("join".to_owned(), 10_000, 30_000),
    ];
    assert_eq!(names(&opened), expected);
    assert_eq!(repaired(&opened, "ends of no open span"), 1);
    assert_eq!(opened.receipt.repaired, 1);
}

#[test]
fn a_step_is_an_annotation_in_files_that_tell_it_as_an_operator() {
    let text =
        br#"[{"ph":"X","cat":"Operator","name":"ProfilerStep#5","pid":1,"tid":"1","ts":0,"dur":9},
{"ph":"X","cat":"Operator","name":"aten::add","pid":1,"tid":"1","ts":1,"dur":2}]"#;
    let opened = open(text).unwrap();
    let kinds: Vec<_> = opened.spans().iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [SpanKind::Scope, SpanKind::HostWork]);
}

#[test]
fn an_end_of_another_category_is_that_of_another_span() {
    let text = br#"[{"ph":"B","pid":1,"tid":1,"ts":0,"name":"n","cat":"a"},
{"ph":"B","pid":1,"tid":1,"ts":1,"name":"n","cat":"b"},{"ph":"E","pid":1,"tid":1,"ts":2,"name":"n","cat":"a"},
{"ph":"E","pid":1,"tid":1,"ts":3,"name":"n"}]"#;
    let times: Vec<_> = names(&open(text).unwrap());
    assert_eq!(
        times,
        [("n".to_owned(), 0, 2_000), ("n".to_owned(), 1_000, 3_000)]
    );
}

#[test]
fn what_ends_and_never_starts_is_no_arrow() {
    let text =
        br#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"a","bind_id":7,"flow_in":true},
{"ph":"X","pid":1,"tid":2,"ts":10,"dur":5,"name":"b","bind_id":7,"flow_in":true,"flow_out":true},
{"ph":"X","pid":1,"tid":3,"ts":20,"dur":5,"name":"c","bind_id":7,"flow_in":true},
{"ph":"f","bp":"e","pid":1,"tid":1,"ts":1,"id":9,"cat":"x","name":"x"},
{"ph":"f","bp":"e","pid":1,"tid":2,"ts":11,"id":9,"cat":"x","name":"x"}]"#;
    let opened = open(text).unwrap();
    assert_eq!(pairs(&opened), []);
    assert_eq!(repaired(&opened, "flows without a partner"), 5);
}

#[test]
fn one_number_serves_flows_of_several_names() {
    let text = br#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":2,"name":"a"},{"ph":"X","pid":1,"tid":1,"ts":3,"dur":2,"name":"b"},
{"ph":"X","pid":1,"tid":2,"ts":6,"dur":2,"name":"c"},{"ph":"X","pid":1,"tid":2,"ts":9,"dur":2,"name":"d"},
{"ph":"s","pid":1,"tid":1,"ts":1,"id":0,"cat":"c","name":"first"},
{"ph":"s","pid":1,"tid":1,"ts":4,"id":0,"cat":"c","name":"second"},
{"ph":"f","bp":"e","pid":1,"tid":2,"ts":7,"id":0,"cat":"c","name":"second"},
{"ph":"f","bp":"e","pid":1,"tid":2,"ts":10,"id":0,"cat":"c","name":"first"}]"#;
    let opened = open(text).unwrap();
    let mut found = pairs(&opened);
    found.sort_unstable();
    assert_eq!(found, [(0, 3), (1, 2)]);
    assert_eq!(opened.receipt.repaired, 0);
}

#[test]
fn a_flow_may_be_at_an_asynchronous_span_that_its_thread_told_of() {
    let text =
        br#"[{"ph":"b","pid":1,"tid":1,"ts":5,"name":"frame","cat":"c","id2":{"local":"0x3"}},
{"ph":"e","pid":1,"tid":1,"ts":9,"name":"frame","cat":"c","id2":{"local":"0x3"}},
{"ph":"X","pid":1,"tid":2,"ts":20,"dur":5,"name":"shown"},
{"ph":"s","pid":1,"tid":1,"ts":5,"id":570,"cat":"c","name":"f"},
{"ph":"f","bp":"e","pid":1,"tid":2,"ts":21,"id":570,"cat":"c","name":"f"}]"#;
    let opened = open(text).unwrap();
    assert_eq!(pairs(&opened), [(0, 1)]);
    assert_eq!(opened.receipt.repaired, 0);
}

#[test]
fn only_arguments_of_a_counter_are_its_series() {
    let text = br#"[{"ph":"C","pid":1,"tid":1,"ts":1,"name":"load","tts":77,"args":{"a":1,"b":2}},
{"ph":"C","pid":1,"tid":1,"ts":2,"tts":78,"name":"load","args":{"tts":3}}]"#;
    let opened = open(text).unwrap();
    let values: Vec<f64> = opened
        .records
        .iter()
        .filter_map(|it| match it {
            Record::Sample(sample) => Some(sample.value),
            _ => None,
        })
        .collect();
    assert_eq!(values, [1.0, 2.0, 3.0]);
}

/// Compilers write what took longest last, though it began first.
#[test]
fn zero_is_the_earliest_span_wherever_it_stands() {
    let mut text = String::from("[");
    for at in 0..20_000 {
        writeln!(
            text,
            "{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":{},\"dur\":1,\"name\":\"a template\"}},",
            100_000 + at
        )
        .unwrap();
    }
    text += "{\"ph\":\"C\",\"pid\":1,\"ts\":3,\"name\":\"c\",\"args\":{\"v\":1}},";
    text += "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":900000,\"name\":\"all\"}]";
    assert!(text.len() > 1 << 20, "more than one stretch");
    let opened = open(text.as_bytes()).unwrap();
    let spans = opened.spans();
    let first = spans.iter().map(|it| it.start.0).min();
    assert_eq!(first, Some(0));
    assert_eq!(spans[0].start.0, 99_995_000);
    // A sample may well be earlier.
    let sample = opened.records.iter().find_map(|it| match it {
        Record::Sample(sample) => Some(sample.time.0),
        _ => None,
    });
    assert_eq!(sample, Some(-2_000));
}

#[test]
fn a_local_number_of_a_flow_counts_in_its_process() {
    let text = br#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"},{"ph":"X","pid":1,"tid":2,"ts":20,"dur":10,"name":"b"},
{"ph":"X","pid":2,"tid":1,"ts":0,"dur":10,"name":"c"},{"ph":"X","pid":2,"tid":2,"ts":20,"dur":10,"name":"d"},
{"ph":"s","pid":1,"tid":1,"ts":5,"id2":{"local":"0x5"},"cat":"k","name":"n"},
{"ph":"s","pid":2,"tid":1,"ts":5,"id2":{ "local": "5" },"cat":"k","name":"n"},
{"ph":"s","pid":1,"tid":1,"ts":6,"id2":{"global":"0x5"},"cat":"k","name":"n"},
{"ph":"f","bp":"e","pid":1,"tid":2,"ts":25,"id2":{"local":"0x5"},"cat":"k","name":"n"},
{"ph":"f","bp":"e","pid":2,"tid":2,"ts":25,"id2":{"local":"0x5"},"cat":"k","name":"n"},
{"ph":"f","bp":"e","pid":2,"tid":2,"ts":26,"id":5,"cat":"k","name":"n"}]"#;
    let opened = open(text).unwrap();
    let mut found = pairs(&opened);
    found.sort_unstable();
    assert_eq!(found, [(0, 1), (0, 3), (2, 3)]);
    assert_eq!(opened.receipt.repaired, 0);
}

/// Where a break is told: quotes in a text behind the events, a value without quotes, and a text whose end is escaped.
#[test]
fn what_is_no_json_around_the_events_is_told_wherever_it_is() {
    let events = r#""traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":20,"name":"a"}]"#;
    for (before, broken, after) in [
        (
            format!("{{{events},\n\"note\":\"with \""),
            "quotes\"\"\n}",
            String::new(),
        ),
        (
            "{\"note\": ".to_owned(),
            "unquoted,\n",
            format!("{events}}}"),
        ),
        (
            "{\"note\":\"back\\\",\n".to_owned(),
            "",
            format!("{events}}}"),
        ),
    ] {
        let opened = open(format!("{before}{broken}{after}").as_bytes()).unwrap();
        assert_eq!(names(&opened), [("a".to_owned(), 0, 20_000)]);
        assert_eq!(repaired(&opened, "damaged header"), 1, "{before}");
        let notes = opened.receipt.notes.join(" ");
        let at = format!("no JSON at byte {}:", before.len());
        assert!(notes.contains(&at), "{at} {notes}");
    }
    // What Python writes of a number that is none is no break.
    let opened = open(format!("{{\"a\":NaN,\"b\":-1.5e3,\"c\":null,{events}}}").as_bytes());
    assert_eq!(opened.unwrap().receipt.repaired, 0);
}

#[test]
fn no_lane_is_called_by_a_blank() {
    let text = br#"[{"ph":"X","ts":0,"dur":1,"name":"a"},{"ph":"X","pid":"","tid":"","ts":2,"dur":1,"name":"b"},
{"ph":"X","pid":" ","tid":" ","ts":4,"dur":1,"name":"c"}]"#;
    let opened = open(text).unwrap();
    let spans = opened.spans();
    let lanes: Vec<String> = spans.iter().map(|it| opened.lane(*it).name).collect();
    assert_eq!(lanes, ["events of no thread"; 3]);
    assert_eq!(spans[0].lane, spans[1].lane);
}

/// `PyTorch` writes a note with quotation marks in it as it is.
#[test]
fn a_header_that_is_no_json_is_told_and_the_events_are_read() {
    let head = "{\"schemaVersion\":1,\"note\":\"with /";
    let text = format!(
        "{head}\"quotes/\", and a comma\",\n \"baseTimeNanoseconds\":1700000000000000000,\n\"traceEvents\":[
{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":20,\"name\":\"a\"}}]}}"
    );
    let opened = open(text.as_bytes()).unwrap();
    assert_eq!(names(&opened), [("a".to_owned(), 0, 20_000)]);
    assert_eq!(repaired(&opened, "damaged header"), 1);
    let at = format!("byte {}", head.len() + 1);
    let notes = opened.receipt.notes.join(" ");
    assert!(notes.contains(&at), "{at}: {notes}");
    // What stands behind the break is read.
    let clock = opened.records.iter().find_map(|it| match it {
        Record::Clock(clock) => Some(clock.offset.0),
        _ => None,
    });
    assert_eq!(clock, Some(1_700_000_000_000_000_000));
}

/// Zero and nothing are no names: a lane has one all the same, and no separator without a name behind it.
#[test]
fn lanes_and_devices_without_a_name_get_one() {
    let text = br#"{"deviceProperties":[{"id":2,"name":""}],"traceEvents":[
{"ph":"X","cat":"kernel","name":"k","pid":2,"tid":7,"ts":1,"dur":2,"args":{"stream":7,"device":2}},
{"ph":"i","name":"Record Window End","pid":"","tid":"","ts":5,"s":"g"},
{"ph":"X","name":"f","pid":"/usr/local/bin/python3","tid":"","ts":5,"dur":1},
{"ph":"X","name":"g","pid":12,"tid":3,"ts":5,"dur":1},
{"ph":"M","name":"process_name","pid":12,"args":{"name":"/opt/somewhere/far/away/train --fast"}}]}"#;
    let opened = open(text).unwrap();
    let lanes: Vec<String> = opened
        .spans()
        .into_iter()
        .map(|span| opened.lane(span).name)
        .collect();
    assert!(lanes.iter().all(|it| !it.is_empty()), "{lanes:?}");
    assert!(
        lanes.contains(&"events of no thread".to_owned()),
        "{lanes:?}"
    );
    assert!(
        lanes.contains(&"train --fast \u{b7} thread 3".to_owned()),
        "{lanes:?}"
    );
    let devices: Vec<&str> = opened
        .records
        .iter()
        .filter_map(|it| match it {
            Record::Device(device) => Some(device.name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(devices.last(), Some(&"GPU 2"));
}

/// Two processes of one program whose threads have one number are two lanes by their names, and no path is in any.
#[test]
fn lanes_of_one_title_are_told_apart() {
    let text = br#"{"traceEvents":[
{"ph":"M","name":"process_name","pid":3,"args":{"name":"/usr/lib/far/away/chromium --type=renderer"}},
{"ph":"M","name":"process_name","pid":4,"args":{"name":"/usr/lib/far/away/chromium --type=renderer"}},
{"ph":"M","name":"process_name","pid":5,"args":{"name":"train"}},
{"ph":"M","name":"thread_name","pid":5,"tid":1,"args":{"name":"worker"}},
{"ph":"M","name":"thread_name","pid":5,"tid":2,"args":{"name":"worker"}},
{"ph":"C","pid":3,"tid":9,"ts":1,"name":"memory","args":{"used":3}},
{"ph":"X","name":"a","pid":3,"tid":9,"ts":1,"dur":1},{"ph":"X","name":"b","pid":4,"tid":9,"ts":2,"dur":1},
{"ph":"X","name":"c","pid":5,"tid":1,"ts":3,"dur":1},{"ph":"X","name":"d","pid":5,"tid":2,"ts":4,"dur":1}]}"#;
    let opened = open(text).unwrap();
    let lanes = opened.spans().into_iter().map(|it| opened.lane(it).name);
    let lanes: Vec<String> = lanes.collect();
    let expected = [
        "chromium --type=renderer \u{b7} thread 9 of 3",
        "chromium --type=renderer \u{b7} thread 9 of 4",
        "train \u{b7} worker 1",
        "train \u{b7} worker 2",
    ];
    assert_eq!(lanes, expected);
    let counter = opened.records.iter().rev().find_map(|it| match it {
        Record::Counter(counter) => Some(counter.name.as_str()),
        _ => None,
    });
    let expected = "chromium --type=renderer \u{b7} memory \u{b7} used";
    assert_eq!(counter, Some(expected));
}

/// Asynchronous spans are of a category, which is what their lanes are called.
#[test]
fn asynchronous_lanes_say_their_category() {
    let text = br#"[{"ph":"b","pid":1,"tid":1,"ts":5,"name":"a","cat":"net","id":1},
{"ph":"e","pid":1,"tid":1,"ts":9,"name":"a","cat":"net","id":1},
{"ph":"b","pid":1,"tid":1,"ts":5,"name":"b","cat":"viz","id":1},
{"ph":"e","pid":1,"tid":1,"ts":9,"name":"b","cat":"viz","id":1}]"#;
    let opened = open(text).unwrap();
    let lanes: Vec<String> = opened
        .spans()
        .into_iter()
        .map(|span| opened.lane(span).name)
        .collect();
    assert!(
        lanes[0].contains("net") && lanes[1].contains("viz"),
        "{lanes:?}"
    );
}

#[test]
fn samples_of_a_profile_are_told_as_what_they_are() {
    let text = br#"[{"ph":"P","pid":1,"tid":1,"ts":5,"name":"ProfileChunk","id":1,"args":{"data":{"a":1}}},
{"ph":"X","pid":1,"tid":1,"ts":5,"dur":2,"name":"a"}]"#;
    let notes = open(text).unwrap().receipt.notes.join(" ");
    assert!(notes.contains("ProfileChunk"), "{notes}");
}

/// The clock of a device that was not brought on that of the host.
#[test]
fn work_before_its_launch_is_remarked_upon() {
    let text = br#"[{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":10,"dur":2,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":8,"dur":3,"args":{"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"lost","pid":0,"tid":7,"ts":20,"dur":3,"args":{"stream":7,"correlation":2}}]"#;
    let opened = open(text).unwrap();
    let notes = opened.receipt.notes.join(" ");
    assert!(
        notes.contains("1 operation starts up to 2 000 ns before"),
        "{notes}"
    );
    assert!(
        notes.contains("1 operation of the GPU has no call"),
        "{notes}"
    );
    assert_eq!(repaired(&opened, "work that starts before its launch"), 1);
}

/// A flow whose number has one end repeats nothing, whatever correlation numbers say.
#[test]
fn only_flows_with_both_ends_repeat_correlations() {
    let text = br#"[{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":1,"dur":2,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":8,"dur":3,"args":{"stream":7,"correlation":1}},
{"ph":"s","cat":"ac2g","name":"ac2g","id":1,"pid":9,"tid":9,"ts":1},
{"ph":"f","bp":"e","cat":"ac2g","name":"ac2g","id":1,"pid":0,"tid":7,"ts":8},
{"ph":"s","cat":"ac2g","name":"ac2g","id":2,"pid":9,"tid":9,"ts":1}]"#;
    let notes = open(text).unwrap().receipt.notes.join(" ");
    assert!(notes.contains("1 flow repeats"), "{notes}");
    let alone = br#"[{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":1,"dur":2,"args":{"correlation":1}},
{"ph":"s","cat":"ac2g","name":"ac2g","id":1,"pid":9,"tid":9,"ts":1}]"#;
    let notes = open(alone).unwrap().receipt.notes.join(" ");
    assert!(!notes.contains("repeat"), "{notes}");
}

/// Devices that threads of a host ran have no events: the links of such a run are in another file of it.
#[test]
fn a_file_of_xla_names_the_one_that_holds_its_links() {
    let text = br#"{"traceEvents":[{"ph":"M","pid":7,"name":"process_name","args":{"name":"/host:CPU"}},
{"ph":"X","pid":7,"tid":1,"ts":1,"dur":2,"name":"dot","args":{"hlo_op":"dot","device_ordinal":0}},
{"ph":"X","pid":7,"tid":2,"ts":1,"dur":2,"name":"dot","args":{"hlo_op":"dot","device_ordinal":1}}]}"#;
    let opened = open(text).unwrap();
    let notes = opened.receipt.notes.join(" ");
    assert!(notes.contains(".xplane.pb"), "{notes}");
    assert!(!notes.contains("event records"), "{notes}");
}

/// Numbers and metadata of the profiler are no events that were left out.
#[test]
fn what_is_known_around_the_events_is_no_note() {
    let text = br#"{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"file_info":{"files":{"a.py":["x",1]}},"traceEvents":[
{"ph":"X","pid":1,"tid":1,"ts":5,"dur":2,"name":"a"}]}"#;
    let notes = open(text).unwrap().receipt.notes;
    assert!(notes.is_empty(), "{notes:?}");
}
