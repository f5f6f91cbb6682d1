//! What is searched for besides a name: kinds, lanes, lengths and arguments, as words among those of the name.

use engine::capture::Capture;
use engine::record::{SpanId, Value};
use engine::time::Nanos;

/// What is searched for: a part of a name, and what else must hold of a span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// The part of the name; anything where it is empty.
    pub name: String,
    conditions: Vec<SearchCondition>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SearchCondition {
    /// Its kind holds this text.
    Kind(String),
    /// Its lane's name, or its device's, holds this text.
    Lane(String),
    /// It is longer than this.
    Longer(Nanos),
    /// It is shorter than this.
    Shorter(Nanos),
    /// It has an argument whose name holds the first text and whose value the second.
    Argument(String, String),
}

impl SearchQuery {
    /// Reads `gemm kind:kernel lane:"stream 7" >100us arg:bytes=4096`: what is no condition is part of the name. What stands
    /// between quotation marks is one word.
    pub fn parse(wanted: &str) -> Self {
        let mut query = Self::default();
        let mut name = Vec::new();
        for word in words(wanted) {
            match condition(&word.replace('"', "")) {
                Some(condition) => query.conditions.push(condition),
                None => name.push(word),
            }
        }
        query.name = if query.conditions.is_empty() {
            // Spaces at the ends may be wanted.
            wanted.to_owned()
        } else {
            name.join(" ")
        };
        query
    }

    /// The first word of `wanted` that looks like a condition and is none, so that it is looked for in names.
    pub fn doubtful(wanted: &str) -> Option<&str> {
        let looks = |word: &&str| {
            let head = word.split_once(':').map(|it| it.0);
            let is_field = head.is_some_and(|it| {
                let is_scope = word.contains("::");
                !is_scope && !it.is_empty() && it.chars().all(char::is_alphabetic)
            });
            is_field || word.len() > 1 && word.starts_with(['>', '<'])
        };
        let is_none = |word: &&str| condition(&word.replace('"', "")).is_none();
        words(wanted).into_iter().filter(looks).find(is_none)
    }

    /// Whether only names count.
    pub fn is_plain(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Whether a span whose name matches is what is searched for.
    pub fn admits(&self, capture: &Capture, id: SpanId) -> bool {
        self.conditions.iter().all(|it| it.holds(capture, id))
    }
}

/// The words of a text, as they are written; spaces between quotation marks end none.
fn words(text: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let ends = move |it: char| {
        is_quoted ^= it == '"';
        it.is_whitespace() && !is_quoted
    };
    text.split(ends).filter(|word| !word.is_empty()).collect()
}

fn condition(word: &str) -> Option<SearchCondition> {
    let lower = word.to_lowercase();
    let after = |prefix: &str| {
        let rest = lower.strip_prefix(prefix);
        rest.filter(|rest| !rest.is_empty()).map(str::to_owned)
    };
    if let Some(kind) = after("kind:") {
        return Some(SearchCondition::Kind(kind));
    }
    if let Some(lane) = after("lane:") {
        return Some(SearchCondition::Lane(lane));
    }
    if let Some(argument) = after("arg:") {
        let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
        return Some(SearchCondition::Argument(name.to_owned(), value.to_owned()));
    }
    let longer = after(">").and_then(|length| nanos(&length));
    let shorter = || after("<").and_then(|length| nanos(&length));
    longer
        .map(SearchCondition::Longer)
        .or_else(|| shorter().map(SearchCondition::Shorter))
}

/// A length such as `100us`, `1.5ms` or `2s`; without a unit microseconds.
fn nanos(length: &str) -> Option<Nanos> {
    let digits = length.find(|it: char| !it.is_ascii_digit() && it != '.');
    let (number, unit) = length.split_at(digits.unwrap_or(length.len()));
    let factor = match unit {
        "ns" => 1.0,
        "" | "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Some(Nanos((number * factor).round() as i64))
}

impl SearchCondition {
    fn holds(&self, capture: &Capture, id: SpanId) -> bool {
        let Some(placed) = capture.span(id) else {
            return false;
        };
        let span = placed.span;
        match self {
            Self::Kind(kind) => span.kind.label().contains(kind.as_str()),
            Self::Lane(wanted) => {
                let lane = capture.lane(span.lane);
                let device = lane.and_then(|it| capture.devices().get(it.device?.index()));
                let lane = lane.map_or("", |it| it.name.as_str());
                // Not the law of a paced one, which names engines.
                let device = device.map_or("", |it| it.short_name());
                [lane, device]
                    .iter()
                    .any(|it| it.to_lowercase().contains(wanted))
            }
            Self::Longer(length) => placed.interval().length() > *length,
            Self::Shorter(length) => placed.interval().length() < *length,
            Self::Argument(name, value) => capture.arguments(id).any(|(own, found)| {
                let found = match found {
                    Value::Integer(number) => number.to_string(),
                    Value::Number(number) => number.to_string(),
                    Value::Text(text) => text.to_lowercase(),
                };
                own.to_lowercase().contains(name) && found.contains(value)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_told_from_names() {
        let query = SearchQuery::parse("gemm kind:kernel >1.5ms nn");
        assert_eq!(query.name, "gemm nn");
        let expected = [
            SearchCondition::Kind("kernel".to_owned()),
            SearchCondition::Longer(Nanos(1_500_000)),
        ];
        assert_eq!(query.conditions, expected);
        for plain in ["a <b> c", "operator> ", "kind:", "std::kind", "lane", ">x"] {
            let query = SearchQuery::parse(plain);
            assert!(query.is_plain(), "{plain}");
            assert_eq!(query.name, plain);
        }
        let query = SearchQuery::parse("lane:\"Stream 7\" \"a b\" arg:note=\"x y\" c");
        let expected = [
            SearchCondition::Lane("stream 7".to_owned()),
            SearchCondition::Argument("note".to_owned(), "x y".to_owned()),
        ];
        assert_eq!(query.name, "\"a b\" c");
        assert_eq!(query.conditions, expected);
        assert_eq!(SearchQuery::parse("say \"a b").name, "say \"a b");
        let doubtful = [
            "gemm >100xx",
            "foo:bar",
            "kind:copy std::sort",
            "<float>",
            ">5us",
        ];
        let found = doubtful.map(SearchQuery::doubtful);
        assert_eq!(
            found,
            [Some(">100xx"), Some("foo:bar"), None, Some("<float>"), None]
        );
        let query = SearchQuery::parse("arg:bytes=4096 <20");
        let expected = [
            SearchCondition::Argument("bytes".to_owned(), "4096".to_owned()),
            SearchCondition::Shorter(Nanos(20_000)),
        ];
        assert_eq!(
            (query.name.as_str(), query.conditions),
            ("", expected.to_vec())
        );
    }
}
