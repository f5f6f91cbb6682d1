//! Databases that are not what they should be: every one is an answer, with the table and the row where it matters.

use std::ops::ControlFlow;

use engine::capture::Capture;
use engine::importer::{self, ImportError, Receipt, Source};
use engine::record::Severity;

use super::rows_read::open;
use super::{ascend, build, nsight, rocpd, rpd, samples};

fn try_open(name: &str, bytes: Vec<u8>) -> Result<(Capture, Receipt), ImportError> {
    let mut capture = Capture::new();
    let receipt = importer::open_source(&Source::from_bytes(name, bytes)?, &mut |batch| {
        capture.apply(batch.records);
        ControlFlow::Continue(())
    })?;
    Ok((capture, receipt))
}

/// A script of the small Nsight file, with something done to it after.
fn changed(change: &str) -> Vec<u8> {
    build::database(&format!("{}{change}", nsight::script()))
}

#[test]
fn any_table_may_be_missing() {
    let tables = [
        "ThreadNames",
        "PROCESSES",
        "TARGET_INFO_GPU",
        "TARGET_INFO_CUDA_DEVICE",
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "CUPTI_ACTIVITY_KIND_KERNEL",
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
        "NVTX_EVENTS",
    ];
    for table in tables {
        let (capture, receipt) = open("a.sqlite", changed(&format!("DROP TABLE {table};")));
        assert!(capture.span_count() > 0, "without {table}");
        assert_eq!(receipt.dropped, 0);
    }
    let (_, receipt) = open(
        "a.sqlite",
        changed("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"),
    );
    assert!(
        receipt
            .notes
            .iter()
            .any(|it| it.contains("holds no kernels")),
        "{receipt:?}"
    );
}

/// Tables without which names or what the GPU did is not known, with the script of a file that has them.
fn needed() -> impl IntoIterator<Item = (&'static str, String, &'static str)> {
    [
        ("a.rpd", rpd::script(), "rocpd_op"),
        ("a.db", ascend::script(), "TASK"),
        ("a.db", rocpd::script(), "rocpd_kernel_dispatch"),
        ("a.db", rocpd::script(), "rocpd_memory_copy"),
        ("a.db", rocpd::script(), "rocpd_string"),
        ("a.db", rocpd::script(), "rocpd_event"),
        ("a.db", rocpd::script(), "rocpd_info_kernel_symbol"),
        ("a.db", rocpd::script(), "rocpd_info_process"),
        ("a.db", rocpd::script(), "rocpd_info_thread"),
        ("a.db", rocpd::script(), "rocpd_info_agent"),
        ("a.db", rocpd::script(), "rocpd_info_queue"),
        ("a.db", rocpd::script(), "rocpd_info_stream"),
        ("a.db", rocpd::script(), "rocpd_info_pmc"),
        ("a.db", rocpd::script(), "rocpd_sample"),
        ("a.rpd", rpd::script(), "rocpd_string"),
        ("a.rpd", rpd::script(), "rocpd_api_ops"),
        ("a.db", ascend::script(), "STRING_IDS"),
        ("a.db", ascend::script(), "CONNECTION_IDS"),
        ("a.db", ascend::script(), "COMMUNICATION_OP"),
        ("a.db", ascend::script(), "CANN_API"),
        ("a.db", ascend::script(), "PYTORCH_API"),
        ("a.sqlite", nsight::script(), "StringIds"),
        ("a.db", rocpd::script(), "rocpd_region"),
        ("a.db", rocpd::script(), "rocpd_arg"),
        ("a.db", rocpd::script(), "rocpd_pmc_event"),
        ("a.db", ascend::script(), "COMPUTE_TASK_INFO"),
        ("a.db", ascend::script(), "COMMUNICATION_TASK_INFO"),
        ("a.rpd", rpd::script(), "rocpd_api"),
    ]
}

#[test]
fn a_missing_table_that_is_needed_is_named() {
    for (name, script, table) in needed() {
        let whole = open(name, build::database(&script)).1;
        let says = |receipt: &Receipt| {
            let text = format!("The file has no table {table}: ");
            receipt.notes.iter().any(|it| it.starts_with(&text))
        };
        assert!(!says(&whole), "{table}: {whole:?}");
        let names = script
            .split("CREATE TABLE ")
            .filter_map(|it| it.split([' ', '(']).next());
        let full = names.filter(|it| it.starts_with(table));
        let full = full.min_by_key(|it| it.len()).unwrap();
        let change = format!("{script}DROP TABLE {full};");
        let receipt = open(name, build::database(&change)).1;
        assert!(says(&receipt), "{table}: {receipt:?}");
    }
}

#[test]
fn any_column_may_be_missing() {
    for (table, column) in [
        ("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName"),
        ("CUPTI_ACTIVITY_KIND_KERNEL", "graphNodeId"),
        ("CUPTI_ACTIVITY_KIND_KERNEL", "globalPid"),
        ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "eventSyncId"),
        ("CUPTI_ACTIVITY_KIND_CUDA_EVENT", "timestamp"),
        ("CUPTI_ACTIVITY_KIND_RUNTIME", "returnValue"),
        ("NVTX_EVENTS", "textId"),
    ] {
        let change = format!("ALTER TABLE {table} DROP COLUMN {column};");
        let (capture, _) = open("a.sqlite", changed(&change));
        assert!(capture.span_count() > 10, "without {table}.{column}");
    }
}

/// Without these columns a whole table says nothing, or what it says is tied to nothing: that is told as lost.
#[test]
fn columns_that_every_export_has_are_missed() {
    let work = ["start", "end", "deviceId", "streamId", "correlationId"];
    let calls = ["start", "end", "globalTid", "nameId", "correlationId"];
    for (table, columns) in [("KERNEL", work), ("MEMCPY", work), ("RUNTIME", calls)] {
        for column in columns {
            let table = format!("CUPTI_ACTIVITY_KIND_{table}");
            let change = format!("ALTER TABLE {table} RENAME COLUMN {column} TO x{column};");
            let (capture, receipt) = open("a.sqlite", changed(&change));
            let problems = capture.problems().iter();
            let said: Vec<&str> = problems
                .filter(|it| it.code == "no-column")
                .map(|it| &*it.text)
                .collect();
            assert!(
                matches!(said[..], [text] if text.contains(&table) && text.contains(column)),
                "{table}.{column}: {said:?}"
            );
            assert!(receipt.dropped > 0, "{receipt:?}");
        }
    }
    // Without others what is there is called otherwise, lies elsewhere, or is tied to nothing.
    let others: [(&str, String, &str, &[&str]); 10] = [
        (
            "a.sqlite",
            nsight::script(),
            "CUPTI_ACTIVITY_KIND_KERNEL",
            &["demangledName", "shortName", "contextId"],
        ),
        (
            "a.sqlite",
            nsight::script(),
            "CUPTI_ACTIVITY_KIND_MEMCPY",
            &["bytes"],
        ),
        (
            "a.db",
            ascend::script(),
            "TASK",
            &["taskType", "globalTaskId"],
        ),
        (
            "a.db",
            ascend::script(),
            "COMPUTE_TASK_INFO",
            &["name", "globalTaskId"],
        ),
        (
            "a.db",
            ascend::script(),
            "CONNECTION_IDS",
            &["connectionId"],
        ),
        ("a.db", ascend::script(), "COMMUNICATION_OP", &["opName"]),
        (
            "a.rpd",
            rpd::script(),
            "rocpd_kernelapi",
            &["api_ptr_id", "stream"],
        ),
        (
            "a.db",
            rocpd::script(),
            "rocpd_kernel_dispatch",
            &["stream_id", "kernel_id"],
        ),
        ("a.db", rocpd::script(), "rocpd_string", &["string"]),
        ("a.db", rocpd::script(), "rocpd_event", &["stack_id"]),
    ];
    for (name, script, name_of, columns) in others {
        for column in columns {
            // Each profiled process has its own tables.
            let owned = format!("{name_of}_{}", rocpd::OWNER);
            let table = Some(owned).filter(|it| script.contains(it.as_str()));
            let table = table.unwrap_or_else(|| name_of.to_owned());
            let change = format!("ALTER TABLE {table} RENAME COLUMN {column} TO x{column};");
            let (capture, receipt) = open(name, build::database(&format!("{script}{change}")));
            let mut problems = capture.problems().iter();
            let is_told = problems.any(|it| it.code == "no-column" && it.text.contains(column));
            assert!(
                is_told && receipt.dropped > 0,
                "{table}.{column}: {receipt:?}"
            );
        }
    }
    for (name, bytes) in samples() {
        let (capture, _) = open(&name, bytes);
        assert!(
            capture.problems().iter().all(|it| it.code != "no-column"),
            "{name}"
        );
    }
}

/// What has a beginning and no end is shown as still running, and counted.
#[test]
fn rows_without_an_end_are_counted() {
    let calls = format!("rocpd_region_{}", rocpd::OWNER);
    for (name, script, table, end) in [
        (
            "a.sqlite",
            nsight::script(),
            "CUPTI_ACTIVITY_KIND_RUNTIME",
            "end",
        ),
        ("a.rpd", rpd::script(), "rocpd_api", "end"),
        ("a.db", rocpd::script(), &calls, "end"),
        ("b.db", ascend::script(), "PYTORCH_API", "endNs"),
    ] {
        let (_, before) = open(name, build::database(&script));
        let count = |receipt: &Receipt| {
            let mut repairs = receipt.repairs.iter();
            repairs.find_map(|(cause, count)| (cause == "begins without an end").then_some(*count))
        };
        assert_eq!(count(&before), None, "{name}");
        let changed = format!("{script}UPDATE {table} SET {end} = NULL WHERE rowid = 1;");
        let (capture, receipt) = open(name, build::database(&changed));
        assert_eq!(count(&receipt), Some(1), "{name}: {receipt:?}");
        let mut problems = capture.problems().iter();
        assert!(problems.any(|it| it.code == "no-end"), "{name}");
    }
}

#[test]
fn rows_without_a_time_are_told_with_their_number() {
    let change = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon' WHERE rowid = 2;
                  UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = '125', bytes = 4096.4;";
    let (capture, receipt) = open("a.sqlite", changed(change));
    let lost = capture
        .problems()
        .iter()
        .find(|it| it.code == "rows-without-time")
        .unwrap();
    assert_eq!(lost.severity, Severity::DataLoss);
    assert!(
        lost.text.contains("KERNEL") && lost.text.contains("row 2"),
        "{}",
        lost.text
    );
    assert!(
        receipt
            .repairs
            .iter()
            .any(|(cause, _)| cause == "cells of another type"),
        "{receipt:?}"
    );
    let copied = capture
        .spans()
        .find(|it| capture.name(it.span.name) == "Memcpy HtoD")
        .unwrap();
    assert_eq!(copied.span.start.0, 125, "a time that is a text is a time");
}

#[test]
fn times_out_of_range_are_kept() {
    let change = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 9223372036854775807 WHERE rowid = 1;
                  UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -9223372036854775807 WHERE rowid = 2;
                  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME;";
    let whole = open("a.sqlite", nsight::sample()).0.span_count();
    let (capture, _) = open("a.sqlite", changed(change));
    assert_eq!(capture.span_count(), whole + 16);
}

/// A view that never ends, columns that are computed, and a virtual table: none of them is asked.
#[test]
fn programs_in_a_database_are_not_run() {
    let change = "DROP TABLE NVTX_EVENTS;
        CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE endless(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM endless)
          SELECT start, start AS end, 59 AS eventType, 'x' AS text, 1 AS globalTid FROM endless;
        CREATE TABLE MORE_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER,
          correlationId TEXT GENERATED ALWAYS AS (printf('%.*c', 900000000, 'x')));
        INSERT INTO MORE_API (start, end, globalTid, nameId) VALUES (1, 2, 83886131, 1);";
    let whole = open("a.sqlite", changed("DROP TABLE NVTX_EVENTS;"))
        .0
        .span_count();
    let (capture, _) = open("a.sqlite", changed(change));
    assert_eq!(capture.span_count(), whole + 1);
}

#[test]
fn a_database_of_something_else_says_so() {
    let bytes =
        build::database("CREATE TABLE cookies (host TEXT); CREATE TABLE visits (url TEXT);");
    let error = try_open("places.sqlite", bytes)
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no profiler") && error.contains("cookies, visits"),
        "{error}"
    );
}

/// Databases that profilers keep beside what can be opened say what that is.
#[test]
fn sums_of_profilers_name_the_file_to_open_instead() {
    let said = |name: &str, tables: &[&str]| {
        let tables = tables
            .iter()
            .map(|it| format!("CREATE TABLE {it} (name TEXT);"));
        let bytes = build::database(&tables.collect::<String>());
        let answer = try_open(name, bytes).map(|_| ());
        answer.unwrap_err().to_string()
    };
    let sums = said("dlprof_dldb.sqlite", &["iterations", "op_kernel"]);
    assert!(sums.contains("nsys_profile.sqlite"), "{sums}");
    let rocprof = said("results.db", &["HIP", "HSA", "OPS", "COPY"]);
    assert!(rocprof.contains("results.json"), "{rocprof}");
}

/// Pages in the middle that are noise: rows before them are read, and the rest is told with its table and row.
#[test]
fn damaged_pages_are_told_with_table_and_row() {
    let many = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000 + i * 10, 1005 + i * 10, 0, 83886131, 9000 + i, 1, 0 FROM n;";
    let bytes = changed(many);
    let whole = open("a.sqlite", bytes.clone()).0.span_count();
    let mut damaged = bytes.clone();
    let middle = bytes.len() / 2;
    damaged[middle..middle + 512].fill(0xA5);
    let (capture, receipt) = open("a.sqlite", damaged);
    assert!(capture.span_count() < whole && capture.span_count() > 100);
    let told = capture
        .problems()
        .iter()
        .find(|it| it.code == "table-damaged")
        .unwrap();
    assert!(
        told.text.contains("CUPTI_ACTIVITY_KIND_RUNTIME") && told.text.contains("row "),
        "{}",
        told.text
    );
    assert!(receipt.notes.contains(&told.text));
}

/// Of a table that is not shown its rows are counted: whatever their numbers are, and as far as they can be read.
#[test]
fn rows_of_tables_that_are_not_shown_are_counted() {
    let told = |bytes: Vec<u8>| {
        let notes = open("a.sqlite", bytes).1.notes;
        let unread = notes.into_iter().find(|it| it.contains("not shown: "));
        unread.unwrap_or_default()
    };
    let others = "CREATE TABLE SPARSE (id INTEGER PRIMARY KEY);
        INSERT INTO SPARSE VALUES (1), (900), (6442462837);
        CREATE TABLE NUMBERLESS (id TEXT PRIMARY KEY) WITHOUT ROWID;
        INSERT INTO NUMBERLESS VALUES ('a'), ('b');";
    let unread = told(changed(others));
    assert!(unread.contains("SPARSE (3 rows)"), "{unread}");
    assert!(unread.contains("NUMBERLESS (2 rows)"), "{unread}");
    let many = "CREATE TABLE MANY (value INTEGER);
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) INSERT INTO MANY SELECT i FROM n;";
    let mut bytes = changed(many);
    let middle = bytes.len() / 2;
    bytes[middle..middle + 512].fill(0xA5);
    let unread = told(bytes);
    let count = unread.split_once("MANY (at least ").map(|(_, it)| it);
    let count = count.and_then(|it| it.split(' ').next()?.replace(',', "").parse::<u64>().ok());
    assert!(
        count.is_some_and(|it| (1_000..9_000).contains(&it)),
        "{unread}"
    );
}

/// Every child of a page is the same page again, level upon level: a table of few bytes and endless rows.
#[test]
fn tables_that_turn_in_circles_end() {
    let many = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000 + i * 10, 1005 + i * 10, 0, 83886131, 9000 + i, 1, 0 FROM n;";
    let mut bytes = changed(many);
    let pages = bytes.len() / 512;
    for page in 1..pages {
        let at = page * 512;
        // The inner pages of tables: their cells are the number of a child, and a key.
        if bytes[at] == 5 {
            let cells = usize::from(bytes[at + 3]) << 8 | usize::from(bytes[at + 4]);
            let first = usize::from(bytes[at + 12]) << 8 | usize::from(bytes[at + 13]);
            let child: [u8; 4] = bytes[at + first..at + first + 4].try_into().unwrap();
            for cell in 0..cells {
                let pointer = at + 12 + cell * 2;
                let cell = usize::from(bytes[pointer]) << 8 | usize::from(bytes[pointer + 1]);
                bytes[at + cell..at + cell + 4].copy_from_slice(&child);
            }
            bytes[at + 8..at + 12].copy_from_slice(&child);
        }
    }
    let length = bytes.len();
    if let Ok((capture, _)) = try_open("a.sqlite", bytes) {
        assert!(
            capture.span_count() <= length / 8 + 64,
            "{} spans",
            capture.span_count()
        );
    }
}

/// Nothing is written beside a file, and a database in a gzip, or with another's extension, opens as it is.
#[test]
fn files_open_as_they_lie_there() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in samples() {
        let path = folder.path().join(format!("odd name? 100%#{name}.json"));
        std::fs::write(&path, &bytes).unwrap();
        let mut spans = 0;
        let receipt = importer::open(&path, &mut |batch| {
            spans += batch.records.len();
            ControlFlow::Continue(())
        });
        assert!(receipt.is_ok() && spans > 0, "{name}: {receipt:?}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name} is as it was");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            0,
            "nothing lies beside {name}"
        );
    }
}

#[test]
fn opening_can_be_cancelled() {
    let source = Source::from_bytes("a.sqlite", nsight::sample()).unwrap();
    let opened = importer::open_source(&source, &mut |_| ControlFlow::Break(()));
    assert!(matches!(opened, Err(ImportError::Cancelled)), "{opened:?}");
}

/// A journal that SQLite would undo a write by is told; one that is left of a write that ended, whose head is zeros, is not.
#[test]
fn a_database_that_was_being_written_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    std::fs::write(&path, changed("")).unwrap();
    let read = || {
        let source = Source::open(&path).unwrap();
        importer::open_source(&source, &mut |_| ControlFlow::Continue(())).unwrap()
    };
    let is_told = |receipt: &Receipt| receipt.notes.iter().any(|it| it.contains("A journal lies"));
    let magic = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7];
    for (journal, dropped) in [(None, 0), (Some([0; 8]), 0), (Some(magic), 1)] {
        if let Some(journal) = journal {
            std::fs::write(folder.path().join("a.sqlite-journal"), journal).unwrap();
        }
        let receipt = read();
        assert_eq!(receipt.dropped, dropped, "{journal:?}");
        assert_eq!(is_told(&receipt), dropped > 0, "{journal:?}");
    }
}

/// Values of counters that are no numbers, and times that cannot be true, are told for what they are.
#[test]
fn odd_numbers_and_times_of_rows_are_told() {
    for value in ["'abc'", "NULL", "9e999"] {
        let change = format!("UPDATE AICORE_FREQ SET freq = {value} WHERE freq = 1650;");
        let (capture, receipt) = open("a.db", build::database(&(ascend::script() + &change)));
        let mut problems = capture.problems().iter();
        assert!(
            problems.any(|it| it.code == "no-number"),
            "{value}: {receipt:?}"
        );
        assert_eq!(receipt.dropped, 0, "{receipt:?}");
    }
    for (table, name, script) in [
        ("CUPTI_ACTIVITY_KIND_KERNEL", "a.sqlite", nsight::script()),
        ("rocpd_op", "a.rpd", rpd::script()),
    ] {
        let change = format!("UPDATE {table} SET end = 9223372036854775807 WHERE rowid = 1;");
        let (capture, receipt) = open(name, build::database(&(script + &change)));
        let mut problems = capture.problems().iter();
        assert!(
            problems.any(|it| it.code == "far-time"),
            "{table}: {receipt:?}"
        );
        assert!(receipt.repaired > 0, "{receipt:?}");
    }
}
