//! The replay window: the counters that are still accepted (RFC 6479).

const WORD_BITS: u64 = u64::BITS as u64;
const WORDS: usize = 64;

/// A counter that is this far behind the highest one, or farther, is refused.
pub const WINDOW: u64 = (WORDS as u64 - 1) * WORD_BITS;

/// Accepts each counter once, in any order, if it is less than [`WINDOW`] behind the highest one.
#[derive(Clone, Debug, Default)]
pub struct ReplayWindow {
    /// One bit for each counter, set if it was accepted. The words are reused in a circle.
    words: Words,
    /// One more than the highest accepted counter.
    next: u64,
}

#[derive(Clone, Debug)]
struct Words([u64; WORDS]);

impl Default for Words {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl ReplayWindow {
    /// Returns whether the counter would be accepted.
    #[must_use]
    pub fn is_new(&self, counter: u64) -> bool {
        let (word, bit) = place(counter);
        counter >= self.next || self.next - counter <= WINDOW && self.words.0[word] & bit == 0
    }

    /// Accepts a counter, and remembers it. Returns whether it was accepted. Call it only once the
    /// message is known to be authentic: a forgery must not move the window.
    ///
    /// # Panics
    /// If the counter is `u64::MAX`.
    pub fn accept(&mut self, counter: u64) -> bool {
        if !self.is_new(counter) {
            return false;
        }
        if counter >= self.next {
            // Clears the words after the highest counter's, up to this counter's, because they are
            // reused.
            let first = self.next.saturating_sub(1) / WORD_BITS + 1;
            let last = counter / WORD_BITS;
            for word in (first..=last).take(WORDS) {
                self.words.0[word as usize % WORDS] = 0;
            }
            self.next = counter.checked_add(1).expect("sessions end before the highest counter");
        }
        let (word, bit) = place(counter);
        self.words.0[word] |= bit;
        true
    }
}

/// Returns the index of a counter's word, and the counter's bit in it.
fn place(counter: u64) -> (usize, u64) {
    ((counter / WORD_BITS) as usize % WORDS, 1 << (counter % WORD_BITS))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Compares the window with a set of all counters.
    #[test]
    fn each_counter_is_accepted_once_within_the_window() {
        let (mut window, mut all) = (ReplayWindow::default(), BTreeSet::new());
        let (mut state, mut base) = (1_u64, 0);
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let random = state >> 33;
            base += random % 7 / 5;
            let counter = match random % 101 {
                0 => base + 10 * WINDOW,
                1 => base.saturating_sub(WINDOW + random % 3),
                _ => (base + random % 200).saturating_sub(100),
            };
            if random % 5000 == 0 {
                base += 20 * WINDOW;
            }
            let highest = all.last().copied();
            let fits = highest.is_none_or(|highest| counter + WINDOW > highest) && !all.contains(&counter);
            assert_eq!(window.is_new(counter), fits, "{counter} after {highest:?}");
            assert_eq!(window.accept(counter), fits, "{counter} after {highest:?}");
            if fits {
                all.insert(counter);
                accepted += 1;
            } else {
                refused += 1;
            }
        }
        assert!(accepted > 1000 && refused > 1000, "{accepted} {refused}");
    }

    #[test]
    fn the_edges_of_the_window() {
        let mut window = ReplayWindow::default();
        assert!(window.accept(5) && !window.accept(5) && window.accept(0));
        assert!(window.accept(WINDOW + 5));
        assert!(!window.is_new(5), "too far behind, and known");
        assert!(window.accept(6) && !window.accept(6), "the oldest that fits");
        assert!(window.accept(u64::MAX - 1) && !window.accept(7));
    }
}
