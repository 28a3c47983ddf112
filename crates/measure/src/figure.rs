//! Formats numbers for people.

/// Returns three significant digits where that needs at most three decimals.
#[must_use]
pub fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        ..0.9995 => 3,
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Returns a size for a person: "1350 B", "16 KiB".
#[must_use]
pub fn size_name(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_sizes() {
        let shown = [0.012_34, 0.5, 0.9996, 1.234, 9.996, 12.34, 99.96, 1234.4].map(figure);
        assert_eq!(shown, ["0.012", "0.500", "1.00", "1.23", "10.0", "12.3", "100", "1234"]);
        assert_eq!(
            [1, 1023, 1024, 1350, 1536, 1 << 20, 3 << 19].map(size_name),
            ["1 B", "1023 B", "1 KiB", "1350 B", "1536 B", "1 MiB", "1536 KiB"]
        );
    }
}
