//! Numbers and names as people read them: durations, counts, ids, and names that must fit.

mod event_words;
mod fleet_words;
pub mod html_text;
mod moments;
mod sql_values;
mod translation;
pub mod words;

use engine::analysis::SentencePiece;
use engine::analysis::memory::MemoryGrouping;
use engine::capture::Capture;
use engine::importer::torch_snapshot;
use engine::record::Bookmark;
use engine::time::{Interval, Nanos};

pub use event_words::made_with;
pub use fleet_words::{clock_words, measure_words, no_outlier, no_straggler};
pub use moments::moment;
pub use sql_values::{sql_cell, sql_value};
pub use translation::{tr, translated};

/// The thin space that groups digits and parts a number from its unit.
pub const THIN: char = '\u{2009}';

/// A length of time with three significant digits and the unit that fits, such as `18.6 µs`.
pub fn duration(length: Nanos) -> String {
    let sign = if length.0 < 0 { "-" } else { "" };
    let (value, unit) = length.in_unit();
    let number = if unit == "ns" {
        value.to_string()
    } else {
        three(value)
    };
    format!("{sign}{number}{THIN}{unit}")
}

/// From when to when, with the digits by which the two differ, such as `43.2011 s to 43.2034 s`.
pub fn range(range: Interval) -> String {
    let widest = range.start.0.unsigned_abs().max(range.end.0.unsigned_abs());
    let (unit, nanos) = match widest {
        0..1_000 => ("ns", 1.0),
        1_000..1_000_000 => ("µs", 1e3),
        1_000_000..1_000_000_000 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    // Three digits of its length.
    let finest = (range.length().0.max(1) as f64 / 100.0).max(1.0);
    let decimals = (nanos / finest).log10().ceil().max(0.0) as usize;
    let decimals = decimals.min(f64::log10(nanos).round() as usize);
    let at = |time: Nanos| format!("{:.decimals$}{THIN}{unit}", time.0 as f64 / nanos);
    format!("{} to {}", at(range.start), at(range.end))
}

/// A positive number with three significant digits; whole numbers, and four and more digits, stay as they are, grouped.
pub fn significant(value: f64) -> String {
    if value.fract() == 0.0 {
        count(value as u64)
    } else {
        three(value)
    }
}

fn three(value: f64) -> String {
    if value >= 999.5 {
        count(value.round() as u64)
    } else if value >= 99.95 {
        format!("{value:.0}")
    } else if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// A whole number with its digits in groups of three, such as `48 210`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(THIN);
        }
        text.push(digit);
    }
    text
}

/// Endings of files as people know them, such as `*.json`.
pub fn patterns(endings: &[impl AsRef<str>]) -> String {
    let each = endings.iter().map(|it| format!("*.{}", it.as_ref()));
    each.collect::<Vec<_>>().join(", ")
}

/// An instant to the nanosecond, such as `-1 204 ns`: those that lie beside each other differ in nothing else.
pub fn instant(time: Nanos) -> String {
    let sign = if time < Nanos::ZERO { "-" } else { "" };
    format!("{sign}{} ns", count(time.0.unsigned_abs()))
}

/// A count and its noun, such as `1 span` or `12 spans`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        _ if number == 1 => noun.to_owned(),
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with("ch") => format!("{noun}es"),
        None => format!("{noun}s"),
    };
    format!("{} {plural}", count(number))
}

/// A share of one as a whole percentage, such as `41 %`; never 0 or 100 unless it is exactly that.
pub fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.005 {
        return format!("<{THIN}1{THIN}%");
    }
    if (0.995..1.0).contains(&share) {
        return format!(">{THIN}99{THIN}%");
    }
    format!("{:.0}{THIN}%", share * 100.0)
}

/// A piece of a sentence as text, long names without their middle.
pub fn piece(piece: &SentencePiece) -> String {
    match piece {
        SentencePiece::Text(text) => text.clone(),
        SentencePiece::Time(time) => duration(*time),
        SentencePiece::Share(share) => percent(*share),
        SentencePiece::Span(_, name) => shown(name),
    }
}

/// `text` in at most `chars` characters, without its middle where that is too long.
pub fn shorten(text: &str, chars: usize) -> String {
    engine::analysis::shorten(text, chars)
}

/// A name as sentences have it: those of kernels may be pages long.
pub fn shown(name: &str) -> String {
    engine::analysis::shown(name)
}

/// A name where there is little room: a function of C++ by what tells it apart, any other as it is.
pub fn function_name(name: &str) -> std::borrow::Cow<'_, str> {
    engine::analysis::function_name(name)
}

/// What a bookmark marks: a span by its name and its lane, a range by its length, or an instant.
pub fn of_bookmark(capture: &Capture, bookmark: &Bookmark) -> String {
    if let Some(placed) = capture.span(bookmark.span) {
        let name = shown(capture.name(placed.span.name));
        return format!("{name} on {}", capture.lane_title(placed.span.lane));
    }
    match bookmark.at.length() {
        Nanos::ZERO => "instant".to_owned(),
        length => format!("range of {}", duration(length)),
    }
}

/// A parameter's value: whole numbers grouped, others with up to four decimals, and what is far larger or smaller with an
/// exponent.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", count(value.abs() as u64));
    }
    if !(1e-4..1e21).contains(&value.abs()) {
        let text = format!("{value:.4e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        return format!("{digits}e{exponent}");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A value with its unit; bytes by powers of 1024.
pub fn amount(value: f64, unit: &str) -> String {
    if value < 0.0 {
        return format!("-{}", amount(-value, unit));
    }
    if unit != "bytes" {
        let number = significant(value);
        // Of one there is no plural.
        let unit = match unit.strip_suffix('s') {
            Some(one) if number == "1" && one.len() > 2 => one,
            _ => unit,
        };
        return format!("{number} {unit}").trim_end().to_owned();
    }
    let mut value = value;
    let mut name = "B";
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        name = next;
    }
    if name == "B" {
        format!("{value:.0} B")
    } else {
        format!("{} {name}", significant(value))
    }
}

/// A span's number as the inspector and search write it, such as `#42`.
pub fn id(number: u32) -> String {
    format!("#{number}")
}

/// The stream whose allocations a segment serves, with all digits of its number, by which events of the allocator have it, too.
pub fn allocator_stream(stream: i64) -> String {
    match stream {
        0 => "default".to_owned(),
        stream => stream.to_string(),
    }
}

/// Why a capture has no allocators, as the end of a sentence or one of its own.
pub fn without_pools(capture: &Capture) -> &'static str {
    let is_snapshot = capture
        .run()
        .is_some_and(|it| it.backend == torch_snapshot::NAME);
    if is_snapshot {
        "the snapshot has no segments and no history: nothing was recorded in it. Call \
         torch.cuda.memory._record_memory_history() before the program allocates, and _dump_snapshot before it ends"
    } else {
        "the capture tells nothing of allocators. PyTorch's profiler does with profile_memory=True, Ascend's with \
         profile_memory, and a workload of Syncline's with buffers that are allocated in the order of a stream"
    }
}

/// What a group of allocations is called by what its allocations share.
pub fn memory_group(name: Option<&str>, by: MemoryGrouping) -> String {
    match name {
        None => "allocated before the capture began".to_owned(),
        Some("") => format!("in no {}", by.label()),
        Some(size) if by == MemoryGrouping::Size => {
            let bytes = size.parse::<u64>().unwrap_or_default();
            format!("{} B", count(bytes))
        }
        Some(name) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_by_powers_of_1024() {
        assert_eq!(amount(0.0, "bytes"), "0 B");
        assert_eq!(amount(25_165_824.0, "bytes"), "24 MiB");
        assert_eq!(amount(-2048.0, "bytes"), "-2 KiB");
        assert_eq!(amount(3.0, "kernels"), "3 kernels");
    }

    #[test]
    fn durations_have_three_digits_and_the_unit_that_fits() {
        for (nanos, expected) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (18_626, "18.6 µs"),
            (402_000, "402 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (1_500_000_000, "1.50 s"),
            (-18_626, "-18.6 µs"),
            (3_600_000_000_000, "3 600 s"),
        ] {
            assert_eq!(duration(Nanos(nanos)).replace(THIN, " "), expected);
        }
    }

    #[test]
    fn ranges_have_the_digits_by_which_their_ends_differ() {
        let written = |start, end| {
            let range = range(Interval::new(Nanos(start), Nanos(end)));
            range.replace(THIN, " ")
        };
        assert_eq!(
            written(43_201_100_000, 43_203_400_000),
            "43.20110 s to 43.20340 s"
        );
        assert_eq!(written(0, 12_000), "0.0 µs to 12.0 µs");
        assert_eq!(written(5, 7), "5 ns to 7 ns");
        assert_eq!(written(-2_000_000, 4_000_000), "-2.00 ms to 4.00 ms");
    }

    #[test]
    fn counts_are_grouped_and_counted_nouns_agree() {
        assert_eq!(count(1_048_576).replace(THIN, " "), "1 048 576");
        assert_eq!(counted(1, "span"), "1 span");
        assert_eq!(counted(2, "dependency"), "2 dependencies");
        assert_eq!(counted(3, "match"), "3 matches");
    }

    #[test]
    fn percentages_do_not_round_to_all_or_nothing() {
        for (share, expected) in [
            (0.0, "0 %"),
            (0.001, "< 1 %"),
            (0.41, "41 %"),
            (0.999, "> 99 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(percent(share).replace(THIN, " "), expected);
        }
    }

    #[test]
    fn streams_of_allocators_have_the_number_of_their_events() {
        assert_eq!(allocator_stream(0), "default");
        assert_eq!(allocator_stream(77), "77");
        assert_eq!(allocator_stream(94_206_320_478_480), "94206320478480");
    }

    #[test]
    fn parameters_are_written_plainly() {
        assert_eq!(number(1_048_576.0).replace(THIN, " "), "1 048 576");
        assert_eq!(number(-0.25), "-0.25");
        assert_eq!(number(-1e300), "-1e300");
        assert_eq!(number(1.25e-7), "1.25e-7");
    }
}
