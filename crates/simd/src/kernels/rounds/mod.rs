//! ChaCha's double rounds in the vertical layout, in assembly: four blocks with SSSE3 and NEON;
//! eight with AVX2 and AVX-512VL, and sixteen or twice sixteen with AVX-512. Where there is time
//! for it, they have Poly1305 between them.
//!
//! A quarter round is a chain of 14 cycles on x86-64, and of 30 to 48 on Arm. To keep the units
//! busy, all four of a round advance together.
//!
//! Compilers do not keep the order of interleaved instructions. A block of Poly1305 is another
//! chain of some 14 cycles. The instructions of both alternate in small portions: a core that sees
//! a long run of either fills the queue of its units and stops.
//!
//! The rounds are the same as in the safe code for other backends. The tests compare them with
//! plain integers.

mod plan;

// Its macros are in scope only after it.
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod x86;

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512vl;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(target_arch = "x86_64")]
pub(crate) mod ssse3;

#[cfg(test)]
mod tests;
