//! Shared parts of the fuzz targets: long messages from few bytes of input, ways to cut them into
//! pieces, and the backends of this CPU.
#![forbid(unsafe_code)]

pub mod age_file;
pub mod edit;
pub mod share;

use std::fmt;

use arbitrary::{Arbitrary, Result, Unstructured};
use sealane::{BackendOf, BackendStatusOf, Family};

/// Reports, once in each run, that an input has reached this place. `cargo xtask fuzz` fails if the
/// seeds do not reach each of the places that the source of a target names. A generic function
/// would report only for the first of its instances, so its callers pass it a closure with this
/// macro.
#[macro_export]
macro_rules! reached {
    ($place:literal) => {{
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| eprintln!("reached: {}", $place));
    }};
}

/// Returns all backends that this CPU has.
///
/// # Panics
/// If one fails its self-test. `BackendOf::available` would leave it out, and fuzzing would skip it
/// without notice.
pub fn backends<F: Family>() -> Vec<BackendOf<F>> {
    let supported = BackendStatusOf::<F>::all().filter(|status| status.supported());
    supported.map(|status| status.backend().unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// Returns one of the backends that this CPU has.
///
/// # Errors
/// Never: every input chooses a backend.
pub fn backend<F: Family>(u: &mut Unstructured<'_>) -> Result<BackendOf<F>> {
    let backends = backends::<F>();
    Ok(backends[usize::from(u8::arbitrary(u)?) % backends.len()])
}

/// Up to `MAX` bytes. A few bytes of input describe a long message, so that one mutation can
/// change its length or its kind.
#[derive(Clone)]
pub struct Bytes<const MAX: usize>(pub Vec<u8>);

impl<'a, const MAX: usize> Arbitrary<'a> for Bytes<MAX> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let length = u.int_in_range(0..=MAX)?;
        let mut bytes = match u.int_in_range(0..=3)? {
            // Bytes of one bits make carries as long as possible.
            0 => vec![0xff; length],
            1 => vec![u8::arbitrary(u)?; length],
            2 => scattered(u64::arbitrary(u)?, length),
            _ => {
                let pattern = <[u8; 16]>::arbitrary(u)?;
                pattern.into_iter().cycle().take(length).collect()
            }
        };
        for _ in 0..u.int_in_range(0..=4)? {
            let (at, value) = (usize::from(u16::arbitrary(u)?), u8::arbitrary(u)?);
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        Ok(Self(bytes))
    }
}

impl<const MAX: usize> fmt::Debug for Bytes<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start: String = self.0.iter().take(32).map(|byte| format!("{byte:02x}")).collect();
        write!(f, "{} bytes: {start}{}", self.0.len(), if self.0.len() > 32 { "…" } else { "" })
    }
}

/// Returns bytes without a pattern.
pub fn scattered(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(step).collect()
}

/// Lengths of pieces. The last piece takes the rest.
#[derive(Arbitrary, Clone, Debug, Default)]
pub struct Cuts(Vec<u8>);

impl Cuts {
    /// Returns the position at which each piece of a message of `length` bytes ends. A piece has 0
    /// to 1,271 bytes, and the last one takes the rest.
    pub fn ends(&self, length: usize) -> Vec<usize> {
        let mut end = 0;
        let mut ends = Vec::new();
        for &cut in &self.0 {
            // Small numbers stand for themselves. Larger even ones stand for whole blocks of
            // Poly1305, and odd ones for steps of 18, up to several groups of blocks in the widest
            // kernel.
            let cut = usize::from(cut);
            let step = if cut % 2 == 0 { 8 } else { 9 };
            end += cut.min(128) + step * cut.saturating_sub(128);
            ends.push(end.min(length));
        }
        ends.push(length);
        ends
    }

    /// Returns the pieces of a buffer.
    pub fn pieces<'b>(&self, mut buffer: &'b mut [u8]) -> Vec<&'b mut [u8]> {
        let mut start = 0;
        let mut pieces = Vec::new();
        for end in self.ends(buffer.len()) {
            let (piece, rest) = buffer.split_at_mut(end - start);
            pieces.push(piece);
            (buffer, start) = (rest, end);
        }
        pieces
    }
}
