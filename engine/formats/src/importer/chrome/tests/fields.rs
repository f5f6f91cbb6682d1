//! Fields of events: each comes back as the file has it, however the file is laid out.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{OpenedFile, open};
use record::{FieldDecoder, NameId, Record, SpanId, Value};

/// The fields of each span by their names.
fn fields(opened: &OpenedFile) -> BTreeMap<u32, Vec<(String, Value)>> {
    let mut names: BTreeMap<NameId, &str> = BTreeMap::new();
    let mut found: BTreeMap<u32, Vec<(NameId, Value)>> = BTreeMap::new();
    let mut unpacker = FieldDecoder::default();
    let mut take = |span: SpanId, name: NameId, value: Value| {
        found.entry(span.0).or_default().push((name, value));
    };
    for record in &opened.records {
        match record {
            Record::Name(id, text) => drop(names.insert(*id, text)),
            Record::Fields(fields) => unpacker.unpack((**fields).clone(), &mut take),
            Record::Argument(span, name, value) => take(*span, *name, value.clone()),
            _ => {}
        }
    }
    let with_text = |(name, value): (NameId, Value)| (names[&name].to_owned(), value);
    let spans = found.into_iter();
    spans
        .map(|(span, fields)| (span, fields.into_iter().map(with_text).collect()))
        .collect()
}

fn said(name: &str, value: Value) -> (String, Value) {
    (name.to_owned(), value)
}

#[test]
fn every_sort_of_value_comes_back() {
    let text = r#"[{"ph":"X","name":"a","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":2,"args":{"n":-5,"d":9.231481,
        "e":1.5e3,"f":-0.0,"t":"two\nlines","g":[1, 2,  {"x": "]"}],"big":12345678901234567890,"yes":true}},
        {"ph":"X","name":"b","cat":"kernel","pid":1,"tid":1,"ts":4,"dur":2,"args":"all","more":7,"args":{}},
        {"name":"c" , "ph":"X","pid":1,"tid":1,"ts":7,"dur":2,"args" : { } },
        {"name":"d","ph":"X","pid":1,"tid":1,"ts":9,"dur":2,"args":  {  "n" :  3 } }]"#;
    let text_of = |it: &str| Value::Text(it.into());
    let found = fields(&open(text.as_bytes()).unwrap());
    let first = [
        said("category", text_of("cpu_op")),
        said("n", Value::Integer(-5)),
        said("d", Value::Number(9.231_481)),
        said("e", Value::Number(1_500.0)),
        said("f", Value::Number(-0.0)),
        said("t", text_of("two\nlines")),
        said("g", text_of(r#"[1, 2,  {"x": "]"}]"#)),
        said("big", text_of("12345678901234567890")),
        said("yes", text_of("true")),
    ];
    assert_eq!(found[&0], first);
    let second = [
        said("args", text_of("all")),
        said("more", Value::Integer(7)),
    ];
    assert_eq!(found[&1], second);
    assert!(!found.contains_key(&2));
    assert_eq!(found[&3], [said("n", Value::Integer(3))]);
}

#[test]
fn layouts_that_change_from_event_to_event_change_no_value() {
    let blanks = ["", " ", "\n  ", "\t", "  "];
    let mut text = String::from("[");
    for number in 0..3_000_usize {
        let blank = |place: usize| blanks[(number / 7 + place * 3) % blanks.len()];
        let key = number % 40;
        let (a, b, c, d) = (blank(0), blank(1), blank(2), blank(3));
        write!(
            text,
            "{a}{{{b}\"ph\"{c}:{d}\"X\",\"name\":\"n\"{a},{b}\"ts\":{number},\"dur\"{c}:1,\"pid\":1,{d}\"tid\":2,\
             \"args\":{{{a}\"key {key}\"{b}:{c}{number}{d},\"same\":{a}\"text {key}\"{b}}}{c}}},"
        )
        .unwrap();
    }
    text.pop();
    text.push(']');
    let found = fields(&open(text.as_bytes()).unwrap());
    assert_eq!(found.len(), 3_000);
    for (span, fields) in found {
        let key = span % 40;
        let expected = [
            said(&format!("key {key}"), Value::Integer(i64::from(span))),
            said("same", Value::Text(format!("text {key}").into())),
        ];
        assert_eq!(fields, expected, "{span}");
    }
}

#[test]
fn a_value_that_begins_like_the_one_before_is_another() {
    let event = |cat: &str, t: &str| {
        format!(r#"{{"ph":"X","name":"n","cat":{cat},"ts":1,"dur":1,"args":{{"t":{t}}}}}"#)
    };
    let values = [
        ("12", "true"),
        ("123", "truer"),
        (r#""a""#, r#""a""#),
        (r#""ab""#, r#""a\"b""#),
        (r#""a""#, r#""a""#),
        ("12", "[1]"),
        ("1", "[1,2]"),
    ];
    let events = values.map(|(cat, t)| event(cat, t));
    let found = fields(&open(format!("[{}]", events.join(",")).as_bytes()).unwrap());
    let text = |it: &str| Value::Text(it.into());
    let expected = [
        ("12", "true"),
        ("123", "truer"),
        ("a", "a"),
        ("ab", "a\"b"),
        ("a", "a"),
        ("12", "[1]"),
        ("1", "[1,2]"),
    ];
    for (span, (cat, t)) in expected.into_iter().enumerate() {
        let expected = [said("category", text(cat)), said("t", text(t))];
        assert_eq!(found[&(span as u32)], expected);
    }
}

#[test]
fn fields_come_also_where_each_event_has_its_own() {
    let count = 70_000;
    let mut text = String::from("[");
    for number in 0..count {
        write!(
            text,
            "{{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n\",\"ts\":{number},\"dur\":1,\"pid\":1,\"tid\":2,\
             \"args\":{{\"k{number}\":{number}}}}},"
        )
        .unwrap();
    }
    text.pop();
    text.push(']');
    let found = fields(&open(text.as_bytes()).unwrap());
    for number in 0..count {
        let expected = [
            said("category", Value::Text("cpu_op".into())),
            said(&format!("k{number}"), Value::Integer(i64::from(number))),
        ];
        assert_eq!(found[&number], expected);
    }
}

#[test]
fn of_too_many_arguments_the_first_are_kept_and_the_event_counts_as_cropped() {
    let count = super::super::scan::MOST_ARGUMENTS;
    let with = |more: usize, is_flat: bool| {
        let all = (0..count + more).map(|key| format!(r#""k{key}":{key}"#));
        let all: Vec<String> = all.collect();
        let all = all.join(",");
        let all = if is_flat {
            all
        } else {
            format!(r#""args":{{{all}}}"#)
        };
        let text = format!(r#"[{{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,{all}}}]"#);
        let opened = open(text.as_bytes()).unwrap();
        let kept = opened.records.iter().map(|it| match it {
            Record::Fields(fields) => fields.count as usize,
            Record::Argument(..) => 1,
            _ => 0,
        });
        (kept.sum::<usize>(), opened.receipt.dropped)
    };
    for is_flat in [false, true] {
        assert_eq!(with(0, is_flat), (count, 0));
        assert_eq!(with(3, is_flat), (count, 1));
    }
}
