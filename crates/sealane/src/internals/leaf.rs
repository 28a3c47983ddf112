//! Inner operations for callers that choose an instruction set in each of them, which is slow:
//! between them, values are in memory or in integers.

use sealane_simd::{
    Block, CachedLevel, Clmul, ClmulLanes, ClmulLevel, LevelList, MAX_WORDS_LANES, Scalar, ScalarLane, Simd, Words,
    dispatch_clmul,
};

use crate::haraka::constants_of_5_rounds;

/// The four rows of ChaCha's state (RFC 8439, section 2.3).
pub type Rows = [[u32; 4]; 4];

/// Four quarter rounds, of the columns or of the diagonals.
#[inline(always)]
pub fn chacha_round<S: Simd, const DIAGONAL: bool>(token: S, rows: &mut Rows) {
    let [mut a, mut b, mut c, mut d] = rows.map(|row| S::Words::splat_row(token, row));
    if DIAGONAL {
        (b, c, d) = (b.rotate_columns_1(), c.rotate_columns_2(), d.rotate_columns_3());
    }
    a = a.add(b);
    d = d.xor(a).rotate_left_16();
    c = c.add(d);
    b = b.xor(c).rotate_left_12();
    a = a.add(b);
    d = d.xor(a).rotate_left_8();
    c = c.add(d);
    b = b.xor(c).rotate_left_7();
    if DIAGONAL {
        (b, c, d) = (b.rotate_columns_3(), c.rotate_columns_2(), d.rotate_columns_1());
    }
    let mut bytes = [0; 16 * MAX_WORDS_LANES];
    S::Words::xor_rows(a, b, c, d, &mut bytes[..S::Words::ROWS * 64]);
    for (word, bytes) in rows.as_flattened_mut().iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
}

/// The round constants of Haraka-256 with 5 rounds: four in each, two for each round of AES.
#[must_use]
pub fn haraka256_constants() -> &'static [Block; 20] {
    constants_of_5_rounds().first_chunk().expect("Haraka-512 takes twice as many")
}

/// The level that is chosen on this CPU, by one atomic load.
#[inline(always)]
#[must_use]
pub fn clmul_level() -> ClmulLevel {
    static LEVEL: CachedLevel<ClmulLevel> = CachedLevel::new();
    LEVEL.get().unwrap_or_else(|| {
        let level = ClmulLevel::detect();
        LEVEL.set(level);
        level
    })
}

/// Two limbs in integers, whose products are made by the CPU's instruction behind a choice.
#[derive(Clone, Copy)]
pub struct LeafLane(ScalarLane);

/// The product of two limbs.
#[inline]
fn product(a: u64, b: u64) -> LeafLane {
    // In registers both ways, but for the detour of the operands over the stack that a closure
    // makes.
    LeafLane::of(dispatch_clmul!(clmul_level(), token => product_on(token, a, b)))
}

#[inline(always)]
fn product_on<T: Clmul>(token: T, a: u64, b: u64) -> [u64; 2] {
    let limb = |limb: u64| {
        T::One::load_low(
            token,
            #[inline(always)]
            |_| limb,
        )
    };
    let mut limbs = [0; 2];
    limb(a).mul_low(limb(b)).store(0, &mut limbs);
    limbs
}

impl LeafLane {
    #[inline(always)]
    fn of(limbs: [u64; 2]) -> Self {
        Self(ScalarLane::load(
            Scalar::new(),
            #[inline(always)]
            |_| &limbs,
        ))
    }

    #[inline(always)]
    fn high(self) -> u64 {
        self.0.high_to_low().low(0)
    }
}

impl ClmulLanes for LeafLane {
    type Token = Scalar;
    const LANES: usize = 1;

    #[inline(always)]
    fn token(self) -> Scalar {
        self.0.token()
    }
    #[inline(always)]
    fn zero(token: Scalar) -> Self {
        Self(ScalarLane::zero(token))
    }
    #[inline(always)]
    fn load<'a>(token: Scalar, lane: impl Fn(usize) -> &'a [u64; 2]) -> Self {
        Self(ScalarLane::load(token, lane))
    }
    #[inline(always)]
    fn load_low(token: Scalar, limb: impl Fn(usize) -> u64) -> Self {
        Self(ScalarLane::load_low(token, limb))
    }
    #[inline(always)]
    fn store(self, lane: usize, limbs: &mut [u64; 2]) {
        self.0.store(lane, limbs);
    }
    #[inline(always)]
    fn low(self, lane: usize) -> u64 {
        self.0.low(lane)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0))
    }
    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        Self(self.0.shl(bits))
    }
    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        Self(self.0.shr(bits))
    }
    #[inline(always)]
    fn swap(self) -> Self {
        Self(self.0.swap())
    }
    #[inline(always)]
    fn low_to_high(self) -> Self {
        Self(self.0.low_to_high())
    }
    #[inline(always)]
    fn high_to_low(self) -> Self {
        Self(self.0.high_to_low())
    }
    #[inline(always)]
    fn above(self, below: Self) -> Self {
        Self(self.0.above(below.0))
    }
    #[inline(always)]
    fn mul_low(self, other: Self) -> Self {
        product(self.low(0), other.low(0))
    }
    #[inline(always)]
    fn mul_high(self, other: Self) -> Self {
        product(self.high(), other.high())
    }
    #[inline(always)]
    fn square(self) -> (Self, Self) {
        (self.mul_low(self), self.mul_high(self))
    }
}
