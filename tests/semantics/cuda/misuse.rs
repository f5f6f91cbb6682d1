//! What the driver answers to what must not be done: a table of cases, each run against the driver that is there, and
//! compared with the codes that are kept.
//!
//! In CI that is the stand-in. With `REAL_CUDA` set it is the machine's own, and what differs then is a mistake of the
//! stand-in's; `MISUSE_TABLE` names a file to write what was measured into, in the form of the one that is kept.

mod cases;
mod driver;

use std::fmt::Write as _;
use std::path::PathBuf;

use self::cases::CASES;
use self::driver::Driver;
use crate::house::program::stand_in;

/// The codes that are kept.
const KEPT: &str = include_str!("misuse.tsv");
/// Says that the kept codes are to be written anew, as a device measures them.
const UPDATE: &str = "UPDATE_GOLDEN";
/// Names a file for what was measured.
const TABLE: &str = "MISUSE_TABLE";

/// The driver that is there.
fn driver() -> Driver {
    if std::env::var_os("REAL_CUDA").is_some() {
        Driver::open(&PathBuf::from("libcuda.so.1"))
    } else {
        Driver::open(&stand_in())
    }
}

/// What every case came to on this driver, as a table: its name, the code, how that is known, what it is about.
pub fn measured(driver: &Driver) -> String {
    let origin = driver.origin();
    let mut table = format!("# Result codes of misuse, {origin}.\n# case\tcode\tabout\n");
    for case in CASES {
        let code = driver.in_context(case.act);
        let _ = writeln!(table, "{}\t{code}\t{}", case.name, case.about);
    }
    table
}

/// The cases of a table, each with its code.
fn codes(table: &str) -> Vec<(&str, &str)> {
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let codes = rows.filter_map(|row| {
        let mut columns = row.split('\t');
        Some((columns.next()?, columns.next()?))
    });
    codes.collect()
}

#[test]
fn the_driver_refuses_what_it_is_known_to_refuse() {
    let driver = driver();
    let found = measured(&driver);
    if let Some(path) = std::env::var_os(TABLE) {
        std::fs::write(path, &found).unwrap();
    }
    if std::env::var_os(UPDATE).is_some() && !driver.is_stand_in() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/semantics/cuda/misuse.tsv");
        std::fs::write(path, &found).unwrap();
        return;
    }
    let (found, kept) = (codes(&found), codes(KEPT));
    let differs = found
        .iter()
        .zip(&kept)
        .filter(|(found, kept)| found != kept);
    let differs: Vec<_> = differs.collect();
    assert!(
        differs.is_empty() && found.len() == kept.len(),
        "found, and kept ({UPDATE}=1 writes them anew on a device): {differs:?}"
    );
}

#[test]
fn the_table_is_of_many_cases_and_says_where_its_codes_come_from() {
    assert!(CASES.len() >= 30);
    for (place, case) in CASES.iter().enumerate() {
        assert!(
            CASES
                .iter()
                .skip(place + 1)
                .all(|other| other.name != case.name),
            "{}",
            case.name
        );
    }
    let head = KEPT.lines().next().unwrap();
    assert!(head.contains("measured on NVIDIA"), "{head}");
}
