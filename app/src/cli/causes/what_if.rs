//! How long all would have taken if something was otherwise.

use std::collections::BTreeSet;

use clap::Args;
use engine::analysis::causes::WhatIf;
use engine::record::NameId;
use engine::time::Nanos;
use serde_json::{Value, json};

use super::scope::{CauseOptions, CauseScope};
use crate::cli::arguments::OutputFormat;
use crate::cli::{CliFailure, FINE, OutputStreams};
use crate::text::words;

/// What is changed.
#[derive(Debug, Args)]
pub struct WhatIfOptions {
    /// The files; a change is always to the whole of them
    #[command(flatten)]
    pub of: CauseOptions,
    /// Operations of a name take so many times as long; may be given several times
    #[arg(long, value_name = "NAME=FACTOR", value_parser = scale)]
    pub scale: Vec<(String, f64)>,
    /// What takes no time: copies
    #[arg(long, value_name = "WHAT", value_parser = ["copies"])]
    pub free: Option<String>,
    /// The most nanoseconds that the start of an operation takes
    #[arg(long, value_name = "NANOSECONDS", value_parser = clap::value_parser!(i64).range(0..))]
    pub latency: Option<i64>,
    /// Operations of the second name do not wait for those of the first; may be given several times
    #[arg(long, value_name = "CAUSE->EFFECT")]
    pub drop_wait: Vec<String>,
    /// Operations of a name run on a stream of their own; may be given several times
    #[arg(long, value_name = "NAME")]
    pub own_stream: Vec<String>,
}

/// Prints what the changes come to.
pub(in crate::cli) fn what_if(
    options: &WhatIfOptions,
    streams: &mut OutputStreams<'_>,
) -> Result<u8, CliFailure> {
    let mut change = WhatIf {
        scale: options.scale.clone(),
        free_copies: options.free.is_some(),
        latency: options.latency.map(Nanos),
        own_stream: options.own_stream.clone(),
        dropped_waits: Vec::new(),
    };
    if change == WhatIf::default() && options.drop_wait.is_empty() {
        return Err(CliFailure::Wrong(
            "nothing is changed; say what with --scale, --free, --latency, --drop-wait or --own-stream".to_owned(),
        ));
    }
    let scope = CauseScope::open(&options.of.part, streams)?;
    let names = names(&scope);
    let scaled = change.scale.iter().map(|it| &it.0);
    for name in scaled.chain(&change.own_stream) {
        if !names.contains(name.as_str()) {
            return Err(unnamed(name));
        }
    }
    for text in &options.drop_wait {
        change.dropped_waits.push(pair(text, &names)?);
    }
    let found = scope.reader().what_if(&change);
    if found.dropped_waits == 0 && !change.dropped_waits.is_empty() {
        return Err(CliFailure::Wrong(
            "nothing of these names waited for an event of the other; `syncline explain --all` says what each operation, and \
             each wait, came after"
                .to_owned(),
        ));
    }
    match options.of.format {
        OutputFormat::Json => {
            let line = json!({
                "type": "what-if",
                "what": what(options, &change),
                "makespan_ns": found.makespan.0,
                "saved_ns": found.saved.0,
                "has_time_limits": found.has_time_limits,
            });
            writeln!(streams.out, "{line}")?;
        }
        OutputFormat::Text => {
            let whole = scope.causes.extent().length();
            let saved = if found.saved < Nanos::ZERO {
                format!("{} longer", words::length(Nanos(-found.saved.0)))
            } else {
                format!("{} shorter", words::length(found.saved))
            };
            writeln!(
                streams.out,
                "It would take {} instead of {}: {saved}, {}.",
                words::length(found.makespan),
                words::length(whole),
                words::share(Nanos(found.saved.0.abs()), whole),
            )?;
            writeln!(
                streams.out,
                "This keeps the order of each stream and every latency; what the machine would have decided otherwise, \
                 such as contention for memory, is not in it."
            )?;
            if found.has_time_limits {
                writeln!(
                    streams.out,
                    "Some waits were given a time: each is taken to end as it did, whether or not its time would have run out, \
                     and what the program does then is not in it."
                )?;
            }
        }
    }
    Ok(FINE)
}

/// What operations are called.
fn names(scope: &CauseScope) -> BTreeSet<&str> {
    let reader = scope.reader();
    let spans = scope.capture.spans();
    let operations = spans.filter(|it| reader.is_operation(it.span.id));
    let ids: BTreeSet<NameId> = operations.map(|it| it.span.name).collect();
    ids.into_iter().map(|id| scope.capture.name(id)).collect()
}

fn unnamed(name: &str) -> CliFailure {
    CliFailure::Wrong(format!(
        "no operation is called “{name}”; `syncline explain --all` lists the operations"
    ))
}

/// The changes, as programs read them.
fn what(options: &WhatIfOptions, change: &WhatIf) -> Value {
    let mut what = super::json::JsonObject::new();
    if !options.scale.is_empty() {
        let scale = options
            .scale
            .iter()
            .map(|(name, by)| (name.clone(), json!(by)));
        what.insert("scale".to_owned(), Value::Object(scale.collect()));
    }
    if let Some(free) = &options.free {
        what.insert("free".to_owned(), json!(free));
    }
    if let Some(latency) = options.latency {
        what.insert("latency".to_owned(), json!(latency));
    }
    if let Some((_, effect)) = change.dropped_waits.first() {
        let waits = change.dropped_waits.iter();
        let causes: Vec<&str> = waits.map(|it| it.0.as_str()).collect();
        what.insert(
            "drop_wait".to_owned(),
            json!({ "effect": effect, "causes": causes }),
        );
    }
    if !options.own_stream.is_empty() {
        what.insert("own_stream".to_owned(), json!(options.own_stream));
    }
    Value::Object(what)
}

fn scale(text: &str) -> Result<(String, f64), String> {
    // Names of kernels hold signs of equality.
    let (name, factor) = text
        .rsplit_once('=')
        .ok_or("write a name, `=` and a factor, such as gemm=0.5")?;
    match factor.trim().parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor >= 0.0 => Ok((name.to_owned(), factor)),
        _ => Err(format!(
            "“{factor}” is no factor; write a number such as 0.5"
        )),
    }
}

/// The two names of a wait. They may hold arrows themselves: there is one between two that are known.
fn pair(text: &str, names: &BTreeSet<&str>) -> Result<(String, String), CliFailure> {
    let pairs = text
        .match_indices("->")
        .filter_map(|(at, arrow)| Some((text.get(..at)?, text.get(at + arrow.len()..)?)));
    let mut known = pairs.filter(|it| names.contains(it.0) && names.contains(it.1));
    let (cause, effect) = known.next().ok_or_else(|| {
        CliFailure::Wrong(format!(
            "“{text}” does not name two operations; write what was waited for, `->` and what waited, such as \
             \"copy->gemm\""
        ))
    })?;
    Ok((cause.to_owned(), effect.to_owned()))
}
