//! One case of the list: what is done, and what is to be found.

use std::path::Path;

use serde::Deserialize;

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    pub category: String,
    #[expect(dead_code, reason = "for readers of the file")]
    source: String,
    #[expect(dead_code, reason = "for readers of the file")]
    source_claim: String,
    pub ops: Vec<Op>,
    pub expected: Vec<Expected>,
    #[serde(default)]
    pub expected_lints: Vec<ExpectedLint>,
    #[expect(dead_code, reason = "for readers of the file")]
    note: Option<String>,
    #[expect(dead_code, reason = "for readers of the file")]
    tags: Option<serde_json::Value>,
    #[expect(dead_code, reason = "for readers of the file")]
    unverified: Option<serde_json::Value>,
}

/// A buffer, or bytes of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Part {
    Whole(String),
    Bytes(String, u64, u64),
}

/// One thing that is done.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Op {
    StreamCreate {
        stream: String,
        #[serde(default)]
        kind: Kind,
        #[serde(default)]
        blocking: bool,
        #[serde(default)]
        device: u32,
        #[expect(dead_code, reason = "it orders nothing")]
        priority: Option<i32>,
    },
    StreamDestroy {
        #[expect(dead_code, reason = "it orders nothing")]
        stream: String,
    },
    #[serde(alias = "host_func")]
    Launch {
        stream: String,
        #[serde(default)]
        reads: Vec<Part>,
        #[serde(default)]
        writes: Vec<Part>,
        #[expect(dead_code, reason = "it orders nothing")]
        label: Option<String>,
    },
    Memcpy {
        stream: String,
        src: Part,
        dst: Part,
        #[serde(default)]
        host: Returns,
    },
    Memset {
        stream: String,
        dst: Part,
        #[serde(default)]
        host: Returns,
    },
    HostRead {
        bufs: Vec<Part>,
    },
    HostWrite {
        bufs: Vec<Part>,
    },
    #[serde(alias = "event_destroy")]
    EventCreate {
        event: String,
        #[expect(dead_code, reason = "they order nothing")]
        flags: Option<Vec<String>>,
    },
    EventRecord {
        event: String,
        stream: String,
    },
    EventWait {
        event: String,
        stream: String,
    },
    EventReset {
        event: String,
        stream: String,
    },
    EventSync {
        event: String,
    },
    EventQuery {
        event: String,
        result: String,
    },
    StreamSync {
        stream: String,
    },
    StreamQuery {
        stream: String,
        result: String,
    },
    DeviceSync {
        #[serde(default)]
        device: u32,
    },
    Alloc {
        buf: String,
        mode: String,
        stream: Option<String>,
        addr: Option<u64>,
        #[serde(default)]
        bytes: u64,
        #[serde(default)]
        implicit_device_sync: bool,
    },
    Free {
        buf: String,
        mode: String,
        stream: Option<String>,
        #[serde(default)]
        implicit_device_sync: bool,
    },
    PledgeStream {
        buf: String,
        stream: String,
    },
    GraphDefine {
        graph: String,
        body: Vec<Body>,
        #[expect(dead_code, reason = "it orders nothing")]
        captured_on: Option<String>,
    },
    GraphLaunch {
        graph: String,
        stream: String,
    },
    CaptureBegin {
        stream: String,
    },
    CaptureEnd {
        #[expect(dead_code, reason = "it orders nothing")]
        stream: String,
    },
    #[serde(alias = "alloc_node")]
    Node {
        id: String,
        stream: String,
    },
    WaitStream {
        stream: String,
        other: String,
    },
    FreeNode {
        id: String,
        alloc: String,
        #[expect(dead_code, reason = "what is freed says where")]
        stream: Option<String>,
    },
}

/// What sort of stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    #[default]
    User,
    Legacy,
}

/// When a call returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Returns {
    #[default]
    Async,
    Blocking,
}

/// A call that was captured into a graph.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    #[serde(default)]
    pub reads: Vec<Part>,
    #[serde(default)]
    pub writes: Vec<Part>,
}

/// What is to be found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Expected {
    Hazard {
        at: u32,
        prev: u32,
        buf: String,
        kind: String,
    },
    Relation {
        rel: String,
        a: Names,
        b: Names,
    },
}

/// One node, or several of which each is meant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Names {
    One(String),
    All(Vec<String>),
}

impl Names {
    pub fn each(&self) -> Vec<&str> {
        match self {
            Self::One(name) => vec![name],
            Self::All(names) => names.iter().map(String::as_str).collect(),
        }
    }
}

/// What is odd.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedLint {
    pub at: u32,
    pub code: String,
}

/// The cases of a file, and a line for each that cannot be expressed here.
pub fn read(path: &Path) -> (Vec<Case>, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let (mut cases, mut left) = (Vec::new(), Vec::new());
    for value in all {
        let name = value["name"].as_str().unwrap_or("?").to_owned();
        match serde_json::from_value(value) {
            Ok(case) => cases.push(case),
            Err(error) => left.push(format!("{name} cannot be expressed here: {error}")),
        }
    }
    (cases, left)
}
