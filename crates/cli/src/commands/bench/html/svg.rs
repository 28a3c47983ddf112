//! Text and numbers in markup.

use std::borrow::Cow;

/// Text as content or as an attribute in double quotes.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"']) {
        return text.into();
    }
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").into()
}

/// A logarithmic axis from values to coordinates.
pub(super) struct LogAxis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl LogAxis {
    /// `low`, above 0, goes to `from`, and `high` to `to`.
    pub(super) fn new((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        Self { low: low.ln(), high: high.ln(), from, to }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        self.from + (value.ln() - self.low) / (self.high - self.low) * (self.to - self.from)
    }
}

/// The numbers 1, 2 and 5 times a power of 10 around `low` and `high`, both above 0.
pub(super) fn ticks(low: f64, high: f64) -> Vec<f64> {
    let candidates: Vec<f64> = (-9..9).flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(power))).collect();
    let first = candidates.iter().rposition(|&tick| tick <= low * 1.000_001).unwrap_or(0);
    let last = candidates.iter().position(|&tick| tick >= high * 0.999_999).unwrap_or(candidates.len() - 1);
    candidates[first..=last.max(first + 1)].to_vec()
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
    fn axes() {
        let axis = LogAxis::new((1.0, 100.0), (50.0, 250.0));
        assert_eq!([1.0, 10.0, 100.0].map(|value| axis.at(value).round()), [50.0, 150.0, 250.0]);
        let near = |ticks: Vec<f64>, expected: &[f64]| {
            assert_eq!(ticks.len(), expected.len(), "{ticks:?}");
            assert!(ticks.iter().zip(expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-9), "{ticks:?}");
        };
        near(ticks(0.03, 1.5), &[0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0]);
        near(ticks(0.02, 0.5), &[0.02, 0.05, 0.1, 0.2, 0.5]);
        near(ticks(1.0, 1.0), &[1.0, 2.0]);
    }
}
