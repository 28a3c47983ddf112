//! A limit on the work of decoding.

use crate::format::Field;

/// The largest amount of work in one combination: several seconds if the CPU has instructions for
/// carry-less products.
const MAX_WORK: u64 = 1 << 33;

/// The work that decoding may still do, in about the time of a multiplication of bytes.
pub(crate) struct Budget {
    left: u64,
    /// Whether a step was refused.
    pub(crate) is_exceeded: bool,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self { left: MAX_WORK, is_exceeded: false }
    }

    /// Subtracts the cost of a step. Returns `None` if it is more than what is left.
    pub(crate) fn spend(&mut self, cost: u64) -> Option<()> {
        self.is_exceeded |= cost > self.left;
        self.left = self.left.checked_sub(cost)?;
        Some(())
    }

    /// Subtracts the cost of a step that is done.
    pub(crate) fn spent(&mut self, cost: u64) {
        self.left = self.left.saturating_sub(cost);
    }
}

/// The cost of decoding the columns of n shares with a threshold of k.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    field: Field,
    shares: u64,
    checks: u64,
}

impl Cost {
    pub(crate) fn new(field: Field, threshold: usize, shares: usize) -> Self {
        Self { field, shares: shares as u64, checks: shares.saturating_sub(threshold) as u64 }
    }

    /// Returns the cost of the weights: n² multiplications.
    pub(crate) fn weights(self) -> u64 {
        match self.field {
            // Each call of the decoder for bytes computes the weights again.
            Field::Bytes => 0,
            Field::Element { bits, .. } => self.shares * self.shares * multiplication(bits),
        }
    }

    /// Returns the cost of finding out whether the shares agree in some columns: n·(n - k)
    /// multiplications for each.
    pub(crate) fn checking(self, columns: usize) -> u64 {
        let columns = columns as u64;
        match self.field {
            // Several bytes are multiplied at once.
            Field::Bytes => self.shares * self.shares + (self.shares * self.checks * columns).div_ceil(16),
            Field::Element { bits, .. } => self.shares * self.checks * columns * multiplication(bits),
        }
    }

    /// Returns the cost of finding the wrong shares of a column: about (n - k)² multiplications for
    /// the locator, and n·(n - k)/2 for its roots.
    pub(crate) fn locating(self) -> u64 {
        2 * self.checking(1)
    }
}

/// Returns the cost of a multiplication in a field of this degree. In small fields, the time is
/// that of the call.
fn multiplication(bits: u16) -> u64 {
    let words = u64::from(bits).div_ceil(64);
    64 + 4 * words * words
}

#[cfg(test)]
mod tests {
    use super::{Budget, Cost};
    use crate::format::{Field, Points};

    /// Decodes as many columns as there are elements in the secret and the blinding value, after
    /// wrong shares were found in one of them and left out.
    fn is_decoded(bits: u16, threshold: usize, shares: usize, forged: usize) -> bool {
        let field = Field::Element { bits, points: Points::Random };
        let mut budget = Budget::new();
        let columns = 1 + 256usize.div_ceil(bits.into());
        let (all, kept) = (Cost::new(field, threshold, shares), Cost::new(field, threshold, shares - forged));
        let steps = [all.weights(), all.checking(1), all.locating(), kept.weights(), kept.checking(columns)];
        steps.into_iter().all(|cost| budget.spend(cost).is_some())
    }

    /// `docs/shares.md` states these numbers.
    #[test]
    fn honest_numbers_of_shares_are_decoded() {
        assert!(is_decoded(256, 150, 300, 30));
        assert!(is_decoded(16, 500, 2_000, 200));
        for bits in [16, 64, 256] {
            assert!(is_decoded(bits, 2, 2_000, 200), "{bits}");
            assert!(is_decoded(bits, 1_000, 2_000, 200), "{bits}");
        }
        assert!(is_decoded(1024, 2, 800, 80));
        assert!(is_decoded(2048, 2, 500, 50));
    }

    #[test]
    fn work_on_forged_shares_has_a_limit() {
        for (bits, shares) in [(16, 20_000), (256, 20_000), (2048, 2_000), (2048, 65_535)] {
            let cost = Cost::new(Field::Element { bits, points: Points::Compact }, 2, shares);
            let mut budget = Budget::new();
            assert!(budget.spend(cost.weights()).is_none() && budget.is_exceeded, "{bits} {shares}");
        }
        // The most columns of the most bytes, many times.
        let mut budget = Budget::new();
        let cost = Cost::new(Field::Bytes, 2, 255).checking(1024);
        let times = (0..1_000_000).take_while(|_| budget.spend(cost).is_some()).count();
        assert!((1_000..10_000).contains(&times) && budget.is_exceeded, "{times}");
        // The largest products do not overflow.
        let largest = Cost::new(Field::Element { bits: 2048, points: Points::Compact }, 2, 65_535);
        assert!(largest.checking(1024) > largest.locating() && largest.locating() > largest.weights());
    }
}
