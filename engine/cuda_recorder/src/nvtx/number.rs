//! Numbers in payloads and counters: how each type of NVTX's stores them.

use super::event::NvtxValue;

/// Values of an array that are shown.
pub const MOST_VALUES: usize = 64;

/// How a number is stored.
#[derive(Clone, Copy)]
pub enum NumberForm {
    Signed(usize),
    Unsigned(usize),
    Float(usize),
    /// The upper half of a number of four bytes.
    Brain,
}

/// How numbers of a type of `NVTX_PAYLOAD_ENTRY_TYPE_*` are stored; nothing for other types.
pub const fn number_form(kind: u64) -> Option<NumberForm> {
    Some(match kind {
        1 | 11 => NumberForm::Signed(1),
        2 | 12 | 25 | 32 => NumberForm::Unsigned(1),
        3 | 13 => NumberForm::Signed(2),
        4 | 14 | 26 => NumberForm::Unsigned(2),
        5 | 15 => NumberForm::Signed(4),
        6 | 16 | 24 | 27 | 68 | 69 | 71 | 73 => NumberForm::Unsigned(4),
        7 | 9 | 17 => NumberForm::Signed(8),
        8 | 10 | 18 | 22 | 23 | 67 | 70 | 72 | 74 | 80 => NumberForm::Unsigned(8),
        19 | 43 | 52 => NumberForm::Float(4),
        20 | 44 => NumberForm::Float(8),
        42 => NumberForm::Float(2),
        50 => NumberForm::Brain,
        _ => return None,
    })
}

/// Bytes of a unit of a text of such a type; nothing for other types.
pub const fn text_width(kind: u64) -> Option<usize> {
    match kind {
        75 | 76 => Some(1),
        77 => Some(2),
        78 => Some(4),
        _ => None,
    }
}

impl NumberForm {
    pub const fn bytes(self) -> usize {
        match self {
            Self::Signed(bytes) | Self::Unsigned(bytes) | Self::Float(bytes) => bytes,
            Self::Brain => 2,
        }
    }

    /// The number that bytes begin with.
    pub fn read(self, from: &[u8]) -> Option<NvtxValue> {
        let count = self.bytes();
        let mut whole = [0; 8];
        whole.get_mut(..count)?.copy_from_slice(from.get(..count)?);
        let bits = u64::from_le_bytes(whole);
        let unused = 64 - 8 * count as u32;
        Some(match self {
            Self::Unsigned(_) => NvtxValue::Unsigned(bits),
            Self::Signed(_) => NvtxValue::Integer((bits << unused).cast_signed() >> unused),
            Self::Float(8) => NvtxValue::Number(f64::from_bits(bits)),
            Self::Float(4) => NvtxValue::Number(f64::from(f32::from_bits(bits as u32))),
            Self::Float(_) => NvtxValue::Number(half(bits as u16)),
            Self::Brain => NvtxValue::Number(f64::from(f32::from_bits((bits as u32) << 16))),
        })
    }
}

/// A number of two bytes with a point, by IEEE 754.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    };
    sign * size
}

/// A number, or several.
pub fn numbers(form: NumberForm, bytes: &[u8]) -> NvtxValue {
    match form.read(bytes) {
        Some(value) if bytes.len() < 2 * form.bytes() => value,
        _ => list(form, bytes),
    }
}

/// Several numbers, as many as are shown.
pub fn list(form: NumberForm, bytes: &[u8]) -> NvtxValue {
    let all = bytes.chunks_exact(form.bytes());
    let is_more = all.len() > MOST_VALUES;
    let mut words: Vec<String> = all
        .take(MOST_VALUES)
        .filter_map(|it| {
            Some(match form.read(it)? {
                NvtxValue::Unsigned(it) => it.to_string(),
                NvtxValue::Integer(it) => it.to_string(),
                NvtxValue::Number(it) => it.to_string(),
                NvtxValue::Text(it) => it,
            })
        })
        .collect();
    if is_more {
        words.push("…".to_owned());
    }
    NvtxValue::Text(format!("[{}]", words.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_stored() {
        let read = |kind, bytes: &[u8]| number_form(kind).and_then(|it| it.read(bytes));
        assert_eq!(read(11, &[0xFF]), Some(NvtxValue::Integer(-1)));
        assert_eq!(read(14, &[1, 2]), Some(NvtxValue::Unsigned(513)));
        assert_eq!(
            read(17, &[0xFE; 8]),
            Some(NvtxValue::Integer(-0x0101_0101_0101_0102))
        );
        assert_eq!(
            read(19, &1.5_f32.to_le_bytes()),
            Some(NvtxValue::Number(1.5))
        );
        assert_eq!(read(42, &[0, 0xC0]), Some(NvtxValue::Number(-2.0)));
        assert_eq!(read(42, &[1, 0]), Some(NvtxValue::Number(2_f64.powi(-24))));
        assert_eq!(read(50, &[0x80, 0x3F]), Some(NvtxValue::Number(1.0)));
        assert_eq!(read(18, &[0; 7]), None);
        assert!(
            number_form(21).is_none(),
            "long double has no form of its own everywhere"
        );
    }

    #[test]
    fn many_values_are_cut() {
        let text = |count: usize| match list(NumberForm::Unsigned(1), &vec![7; count]) {
            NvtxValue::Text(text) => text,
            other => format!("{other:?}"),
        };
        assert_eq!(text(3), "[7, 7, 7]");
        assert!(text(65).ends_with("7, …]"));
    }
}
