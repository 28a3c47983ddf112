//! Numbers of bytes, and other numbers.

use std::num::NonZero;
use std::str::FromStr;

/// Parses a number such as "1350", "16KiB" or "1 M". Units are powers of 1024.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (digits, unit) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kib" => 10,
        "m" | "mib" => 20,
        "g" | "gib" => 30,
        "t" | "tib" => 40,
        _ => return Err(not_bytes(text)),
    };
    let number: u64 = digits.parse().map_err(|_| not_bytes(text))?;
    number.checked_mul(1 << shift).ok_or_else(|| format!("{text:?} is too large"))
}

/// Parses a number of shares or holders, or the number of a share. The command itself says which
/// numbers are possible.
pub(super) fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "not a whole number, as in 3".to_owned())
}

/// Parses the number of threads.
pub(super) fn threads(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "not a whole number of at least 1".to_owned())
}

fn not_bytes(text: &str) -> String {
    format!("{text:?} is not a number of bytes, as in 1350, 16KiB, 3M or 1G")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_and_without_a_unit() {
        let good = [
            ("0", 0),
            ("1", 1),
            ("1350", 1350),
            ("16KiB", 16384),
            ("2 k", 2048),
            ("3MiB", 3 << 20),
            ("1024m", 1 << 30),
            ("5G", 5 << 30),
            ("16383 TiB", 16383 << 40),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, expected) in good {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "-1", "1.5KiB", "KiB", "12GB", "18446744073709551616", "16777216T", "1_000"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
