//! How many values a message of `MessagePack` has, counted without keeping any.

/// Whether `bytes` hold more values than `most`, lists and maps among them. What is cut off or is none holds what is before
/// that.
pub fn has_more_than(most: u64, bytes: &[u8]) -> bool {
    let (mut rest, mut count) = (bytes, 0);
    while let Some((first, behind)) = rest.split_first() {
        count += 1;
        if count > most {
            return true;
        }
        rest = behind.get(content(*first, behind)..).unwrap_or_default();
    }
    false
}

/// Bytes behind a value's first one that are no values of their own: its number, its text, or how many values it has.
fn content(first: u8, behind: &[u8]) -> usize {
    let length = |bytes: usize| {
        let head = behind.get(..bytes).unwrap_or_default();
        let number = head
            .iter()
            .fold(0, |sum: usize, byte| sum << 8 | usize::from(*byte));
        bytes.saturating_add(number)
    };
    match first {
        0xa0..=0xbf => usize::from(first & 0x1f),
        0xc4 | 0xd9 => length(1),
        0xc5 | 0xda => length(2),
        0xc6 | 0xdb => length(4),
        // With a byte for their type.
        0xc7 => length(1) + 1,
        0xc8 => length(2) + 1,
        0xc9 => length(4) + 1,
        0xcc | 0xd0 => 1,
        0xcd | 0xd1 | 0xd4 | 0xdc | 0xde => 2,
        0xd5 => 3,
        0xca | 0xce | 0xd2 | 0xdd | 0xdf => 4,
        0xd6 => 5,
        0xcb | 0xcf | 0xd3 => 8,
        0xd7 => 9,
        0xd8 => 17,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_exactly(count: u64, message: &impl serde::Serialize) {
        let bytes = rmp_serde::to_vec(message).unwrap();
        assert!(!has_more_than(count, &bytes) && has_more_than(count - 1, &bytes));
    }

    #[test]
    fn every_value_counts_once_however_it_is_written() {
        let texts = [0, 31, 32, 255, 256, 65_535, 65_536].map(|it| "x".repeat(it));
        is_exactly(8, &texts.to_vec());
        let numbers = [0, 127, 128, 255, 256, 65_536, u64::MAX];
        is_exactly(8, &numbers.to_vec());
        let below = [-1, -32, -33, -129, -40_000, i64::MIN];
        is_exactly(7, &below.to_vec());
        is_exactly(5, &(1.5_f32, 2.5_f64, true, Option::<u8>::None));
        is_exactly(70_001, &vec![1; 70_000]);
        let map: std::collections::BTreeMap<u32, &str> = (0..300).map(|it| (it, "a")).collect();
        is_exactly(601, &map);
    }

    #[test]
    fn what_is_cut_off_is_no_more_than_what_is_there() {
        for bytes in [
            &[0xdd, 0xff][..],
            &[0xdb, 0xff, 0xff, 0xff, 0xff, 1],
            &[0xc9],
        ] {
            assert!(!has_more_than(1, bytes), "{bytes:?}");
        }
        assert!(!has_more_than(0, &[]));
    }
}
