//! Formats that only their maker can read, or nobody as they are: each with the command that writes one that Syncline opens.

/// A format that is known and cannot be opened.
#[derive(Clone, Copy, Debug)]
pub struct Refused {
    /// What the file is, such as `a report of Nsight Systems`.
    pub name: &'static str,
    /// Whether a file that begins with these bytes is of the format.
    pub recognises: fn(&[u8]) -> bool,
    /// What to do instead: the command that exports it, as a sentence without its first capital or last full stop.
    pub instead: &'static str,
}

/// Every format that is known and cannot be opened.
pub const REFUSED: &[Refused] = &[
    Refused {
        name: "a report of Nsight Systems (.nsys-rep, .qdrep)",
        recognises: |head| head.starts_with(b"NVIDIA Tegra Profiler Report"),
        instead: "run nsys export --type sqlite -o out.sqlite REPORT and open out.sqlite",
    },
    Refused {
        name: "a capture of Tracy (.tracy)",
        recognises: |head| TRACY.iter().any(|magic| head.starts_with(magic)),
        instead: "its layout changes with each version of Tracy: view it in Tracy, or run tracy-csvexport FILE > out.csv \
                  for its zones as a table",
    },
    Refused {
        name: "a profile of Legion (prof_N.gz)",
        recognises: |head| head.starts_with(b"FileType: BinaryLegionProf"),
        instead: "run legion_prof view prof_*.gz to see it",
    },
    Refused {
        name: "a table of kernels by rocprof",
        recognises: is_rocprof_table,
        instead: "it has no streams and no calls: profile with rocprof --sys-trace and open the results.json, or with \
                  rocprofv3 --sys-trace --output-format json and open the file that ends in _results.json",
    },
    Refused {
        name: "a profile of stacks for speedscope",
        recognises: |head| has(head, b"speedscope.app/file-format-schema"),
        instead: "its samples say nothing of streams: view it at speedscope.app, or have the profiler write trace events, \
                  as py-spy record --format chrometrace -o out.json does, and open out.json",
    },
    Refused {
        name: "a profile of JavaScript functions (.cpuprofile)",
        recognises: is_cpuprofile,
        instead: "its samples are no timeline: view it in a browser's developer tools, or run node \
                  --trace-event-categories v8,node PROGRAM and open the node_trace.1.log that it writes",
    },
    Refused {
        name: "a Perfetto trace written out as text (.textproto)",
        recognises: is_textproto,
        instead: "run traceconv binary FILE out.pftrace, or protoc --encode=perfetto.protos.Trace with Perfetto's \
                  trace.proto, and open out.pftrace",
    },
];

/// What files of Tracy begin with: those of today, and those packed with LZ4 and zstd by earlier versions.
const TRACY: &[&[u8]] = &[b"tr\xFDP", b"tlZ\x04", b"tZst", b"tracy\0"];

fn has(head: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(head, text).is_some()
}

/// Whether a file is a table whose first columns are those of rocprof.
fn is_rocprof_table(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let starts = line.starts_with(b"Index,") || line.starts_with(b"\"Index\",");
    starts && has(line, b"KernelName") && has(line, b"gpu-id")
}

/// Whether a file is an object whose first key is a list of the functions of a profile. Traces have such lists as well,
/// in events.
fn is_cpuprofile(head: &[u8]) -> bool {
    let object = head.trim_ascii_start().strip_prefix(b"{");
    let first = object.map(<[u8]>::trim_ascii_start);
    first.is_some_and(|first| first.starts_with(b"\"nodes\"")) && has(head, b"\"callFrame\"")
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
        assert_eq!(refused(b"Index,Name\n"), None);
        assert_eq!(refused(b""), None);
    }
}
