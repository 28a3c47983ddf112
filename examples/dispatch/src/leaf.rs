//! The operations with a branch in each inner operation. They model a library whose small functions
//! each detect the CPU. Between two inner operations, values are in memory or in integers.

use operations::{
    Combine, HARAKA_CONSTANTS, Hash, Packet, Product, Split, Stream, authenticated, chacha_round, combine_in,
    multiply_in, poly1305, split_in,
};
use sealane_simd::{
    AesBlocks, AesToken, Block, Clmul, ClmulLanes, MAX_WORDS_LANES, Scalar, ScalarLane, Simd, Words, dispatch,
    dispatch_aes, dispatch_clmul,
};

use crate::choices::{aes_level, clmul_level, vector_level};

/// Multiplies two polynomials. Branches once, for the product.
pub(crate) fn multiply(product: &mut Product) {
    multiply_in::<LeafLane>(Scalar::new(), product);
}

/// Applies two rounds of AES to both blocks.
#[inline(always)]
fn two_rounds<T: AesToken>(token: T, keys: &[Block; 4], state: &mut [[u8; 16]; 2]) {
    if const { <T::Narrower as AesToken>::Blocks::BLOCKS < T::Blocks::BLOCKS } {
        return two_rounds(token.narrower(), keys, state);
    }
    let load = |n: usize| {
        T::Blocks::load(
            token,
            #[inline(always)]
            |_| &state[n],
        )
    };
    let mut vectors = [[load(0), load(1)]];
    let (keys, _) = keys.as_chunks();
    T::Blocks::two_rounds(&mut vectors, &keys[0], &keys[1]);
    for (vector, block) in vectors[0].into_iter().zip(state) {
        vector.store(
            #[inline(always)]
            |lane, bytes| {
                if lane == 0 {
                    *block = bytes;
                }
            },
        );
    }
}

/// Hashes with Haraka-256 (Haraka v2, section 2.1). Branches for every two rounds of AES.
pub(crate) fn haraka(hash: &mut Hash) {
    let mut state = [[0; 16]; 2];
    state.copy_from_slice(hash.input.as_chunks().0);
    for keys in HARAKA_CONSTANTS.as_chunks().0 {
        dispatch_aes!(aes_level(), token => two_rounds(token, keys, &mut state));
        // MIX.
        let columns = state;
        let column = |block: usize, column: usize| &columns[block].as_chunks::<4>().0[column];
        for (i, mixed) in state.as_flattened_mut().as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *mixed = *column(i % 2, i / 2);
        }
    }
    for ((output, input), mixed) in hash.output.iter_mut().zip(&hash.input).zip(state.as_flattened()) {
        *output = input ^ mixed;
    }
}

/// The four rows of ChaCha's state (RFC 8439, section 2.3).
type Rows = [[u32; 4]; 4];

#[inline(always)]
fn round<S: Simd, const DIAGONAL: bool>(token: S, rows: &mut Rows) {
    let vectors = rows.map(
        #[inline(always)]
        |row| S::Words::splat_row(token, row),
    );
    let [a, b, c, d] = chacha_round::<_, DIAGONAL>(vectors);
    let mut bytes = [0; 16 * MAX_WORDS_LANES];
    S::Words::xor_rows(a, b, c, d, &mut bytes[..S::Words::ROWS * 64]);
    for (word, bytes) in rows.as_flattened_mut().iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
}

/// Combines data with a block of the key stream. Branches for each of the block's 20 rounds.
fn chacha20(state: &[u32; 16], counter: u32, data: &mut [u8; 64]) {
    let mut initial = *state;
    initial[12] = counter;
    let mut rows = Rows::default();
    rows.as_flattened_mut().copy_from_slice(&initial);
    for _ in 0..10 {
        dispatch!(vector_level(), token => round::<_, false>(token, &mut rows));
        dispatch!(vector_level(), token => round::<_, true>(token, &mut rows));
    }
    let words = rows.as_flattened().iter().zip(&initial);
    for (bytes, (word, initial)) in data.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *bytes = (u32::from_le_bytes(*bytes) ^ word.wrapping_add(*initial)).to_le_bytes();
    }
}

/// Encrypts one block with ChaCha20. Branches for each of the 20 rounds.
pub(crate) fn block(stream: &mut Stream) {
    chacha20(&stream.state, stream.counter, &mut stream.data);
}

/// Seals a message of 64 bytes (RFC 8439, section 2.8). Branches for each of the 40 rounds of its
/// two blocks. The tag is computed on integers.
pub(crate) fn seal(packet: &mut Packet) {
    let Packet { state, aad, message, tag } = packet;
    let mut key = [0; 64];
    chacha20(state, 0, &mut key);
    chacha20(state, 1, message);
    let key = key.first_chunk().expect("half of block 0");
    *tag = poly1305(key, &authenticated(aad, message));
}

/// Splits a secret. Branches for each product of 64 bits.
pub(crate) fn split<const N: usize>(split: &mut Split<N>) {
    split_in::<LeafLane, N>(Scalar::new(), split);
}

/// Reconstructs a secret. Branches for each product of 64 bits.
pub(crate) fn combine<const N: usize>(combine: &mut Combine<N>) {
    combine_in::<LeafLane, N>(Scalar::new(), combine);
}

/// Two limbs in integers. Each product branches on the CPU, then uses its instruction.
#[derive(Clone, Copy)]
struct LeafLane(ScalarLane);

/// Returns the product of two limbs.
#[inline]
fn product(a: u64, b: u64) -> LeafLane {
    // The values are in registers either way, but a closure takes its operands over the stack.
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
    // A product is a call.
    const FAST_PRODUCTS: bool = false;

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
