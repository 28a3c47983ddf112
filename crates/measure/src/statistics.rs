//! Medians, quartiles, and the best of many.

/// Returns the middle value, the lower one of two; NaN if there is none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the values at a quarter, half and three quarters of the sorted ones, the lower one of
/// two. The second is the [`median`].
#[must_use]
pub fn quartiles(values: &[f64]) -> [f64; 3] {
    let sorted = sorted(values);
    [1, 2, 3].map(|quarter| sorted.get(sorted.len().saturating_sub(1) * quarter / 4).copied().unwrap_or(f64::NAN))
}

/// Returns the least value.
#[must_use]
pub fn best(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quartiles_are_of_the_sorted_values() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 3.0, 1.0, 2.0]), 2.0);
        assert!(median(&[]).is_nan());
        assert_eq!(quartiles(&[5.0, 1.0, 4.0, 2.0, 3.0]), [2.0, 3.0, 4.0]);
        assert_eq!(quartiles(&[7.0]), [7.0; 3]);
        assert_eq!(quartiles(&[4.0, 3.0, 1.0, 2.0]), [1.0, 2.0, 3.0]);
        assert_eq!(best(&[3.0, 1.0, 2.0]), 1.0);
    }
}
