//! Files of a dataset that are cut off, damaged, newer or of others: each is named, and none is read.

use std::fs;
use std::path::{Path, PathBuf};

use app::cli::{FAILED, FINE, WRONG};

use super::{check, convert, engines, files, pair};

fn dataset() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = convert(folder.path(), &pair().each_ref().map(String::as_str));
    assert_eq!(code, FINE, "{out}{err}");
    folder
}

fn part(folder: &Path, table: &str, partition: &str) -> PathBuf {
    folder
        .join(table)
        .join("run=run")
        .join(partition)
        .join("part-0.parquet")
}

#[test]
fn a_whole_dataset_is_fine() {
    let folder = dataset();
    let (code, out) = check(folder.path(), &[]);
    assert_eq!(code, FINE, "{out}");
    assert!(
        out.starts_with("run run: 2 of 2 ranks are complete, ") && out.lines().count() == 1,
        "{out}"
    );
    let (code, out) = check(folder.path(), &["--ranks", "6"]);
    assert!(
        code == FAILED && out.contains("missing: --array=2-5\n"),
        "{out}"
    );
    let empty = tempfile::tempdir().unwrap();
    let (code, out) = check(empty.path(), &[]);
    assert!(code == WRONG && out.contains("is no dataset"), "{out}");
    let (code, out) = check(&empty.path().join("none"), &[]);
    assert!(code == WRONG && out.contains("there is no folder"), "{out}");
}

#[test]
fn files_that_were_cut_off_are_named_and_their_ranks_are_missing() {
    for (table, partition, missing) in [
        ("spans", "rank=1", "--array=1\n"),
        ("captures", "rank=0", "--array=0\n"),
        ("lanes", "shard=0", "--array=0,1\n"),
    ] {
        let folder = dataset();
        let path = part(folder.path(), table, partition);
        let whole = fs::read(&path).unwrap();
        for kept in [0, 3, whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..kept]).unwrap();
            let (code, out) = check(folder.path(), &[]);
            assert_eq!(code, FAILED, "{table}, {kept} bytes: {out}");
            assert!(
                out.contains(&format!("missing: {missing}")),
                "{table}, {kept} bytes: {out}"
            );
            let wrong = format!("wrong: {} is damaged: ", path.display());
            assert!(out.contains(&wrong), "{table}, {kept} bytes: {out}");
        }
    }
}

#[test]
fn a_cut_off_file_of_ranks_is_written_anew_and_one_of_a_shard_has_to_be_deleted() {
    let folder = dataset();
    let before = files(folder.path());
    let named = pair();
    let named = named.each_ref().map(String::as_str);
    for (table, partition) in [("captures", "rank=0"), ("waits", "rank=1")] {
        let path = part(folder.path(), table, partition);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        fs::remove_file(part(folder.path(), "captures", partition)).unwrap();
        let (code, out, err) = convert(folder.path(), &named);
        assert!(code == FINE && out.contains("1 written"), "{out}{err}");
        assert_eq!(files(folder.path()), before, "{table}");
    }
    // A receipt does not say that files are whole which no longer are, or are of another rank.
    let [first, second] = [0, 1].map(|it| part(folder.path(), "spans", &format!("rank={it}")));
    let whole = fs::read(&first).unwrap();
    for wrong in [
        whole[..whole.len() / 2].to_vec(),
        fs::read(&second).unwrap(),
    ] {
        fs::write(&first, wrong).unwrap();
        let (code, out, err) = convert(folder.path(), &named);
        assert!(code == FINE && out.contains("1 written"), "{out}{err}");
        assert_eq!(files(folder.path()), before);
    }
    let shard = part(folder.path(), "steps", "shard=0");
    fs::write(&shard, "PAR1").unwrap();
    let (code, _, err) = convert(folder.path(), &named);
    let wrong = format!("{} is damaged: ", shard.display());
    assert!(
        code == WRONG && err.contains(&wrong) && err.contains("delete it and convert"),
        "{err}"
    );
    for rank in ["rank=0", "rank=1"] {
        assert!(part(folder.path(), "captures", rank).exists(), "{rank}");
    }
    fs::remove_file(&shard).unwrap();
    let (code, out, err) = convert(folder.path(), &named);
    assert!(code == FINE && out.contains("2 written"), "{out}{err}");
    assert_eq!(files(folder.path()), before);
}

/// Whatever byte of a shard's file is another one, the file is named before anything is added to it.
#[test]
fn damaged_bytes_are_told_with_the_name_of_the_file() {
    let folder = dataset();
    let path = part(folder.path(), "lanes", "shard=0");
    let whole = fs::read(&path).unwrap();
    let receipt = part(folder.path(), "captures", "rank=1");
    let [_, second] = pair();
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        fs::write(&path, &damaged).unwrap();
        fs::remove_file(&receipt).unwrap_or_default();
        let (code, out, err) = convert(folder.path(), &[&second]);
        let wrong = format!("{} is damaged: ", path.display());
        assert!(
            code == WRONG && err.contains(&wrong),
            "byte {at}: {out}{err}"
        );
    }
}

#[test]
fn files_of_others_are_named_and_never_read() {
    let folder = dataset();
    let spans = part(folder.path(), "spans", "rank=1");
    let other = spans.with_file_name("part-1.parquet");
    fs::copy(&spans, &other).unwrap();
    let seven = folder.path().join("spans/run=run/rank=07");
    fs::create_dir(&seven).unwrap();
    let note = folder.path().join("notes.txt");
    fs::write(&note, "x").unwrap();
    // Some engines read what is hidden.
    let hidden = spans.with_file_name(".syncline-aB3dEf.part");
    fs::write(&hidden, "x").unwrap();
    let unfinished = folder.path().join(".unfinished/.syncline-aB3dEf.part");
    fs::write(&unfinished, "x").unwrap();
    let (code, out) = check(folder.path(), &[]);
    assert_eq!(code, FAILED, "{out}");
    for path in [&other, &seven, &note, &hidden] {
        assert!(
            out.contains(&format!(
                "foreign: {} is no part of a dataset",
                path.display()
            )),
            "{out}"
        );
    }
    assert!(
        out.contains(&format!("unfinished: {} ", unfinished.display())),
        "{out}"
    );
    assert!(out.contains("2 of 2 ranks are complete"), "{out}");
    if let Some(python) = engines::python() {
        let sql = "SELECT count(*) AS spans, count(DISTINCT id) AS ids FROM spans";
        let rows = engines::rows(&python, "duckdb", folder.path(), sql);
        assert_eq!(rows[0][0], rows[0][1]);
        // A table that another program wrote, in the place of one of ours.
        let path = folder.path().display().to_string();
        let script = "import sys,pyarrow as pa,pyarrow.parquet as pq\n\
            pq.write_table(pa.table({'step':[1],'rank':[0]}),f'{sys.argv[1]}/steps/run=run/shard=0/part-0.parquet')\n\
            meta={'syncline.schema':'99','syncline.table':'captures'}\n\
            pq.write_table(pa.table({'schema':[99]}).replace_schema_metadata(meta),f'{sys.argv[1]}/captures/run=run/rank=1/part-0.parquet')\n\
            print(1)";
        engines::script(&python, &["-c", script, &path], "");
        let (code, out) = check(folder.path(), &[]);
        assert_eq!(code, FAILED);
        assert!(
            out.contains("was not written by `syncline convert`"),
            "{out}"
        );
        assert!(out.contains("has version 99 of the tables"), "{out}");
        let (code, _, err) = convert(folder.path(), &pair().each_ref().map(String::as_str));
        assert!(
            code == WRONG && err.contains("this Syncline knows version 1"),
            "{err}"
        );
    }
}
