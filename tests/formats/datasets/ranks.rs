//! Ranks of a dataset: which they are, what their rows are, and jobs that convert some each.

use std::path::Path;

use app::cli::{FAILED, FINE, WRONG};
use serde_json::Value;

use super::{capture, check, convert, engines, files, pair};
use crate::formats::questions::answer;
use crate::house::program::syncline as program;

/// A column of an export, row by row.
fn exported(capture: &str, sql: &str) -> Vec<Vec<Value>> {
    let out = answer(&["query", capture, sql, "--format", "json"]);
    let row = |line: &str| {
        let object: Value = serde_json::from_str(line).unwrap();
        object.as_object().unwrap().values().cloned().collect()
    };
    out.lines().map(row).collect()
}

#[test]
fn spans_of_two_ranks_are_those_of_their_csv_exports() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("dataset");
    let (code, out, err) = convert(&target, &pair().each_ref().map(String::as_str));
    assert_eq!(code, FINE, "{out}{err}");
    let Some(python) = engines::python() else {
        return;
    };
    for (rank, capture) in pair().iter().enumerate() {
        let csv = folder.path().join("spans.csv").display().to_string();
        answer(&["convert", capture, &csv]);
        let origin = "SELECT clock_origin_ns AS origin FROM captures";
        let origin = exported(capture, origin)[0][0].as_i64().unwrap();
        for engine in engines::ENGINES {
            let sql = format!(
                "SELECT id - {rank} * 4294967296 AS id, name, kind, ts - {origin} AS ts, dur FROM spans WHERE rank = {rank} ORDER BY id"
            );
            let found = engines::rows(&python, engine, &target, &sql);
            let script = "import csv,json,sys\n\
                rows=[[int(r['id']),r['name'].removeprefix(\"'\"),r['kind'],int(r['start_ns']),int(r['end_ns'])-int(r['start_ns'])] for r in csv.DictReader(open(sys.argv[1],newline=''))]\n\
                json.dump(sorted(rows),sys.stdout)";
            let wanted = engines::script(&python, &["-c", script, &csv], "");
            assert!(!found.is_empty());
            assert_eq!(Value::from(found), wanted, "{engine}, rank {rank}");
        }
    }
}

#[test]
fn rows_are_in_the_order_in_which_they_are_small() {
    let Some(python) = engines::python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    convert(folder.path(), &pair().each_ref().map(String::as_str));
    let script = "import json,sys,pyarrow.parquet as pq\n\
        out=[]\n\
        for table,keys in (('spans',('lane_id','ts')),('arguments',('name','span_id'))):\n\
        \x20   for rank in (0,1):\n\
        \x20       file=pq.ParquetFile(f'{sys.argv[1]}/{table}/run=run/rank={rank}/part-0.parquet')\n\
        \x20       rows=[tuple(r[k] for k in keys) for r in file.read().to_pylist()]\n\
        \x20       sizes=[file.metadata.row_group(i).column(j) for i in range(file.metadata.num_row_groups) for j in range(file.metadata.num_columns)]\n\
        \x20       out.append([rows==sorted(rows),len(rows),sorted({c.compression for c in sizes}),sorted({e for c in sizes if c.physical_type=='INT64' for e in c.encodings}),file.metadata.metadata[b'syncline.schema'].decode()])\n\
        json.dump(out,sys.stdout)";
    let found = engines::script(
        &python,
        &["-c", script, &folder.path().display().to_string()],
        "",
    );
    for table in found.as_array().unwrap() {
        assert_eq!(table[0], true, "{table}");
        assert!(table[1].as_u64() > Some(100), "{table}");
        assert_eq!(table[2], serde_json::json!(["GZIP"]));
        assert_eq!(table[3], serde_json::json!(["DELTA_BINARY_PACKED", "RLE"]));
        assert_eq!(table[4], "1");
    }
}

#[test]
fn what_is_there_is_passed_over_and_what_changed_is_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("dataset");
    let copies = ["a-rank0.json.gz", "b-rank1.json.gz"].map(|it| folder.path().join(it));
    for (from, to) in pair().iter().zip(&copies) {
        std::fs::copy(from, to).unwrap();
    }
    let named = copies.each_ref().map(|it| it.display().to_string());
    let named = named.each_ref().map(String::as_str);
    let (code, out, _) = convert(&target, &named);
    assert_eq!((code, out.contains("2 written")), (FINE, true), "{out}");
    let first = files(&target);
    let (code, out, _) = convert(&target, &named);
    assert!(
        code == FINE && out.contains("0 written (0 spans), 2 there already"),
        "{out}"
    );
    // A file that moved is the same content, and one whose rank lost a table is done again.
    std::fs::remove_file(target.join("gaps/run=run/rank=1/part-0.parquet")).unwrap();
    let (_, out) = check(&target, &[]);
    assert!(
        out.contains("missing: --array=1\n") && out.contains("it has no whole file of gaps"),
        "{out}"
    );
    let (_, out, _) = convert(&target, &named);
    assert!(
        out.contains("1 written") && out.contains("1 there already"),
        "{out}"
    );
    assert_eq!(files(&target), first);
    // Another content under the same name takes the place of the earlier.
    std::fs::copy(capture("torch-steps.json.gz"), &copies[1]).unwrap();
    let pattern = ["--rank-from", r"rank(\d+)"];
    let (code, out, err) = convert(&target, &[&named[..], &pattern].concat());
    assert!(code == FINE && out.contains("1 written"), "{out}{err}");
    let (code, out) = check(&target, &[]);
    assert_eq!(code, FINE, "{out}");
    assert!(out.contains("2 of 2 ranks are complete"), "{out}");
}

#[test]
fn ranks_that_no_file_says_or_two_say_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("dataset");
    let steps = capture("wgpu-profiler.json");
    let (code, out, err) = convert(&target, &[&steps]);
    assert_eq!(code, FAILED, "{out}{err}");
    assert!(
        err.contains(
            "does not say which rank it is, say where it stands in the path by --rank-from"
        ),
        "{err}"
    );
    let (code, _, err) = convert(&target, &[&steps, "--rank-from", r"rank(\d+)"]);
    assert!(
        code == FAILED && err.contains("--rank-from finds none in its path"),
        "{err}"
    );
    let copy = folder.path().join("rank1.json");
    std::fs::copy(&steps, &copy).unwrap();
    let copy = copy.display().to_string();
    let both = [&copy, &pair()[1], "--rank-from", r"rank(\d+)"];
    let (code, out, err) = convert(&target, &both);
    assert!(
        code == FAILED && out.contains("1 written (") && out.contains("1 refused"),
        "{out}{err}"
    );
    assert!(err.contains("it is rank 1, and so is"), "{err}");
    let earlier = folder.path().join("earlier");
    convert(&earlier, &[&pair()[1]]);
    let (code, _, err) = convert(&earlier, &[&copy, "--rank-from", r"rank(\d+)"]);
    assert!(
        code == FAILED && err.contains("it is rank 1, which run run has from"),
        "{err}"
    );
    for (wrong, word) in [
        (["--run", "2026"], "“2026” cannot be the name of a run"),
        (["--shard", "4/4"], "such as 0/8 for the first of eight"),
        (["--rank-from", "rank("], "open group without closing"),
        (["--list", "/nowhere"], "the list /nowhere cannot be read"),
    ] {
        let (code, _, err) = convert(&target, &[&[copy.as_str()][..], &wrong].concat());
        assert!(code == WRONG && err.contains(word), "{err}");
    }
}

#[test]
fn a_time_in_a_path_is_no_rank() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("dataset");
    let copy = folder.path().join("rank.1694128201.json");
    std::fs::copy(capture("wgpu-profiler.json"), &copy).unwrap();
    let copy = copy.display().to_string();
    let (code, out, err) = convert(&target, &[&copy, "--rank-from", r"(\d+)"]);
    assert!(code == FAILED && out.contains("1 refused"), "{out}{err}");
    let words = "rank 1694128201 is larger than a dataset takes";
    assert!(err.contains(words), "{err}");
    // Nor does one in a folder's name make a list of all below it.
    convert(&target, &[&pair()[0]]);
    let far = target.join("spans/run=run/rank=2147483647");
    std::fs::create_dir_all(&far).unwrap();
    std::fs::write(far.join("part-0.parquet"), "").unwrap();
    let (code, out) = check(&target, &[]);
    assert!(code == FAILED && out.contains("rank=2147483647"), "{out}");
    assert!(!out.contains("--array"), "{out}");
}

#[test]
fn a_file_that_cannot_be_read_is_a_row_that_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("dataset");
    let broken = folder.path().join("rank5.json");
    std::fs::write(&broken, "no capture at all").unwrap();
    let broken = broken.display().to_string();
    let named = [&pair()[0], &broken, &pair()[1], "--rank-from", r"rank(\d+)"];
    let (code, out, err) = convert(&target, &named);
    assert_eq!(code, FAILED, "{out}{err}");
    assert!(
        out.contains("2 written") && out.contains("1 not readable"),
        "{out}"
    );
    assert!(
        err.contains("rank 5 has no rows") && err.contains("is not a capture"),
        "{err}"
    );
    let (code, out) = check(&target, &[]);
    assert!(
        code == FAILED && out.contains("2 of 6 ranks are complete"),
        "{out}"
    );
    assert!(
        out.contains("missing: --array=2-4\n") && out.contains("rank5.json could not be read"),
        "{out}"
    );
    let Some(python) = engines::python() else {
        return;
    };
    let sql = "SELECT rank, CASE WHEN spans > 0 THEN 1 ELSE 0 END AS some, receipt FROM captures ORDER BY rank";
    for engine in engines::ENGINES {
        let rows = engines::rows(&python, engine, &target, sql);
        let ranks: Vec<(i64, i64)> = rows
            .iter()
            .map(|it| (it[0].as_i64().unwrap(), it[1].as_i64().unwrap()))
            .collect();
        assert_eq!(ranks, [(0, 1), (1, 1), (5, 0)], "{engine}");
        let receipt: Value = serde_json::from_str(rows[2][2].as_str().unwrap()).unwrap();
        assert!(
            receipt["unreadable"]
                .as_str()
                .unwrap()
                .contains("is not a capture")
        );
    }
}

/// Starts the program on a part of the list, as a job of its own.
fn job(target: &Path, list: &Path, more: &[&str]) -> std::process::Child {
    let mut job = std::process::Command::new(program());
    job.arg("convert")
        .arg("--to")
        .arg(target)
        .arg("--list")
        .arg(list);
    job.args(["--rank-from", r"w(\d+)\."]).args(more);
    job.stdout(std::process::Stdio::null()).spawn().unwrap()
}

#[test]
fn jobs_convert_their_parts_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let source = capture("torch-steps.json.gz");
    // As editors of Windows begin a file.
    let mut list = String::from("\u{feff}\n");
    for rank in 0..12 {
        let copy = folder.path().join(format!("w{rank}.json.gz"));
        std::fs::copy(&source, &copy).unwrap();
        list += &copy.display().to_string();
        list.push('\n');
    }
    let path = folder.path().join("list.txt");
    std::fs::write(&path, list).unwrap();
    let whole = folder.path().join("whole");
    assert!(job(&whole, &path, &[]).wait().unwrap().success());
    let (code, out) = check(&whole, &["--ranks", "12"]);
    assert!(code == FINE && out.contains("12 of 12 ranks"), "{out}");
    // Parts in files of their own, and parts that share the files of one shard.
    let parted = folder.path().join("parted");
    let jobs = ["0/3", "1/3", "2/3"].map(|it| job(&parted, &path, &["--shard", it]));
    assert!(jobs.into_iter().all(|mut it| it.wait().unwrap().success()));
    assert!(parted.join("lanes/run=run/shard=2/part-0.parquet").exists());
    let shared = folder.path().join("shared");
    let each = [0, 1, 2, 3].map(|rank| {
        let list = folder.path().join(format!("list{rank}.txt"));
        std::fs::write(
            &list,
            format!("{}/w{rank}.json.gz\n", folder.path().display()),
        )
        .unwrap();
        job(&shared, &list, &[])
    });
    assert!(each.into_iter().all(|mut it| it.wait().unwrap().success()));
    assert!(job(&shared, &path, &[]).wait().unwrap().success());
    assert_eq!(files(&shared), files(&whole));
    let (code, out) = check(&parted, &["--ranks", "14"]);
    assert!(
        code == FAILED && out.contains("missing: --array=12,13\n"),
        "{out}"
    );
    let Some(python) = engines::python() else {
        return;
    };
    let sql =
        "SELECT rank, count(*) AS steps, sum(dur) AS ns FROM steps GROUP BY rank ORDER BY rank";
    let [whole, parted] = [&whole, &parted].map(|it| engines::rows(&python, "duckdb", it, sql));
    assert_eq!(whole, parted);
    assert_eq!(whole.len(), 12);
}

/// Two jobs that are started in two folders name different files by the same words.
#[test]
fn a_file_of_the_same_name_in_another_folder_is_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("dataset");
    let run = |job: &str, source: &str| {
        let place = folder.path().join(job);
        std::fs::create_dir_all(&place).unwrap();
        std::fs::copy(source, place.join("trace.json.gz")).unwrap();
        let mut command = std::process::Command::new(program());
        command.current_dir(&place);
        command.args(["convert", "trace.json.gz", "--rank-from", r"rank(\d+)"]);
        let output = command.arg("--to").arg(&target).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said)
    };
    let steps = capture("torch-steps.json.gz");
    let gloo = &pair()[0];
    let (code, said) = run("one", gloo);
    assert_eq!(code, Some(i32::from(FINE)), "{said}");
    let before = files(&target);
    std::fs::create_dir_all(folder.path().join("rank0")).unwrap();
    let copy = folder.path().join("rank0/trace.json.gz");
    std::fs::copy(steps, &copy).unwrap();
    let copy = copy.display().to_string();
    let (code, _, said) = convert(&target, &[&copy, "--rank-from", r"rank(\d+)"]);
    assert!(
        code == FAILED && said.contains("it is rank 0, which run run has from"),
        "{said}"
    );
    assert_eq!(files(&target), before);
    // The same file, named from elsewhere.
    let whole = folder
        .path()
        .join("one/trace.json.gz")
        .display()
        .to_string();
    let (code, out, said) = convert(&target, &[&whole]);
    assert!(
        code == FINE && out.contains("1 there already"),
        "{out}{said}"
    );
}

/// What a capture says of its rank counts, and a copy of it is no other rank.
#[test]
fn a_copy_whose_name_says_another_rank_is_there_already() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("dataset");
    let [_, second] = pair();
    convert(&target, &[&second]);
    let before = files(&target);
    let copy = folder.path().join("names2-rank-9.json.gz");
    std::fs::copy(&second, &copy).unwrap();
    let list = folder.path().join("list.txt");
    let lines = format!("# the ranks\n\n  # {second}\n{}\n", copy.display());
    std::fs::write(&list, lines).unwrap();
    let list = list.display().to_string();
    let (code, out, err) = convert(&target, &["--list", &list, "--rank-from", r"rank-(\d+)"]);
    assert!(
        code == FINE && out.contains("0 written (0 spans), 1 there already"),
        "{out}{err}"
    );
    assert!(out.contains("rank 1: "), "{out}");
    assert_eq!(files(&target), before);
    std::fs::write(&list, "# nothing\n").unwrap();
    let (code, _, err) = convert(&target, &["--list", &list]);
    assert!(code == WRONG && err.contains("names no file"), "{err}");
}

/// A capture that was cut off does not vanish from a folder.
#[test]
fn a_broken_capture_in_a_folder_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let captures = folder.path().join("captures");
    std::fs::create_dir(&captures).unwrap();
    std::fs::copy(&pair()[0], captures.join("rank0.json.gz")).unwrap();
    std::fs::write(captures.join("rank3.json"), "").unwrap();
    // What lies beside a capture of the same rank is no capture of it.
    for name in ["notes.txt", "rank0.log", "rank0.nsys-rep"] {
        std::fs::write(captures.join(name), "rank").unwrap();
    }
    let captures = captures.display().to_string();
    let target = folder.path().join("dataset");
    let (code, out, err) = convert(&target, &[&captures, "--rank-from", r"rank(\d+)"]);
    assert!(
        code == FAILED && out.contains("1 written (") && out.contains("1 not readable"),
        "{out}{err}"
    );
    assert!(err.contains("rank 3 has no rows"), "{err}");
    assert!(!err.contains("rank0"), "{err}");
}
