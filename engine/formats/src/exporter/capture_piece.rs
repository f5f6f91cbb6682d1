//! A piece of a capture as a capture of its own: what touches a stretch of time, on some lanes, down to some depth.

mod new_numbers;
mod overlapping_pair;
mod piece_writer;
mod selection;
mod stub;

use std::collections::BTreeSet;

use capture::Capture;
use record::time::{Interval, Nanos};
use record::{Bookmark, CounterId, LaneId, counted};
use selection::PieceSelection;

/// Which lanes and counters are wanted, and how that was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PieceLanes {
    /// The lanes.
    pub lanes: BTreeSet<LaneId>,
    /// The counters.
    pub counters: BTreeSet<CounterId>,
    /// What their names were to match; empty where that is not to be told.
    pub pattern: String,
}

/// What of a capture is wanted; all of it where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PieceRequest {
    /// What touches this stretch of time.
    pub within: Option<Interval>,
    /// What is on these lanes.
    pub lanes: Option<PieceLanes>,
    /// Of host threads the calls down to this depth, the outermost of which is 1.
    pub depth: Option<u32>,
}

impl PieceRequest {
    /// Whether something is to be left out.
    pub const fn asks(&self) -> bool {
        self.within.is_some() || self.lanes.is_some() || self.depth.is_some()
    }

    /// The stretch in which a span may begin or end; one that ends with the capture takes instants at its end in.
    fn stretch(&self, capture: &Capture) -> Interval {
        let all = Interval {
            start: Nanos::MIN,
            end: Nanos::MAX,
        };
        let Some(within) = self.within else {
            return all;
        };
        let last = capture.extent().map_or(Nanos::MAX, |it| it.end);
        let end = if within.end >= last {
            Nanos::MAX
        } else {
            within.end
        };
        Interval {
            start: within.start,
            end: end.max(within.start + Nanos(1)),
        }
    }

    /// In words, after “a piece of a capture: ”.
    fn words(&self) -> String {
        let mut words = Vec::new();
        if let Some(within) = self.within {
            words.push(format!("what touches {} to {}", within.start, within.end));
        }
        if let Some(lanes) = &self.lanes {
            words.push(if lanes.pattern.is_empty() {
                "some lanes".to_owned()
            } else {
                format!("lanes that match “{}”", lanes.pattern)
            });
        }
        if let Some(depth) = self.depth {
            words.push(format!("calls of the host down to depth {depth}"));
        }
        words.join(", ")
    }
}

/// How much of a capture is in a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceCounts {
    /// Spans that are in it, and those of the whole.
    pub spans: [u64; 2],
    /// Dependencies.
    pub dependencies: [u64; 2],
    /// Lanes.
    pub lanes: [u64; 2],
    /// Samples of counters.
    pub samples: [u64; 2],
    /// Stubs that stand for spans outside.
    pub stubs: u64,
}

impl PieceCounts {
    /// What was cut, in a sentence for the receipt.
    pub fn note(&self, request: &PieceRequest) -> String {
        let of = |[some, all]: [u64; 2], words: &str| format!("{some} of {}", counted(all, words));
        let mut parts = vec![
            of(self.spans, "{span|spans}"),
            of(self.dependencies, "{dependency|dependencies}"),
            of(self.lanes, "{lane|lanes}"),
        ];
        if self.samples[1] > 0 {
            parts.push(of(self.samples, "{sample|samples}"));
        }
        let stubs = counted(
            self.stubs,
            "{stub stands for a span|stubs stand for spans} outside of it",
        );
        format!(
            "This is a piece of a capture, {}: {} are in it, and {stubs}.",
            request.words(),
            parts.join(", ")
        )
    }
}

/// A piece of a capture, and how much that is.
pub struct CapturePiece {
    /// The piece. Times are those of the whole; numbers of spans, lanes and names are its own. The last of its notes says what
    /// was cut.
    pub capture: Capture,
    /// How much of the whole it is.
    pub counts: PieceCounts,
}

/// Cuts a piece out of a capture, with these bookmarks in place of its own: every span that touches the stretch is kept whole, and of a dependency with one end outside
/// that end is kept as a stub, an instant that bears the name of the span that it stands for. So is the operation before and
/// after the stretch on every stream, which the order of the stream ties to it.
///
/// # Errors
/// A sentence that says what there is, where nothing is as it is wanted.
pub fn piece(
    (capture, bookmarks): (&Capture, &[Bookmark]),
    request: &PieceRequest,
) -> Result<CapturePiece, String> {
    let selection = PieceSelection::new(capture, request);
    if selection.is_empty() {
        return Err(nothing(capture, request));
    }
    Ok(piece_writer::write(
        (capture, bookmarks),
        request,
        &selection,
    ))
}

/// That nothing is as it is wanted, and what comes nearest.
fn nothing(capture: &Capture, request: &PieceRequest) -> String {
    if capture.span_count() == 0 {
        return "the capture has no spans, so there is no piece of it".to_owned();
    }
    let Some(within) = request.within else {
        return "nothing is on the lanes that are asked for: name others, or leave out --lanes"
            .to_owned();
    };
    let mut near = Vec::new();
    let [before, after] = selection::nearest(capture, request);
    if let Some(before) = before {
        near.push(format!("the last before it ends at {}", before.rounded()));
    }
    if let Some(after) = after {
        near.push(format!("the next begins at {}", after.rounded()));
    }
    let lanes = match request.lanes {
        Some(_) => " on the lanes that are asked for",
        None => "",
    };
    format!(
        "no span{lanes} touches {} to {}: {}",
        within.start.rounded(),
        within.end.rounded(),
        near.join(", and ")
    )
}

#[cfg(test)]
mod tests;
