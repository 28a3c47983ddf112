//! The fewest cycles in which any current CPU can do an operation.
//!
//! A figure below its bound was not measured: the compiler moved work out of the loop, or removed
//! it. Bounds count the operations that the standard requires, and divide by the number that the
//! widest cores start in a cycle. Real figures therefore stay far above them.

use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// The processing of a message's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// ChaCha20 (RFC 8439, section 2.4).
    ChaCha20,
    /// Poly1305 (RFC 8439, section 2.5).
    Poly1305,
    /// ChaCha20-Poly1305 (RFC 8439, section 2.8), to seal or to open.
    Aead,
    /// AES-256-GCM (NIST SP 800-38D), to seal or to open.
    Aes256Gcm,
    /// This many rounds of AES on blocks (FIPS 197, section 5.1), for any number of bytes.
    AesRounds(usize),
    /// Anything that reads or writes each byte.
    Copy,
}

/// The limits of a core.
struct Core {
    /// 32-bit words in a vector.
    lanes: f64,
    /// Vector operations that start in a cycle.
    vectors: f64,
    /// Instructions that can wait or run at a time: the reorder buffer.
    window: f64,
    /// Instructions that start in a cycle.
    instructions: f64,
}

impl Core {
    fn here() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            // Zen 5 and Lion Cove: four vector units, 448 and 576 instructions in flight.
            let lanes = match () {
                () if std::arch::is_x86_feature_detected!("avx512f") => 16.0,
                () if std::arch::is_x86_feature_detected!("avx2") => 8.0,
                () => 4.0,
            };
            Self { lanes, vectors: 4.0, window: 600.0, instructions: 8.0 }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            // Cortex-X925: six vector units, ten instructions in a cycle.
            Self { lanes: 4.0, vectors: 6.0, window: 1000.0, instructions: 10.0 }
        }
    }

    /// Returns the fewest cycles for the rounds of this many blocks, beside `others` instructions.
    ///
    /// A block takes 960 operations on words in the rounds, and 32 after them. With its rows in
    /// four vectors, it takes 320 instructions, and 260 of them wait for each other: in each round,
    /// twelve that compute and one that moves the rows into place. Two messages overlap only if the
    /// reorder buffer holds both.
    fn chacha20(&self, blocks: f64, others: f64) -> f64 {
        let sets = (4.0 * blocks / self.lanes).max(1.0);
        // Scalar units may work on separate blocks: eight words in a cycle.
        let words = 992.0 * blocks / (self.lanes * self.vectors + 8.0);
        let chain = 260.0 / (1.0 + self.window / (320.0 * sets + others));
        words.max(chain).max(others / self.instructions)
    }

    /// Returns the most bytes of Poly1305 in a cycle. A block takes 18 multiplications of 52 bits,
    /// of which two vectors of eight start in a cycle. Or it takes 25 multiplications of 32 bits on
    /// vectors, while scalar code processes a block every four cycles.
    fn poly1305_bytes(&self) -> f64 {
        self.lanes.max(10.0)
    }

    /// Returns the most blocks for which a round of AES starts in a cycle: two vectors of `lanes /
    /// 4` blocks, or four on 128 bits.
    fn aes_blocks(&self) -> f64 {
        (self.lanes / 2.0).max(4.0)
    }

    fn least_cycles(&self, work: Work, bytes: f64) -> f64 {
        let blocks = (bytes / 64.0).ceil();
        // Instructions for a block of 16 bytes. Scalar code takes at least 18, vectors take a few.
        let mac_blocks = (bytes / 16.0).ceil();
        match work {
            Work::ChaCha20 if blocks == 0.0 => 0.0,
            Work::ChaCha20 => self.chacha20(blocks, 0.0),
            Work::Poly1305 => (bytes / self.poly1305_bytes()).max(4.0),
            Work::Aead => {
                let instructions = if mac_blocks < 8.0 { 20.0 + 18.0 * (mac_blocks + 2.0) } else { 150.0 };
                self.chacha20(blocks + 1.0, instructions).max(bytes / self.poly1305_bytes())
            }
            // A block has 14 rounds.
            Work::Aes256Gcm => 14.0 * mac_blocks / self.aes_blocks(),
            Work::AesRounds(rounds) => rounds as f64 / self.aes_blocks(),
            // Two vectors of 64 bytes.
            Work::Copy => bytes / 128.0,
        }
    }
}

impl Work {
    /// Returns the fewest cycles for a message of `bytes` on this machine.
    #[must_use]
    pub fn least_cycles(self, bytes: usize) -> f64 {
        Core::here().least_cycles(self, bytes as f64)
    }
}

/// A time that no CPU can reach.
#[derive(Clone, Debug, PartialEq)]
pub struct TooFast {
    name: String,
    cycles: f64,
    least: f64,
}

impl Display for TooFast {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, cycles, least } = self;
        write!(
            f,
            "{name}: {cycles:.1} cycles were measured, and the work takes at least {least:.1}: the compiler removed \
             some of it, or the clock is wrong"
        )
    }
}

impl Error for TooFast {}

/// Checks a time against the fewest cycles.
///
/// # Errors
/// If the time is below the bound.
pub fn check(name: impl Into<String>, ns: f64, clock_ghz: f64, least: f64) -> Result<(), TooFast> {
    let cycles = ns * clock_ghz;
    // NaN is refused too.
    if cycles >= least { Ok(()) } else { Err(TooFast { name: name.into(), cycles, least }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zen 5.
    const WIDEST: Core = Core { lanes: 16.0, vectors: 4.0, window: 600.0, instructions: 8.0 };

    /// A benchmark once printed 24.5 ns for a loop that seals 64 bytes, which takes 149 ns on Zen
    /// 5: the compiler had moved the key stream out of the loop.
    #[test]
    fn a_loop_without_its_key_stream_is_refused() {
        let least = WIDEST.least_cycles(Work::Aead, 64.0);
        assert!(check("seal, 64 B", 24.5, 4.1, least).is_err(), "{least}");
        assert!(check("seal, 64 B", f64::NAN, 4.1, least).is_err());
        assert_eq!(check("seal, 64 B", 118.0, 4.1, least), Ok(()));
        // Reading the input of Haraka-256 takes a quarter of a cycle.
        assert!(check("haraka256", 0.3, 4.1, WIDEST.least_cycles(Work::AesRounds(20), 32.0)).is_err());
        let error = check("seal, 64 B", 1.0, 4.0, 100.0).unwrap_err().to_string();
        assert!(
            error.starts_with("seal, 64 B: 4.0 cycles were measured, and the work takes at least 100.0"),
            "{error}"
        );
    }

    /// The best figures of any implementation on Zen 5 at 4.1 GHz.
    #[test]
    fn what_was_measured_is_possible() {
        for (work, bytes, ns) in [
            (Work::ChaCha20, 0.0, 4.0),
            (Work::ChaCha20, 64.0, 96.0),
            (Work::ChaCha20, 1048576.0, 1048576.0 / 13.0),
            (Work::Poly1305, 16.0, 14.0),
            (Work::Poly1305, 1048576.0, 1048576.0 / 46.6),
            (Work::Aead, 0.0, 100.0),
            (Work::Aead, 512.0, 166.0),
            (Work::Aead, 1048576.0, 1048576.0 / 9.7),
            (Work::Aes256Gcm, 1048576.0, 1048576.0 / 30.0),
            // Haraka-256 in groups of eight takes 20 rounds for each input.
            (Work::AesRounds(20), 32.0, 1.0),
            (Work::Copy, 4096.0, 16.0),
        ] {
            assert_eq!(check("", ns, 4.1, WIDEST.least_cycles(work, bytes)), Ok(()), "{work:?} {bytes}");
        }
    }

    #[test]
    fn a_removed_loop_is_refused_at_every_length() {
        for work in [Work::ChaCha20, Work::Poly1305, Work::Aead, Work::Aes256Gcm, Work::AesRounds(20), Work::Copy] {
            for bytes in [1, 16, 64, 1000, 1 << 20] {
                assert!(check("", 0.0, 4.0, work.least_cycles(bytes)).is_err(), "{work:?} {bytes}");
                assert!(work.least_cycles(bytes) <= 8.0 * work.least_cycles(16 * bytes), "{work:?} {bytes}");
            }
        }
    }
}
