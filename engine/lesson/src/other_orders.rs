//! The other orders that a text allows, where what it does depends on how it runs: two host threads, or an answer that it acts
//! on. One run proves nothing of those, so that it is judged in many that seeds draw, in virtual time.

use record::RunOutcome;
use workload::kdl::{self, KdlNode};

use super::conditions::Condition;
use super::document::Lesson;
use super::judgement::{Judgement, perform, says_finishes, with_expectations};
use super::texts::LocalizedText;

/// How many orders are drawn.
const ORDERS: u64 = 50;

/// Forms of expectations that are about what is enforced and what is computed, whatever the times are.
const TIMELESS: [&str; 10] = [
    "each",
    "sum",
    "ordered",
    "apart",
    "race",
    "host-knows",
    "host-waits",
    "stream-waits",
    "on",
    "used",
];

impl Lesson {
    /// Judges a text that passed in the orders that seeds draw; the first that misses a condition is told. What is not known
    /// in virtual time, since the lesson is not for it, is not judged.
    pub(crate) fn judge_other_orders(&self, source: &str, judgement: &mut Judgement) {
        if self.is_for("mock").is_err() || !depends_on_order(source) {
            return;
        }
        let timeless = |condition: &&Condition| {
            let words = condition
                .forms
                .iter()
                .map(|it| it.split(' ').next().unwrap_or_default());
            words.into_iter().all(|it| TIMELESS.contains(&it))
        };
        let conditions: Vec<Condition> = self.conditions.iter().filter(timeless).cloned().collect();
        let source = with_expectations(source, &conditions);
        for seed in 1..=ORDERS {
            let Some((id, says)) = missed(&source, &conditions, seed) else {
                continue;
            };
            judgement.passed = false;
            judgement.refused_by = Some(id);
            judgement.says = in_another_order(seed, &says);
            return;
        }
    }
}

/// Whether the calls of a text, or their order, depend on how it runs.
fn depends_on_order(source: &str) -> bool {
    let Ok(nodes) = kdl::parse(source) else {
        return false;
    };
    nodes.iter().filter(|it| it.name == "host").count() > 1 || nodes.iter().any(acts_on_answers)
}

fn acts_on_answers(node: &KdlNode) -> bool {
    node.name == "try" || node.inside().iter().any(acts_on_answers)
}

/// The condition that is missed in the order of a seed, and what is said of that.
fn missed(source: &str, conditions: &[Condition], seed: u64) -> Option<(String, LocalizedText)> {
    // What cannot run in virtual time was not judged there.
    let capture = perform(source, "mock", Some(seed)).ok()?;
    let outcome = capture.end().map(|end| end.outcome.clone());
    if let Some(RunOutcome::Failed(why)) = outcome {
        return Some(("finishes".to_owned(), says_finishes(&why)));
    }
    let mut verdicts = capture.expectations().iter();
    for condition in conditions {
        let mut own = verdicts.by_ref().take(condition.forms.len());
        if let Some(verdict) = own.by_ref().find(|it| it.holds == Some(false)) {
            let found = verdict.found.clone();
            return Some((condition.id.clone(), condition.says.filled(&found)));
        }
    }
    None
}

fn in_another_order(seed: u64, says: &LocalizedText) -> LocalizedText {
    use super::texts::TextLanguage::{Chinese, English};
    LocalizedText::of_both(
        &format!(
            "What the text does depends on how it runs. It passed here, and does not in another order that it allows (--backend mock --seed {seed}): {}",
            says.get(English)
        ),
        &format!(
            "这段文本做什么取决于它怎样运行。这一次通过了，但在它允许的另一种顺序中（--backend mock --seed {seed}）没有通过：{}",
            says.get(Chinese)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_two_hosts_or_a_try_depend_on_their_order() {
        for (text, depends) in [
            ("host \"a\" { query \"e\" }", false),
            ("host \"a\" { }\nhost \"b\" { }", true),
            (
                "host \"a\" { repeat 2 { try { query \"e\" strict=#true } } }",
                true,
            ),
            ("host \"a\" {", false),
        ] {
            assert_eq!(depends_on_order(text), depends, "{text}");
        }
    }
}
