//! Whether what was seen of a program is what the case expects.

use engine::device::webgpu::{
    CallOutcome, DecidingTimeline, GpuErrorKind, LossReason, MapState, ModelPromiseId, OutcomeRow,
    PromiseRejection, PromiseResult, PromiseValue,
};
use serde_json::Value as Json;

use super::case::Case;
use super::machine::Machine;
use super::shader;

type Checked = Result<(), String>;

/// Checks everything that the case expects.
pub fn check(case: &Case, seen: &Machine<'_>) -> Checked {
    for (key, expected) in &case.expect {
        check_one(case, seen, key, expected).map_err(|wrong| format!("{key}: {wrong}"))?;
    }
    if seen.model.repeats() > 0 {
        return Err("a promise was settled twice".to_owned());
    }
    if seen.losses.len() > 1 {
        return Err(format!("lost {} times", seen.losses.len()));
    }
    Ok(())
}

fn check_one(case: &Case, seen: &Machine<'_>, key: &str, expected: &Json) -> Checked {
    let text = expected.as_str().unwrap_or_default();
    match key {
        "order" => order(seen, expected),
        "uncaptured" => count(seen.uncaptured.len(), expected),
        "validation_error" => {
            let of_kind = seen
                .uncaptured
                .iter()
                .filter(|kind| **kind == GpuErrorKind::Validation);
            count(of_kind.count(), expected)
        }
        "type" => same(
            seen.uncaptured.first().map_or("none", |kind| kind.label()),
            text,
        ),
        // Calls of the model that would throw answer by a row that rejects.
        "throws" => {
            let throws = seen.ranges.iter().any(|(_, row)| is_rejected(row));
            same(throws, expected.as_bool().unwrap_or_default())
        }
        "scopes" => same(seen.captured, 0),
        "early" => early(seen, "p", expected),
        "same_pointer" => {
            let is_kept = seen
                .ranges
                .iter()
                .all(|(_, row)| row.outcome == CallOutcome::Handle);
            same(is_kept, expected.as_bool().unwrap_or_default())
        }
        "v" => view(seen, text),
        "all" => each(seen, seen.all.iter().chain(&seen.popped), text),
        "rest" => each(seen, seen.popped.iter(), "null"),
        "inner" => each(seen, seen.popped.iter().rev().skip(1), "null"),
        "outer" => match seen.popped.last() {
            Some(outer) => settled(seen, *outer, text),
            None => Err("nothing was popped".to_owned()),
        },
        "first" => requested(seen, 0, text),
        "second" => requested(seen, 1, text),
        "third" => requested(seen, 2, text),
        "i" => messages(seen, text),
        "lost" => lost(seen, text),
        "mapState" => map_state(seen, text),
        _ if key.starts_with("b2.mapState after") => map_state_after(seen, key, text),
        _ if key.ends_with("_early") => early(seen, key.trim_end_matches("_early"), expected),
        _ => promise(case, seen, key, expected),
    }
}

fn same<T: Copy + PartialEq + std::fmt::Debug>(seen: T, expected: T) -> Checked {
    if seen == expected {
        Ok(())
    } else {
        Err(format!("{seen:?}, and not {expected:?}"))
    }
}

fn count(seen: usize, expected: &Json) -> Checked {
    same(Some(seen as u64), expected.as_u64())
}

const fn is_rejected(row: &OutcomeRow) -> bool {
    matches!(row.outcome, CallOutcome::Reject(_))
}

fn settlement(seen: &Machine<'_>, name: &str) -> Result<PromiseResult, String> {
    let promise = seen.promises.get(name).copied();
    let promise = promise.ok_or_else(|| format!("the program makes no promise {name}"))?;
    seen.model
        .settlement(promise)
        .ok_or_else(|| format!("{name} never settles"))
}

/// A named promise: one outcome, or one of several, each with what it goes with.
fn promise(case: &Case, seen: &Machine<'_>, key: &str, expected: &Json) -> Checked {
    let settled_as = settlement(seen, key)?;
    if let Some(text) = expected.as_str() {
        return fits(case, seen, &settled_as, text);
    }
    let options = expected.get("one_of").and_then(Json::as_array);
    let options = options.ok_or_else(|| format!("cannot be read: {expected}"))?;
    let mut wrongs = Vec::new();
    for option in options.iter().filter_map(Json::as_str) {
        match fits(case, seen, &settled_as, option) {
            Ok(()) => return Ok(()),
            Err(wrong) => wrongs.push(wrong),
        }
    }
    Err(wrongs.join("; nor "))
}

/// Whether a promise came to what a text says: `resolve(pipeline)`, `reject(AbortError) on content timeline …`.
fn fits(_: &Case, seen: &Machine<'_>, settled: &PromiseResult, text: &str) -> Checked {
    let (words, rest) = outcome_and_rest(text);
    outcome(settled.outcome, words)?;
    let lost = settlement(seen, "lost").ok().map(|it| it.order);
    let is_after = lost.is_some_and(|lost| lost < settled.order);
    match rest.trim() {
        "" | "; the validation error is unobservable" => Ok(()),
        "if observed after lost settled" => same(is_after, true),
        "if observed before lost settled" => same(is_after, false),
        "synchronously on content timeline" => same(settled.is_early, true),
        "on content timeline inside destroy()" => {
            same(settled.row.decided, DecidingTimeline::Content)?;
            same(seen.in_destroy.contains(&settled.promise), true)
        }
        "at once (does not wait for the work)" => {
            same(seen.before_work.contains(&settled.promise), true)
        }
        rest if rest.starts_with('(') => Ok(()),
        rest => Err(format!("cannot be read: {rest}")),
    }
}

/// `resolve(…)` or `reject(…)` or a word, and what follows it.
fn outcome_and_rest(text: &str) -> (&str, &str) {
    let end = if text.starts_with("resolve(") || text.starts_with("reject(") {
        text.find(')').map_or(text.len(), |at| at + 1)
    } else if text.starts_with("the captured error") {
        "the captured error".len()
    } else {
        text.find(' ').unwrap_or(text.len())
    };
    text.split_at(end)
}

fn outcome(seen: CallOutcome, words: &str) -> Checked {
    let fits = match words {
        "resolve" => matches!(seen, CallOutcome::Resolve(_)),
        // Validity cannot be observed.
        "resolve(pipeline)"
        | "resolve(pipeline, invalid internally)"
        | "resolve(invalid pipeline)" => seen == CallOutcome::Resolve(PromiseValue::Pipeline),
        "resolve(messages=[])" => seen == CallOutcome::Resolve(PromiseValue::NoMessages),
        "resolve(reason=destroyed)" => {
            seen == CallOutcome::Resolve(PromiseValue::Lost(LossReason::Destroyed))
        }
        "resolve(reason=unknown)" => {
            seen == CallOutcome::Resolve(PromiseValue::Lost(LossReason::Unknown))
        }
        "null" => seen == CallOutcome::Resolve(PromiseValue::Null),
        "the captured error" => matches!(seen, CallOutcome::Resolve(PromiseValue::Error(_))),
        _ => match GpuErrorKind::from_label(words) {
            Some(kind) => seen == CallOutcome::Resolve(PromiseValue::Error(kind)),
            None => rejection(words).is_some_and(|it| seen == CallOutcome::Reject(it)),
        },
    };
    if fits {
        Ok(())
    } else {
        Err(format!("{seen}, and not {words}"))
    }
}

fn rejection(words: &str) -> Option<PromiseRejection> {
    let all = [
        PromiseRejection::PipelineValidation,
        PromiseRejection::PipelineInternal,
        PromiseRejection::Operation,
        PromiseRejection::Abort,
        PromiseRejection::Type,
        PromiseRejection::Range,
    ];
    all.into_iter()
        .find(|it| words == format!("reject({})", it.label()))
}

fn settled(seen: &Machine<'_>, promise: ModelPromiseId, text: &str) -> Checked {
    match seen.model.settlement(promise) {
        Some(found) => outcome(found.outcome, text),
        None => Err("it never settles".to_owned()),
    }
}

fn each<'p>(
    seen: &Machine<'_>,
    promises: impl Iterator<Item = &'p ModelPromiseId>,
    text: &str,
) -> Checked {
    let mut found = 0;
    for promise in promises {
        settled(seen, *promise, text.trim_start_matches("all "))?;
        found += 1;
    }
    if found > 0 {
        Ok(())
    } else {
        Err("there are none".to_owned())
    }
}

/// `a<b`: the one settles before the other; or all in the order of their calls.
fn order(seen: &Machine<'_>, expected: &Json) -> Checked {
    if expected.as_str() == Some("call order") {
        let orders: Vec<_> = seen
            .all
            .iter()
            .filter_map(|promise| seen.model.settlement(*promise).map(|it| it.order))
            .collect();
        return same(orders.len() == seen.all.len() && orders.is_sorted(), true);
    }
    let pairs = expected
        .as_array()
        .ok_or_else(|| format!("cannot be read: {expected}"))?;
    for pair in pairs.iter().filter_map(Json::as_str) {
        let both = pair.split_once('<');
        let (first, second) = both.ok_or_else(|| format!("cannot be read: {pair}"))?;
        let (before, after) = (settlement(seen, first)?, settlement(seen, second)?);
        if before.order >= after.order {
            return Err(format!("not {pair}"));
        }
    }
    Ok(())
}

fn early(seen: &Machine<'_>, name: &str, expected: &Json) -> Checked {
    same(Some(settlement(seen, name)?.is_early), expected.as_bool())
}

/// What became of a view that was taken before the loss.
fn view(seen: &Machine<'_>, text: &str) -> Checked {
    let taken = seen.ranges.iter().find(|(name, _)| name == "v");
    let (_, row) = taken.ok_or("the program takes no view")?;
    same(row.outcome, CallOutcome::Handle)?;
    let is_detached = last_state(seen, "b") != Some(MapState::Mapped);
    same(is_detached, text.starts_with("detached"))
}

fn last_state(seen: &Machine<'_>, buffer: &str) -> Option<MapState> {
    let start = format!("{buffer} after ");
    let states = seen.states.iter().rev();
    let mut of_buffer = states.filter(|(name, _)| name.starts_with(&start));
    of_buffer.next().map(|(_, state)| *state)
}

fn map_state(seen: &Machine<'_>, text: &str) -> Checked {
    let mut history: Vec<&str> = seen
        .states
        .iter()
        .filter(|(name, _)| name.starts_with("b after "))
        .map(|(_, state)| state.label())
        .collect();
    history.dedup();
    let fits = match text {
        "mapped, then unmapped after unmap/destroy" => match seen.schedule.variant {
            0 => history == ["mapped"],
            _ => history == ["mapped", "unmapped"],
        },
        "unmapped -> pending -> (mapped | unmapped)" => match seen.schedule.variant {
            0 => history == ["pending", "mapped"],
            _ => history == ["pending", "unmapped"],
        },
        last => history.last() == Some(&last),
    };
    if fits {
        Ok(())
    } else {
        Err(format!("{history:?}, and not {text}"))
    }
}

/// `b2.mapState after creation`, `b2.mapState after 2nd destroy`.
fn map_state_after(seen: &Machine<'_>, key: &str, text: &str) -> Checked {
    let step = if key.ends_with("creation") {
        "createBuffer"
    } else {
        "destroy() again"
    };
    let mut found = seen
        .states
        .iter()
        .filter(|(name, _)| name.starts_with("b2 after "));
    let found = found.find(|(name, _)| name.contains(step));
    let (_, state) = found.ok_or_else(|| format!("no state after {step}"))?;
    same(state.label(), text)
}

fn requested(seen: &Machine<'_>, place: usize, text: &str) -> Checked {
    let Some(asked) = seen.requests.get(place) else {
        return Err("the program does not ask so often".to_owned());
    };
    match (asked, text) {
        (None, "none") => Ok(()),
        (Some(promise), _) => match seen.adapter.settlement(*promise) {
            Some(row) => outcome(row.outcome, text),
            None => Err("it never settles".to_owned()),
        },
        (None, _) => Err("it was not asked for".to_owned()),
    }
}

fn lost(seen: &Machine<'_>, text: &str) -> Checked {
    if text.starts_with("never settles") {
        return same(settlement(seen, "lost").is_err(), true);
    }
    let found = settlement(seen, "lost")?;
    if text == "settles once" {
        return same(seen.losses.len(), 1);
    }
    let word = text.split(')').next().unwrap_or_default();
    let word = word
        .trim_start_matches("resolve(")
        .trim_start_matches("reason=");
    outcome(found.outcome, &format!("resolve(reason={word})"))
}

/// What getCompilationInfo came to, with the messages of a real compiler.
fn messages(seen: &Machine<'_>, text: &str) -> Checked {
    let found = settlement(seen, "i")?;
    let Some(rest) = text.strip_prefix("resolve, ") else {
        return outcome(found.outcome, text);
    };
    same(found.outcome, CallOutcome::Resolve(PromiseValue::Messages))?;
    let (_, name) = seen.modules.get("m").ok_or("the program makes no module")?;
    let source = shader::named(name).ok_or("no such shader")?;
    let said = shader::messages(source.text);
    if rest.starts_with("0 error messages") {
        return same(said.len(), 0);
    }
    shader::is_placed(&source, &said)
}
