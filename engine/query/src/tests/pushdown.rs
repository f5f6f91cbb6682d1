//! What the tables do themselves, against SQLite: a sign before a column keeps it from them.

use super::{Chance, rows, source};

/// Conditions over the spans; `$` stands before each column.
fn condition(chance: &mut Chance) -> String {
    let number = |chance: &mut Chance| match chance.below(6) {
        0 => "NULL".to_owned(),
        1 => format!("{}.5", chance.below(400)),
        2 => format!("{}e0", chance.below(400)),
        3 => format!("-{}", chance.below(10)),
        4 => "9223372036854775807".to_owned(),
        _ => chance.below(1_200_000).to_string(),
    };
    let operator = ["=", "<", "<=", ">", ">=", "IS", "<>"][chance.below(7) as usize];
    match chance.below(9) {
        0 => format!("$id {operator} {}", chance.below(400)),
        1 => format!("$id {operator} {}", number(chance)),
        2 => format!("$ts {operator} {}", number(chance)),
        3 => format!(
            "$ts BETWEEN {} AND {}",
            chance.below(300_000),
            chance.below(1_200_000)
        ),
        4 => format!(
            "$kind = '{}'",
            ["kernel", "KERNEL", "call", "nothing"][chance.below(4) as usize]
        ),
        5 => format!("$name IN ('gemm', 'memcpy', 'Ä name', {})", number(chance)),
        6 => format!("$lane_id {operator} {}", number(chance)),
        7 => format!("$launch_id {operator} {}", chance.below(300)),
        _ => format!(
            "$name {operator} {}",
            ["'gemm'", "5", "NULL", "'x'"][chance.below(4) as usize]
        ),
    }
}

#[test]
fn tables_find_what_sqlite_finds() {
    let source = source(60);
    let mut chance = Chance(11);
    let mut nonempty = 0;
    for _ in 0..600 {
        let all: Vec<String> = (0..=chance.below(3))
            .map(|_| condition(&mut chance))
            .collect();
        let joined = all.join(if chance.below(4) == 0 {
            " OR "
        } else {
            " AND "
        });
        let own = format!(
            "SELECT id FROM spans WHERE {} ORDER BY +id",
            joined.replace('$', "")
        );
        let plain = format!(
            "SELECT id FROM spans WHERE {} ORDER BY +id",
            joined.replace('$', "+")
        );
        let found = rows(&source, &own);
        nonempty += usize::from(!found.is_empty());
        assert_eq!(found, rows(&source, &plain), "{joined}");
    }
    assert!(nonempty > 100, "{nonempty}");
}

#[test]
fn tables_order_and_group_as_sqlite_does() {
    let source = source(60);
    let mut chance = Chance(3);
    let columns = [
        "kind",
        "name",
        "lane",
        "lane_id",
        "ts",
        "dur",
        "launch_id",
        "step",
        "bytes",
        "state",
        "rank",
        "run",
    ];
    for _ in 0..200 {
        let mut some: Vec<&str> = (0..=chance.below(3))
            .map(|_| columns[chance.below(12) as usize])
            .collect();
        some.sort_unstable();
        some.dedup();
        let down: Vec<&str> = some
            .iter()
            .map(|_| ["", " DESC"][chance.below(2) as usize])
            .collect();
        let order = |sign: &str| {
            let terms = some
                .iter()
                .zip(&down)
                .map(|(it, down)| format!("{sign}{it}{down}"));
            terms.collect::<Vec<_>>().join(", ")
        };
        let list = some.join(", ");
        let wanted = if chance.below(2) == 0 {
            ""
        } else {
            "WHERE kind IN ('kernel', 'upload') AND id > 20"
        };
        let sorted = |order: &str| {
            rows(
                &source,
                &format!("SELECT {list} FROM spans {wanted} ORDER BY {order}"),
            )
        };
        assert_eq!(sorted(&order("")), sorted(&order("+")), "{}", order(""));
        let grouped = |group: &str| {
            let sql = format!(
                "SELECT {list}, count(*) AS n, sum(dur) AS total, min(id) AS least FROM spans {wanted} GROUP BY {group} ORDER BY least"
            );
            rows(&source, &sql)
        };
        let signed: Vec<String> = some.iter().map(|it| format!("+{it}")).collect();
        assert_eq!(grouped(&list), grouped(&signed.join(", ")), "{list}");
        let distinct = rows(
            &source,
            &format!("SELECT DISTINCT {list} FROM spans {wanted}"),
        );
        let groups = rows(
            &source,
            &format!(
                "SELECT {list} FROM spans {wanted} GROUP BY {}",
                signed.join(", ")
            ),
        );
        assert_eq!(distinct.len(), groups.len(), "{list}");
    }
    let reals = |sign: &str| {
        rows(
            &source,
            &format!("SELECT value, ts FROM counters ORDER BY {sign}value DESC, {sign}ts"),
        )
    };
    assert_eq!(reals(""), reals("+"));
}

#[test]
fn a_number_in_apostrophes_is_compared_as_sqlite_does() {
    let source = source(10);
    for (text, number) in [
        ("id = '5'", "id = 5"),
        ("ts > '3000'", "ts > 3000"),
        ("id < 'x'", "1"),
        ("id = 'x'", "0"),
    ] {
        let found = |condition: &str| {
            rows(
                &source,
                &format!("SELECT id FROM spans WHERE {condition} ORDER BY id"),
            )
        };
        assert_eq!(found(text), found(number), "{text}");
    }
}

#[test]
fn joins_by_id_find_what_a_search_finds() {
    let source = source(60);
    let by_key = "SELECT count(*), sum(c.ts) FROM spans k JOIN spans c ON c.id = k.launch_id";
    let by_reading = "SELECT count(*), sum(c.ts) FROM spans k JOIN spans c ON +c.id = +k.launch_id";
    assert_eq!(rows(&source, by_key), rows(&source, by_reading));
    let mixed = "SELECT count(*) FROM spans a JOIN spans b ON b.ts >= a.ts AND b.ts < a.ts + a.dur AND b.lane = 'stream 7'";
    assert_eq!(
        rows(&source, mixed),
        rows(
            &source,
            &mixed.replace("b.ts", "+b.ts").replace("b.lane", "+b.lane")
        )
    );
}

#[test]
fn groups_of_names_need_no_sorter() {
    let source = source(10);
    let plan = |sql: &str| {
        let plan = rows(&source, &format!("EXPLAIN QUERY PLAN {sql}"));
        plan.concat().join(" ")
    };
    let sorter = "USE TEMP B-TREE FOR GROUP BY";
    assert!(
        !plan("SELECT name, sum(dur) FROM spans WHERE kind = 'kernel' GROUP BY name")
            .contains(sorter)
    );
    assert!(!plan("SELECT lane, kind, count(*) FROM spans GROUP BY lane, kind").contains(sorter));
    assert!(plan("SELECT dur / 10, count(*) FROM spans GROUP BY dur / 10").contains(sorter));
}
