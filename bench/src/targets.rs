//! Sealane's targets, as data: ratios of a peer's time to ours. Targets for the chosen backend are
//! for CPUs with AVX-512, by class. Targets for a forced backend are for all CPUs.

use std::ops::RangeInclusive;

use sealane_measure::size_name;
use sealane_simd::CpuClass;

use crate::peers::Peer;

/// The peers that a target names.
pub enum Against {
    /// The fastest peer at that size.
    Best,
    /// The fastest of these.
    Of(&'static [Peer]),
}

pub struct Target {
    pub suite: &'static str,
    /// The classes of CPUs that the target is for. `None` is all CPUs.
    pub classes: Option<&'static [CpuClass]>,
    /// Our backend. `None` is the backend that is chosen on this CPU.
    pub backend: Option<&'static str>,
    pub sizes: RangeInclusive<usize>,
    pub against: Against,
    /// The least ratio.
    pub ratio: f64,
}

impl Target {
    /// Returns whether the target is for CPUs of this class. `None` stands for a CPU without
    /// AVX-512.
    pub fn is_for(&self, class: Option<CpuClass>) -> bool {
        self.classes.is_none_or(|classes| class.is_some_and(|class| classes.contains(&class)))
    }

    /// Returns its sizes as text.
    pub fn sizes(&self) -> String {
        let (&low, &high) = (self.sizes.start(), self.sizes.end());
        match (low, high) {
            (0, usize::MAX) => "all sizes".into(),
            (0, _) => format!("up to {}", size_name(high)),
            (_, usize::MAX) => format!("{} and more", size_name(low)),
            _ if low == high => size_name(low),
            _ => format!("{} to {}", size_name(low), size_name(high)),
        }
    }
}

const ALL: RangeInclusive<usize> = 0..=usize::MAX;

/// The sizes of long messages.
const LONG: RangeInclusive<usize> = 16384..=usize::MAX;

const OPENSSL: Against = Against::Of(&[Peer::OpenSsl]);
const FORCED: Against = Against::Of(&[Peer::OpenSslForced]);
/// Peers that do not use AVX-512, not even where the CPU has it.
const AVX2: Against = Against::Of(&[Peer::Ring, Peer::AwsLc]);
const AWS_LC: Against = Against::Of(&[Peer::AwsLc]);
const OPENSSL_AVX2: Against = Against::Of(&[Peer::OpenSslNoAvx512]);
const MAC_AVX2: Against = Against::Of(&[Peer::OpenSslNoAvx512, Peer::AwsLc]);
/// libsodium uses AVX-512 for longer messages only.
const BLOCK_AVX2: Against = Against::Of(&[Peer::OpenSslNoAvx512, Peer::AwsLc, Peer::Libsodium, Peer::RustCrypto]);
const NO_AVX: Against = Against::Of(&[Peer::OpenSslNoAvx]);
const PORTABLE: Against = Against::Of(&[Peer::RustCryptoSoft]);

const SEAL: &str = "chacha20poly1305-seal";
const OPEN: &str = "chacha20poly1305-open";
const SEAL_BATCH: &str = "chacha20poly1305-seal-batch";
const OPEN_BATCH: &str = "chacha20poly1305-open-batch";
const SEAL_PIECES: &str = "chacha20poly1305-seal-pieces";
const DECRYPT_PIECES: &str = "chacha20poly1305-decrypt-pieces";
const POLY1305_PIECES: &str = "poly1305-pieces";

/// A target for the time of a benchmark with its own inputs.
pub struct TimeTarget {
    pub benchmark: &'static str,
    pub size: &'static str,
    pub goal: Goal,
}

pub enum Goal {
    /// At most this time.
    Ns(f64),
    /// At least this many gigabytes a second, for an operation on bytes.
    GbPerSecond(f64),
    /// At most this multiple of the time of the row with that name.
    Times(f64, &'static str),
}

/// The name of the row for the least work of splitting.
pub const FLOOR: &str = "key stream and copies alone";

/// The name of the row for our call that processes a whole message.
pub const ONE_CALL: &str = "sealane, one call";

/// The name of NTL's rows for products and inverses.
pub const NTL: &str = "NTL";

/// The name of polyval's row for products that each need the previous result.
pub const POLYVAL: &str = "polyval, block by block";

/// The name of vsss-rs's row for secrets of 32 bytes.
pub const VSSS: &str = "vsss-rs, 32 x GF(2^8)";

/// The name of the row for ISA-L's parity.
pub const ISAL: &str = "ISA-L, matrix prepared";

/// Targets for benchmarks with their own inputs. Times are for a CPU with VPCLMULQDQ, on which NTL
/// takes 132 ns, 479 ns and 2.8 µs for the first three. Speeds are for a CPU with AVX2.
pub const TIME_TARGETS: &[TimeTarget] = &[
    time("gf2n-multiply", "2^128", Goal::Ns(5.0)),
    time("gf2n-multiply", "2^256", Goal::Ns(12.0)),
    time("gf2n-invert", "2^256", Goal::Ns(2500.0)),
    time("gf2n-invert", "2^2048", Goal::Times(1.0 / 1.3, NTL)),
    time("gf2n-multiply-dependent", "2^128", Goal::Times(1.0, POLYVAL)),
    // The authors' figures with AES-NI at 3.1 GHz.
    time("haraka256", "1 input", Goal::Ns(10.2)),
    time("haraka256", "8 inputs", Goal::Ns(6.5)),
    time("haraka512", "1 input", Goal::Ns(22.9)),
    time("haraka512", "8 inputs", Goal::Ns(16.2)),
    time("shamir-element-split", "10 of 10", Goal::Ns(5000.0)),
    time("shamir-element-reconstruct", "10 of 10", Goal::Ns(30_000.0)),
    time("shamir-element-reconstruct", "3 of 255", Goal::Times(1.0, VSSS)),
    time("shamir-split", "16 KiB", Goal::Times(1.2, FLOOR)),
    time("shamir-split", "64 KiB", Goal::Times(1.2, FLOOR)),
    // `FLOOR` is no bound here: a mebibyte and its shares do not fit the second-level cache.
    time("shamir-split", "1 MiB", Goal::GbPerSecond(1.5)),
    time("shamir-combine", "64 KiB", Goal::GbPerSecond(8.0)),
    time("gf8-multiply", "16 KiB", Goal::GbPerSecond(10.0)),
    time("gf8-multiply-add", "16 KiB", Goal::GbPerSecond(10.0)),
    time("gf8-parity", "64 KiB", Goal::Times(1.0, ISAL)),
    pieces(SEAL_PIECES, "256 B"),
    pieces(SEAL_PIECES, "1 KiB"),
    pieces(SEAL_PIECES, "4 KiB"),
    pieces(DECRYPT_PIECES, "256 B"),
    pieces(DECRYPT_PIECES, "1 KiB"),
    pieces(DECRYPT_PIECES, "4 KiB"),
    pieces(POLY1305_PIECES, "256 B"),
    pieces(POLY1305_PIECES, "1 KiB"),
    pieces(POLY1305_PIECES, "4 KiB"),
];

pub const TARGETS: &[Target] = &[
    // The CPU starts two operations on 512 bits in a cycle: Granite Rapids and its predecessors,
    // Zen 4.
    two_a_cycle(SEAL, ALL, Against::Best, 1.25),
    two_a_cycle(SEAL, LONG, OPENSSL, 1.6),
    two_a_cycle(SEAL, LONG, FORCED, 1.2),
    two_a_cycle(OPEN, ALL, Against::Best, 1.25),
    two_a_cycle(OPEN, LONG, OPENSSL, 1.6),
    two_a_cycle(OPEN, LONG, FORCED, 1.2),
    two_a_cycle("chacha20", 0..=127, Against::Best, 1.1),
    two_a_cycle("chacha20", 128..=511, Against::Best, 1.3),
    two_a_cycle("chacha20", 512..=usize::MAX, Against::Best, 1.08),
    two_a_cycle("poly1305", 0..=127, Against::Best, 1.2),
    two_a_cycle("poly1305", 128..=511, Against::Best, 1.3),
    two_a_cycle("poly1305", 512..=4095, Against::Best, 1.1),
    two_a_cycle("poly1305", 4096..=usize::MAX, Against::Best, 1.4),
    two_a_cycle(SEAL_BATCH, 64..=64, Against::Best, 2.0),
    two_a_cycle(SEAL_BATCH, 256..=256, Against::Best, 1.8),
    two_a_cycle(SEAL_BATCH, 1350..=1350, Against::Best, 1.3),
    two_a_cycle(OPEN_BATCH, 64..=64, Against::Best, 2.0),
    two_a_cycle(OPEN_BATCH, 256..=256, Against::Best, 1.8),
    two_a_cycle(OPEN_BATCH, 1350..=1350, Against::Best, 1.3),
    // The CPU starts four operations on 512 bits in a cycle, and each takes two cycles: Zen 5.
    four_a_cycle(SEAL, 0..=64, Against::Best, 1.55),
    four_a_cycle(SEAL, 65..=2048, Against::Best, 1.45),
    four_a_cycle(SEAL, 2049..=16383, Against::Best, 1.5),
    four_a_cycle(SEAL, LONG, Against::Best, 1.65),
    four_a_cycle(SEAL, LONG, OPENSSL, 2.1),
    four_a_cycle(OPEN, 0..=64, Against::Best, 1.55),
    four_a_cycle(OPEN, 65..=2048, Against::Best, 1.45),
    four_a_cycle(OPEN, 2049..=16383, Against::Best, 1.5),
    four_a_cycle(OPEN, LONG, Against::Best, 1.65),
    four_a_cycle(OPEN, LONG, OPENSSL, 2.1),
    four_a_cycle("chacha20", 0..=64, Against::Best, 1.1),
    four_a_cycle("chacha20", 65..=512, Against::Best, 1.3),
    four_a_cycle("chacha20", 513..=1024, Against::Best, 1.1),
    four_a_cycle("chacha20", 1025..=usize::MAX, Against::Best, 1.6),
    four_a_cycle("poly1305", 0..=63, Against::Best, 1.0),
    four_a_cycle("poly1305", 64..=255, Against::Best, 1.15),
    four_a_cycle("poly1305", 256..=1535, Against::Best, 1.3),
    four_a_cycle("poly1305", 1536..=8192, Against::Best, 1.4),
    four_a_cycle("poly1305", 8193..=usize::MAX, Against::Best, 1.6),
    four_a_cycle(SEAL_BATCH, 64..=64, Against::Best, 2.5),
    four_a_cycle(SEAL_BATCH, 256..=256, Against::Best, 2.4),
    four_a_cycle(SEAL_BATCH, 1350..=1350, Against::Best, 2.5),
    four_a_cycle(OPEN_BATCH, 64..=64, Against::Best, 2.5),
    four_a_cycle(OPEN_BATCH, 256..=256, Against::Best, 2.4),
    four_a_cycle(OPEN_BATCH, 1350..=1350, Against::Best, 2.5),
    forced_at("avx2", SEAL, 0..=64, AVX2, 1.15),
    forced_at("avx2", SEAL, 65..=449, AVX2, 1.25),
    forced_at("avx2", SEAL, 450..=usize::MAX, AVX2, 1.15),
    forced_at("avx2", OPEN, 0..=64, AVX2, 1.15),
    forced_at("avx2", OPEN, 65..=449, AVX2, 1.25),
    forced_at("avx2", OPEN, 450..=usize::MAX, AVX2, 1.15),
    forced_at("avx2", "chacha20", 0..=64, BLOCK_AVX2, 1.05),
    forced_at("avx2", "chacha20", 512..=4096, AWS_LC, 1.03),
    forced_at("avx2", "poly1305", 700..=1420, OPENSSL_AVX2, 1.15),
    forced_at("avx2", "poly1305", 4096..=16384, MAC_AVX2, 1.5),
    forced_at("avx2", SEAL_BATCH, 256..=256, AVX2, 1.5),
    forced_at("avx2", SEAL_BATCH, 1350..=1350, AVX2, 1.25),
    forced_at("avx2", OPEN_BATCH, 256..=256, AVX2, 1.5),
    forced_at("avx2", OPEN_BATCH, 1350..=1350, AVX2, 1.25),
    forced("ssse3", "chacha20", NO_AVX, 1.0),
    forced("ssse3", "poly1305", NO_AVX, 1.0),
    forced("ssse3", SEAL, NO_AVX, 1.0),
    forced("ssse3", OPEN, NO_AVX, 1.0),
    forced_at("scalar", "chacha20", 0..=128, PORTABLE, 1.1),
    forced_at("scalar", "chacha20", 129..=usize::MAX, PORTABLE, 1.5),
    forced("scalar", "poly1305", PORTABLE, 1.5),
    forced("scalar", SEAL, PORTABLE, 1.5),
    forced("scalar", OPEN, PORTABLE, 1.5),
];

/// The most nanoseconds that a message may take with a new key beyond its time with a kept key.
pub const SETUP_NS: f64 = 20.0;

/// The margin by which a wider backend may be slower than a narrower one. Two measurements of the
/// same code can differ by this much.
pub const TOLERANCE: f64 = 0.03;

const fn time(benchmark: &'static str, size: &'static str, goal: Goal) -> TimeTarget {
    TimeTarget { benchmark, size, goal }
}

/// Returns the target for a message in pieces of `size`.
const fn pieces(benchmark: &'static str, size: &'static str) -> TimeTarget {
    time(benchmark, size, Goal::Times(1.05, ONE_CALL))
}

/// Returns a target for CPUs that start two operations on 512 bits in a cycle.
const fn two_a_cycle(suite: &'static str, sizes: RangeInclusive<usize>, against: Against, ratio: f64) -> Target {
    Target { suite, classes: Some(&[CpuClass::OneCycle, CpuClass::HalfWidth]), backend: None, sizes, against, ratio }
}

/// Returns a target for CPUs that start four operations on 512 bits in a cycle.
const fn four_a_cycle(suite: &'static str, sizes: RangeInclusive<usize>, against: Against, ratio: f64) -> Target {
    Target { suite, classes: Some(&[CpuClass::TwoCycles]), backend: None, sizes, against, ratio }
}

const fn forced(backend: &'static str, suite: &'static str, against: Against, ratio: f64) -> Target {
    forced_at(backend, suite, ALL, against, ratio)
}

/// Returns a target for a forced backend at some sizes.
const fn forced_at(
    backend: &'static str,
    suite: &'static str,
    sizes: RangeInclusive<usize>,
    against: Against,
    ratio: f64,
) -> Target {
    Target { suite, classes: None, backend: Some(backend), sizes, against, ratio }
}

#[cfg(test)]
mod tests {
    use sealane_workloads::Benchmark;

    use super::*;

    #[test]
    fn every_time_target_names_a_benchmark_and_one_of_its_sizes() {
        for TimeTarget { benchmark, size, .. } in TIME_TARGETS {
            let (_, named) = Benchmark::all().find(|(_, all)| all.name == *benchmark).expect(benchmark);
            assert!(named.sizes.iter().any(|any| any.to_string() == *size), "{benchmark} {size}");
            let same = TIME_TARGETS.iter().filter(|other| (other.benchmark, other.size) == (*benchmark, *size));
            assert_eq!(same.count(), 1, "{benchmark} {size}");
        }
    }

    #[test]
    fn every_size_has_one_target_against_the_best_in_each_class() {
        for class in CpuClass::ALL {
            let targets = |suite: &str, size: usize| {
                let is_meant = |target: &&Target| {
                    let is_of_best = matches!(target.against, Against::Best);
                    let is_of_class = target.classes.is_some_and(|classes| classes.contains(&class));
                    target.suite == suite && is_of_class && target.sizes.contains(&size) && is_of_best
                };
                TARGETS.iter().filter(is_meant).count()
            };
            for (suite, size) in [(SEAL_BATCH, 64), (OPEN_BATCH, 256), (SEAL_BATCH, 1350)] {
                assert_eq!(targets(suite, size), 1);
            }
            for suite in ["chacha20", "poly1305", SEAL, OPEN] {
                for size in 0..20_000 {
                    assert_eq!(targets(suite, size), 1, "{class:?} {suite} {size}");
                }
            }
        }
        let forced = TARGETS.iter().filter(|target| target.is_for(None)).count();
        assert_eq!(forced, TARGETS.iter().filter(|target| target.backend.is_some()).count());
    }
}
