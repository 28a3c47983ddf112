//! Text and axes in SVG.

use std::borrow::Cow;

/// Returns text as the content of an element, or as an attribute in double quotes.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"']) {
        return text.into();
    }
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").into()
}

/// Maps values to coordinates.
pub(crate) struct Scale {
    logarithmic: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Maps `low` to `from`, and `high` to `to`. On a logarithmic scale both are above 0.
    pub(crate) fn new(logarithmic: bool, (low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let map = |value: f64| if logarithmic { value.ln() } else { value };
        Self { logarithmic, low: map(low), high: map(high), from, to }
    }

    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.ln() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }
}

/// Returns the numbers 1, 2 and 5 times a power of 10 around `low` and `high`, both above 0.
pub(crate) fn logarithmic_ticks(low: f64, high: f64) -> Vec<f64> {
    let candidates: Vec<f64> = (-9..9).flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(power))).collect();
    let first = candidates.iter().rposition(|&tick| tick <= low * 1.000_001).unwrap_or(0);
    let last = candidates.iter().position(|&tick| tick >= high * 0.999_999).unwrap_or(candidates.len() - 1);
    candidates[first..=last.max(first + 1)].to_vec()
}

/// Returns about six round numbers from 0 to `high`, or just above it. `high` is above 0.
pub(crate) fn linear_ticks(high: f64) -> Vec<f64> {
    let power = 10_f64.powf((high / 6.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|step| high / step <= 6.0);
    let step = step.unwrap_or(10.0 * power);
    (0..=(high / step).ceil() as usize).map(|i| i as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_text() {
        assert_eq!(escaped("a <b> & \"c\""), "a &lt;b&gt; &amp; &quot;c&quot;");
        assert_eq!(escaped("AMD EPYC"), "AMD EPYC");
    }

    #[test]
    fn scales_and_ticks() {
        let scale = Scale::new(true, (1.0, 100.0), (50.0, 250.0));
        assert_eq!([1.0, 10.0, 100.0].map(|value| scale.at(value).round()), [50.0, 150.0, 250.0]);
        let scale = Scale::new(false, (0.0, 4.0), (100.0, 0.0));
        assert_eq!([0.0, 1.0, 4.0].map(|value| scale.at(value)), [100.0, 75.0, 0.0]);
        let near = |ticks: Vec<f64>, expected: &[f64]| {
            assert_eq!(ticks.len(), expected.len(), "{ticks:?}");
            assert!(ticks.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{ticks:?}");
        };
        near(logarithmic_ticks(0.03, 1.5), &[0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0]);
        near(logarithmic_ticks(0.02, 0.5), &[0.02, 0.05, 0.1, 0.2, 0.5]);
        near(logarithmic_ticks(1.0, 1.0), &[1.0, 2.0]);
        near(linear_ticks(4200.0), &[0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0]);
        near(linear_ticks(5.3), &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        near(linear_ticks(1.1), &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2]);
    }
}
