//! What is expected of the order of calls, compared with what the model says of each pair of operations.

use super::COUNT;
use super::draw::{Family, SeededRandom, draw, family};
use super::order::EnforcedOrder;
use super::submitted::ModelOperation;
use super::text::{GeneratedCall, GeneratedWorkload};
use engine::record::Record;

/// Pairs of calls that are asked about, of each workload.
const PAIRS: usize = 12;

/// The families in which no operation is dropped, and no wait gives up.
const FAMILIES: [Family; 8] = [
    Family::Plain,
    Family::Legacy,
    Family::Signals,
    Family::Hosts,
    Family::UnorderedHosts,
    Family::SharedSignals,
    Family::Fans,
    Family::Graphs,
];

/// The text with a label on each line that works on buffers, and what is expected.
fn labelled(workload: &GeneratedWorkload, lines: &[u32], expected: &[String]) -> String {
    let text = workload.text();
    let mut labelled = String::new();
    for (number, line) in (1_u32..).zip(text.lines()) {
        let label = format!(" label=\"l{number}\"");
        match line.split_once(" {") {
            _ if !lines.contains(&number) => labelled.push_str(line),
            Some((call, block)) => labelled.extend([call, &label, " {", block]),
            None => labelled.extend([line, &label]),
        }
        labelled.push('\n');
    }
    labelled + "expect {\n" + &expected.concat() + "}\n"
}

/// What the model says of the operations of two calls: whether all of the first come before all of the second, and whether
/// nothing orders any two.
fn of_model(order: &EnforcedOrder, first: usize, second: usize) -> (bool, bool) {
    let of = |site: usize| order.operations.iter().filter(move |it| it.site == site);
    let before = |one: &ModelOperation, other: &ModelOperation| {
        order.is_before(one.moments.1, other.moments.0)
    };
    let pairs = || of(first).flat_map(|one| of(second).map(move |other| (one, other)));
    let is_some = pairs().next().is_some();
    (
        is_some && pairs().all(|(one, other)| before(one, other)),
        is_some && pairs().all(|(one, other)| !before(one, other) && !before(other, one)),
    )
}

#[test]
fn what_is_expected_of_orders_is_what_the_model_says_of_them() {
    let (mut ordered, mut apart, mut neither) = (0, 0, 0);
    for seed in (0..COUNT).filter(|&seed| FAMILIES.contains(&family(seed))) {
        let workload = draw(seed);
        let order = EnforcedOrder::of(&workload, &[]);
        if order.is_stuck() {
            continue;
        }
        let works = (0..order.calls.len())
            .filter(|&it| matches!(order.calls[it].call, GeneratedCall::Work(..)))
            .collect::<Vec<usize>>();
        if works.len() < 2 {
            continue;
        }
        let mut random = SeededRandom::new(seed);
        let (mut lines, mut expected, mut truth) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..PAIRS {
            let pair = [0, 1].map(|_| works[random.below(works.len())]);
            if pair[0] == pair[1] {
                continue;
            }
            let [one, other] = pair.map(|it| order.calls[it].line);
            lines.extend([one, other]);
            let (is_before, is_apart) = of_model(&order, pair[0], pair[1]);
            expected.push(format!("    ordered \"l{one}\" \"l{other}\"\n"));
            expected.push(format!("    apart \"l{one}\" \"l{other}\"\n"));
            truth.extend([is_before, is_apart]);
            ordered += u32::from(is_before);
            apart += u32::from(is_apart);
            neither += u32::from(!is_before && !is_apart);
        }
        let text = labelled(&workload, &lines, &expected);
        let mut told = Vec::new();
        let run = super::run(super::request(&text, "mock"), |batch| {
            let verdicts = batch.into_iter().filter_map(|it| match it {
                Record::Expectation(it) => Some(it),
                _ => None,
            });
            told.extend(verdicts);
        });
        run.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        // Those that every workload has come first.
        let told = &told[told.len() - truth.len()..];
        for (verdict, truth) in told.iter().zip(&truth) {
            assert_eq!(
                verdict.holds,
                Some(*truth),
                "seed {seed}: {}: {}\n{text}",
                verdict.text,
                verdict.found
            );
        }
    }
    assert!(
        ordered > 100 && apart > 50 && neither > 100,
        "{ordered}, {apart}, {neither}"
    );
}
