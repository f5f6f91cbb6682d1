//! Programs that a machine ran which knows why everything began when it did, as files of a profiler: every answer is its.

use serde_json::Value;

use super::{lines, programs};
use crate::house::root;

/// What is said of a program, with times from its own zero.
struct Answers {
    rows: Vec<Value>,
    zero: i64,
}

impl Answers {
    fn of(kind: &str, rows: &[Value]) -> Vec<Value> {
        rows.iter()
            .filter(|it| it["type"] == kind)
            .cloned()
            .collect()
    }

    fn find(&self, kind: &str, wanted: &Value, lane: &str) -> Option<&Value> {
        self.rows.iter().find(|row| {
            let begins = row["start_ns"].as_i64().map(|it| it - self.zero);
            let name = row["name"]
                .as_str()
                .map(|it| it.split("_v").next().unwrap_or(it));
            row["type"] == kind
                && name == wanted["name"].as_str()
                && begins == wanted["start_ns"].as_i64()
                && row["rank"] == wanted["rank"]
                && row[lane] == wanted[lane]
        })
    }

    /// The parts or segments of a list, with their bounds from the program's zero.
    fn parts(&self, list: &Value) -> Vec<(i64, i64, String)> {
        parts(list, self.zero)
    }

    /// What is said to be the cause: its kind, its name and its start.
    fn cause(&self, cause: &Value) -> (String, String, Option<i64>) {
        cause_of(cause, self.zero)
    }
}

fn parts(list: &Value, zero: i64) -> Vec<(i64, i64, String)> {
    let list = list.as_array().map_or(&[][..], Vec::as_slice).iter();
    let bound = |it: &Value, key: &str| it[key].as_i64().unwrap() - zero;
    let part = |it: &Value| {
        let what = it["what"].as_str().unwrap().to_owned();
        (bound(it, "from_ns"), bound(it, "to_ns"), what)
    };
    list.map(part).collect()
}

fn cause_of(cause: &Value, zero: i64) -> (String, String, Option<i64>) {
    let kind = cause["kind"].as_str().unwrap_or("nothing").to_owned();
    if kind == "unknown" || kind == "none" {
        let (of, name, start) = match &cause["last_known"] {
            Value::Null => return (kind, String::new(), None),
            last => cause_of(last, zero),
        };
        return (format!("{kind} {of}"), name, start);
    }
    let name = cause["name"].as_str().unwrap_or_default().to_owned();
    (kind, name, cause["start_ns"].as_i64().map(|it| it - zero))
}

fn operations(truth: &Value, answers: &Answers, complaints: &mut Vec<String>) {
    let mut compare = |what: String, said: String, true_: String| {
        if said != true_ {
            complaints.push(format!("{} {what}: {said}, not {true_}", truth["case"]));
        }
    };
    for wanted in truth["ops"].as_array().unwrap() {
        let name = format!("{} at {}", wanted["name"], wanted["start_ns"]);
        let Some(said) = answers.find("op", wanted, "stream") else {
            compare(name, "not there".to_owned(), "there".to_owned());
            continue;
        };
        let causes = (answers.cause(&said["cause"]), cause_of(&wanted["cause"], 0));
        compare(
            format!("{name} cause"),
            format!("{:?}", causes.0),
            format!("{:?}", causes.1),
        );
        for list in ["split", "inside", "chain"] {
            let both = (answers.parts(&said[list]), parts(&wanted[list], 0));
            compare(
                format!("{name} {list}"),
                format!("{:?}", both.0),
                format!("{:?}", both.1),
            );
        }
        let alone = (said["alone_ns"].to_string(), wanted["alone_ns"].to_string());
        compare(format!("{name} alone"), alone.0, alone.1);
        let also = |list: &Value, zero| -> Vec<_> {
            let list = list.as_array().unwrap().iter();
            list.map(|it| cause_of(it, zero)).collect()
        };
        let also = (also(&said["also"], answers.zero), also(&wanted["also"], 0));
        compare(
            format!("{name} also"),
            format!("{:?}", also.0),
            format!("{:?}", also.1),
        );
        if truth["exact"] == true {
            let slack = answers.find("slack", wanted, "stream");
            let slack = slack.map_or(Value::Null, |it| it["slack_ns"].clone());
            compare(
                format!("{name} slack"),
                slack.to_string(),
                wanted["slack_ns"].to_string(),
            );
        }
    }
    for wanted in truth["calls"].as_array().unwrap() {
        let name = format!("{} at {}", wanted["name"], wanted["start_ns"]);
        let said = answers
            .find("call", wanted, "thread")
            .cloned()
            .unwrap_or_default();
        let causes = (answers.cause(&said["cause"]), cause_of(&wanted["cause"], 0));
        compare(
            format!("{name} cause"),
            format!("{:?}", causes.0),
            format!("{:?}", causes.1),
        );
        let both = (answers.parts(&said["inside"]), parts(&wanted["inside"], 0));
        compare(
            format!("{name} inside"),
            format!("{:?}", both.0),
            format!("{:?}", both.1),
        );
    }
}

fn streams(truth: &Value, answers: &Answers, complaints: &mut Vec<String>) {
    for wanted in truth["idle"].as_array().unwrap() {
        let said = answers.rows.iter().find(|row| {
            row["type"] == "idle"
                && row["stream"] == wanted["stream"]
                && row["rank"] == wanted["rank"]
        });
        for (key, value) in wanted.as_object().unwrap() {
            let said = said.map_or(Value::Null, |it| it[key].clone());
            if key.ends_with("_ns") && said != *value {
                let place = format!("{} stream {} {key}", truth["case"], wanted["stream"]);
                complaints.push(format!("{place}: {said}, not {value}"));
            }
        }
    }
    let path = Value::Array(Answers::of("path", &answers.rows));
    let both = (answers.parts(&path), parts(&truth["critical_path"], 0));
    if both.0 != both.1 {
        complaints.push(format!(
            "{} path: {:?}, not {:?}",
            truth["case"], both.0, both.1
        ));
    }
    let makespan = Answers::of("makespan", &answers.rows);
    if makespan.first().map(|it| &it["ns"]) != Some(&truth["makespan_ns"]) {
        complaints.push(format!("{} makespan: {makespan:?}", truth["case"]));
    }
}

#[test]
fn every_answer_about_known_programs_is_that_of_the_machine_that_ran_them() {
    let mut complaints = Vec::new();
    let programs = programs(&root().join("tests/data/causes"));
    assert!(programs.len() > 10);
    for (truth, files) in programs {
        let mut rows = lines("explain", &files, &["--all"]);
        let starts = rows.iter().filter_map(|it| it["start_ns"].as_i64());
        let path = lines("critical-path", &files, &[]);
        let zero = path.first().and_then(|it| it["from_ns"].as_i64());
        assert!(starts.count() > 0);
        rows.extend(path);
        rows.extend(lines("idle", &files, &[]));
        let answers = Answers {
            rows,
            zero: zero.unwrap(),
        };
        operations(&truth, &answers, &mut complaints);
        streams(&truth, &answers, &mut complaints);
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}

/// Two devices of one file that meet: whoever waits for the other waits for it by its name, and no rank is made up.
#[test]
fn a_device_that_waits_for_another_of_its_file_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.json");
    let kernel = |device: u32, start: u32, end: u32| {
        let length = end - start;
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":{device},"tid":7,"ts":{start},"dur":{length},"args":{{"device":{device},"stream":7,"correlation":{}}}}}"#,
            device + 1
        )
    };
    let call = |number: u32| {
        format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":900,"tid":1,"ts":{},"dur":1,"args":{{"correlation":{number}}}}}"#,
            number * 2
        )
    };
    let events = [call(1), call(2), kernel(0, 10, 200), kernel(1, 110, 200)];
    std::fs::write(
        &path,
        format!(r#"{{"traceEvents":[{}]}}"#, events.join(",")),
    )
    .unwrap();
    let rows = lines("idle", &[path], &[]);
    let waited = rows.iter().filter_map(|it| it["rank_wait_by"].as_object());
    let names: Vec<&String> = waited.flat_map(|it| it.keys()).collect();
    assert_eq!(names, ["device 1"]);
}
