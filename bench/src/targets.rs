//! What Sealane is to reach, as data: ratios of a peer's time to ours, on a CPU with AVX-512 and without IFMA.

use std::ops::RangeInclusive;

use crate::peers::Peer;
use crate::report::bytes;
use crate::shamir;
use crate::timed::{Goal, TimeTarget};

/// Whom a target names.
pub enum Against {
    /// The fastest peer at that size.
    Best,
    /// The fastest of these.
    Of(&'static [Peer]),
}

pub struct Target {
    pub suite: &'static str,
    /// Our backend; none: the one that is chosen on this CPU.
    pub backend: Option<&'static str>,
    pub sizes: RangeInclusive<usize>,
    pub against: Against,
    /// At least this.
    pub ratio: f64,
}

impl Target {
    /// Its sizes, in words.
    pub fn class(&self) -> String {
        let (&low, &high) = (self.sizes.start(), self.sizes.end());
        match (low, high) {
            (0, usize::MAX) => "all sizes".into(),
            (0, _) => format!("up to {}", bytes(high)),
            (_, usize::MAX) => format!("{} and more", bytes(low)),
            _ if low == high => bytes(low),
            _ => format!("{} to {}", bytes(low), bytes(high)),
        }
    }
}

/// The columns of the table. A size between two of its own sizes belongs to the smaller class of the two.
const SHORT: RangeInclusive<usize> = 0..=127;
const BLOCKS: RangeInclusive<usize> = 128..=511;
const PACKET: RangeInclusive<usize> = 512..=4095;
const PAGE: RangeInclusive<usize> = 4096..=16383;
const LONG: RangeInclusive<usize> = 16384..=usize::MAX;
const ALL: RangeInclusive<usize> = 0..=usize::MAX;

const OPENSSL: Against = Against::Of(&[Peer::OpenSsl]);
const FORCED: Against = Against::Of(&[Peer::OpenSslForced]);
const LIBSODIUM: Against = Against::Of(&[Peer::Libsodium]);
const AVX2: Against = Against::Of(&[Peer::Ring, Peer::AwsLc]);
const NO_AVX: Against = Against::Of(&[Peer::OpenSslNoAvx]);
const PORTABLE: Against = Against::Of(&[Peer::RustCryptoSoft]);

/// Times, on a CPU with VPCLMULQDQ, of which NTL takes 132 ns, 479 ns and 2.8 µs for the first three; and speeds, on one with AVX2.
pub const TIME_TARGETS: &[TimeTarget] = &[
    TimeTarget { suite: "gf2n", operation: "multiply", column: "2^128", goals: &[Goal::Ns(5.0)] },
    TimeTarget { suite: "gf2n", operation: "multiply", column: "2^256", goals: &[Goal::Ns(12.0)] },
    TimeTarget { suite: "gf2n", operation: "invert", column: "2^256", goals: &[Goal::Ns(2500.0)] },
    // The authors' figures with AES-NI at 3.1 GHz.
    TimeTarget { suite: "haraka", operation: "haraka256", column: "1", goals: &[Goal::Ns(10.2)] },
    TimeTarget { suite: "haraka", operation: "haraka256", column: "8", goals: &[Goal::Ns(6.5)] },
    TimeTarget { suite: "haraka", operation: "haraka512", column: "1", goals: &[Goal::Ns(22.9)] },
    TimeTarget { suite: "haraka", operation: "haraka512", column: "8", goals: &[Goal::Ns(16.2)] },
    TimeTarget { suite: "shamir_element", operation: "split", column: "10 of 10", goals: &[Goal::Ns(5000.0)] },
    TimeTarget { suite: "shamir_element", operation: "reconstruct", column: "10 of 10", goals: &[Goal::Ns(30_000.0)] },
    // Not everything of a mebibyte and its shares is in the second-level cache.
    TimeTarget {
        suite: "shamir",
        operation: "split",
        column: "1 MiB",
        goals: &[Goal::GbPerSecond(1.5), Goal::Times(1.2, shamir::FLOOR)],
    },
    TimeTarget { suite: "shamir", operation: "combine", column: "64 KiB", goals: &[Goal::GbPerSecond(8.0)] },
    TimeTarget { suite: "gf8", operation: "multiply", column: "16 KiB", goals: &[Goal::GbPerSecond(10.0)] },
    TimeTarget { suite: "gf8", operation: "multiply and add", column: "16 KiB", goals: &[Goal::GbPerSecond(10.0)] },
];

pub const TARGETS: &[Target] = &[
    chosen("chacha20", SHORT, Against::Best, 1.1),
    chosen("chacha20", BLOCKS, Against::Best, 1.3),
    chosen("chacha20", PACKET, FORCED, 1.3),
    chosen("chacha20", PAGE, Against::Best, 1.15),
    chosen("chacha20", LONG, OPENSSL, 1.3),
    chosen("chacha20", LONG, FORCED, 1.08),
    chosen("chacha20", LONG, LIBSODIUM, 1.15),
    chosen("poly1305", SHORT, Against::Best, 1.2),
    chosen("poly1305", BLOCKS, Against::Best, 1.3),
    chosen("poly1305", PACKET, Against::Best, 1.1),
    chosen("poly1305", PAGE, OPENSSL, 1.5),
    chosen("poly1305", LONG, OPENSSL, 1.9),
    chosen("poly1305", LONG, FORCED, 1.4),
    chosen("seal", SHORT, Against::Best, 1.4),
    chosen("seal", BLOCKS, Against::Best, 1.5),
    chosen("seal", PACKET, Against::Best, 1.35),
    chosen("seal", PAGE, Against::Best, 1.5),
    chosen("seal", LONG, OPENSSL, 1.6),
    chosen("seal", LONG, FORCED, 1.2),
    chosen("open", SHORT, Against::Best, 1.4),
    chosen("open", BLOCKS, Against::Best, 1.5),
    chosen("open", PACKET, Against::Best, 1.35),
    chosen("open", PAGE, Against::Best, 1.5),
    chosen("open", LONG, OPENSSL, 1.6),
    chosen("open", LONG, FORCED, 1.2),
    chosen("seal_batch", 64..=64, Against::Best, 2.0),
    chosen("seal_batch", 256..=256, Against::Best, 1.8),
    chosen("seal_batch", 1350..=1350, Against::Best, 1.3),
    chosen("open_batch", 64..=64, Against::Best, 2.0),
    chosen("open_batch", 256..=256, Against::Best, 1.8),
    chosen("open_batch", 1350..=1350, Against::Best, 1.3),
    forced("avx2", "seal", AVX2, 1.15),
    forced("avx2", "open", AVX2, 1.15),
    forced("ssse3", "chacha20", NO_AVX, 1.0),
    forced("ssse3", "poly1305", NO_AVX, 1.0),
    forced("ssse3", "seal", NO_AVX, 1.0),
    forced("ssse3", "open", NO_AVX, 1.0),
    forced("scalar", "chacha20", PORTABLE, 1.5),
    forced("scalar", "poly1305", PORTABLE, 1.5),
    forced("scalar", "seal", PORTABLE, 1.5),
    forced("scalar", "open", PORTABLE, 1.5),
];

/// A key set up for one message may cost this much more than the same message with a key that is kept.
pub const SETUP_NS: f64 = 20.0;

/// A wider backend may be slower than a narrower one by this much: what two measurements of the same differ by.
pub const TOLERANCE: f64 = 0.03;

const fn chosen(suite: &'static str, sizes: RangeInclusive<usize>, against: Against, ratio: f64) -> Target {
    Target { suite, backend: None, sizes, against, ratio }
}

const fn forced(backend: &'static str, suite: &'static str, against: Against, ratio: f64) -> Target {
    Target { suite, backend: Some(backend), sizes: ALL, against, ratio }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_a_target() {
        for (suite, size) in [("seal_batch", 64), ("open_batch", 256), ("seal_batch", 1350)] {
            assert_eq!(TARGETS.iter().filter(|t| t.suite == suite && t.sizes.contains(&size)).count(), 1);
        }
        for suite in ["chacha20", "poly1305", "seal", "open"] {
            for size in 0..20_000 {
                let targets =
                    TARGETS.iter().filter(|t| t.suite == suite && t.backend.is_none() && t.sizes.contains(&size));
                let expected = if size < 16384 {
                    1
                } else if suite == "chacha20" {
                    3
                } else {
                    2
                };
                assert_eq!(targets.count(), expected, "{suite} {size}");
            }
        }
    }
}
