//! Which wait cost the most time, and what was waited for?

use super::causes::{CauseReader, WaitCost};
use super::piece::plain;
use super::words::{counted, finding, length, line};
use super::{Analysis, Answer, WeighedAnswer};
use crate::capture::{Capture, PlacedSpan};
use crate::record::Severity;
use crate::time::Nanos;

const CODE: &str = "costliest-wait";

/// Which wait cost the most time?
pub(super) struct CostliestWait;

impl Analysis for CostliestWait {
    fn code(&self) -> &'static str {
        CODE
    }

    fn name(&self) -> &'static str {
        "Costliest wait"
    }

    fn about(&self) -> &'static str {
        "The wait that alone held a stream longest and, where none held a stream, the one that blocked a host thread longest; \
         its binding cause and what being without it would save at most, by the graph of causes"
    }

    fn look(&mut self, _capture: &Capture, _placed: &PlacedSpan) {}

    fn weigh(&mut self, reader: &CauseReader<'_>) -> WeighedAnswer {
        let (mut count, mut total) = (0, Nanos::ZERO);
        let (mut stream, mut host): (Option<WaitCost>, Option<WaitCost>) = (None, None);
        for wait in reader.waits() {
            count += 1;
            total += wait.cost;
            let longest = if wait.is_host { &mut host } else { &mut stream };
            if longest.is_none_or(|known| wait.cost > known.cost) {
                *longest = Some(wait);
            }
        }
        let looked = format!(
            "{} that took any time, {} in all",
            counted(count, "wait"),
            length(total)
        );
        let found = stream.or(host);
        let told = found.and_then(|wait| Some((wait, reader.sentence(wait.span)?)));
        let (mut findings, mut savings) = (Vec::new(), Vec::new());
        if let Some((wait, pieces)) = told {
            let capture = reader.capture();
            let placed = capture.span(wait.span);
            let place = placed.and_then(|it| line(capture, &it));
            let place = place.map_or_else(String::new, |it| format!(" (line {it})"));
            let name = placed.map_or("?", |it| capture.name(it.span.name));
            let text = format!(
                "{name}{place}: {}; being without this wait would save at most {}",
                plain(&pieces),
                length(wait.cost)
            );
            let mut spans = vec![wait.span];
            spans.extend(reader.cause_of(wait.span));
            findings.push(finding(capture, CODE, Severity::Info, text, &spans));
            savings.push(wait.cost);
        }
        let answer = Answer::new(findings, looked);
        WeighedAnswer { answer, savings }
    }
}
