//! Formats that only their maker can read, or nobody as they are: each with the command that writes one that Syncline opens.

/// A format that is known and cannot be opened.
#[derive(Clone, Copy, Debug)]
pub struct UnsupportedFormat {
    /// What the file is, such as `a report of Nsight Systems`.
    pub name: &'static str,
    /// Whether a file that begins with these bytes is of the format.
    pub recognises: fn(&[u8]) -> bool,
    /// What to do instead: the command that exports it, as a sentence without its first capital or last full stop.
    pub instead: &'static str,
}

/// Every format that is known and cannot be opened.
pub const REFUSED: &[UnsupportedFormat] = &[
    UnsupportedFormat {
        name: "a report of Nsight Systems (.nsys-rep, .qdrep)",
        recognises: |head| head.starts_with(b"NVIDIA Tegra Profiler Report"),
        instead: "run nsys export --type sqlite -o out.sqlite REPORT and open out.sqlite",
    },
    UnsupportedFormat {
        name: "a capture of Tracy (.tracy)",
        recognises: |head| TRACY.iter().any(|magic| head.starts_with(magic)),
        instead: "its layout changes with each version of Tracy: view it in Tracy, or run tracy-csvexport FILE > out.csv \
                  for its zones as a table",
    },
    UnsupportedFormat {
        name: "a profile of Legion (prof_N.gz)",
        recognises: |head| head.starts_with(b"FileType: BinaryLegionProf"),
        instead: "run legion_prof view prof_*.gz to see it",
    },
    UnsupportedFormat {
        name: "a pickle of Python",
        recognises: super::torch_snapshot::is_other_pickle,
        instead: "it is no snapshot of PyTorch's allocator: write one by torch.cuda.memory._dump_snapshot, and do not open a pickle \
                  that you do not trust in Python",
    },
    UnsupportedFormat {
        name: "a table by rocprof",
        recognises: is_rocprof_table,
        instead: "it has no streams or no calls: profile with rocprof --sys-trace and open the results.json, or with \
                  rocprofv3 --sys-trace --output-format json and open the file that ends in _results.json",
    },
    UnsupportedFormat {
        name: "a log of TensorBoard (events.out.tfevents)",
        recognises: is_tensorboard_log,
        instead: "it has no timeline: open the folder that it is in, or the .xplane.pb below its plugins/profile; where \
                  there is none, profile with tf.profiler.experimental.start or jax.profiler.start_trace",
    },
    UnsupportedFormat {
        name: "a profile of stacks for speedscope",
        recognises: |head| has(head, b"speedscope.app/file-format-schema"),
        instead: "its samples say nothing of streams: view it at speedscope.app, or have the profiler write trace events, \
                  as py-spy record --format chrometrace -o out.json does, and open out.json",
    },
    UnsupportedFormat {
        name: "a profile of JavaScript (.cpuprofile, .heapprofile)",
        recognises: is_javascript_profile,
        instead: "its samples are no timeline: view it in a browser's developer tools, or run node \
                  --trace-event-categories v8,node PROGRAM and open the node_trace.1.log that it writes",
    },
    UnsupportedFormat {
        name: "a snapshot of JavaScript's memory (.heapsnapshot, .heaptimeline)",
        recognises: is_heap_snapshot,
        instead: "it says which objects there were and not what ran when: view it under Memory in a browser's developer \
                  tools, or run node --trace-event-categories v8,node PROGRAM and open the node_trace.1.log that it writes",
    },
    UnsupportedFormat {
        name: "a Perfetto trace written out as text (.textproto)",
        recognises: is_textproto,
        instead: "run traceconv binary FILE out.pftrace, or protoc --encode=perfetto.protos.Trace with Perfetto's \
                  trace.proto, and open out.pftrace",
    },
    UnsupportedFormat {
        name: "packed with bzip2 (.bz2)",
        recognises: |head| head.starts_with(b"BZh") && head.get(4..10) == Some(b"1AY&SY"),
        instead: "run bunzip2 -k FILE and open what it writes",
    },
    UnsupportedFormat {
        name: "packed with xz (.xz)",
        recognises: |head| head.starts_with(b"\xFD7zXZ\0"),
        instead: "run unxz -k FILE and open what it writes",
    },
    UnsupportedFormat {
        name: "packed with LZ4 (.lz4)",
        recognises: |head| head.starts_with(b"\x04\x22\x4D\x18"),
        instead: "run lz4 -dk FILE and open what it writes",
    },
    UnsupportedFormat {
        name: "an archive of 7-Zip (.7z)",
        recognises: |head| head.starts_with(b"7z\xBC\xAF\x27\x1C"),
        instead: "run 7z x FILE and open what it writes",
    },
];

/// What files of Tracy begin with: those of today, and those packed with LZ4 and zstd by earlier versions.
const TRACY: &[&[u8]] = &[b"tr\xFDP", b"tlZ\x04", b"tZst", b"tracy\0"];

fn has(head: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(head, text).is_some()
}

/// Whether a file is a table of rocprof: of kernels, of sums, or one of those of rocprofv3.
fn is_rocprof_table(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let columns: Vec<&[u8]> = line
        .split(|&byte| byte == b',')
        .map(|column| {
            let column = column.trim_ascii();
            let quoted = column.strip_prefix(b"\"");
            quoted
                .and_then(|it| it.strip_suffix(b"\""))
                .unwrap_or(column)
        })
        .collect();
    let tables: [&[&[u8]]; 4] = [
        &[b"Index", b"KernelName", b"gpu-id"],
        &[b"Name", b"Calls", b"TotalDurationNs"],
        &[b"Kind", b"Agent_Id"],
        &[b"Domain", b"Function", b"Process_Id"],
    ];
    tables.iter().any(|table| columns.starts_with(table))
}

/// Whether a file is a log of `TensorBoard`: its first record says its version, behind the record's length and a checksum.
fn is_tensorboard_log(head: &[u8]) -> bool {
    let first = head.get(..64).unwrap_or(head);
    has(first, b"brain.Event:") && head.get(4..8) == Some(&[0; 4])
}

/// Whether a file is an object with the functions of a profile. Traces have such in events.
fn is_javascript_profile(head: &[u8]) -> bool {
    let is_object = head.trim_ascii_start().starts_with(b"{");
    let lists: [&[u8]; 2] = [b"\"nodes\"", b"\"head\""];
    is_object
        && has(head, b"\"callFrame\"")
        && lists.iter().any(|it| has(head, it))
        && !has(head, b"\"traceEvents\"")
}

/// Whether a file is an object that begins with what fields nodes of a heap have.
fn is_heap_snapshot(head: &[u8]) -> bool {
    let first: Vec<u8> = head
        .iter()
        .copied()
        .filter(|it| !it.is_ascii_whitespace())
        .take(12)
        .collect();
    first.starts_with(b"{\"snapshot\":") && has(head, b"\"node_fields\"")
}

/// Whether a file is packets written out as text, behind comments.
fn is_textproto(head: &[u8]) -> bool {
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    let packet = lines.next().and_then(|line| line.strip_prefix(b"packet"));
    packet.is_some_and(|rest| matches!(rest.trim_ascii_start(), [b'{' | b':', ..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(head: &[u8]) -> Option<&'static str> {
        let found = REFUSED.iter().find(|it| (it.recognises)(head));
        found.map(|it| it.name.split(' ').nth(1).unwrap())
    }

    #[test]
    fn each_is_known_by_what_it_begins_with() {
        assert_eq!(
            refused(b"NVIDIA Tegra Profiler Report 1.\n\x0bLocal (CLI)"),
            Some("report")
        );
        assert_eq!(refused(b"tlZ\x04\x10\0\0\0tracy"), Some("capture"));
        assert_eq!(refused(b"tr\xFDP"), Some("capture"));
        for (head, name) in [
            (&b"BZh91AY&SY\0\0"[..], ".bz2"),
            (b"\xFD7zXZ\0\0\x04", ".xz"),
            (b"\x04\x22\x4D\x18\x64", ".lz4"),
            (b"7z\xBC\xAF\x27\x1C\0\x04", ".7z"),
        ] {
            assert!(refused_name(head).contains(name), "{name}");
        }
        assert_eq!(
            refused(b"FileType: BinaryLegionProf v: 1.0\n"),
            Some("profile")
        );
        let text = b"# a test\n\npacket {\n  timestamp: 1\n}";
        assert_eq!(refused(text), Some("Perfetto"));
        let table = b"\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\"\n0,\"k\",0,1";
        assert_eq!(refused(table), Some("table"));
        let stacks =
            br#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{}}"#;
        assert!(refused_name(stacks).contains("speedscope"));
        let functions =
            br#"{ "nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}],"samples":[1]}"#;
        assert!(refused_name(functions).contains(".cpuprofile"));
        let later = br#"{"startTime":1,"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}]}"#;
        assert!(refused_name(later).contains(".cpuprofile"));
        let memory = br#"{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0}}"#;
        assert!(refused_name(memory).contains(".heapprofile"));
        let heap = br#"{"snapshot":{"meta":{"node_fields":["type","name"]},"node_count":1},
            "nodes":[9,1,1,0,5,0,0]}"#;
        assert!(refused_name(heap).contains(".heapsnapshot"));
        let sums = b"\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\"\n\"k\",1,2,2\n";
        assert!(refused_name(sums).contains("rocprof"));
        let log =
            b"\x18\0\0\0\0\0\0\0\xA3\x7FK\x22\x09\0\0\x80\x87\xCC\xF8\xD9A\x1A\x0Dbrain.Event:2";
        assert!(refused_name(log).contains("TensorBoard"));
    }

    fn refused_name(head: &[u8]) -> &'static str {
        let found = REFUSED.iter().find(|it| (it.recognises)(head));
        found.map_or("", |it| it.name)
    }

    #[test]
    fn files_that_open_are_not_refused() {
        assert_eq!(refused(b"\x0a\x05\x08\x01\x12\x01a"), None);
        assert_eq!(refused(b"SQLite format 3\0"), None);
        assert_eq!(refused(b"packets are sent"), None);
        assert_eq!(refused(b"{\"traceEvents\":[]}"), None);
        let chunk =
            br#"[{"ph":"P","name":"ProfileChunk","args":{"data":{"nodes":[{"callFrame":{}}]}}}]"#;
        assert_eq!(refused(chunk), None);
        let chunk = br#"{"traceEvents":[{"ph":"P","args":{"data":{"nodes":[{"callFrame":{}}]}}}]}"#;
        assert_eq!(refused(chunk), None);
        assert_eq!(refused(b"Index,Name\n"), None);
        assert_eq!(refused(b""), None);
    }
}
