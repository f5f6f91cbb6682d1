//! Fields come back as they were packed.

use super::*;

fn packed(packer: &mut FieldEncoder, spans: u32) -> Fields {
    for span in 0..spans {
        if span % 5 == 0 {
            packer.end();
            continue;
        }
        packer.integer(NameId(3), i64::from(span) * 1000 - 7);
        if span % 3 == 0 {
            packer.integer(NameId(4), i64::MIN + i64::from(span));
            packer.integer(NameId(u32::MAX), i64::MAX);
        }
        packer.decimal(NameId(1), 9_231_481 + i64::from(span), 6);
        packer.real(NameId(2), -0.0);
        packer.real(NameId(2), f64::INFINITY);
        packer.text(NameId(9), span);
        packer.end();
    }
    packer.finish()
}

fn expected(span: u32) -> Vec<(NameId, FieldValue)> {
    if span.is_multiple_of(5) {
        return Vec::new();
    }
    let mut fields = vec![(NameId(3), FieldValue::Integer(i64::from(span) * 1000 - 7))];
    if span.is_multiple_of(3) {
        fields.push((NameId(4), FieldValue::Integer(i64::MIN + i64::from(span))));
        fields.push((NameId(u32::MAX), FieldValue::Integer(i64::MAX)));
    }
    let decimal = f64::from(9_231_481 + span) / 1e6;
    fields.push((NameId(1), FieldValue::Number(decimal)));
    fields.push((NameId(2), FieldValue::Number(-0.0)));
    fields.push((NameId(2), FieldValue::Number(f64::INFINITY)));
    fields.push((NameId(9), FieldValue::Text(span)));
    fields
}

#[test]
fn fields_are_found_by_span_and_come_in_order() {
    let mut packer = FieldEncoder::default();
    let mut forms = Vec::new();
    for round in 0..3 {
        let mut fields = packed(&mut packer, 1_000);
        fields.first = SpanId(100);
        assert_eq!(fields.forms.len(), if round == 0 { 2 } else { 0 });
        forms.append(&mut fields.forms);
        for span in 0..1_000 {
            let found = fields.of(SpanId(100 + span), &forms);
            assert_eq!(found, expected(span));
        }
        assert!(fields.of(SpanId(99), &forms).is_empty());
        assert!(fields.of(SpanId(1_100), &forms).is_empty());
        let mut all = Vec::new();
        fields.all(&forms, |span, name, value| all.push((span, name, value)));
        assert_eq!(all.len(), fields.count as usize);
        let last = all.last().map(|(span, ..)| *span);
        assert_eq!(last, Some(SpanId(1_099)));
    }
}

#[test]
fn numbers_that_go_on_from_each_other_take_a_byte() {
    let mut packer = FieldEncoder::default();
    for span in 0..32_000 {
        packer.integer(NameId(1), 1_000_000 + span * 5);
        packer.integer(NameId(2 + (span % 2) as u32), 9_000_000 - span * 30);
        packer.end();
    }
    let fields = packer.finish();
    let each = fields.heap_bytes() as f64 / 32_000.0;
    assert!(each < 3.9, "{each} bytes a span of two fields");
}

#[test]
fn negative_zero_keeps_its_sign() {
    let mut packer = FieldEncoder::default();
    packer.real(NameId(0), -0.0);
    packer.end();
    let fields = packer.finish();
    let forms = fields.forms.clone();
    let Some((_, FieldValue::Number(value))) = fields.of(SpanId(0), &forms).pop() else {
        panic!("no number");
    };
    assert_eq!(value.to_bits(), (-0.0_f64).to_bits());
}

#[test]
fn what_a_text_says_in_decimals_is_what_a_float_would_say() {
    for text in [
        "9.231481",
        "0.1",
        "-12.75",
        "123456789.012345",
        "0.000001",
        "99999999999.1",
    ] {
        let (whole, fraction) = text.split_once('.').unwrap();
        let digits: i64 = format!("{whole}{fraction}").parse().unwrap();
        let mut packer = FieldEncoder::default();
        packer.decimal(NameId(0), digits, fraction.len() as u8);
        packer.end();
        let fields = packer.finish();
        let found = fields.of(SpanId(0), &fields.forms.clone());
        let exact: f64 = text.parse().unwrap();
        assert_eq!(found, [(NameId(0), FieldValue::Number(exact))], "{text}");
    }
}

#[test]
fn damaged_bytes_end_quietly() {
    let mut packer = FieldEncoder::default();
    let mut fields = packed(&mut packer, 100);
    let forms = std::mem::take(&mut fields.forms);
    for cut in 0..fields.bytes.len() {
        let mut damaged = fields.clone();
        damaged.bytes.truncate(cut);
        if let Some(byte) = damaged.bytes.get_mut(cut / 2) {
            *byte ^= 0x55;
        }
        for span in 0..101 {
            drop(damaged.of(SpanId(span), &forms));
        }
        damaged.all(&forms, |_, _, _| {});
    }
}

#[test]
fn what_is_taken_apart_is_what_was_packed() {
    let mut packer = FieldEncoder::default();
    packer.text(NameId(1), 0);
    packer.integer(NameId(2), 5);
    packer.end();
    let mut first = packer.finish();
    first.texts = vec!["one".into()];
    packer.text(NameId(1), 1);
    packer.integer(NameId(2), 6);
    packer.end();
    let mut second = packer.finish();
    (second.texts, second.first) = (vec!["two".into()], SpanId(1));
    let mut unpacker = FieldDecoder::default();
    let mut all = Vec::new();
    for fields in [first, second] {
        unpacker.unpack(fields, |span, name, value| {
            all.push((span.0, name.0, value));
        });
    }
    let text = |it: &str| Value::Text(it.into());
    assert_eq!(
        all,
        [
            (0, 1, text("one")),
            (0, 2, Value::Integer(5)),
            (1, 1, text("two")),
            (1, 2, Value::Integer(6)),
        ]
    );
}
