//! The order in which people list names: numbers in them count as numbers.

/// What names are compared by: stretches of digits as numbers, all else as text.
pub fn key(name: &str) -> Vec<(u64, &str)> {
    let stretches = name
        .as_bytes()
        .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let mut at = 0;
    stretches
        .map(|stretch| {
            let text = name.get(at..at + stretch.len()).unwrap_or_default();
            at += stretch.len();
            (text.parse().unwrap_or_default(), text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = [
            "GPU 10",
            "GPU 2",
            "rank 1: GPU 0",
            "GPU",
            "GPU 02",
            "à 9",
            "9",
        ];
        names.sort_by_key(|name| key(name));
        assert_eq!(
            names,
            [
                "GPU",
                "GPU 02",
                "GPU 2",
                "GPU 10",
                "rank 1: GPU 0",
                "à 9",
                "9"
            ]
        );
    }
}
