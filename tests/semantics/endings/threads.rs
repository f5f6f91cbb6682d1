//! More streams than this machine has threads for: said before the first is started.

use super::{PATIENCE, command, said};
use crate::house::program::output_within;

#[test]
fn more_streams_than_threads_are_refused_with_the_number_that_can_be_had() {
    let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
    let limit: u64 = limit.trim().parse().unwrap_or(u64::MAX);
    if limit / 4 > 16_384 {
        return eprintln!("skipped: this machine gives a process {limit} mappings");
    }
    let folder = tempfile::tempdir().unwrap();
    let source = r#"
        stream "s" count=16384
        host "main" { repeat 16384 index="i" { host-function "x" micros=1 on="s[i]" }; synchronize-device }
        "#;
    std::fs::write(folder.path().join("many.kdl"), source).unwrap();
    let arguments = ["run", "many.kdl", "--backend", "cpu"];
    let mut command = command(folder.path(), &arguments, "threads");
    let output = output_within(&mut command, PATIENCE, "many streams");
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("this machine allows"), "{said}");
    let number = said
        .split("allows ")
        .nth(1)
        .and_then(|it| it.split(' ').next());
    let allowed: u64 = number.unwrap().parse().unwrap();
    assert!(allowed < 16_384 && allowed > 0, "{said}");
}
