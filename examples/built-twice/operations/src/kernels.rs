//! The operations, generic over a token. They are inlined into the function that enters the token.
//!
//! These kernels are written for this experiment, on the vectors of `sealane-simd`. They are simple
//! forms of the library's kernels and give the same results.

use sealane_simd::{AesBlocks, AesToken, Block, Clmul, ClmulLanes, Columns, MAX_WORDS_LANES, Simd, Words};

use crate::{Combine, Element, Hash, Packet, Product, Split, Stream, THRESHOLD};

/// Multiplies two polynomials of degree below 64.
#[inline(always)]
pub fn multiply_on<T: Clmul>(token: T, product: &mut Product) {
    multiply_in::<T::One>(token, product);
}

/// Multiplies in one lane of the vectors `V`.
#[inline(always)]
pub fn multiply_in<V: ClmulLanes>(token: V::Token, product: &mut Product) {
    let limb = |limb: u64| {
        V::load_low(
            token,
            #[inline(always)]
            |_| limb,
        )
    };
    limb(product.a).mul_low(limb(product.b)).store(0, &mut product.product);
}

/// The round constants of Haraka-256 with 5 rounds (Haraka v2, section 2.2): four for each round.
/// They are a copy, because `sealane` does not export its own, and this experiment does not use
/// `sealane`.
pub static HARAKA_CONSTANTS: [Block; 20] = [
    Block::new(0x0684704c_e620c00a_b2c5fef0_75817b9d),
    Block::new(0x8b66b4e1_88f3a06b_640f6ba4_2f08f717),
    Block::new(0x3402de2d_53f28498_cf029d60_9f029114),
    Block::new(0x0ed6eae6_2e7b4f08_bbf3bcaf_fd5b4f79),
    Block::new(0xcbcfb0cb_4872448b_79eecd1c_be397044),
    Block::new(0x7eeacdee_6e9032b7_8d5335ed_2b8a057b),
    Block::new(0x67c28f43_5e2e7cd0_e2412761_da4fef1b),
    Block::new(0x2924d9b0_afcacc07_675ffde2_1fc70b3b),
    Block::new(0xab4d63f1_e6867fe9_ecdb8fca_b9d465ee),
    Block::new(0x1c30bf84_d4b7cd64_5b2a404f_ad037e33),
    Block::new(0xb2cc0bb9_941723bf_69028b2e_8df69800),
    Block::new(0xfa0478a6_de6f5572_4aaa9ec8_5c9d2d8a),
    Block::new(0xdfb49f2b_6b772a12_0efa4f2e_29129fd4),
    Block::new(0x1ea10344_f449a236_32d611ae_bb6a12ee),
    Block::new(0xaf044988_4b050084_5f9600c9_9ca8eca6),
    Block::new(0x21025ed8_9d199c4f_78a2c7e3_27e593ec),
    Block::new(0xbf3aaaf8_a759c9b7_b9282ecd_82d40173),
    Block::new(0x6260700d_6186b017_37f2efd9_10307d6b),
    Block::new(0x5aca45c2_21300443_81c29153_f6fc9ac6),
    Block::new(0x9223973c_226b68bb_2caf92e8_36d1943a),
];

/// Hashes with Haraka-256 v2, with 5 rounds.
#[inline(always)]
pub fn haraka_on<T: AesToken>(token: T, hash: &mut Hash) {
    if const { <T::Narrower as AesToken>::Blocks::BLOCKS < T::Blocks::BLOCKS } {
        // Takes vectors of one block: the lanes of a wider vector would be copies of each other.
        return haraka_on(token.narrower(), hash);
    }
    let (input, _) = hash.input.as_chunks();
    let load = |n: usize| {
        T::Blocks::load(
            token,
            #[inline(always)]
            |_| &input[n],
        )
    };
    let mut state = [[load(0), load(1)]];
    for keys in HARAKA_CONSTANTS.as_chunks::<4>().0 {
        let (keys, _) = keys.as_chunks();
        T::Blocks::two_rounds(&mut state, &keys[0], &keys[1]);
        // MIX (section 2.1).
        T::Blocks::columns(
            &mut state[0],
            #[inline(always)]
            |[a, b]| [a.interleave_low(b), a.interleave_high(b)],
        );
    }
    let (output, _) = hash.output.as_chunks_mut();
    for (n, output) in output.iter_mut().enumerate() {
        state[0][n].xor(load(n)).store(
            #[inline(always)]
            |lane, block| {
                if lane == 0 {
                    *output = block;
                }
            },
        );
    }
}

/// The four rows of ChaCha's state (RFC 8439, section 2.3). A vector has one row for each of its
/// blocks.
type Rows<W> = [W; 4];

/// Computes the four quarter rounds of the columns, or those of the diagonals.
#[inline(always)]
pub fn chacha_round<W: Words, const DIAGONAL: bool>([mut a, mut b, mut c, mut d]: Rows<W>) -> Rows<W> {
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
    [a, b, c, d]
}

/// Combines `data` with blocks of the key stream from `counter` on. The vectors' width sets the
/// number of blocks.
#[inline(always)]
fn chacha20<S: Simd>(token: S, state: &[u32; 16], counter: u32, data: &mut [u8]) {
    let (rows, _) = state.as_chunks::<4>();
    let mut counters = [0; MAX_WORDS_LANES];
    for (i, row) in counters.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        *row = [counter + i as u32, rows[3][1], rows[3][2], rows[3][3]];
    }
    let initial = [
        S::Words::splat_row(token, rows[0]),
        S::Words::splat_row(token, rows[1]),
        S::Words::splat_row(token, rows[2]),
        S::Words::from_lanes(token, &counters),
    ];
    let mut v = initial;
    for _ in 0..10 {
        v = chacha_round::<_, false>(v);
        v = chacha_round::<_, true>(v);
    }
    let [a, b, c, d] = initial;
    S::Words::xor_rows(v[0].add(a), v[1].add(b), v[2].add(c), v[3].add(d), data);
}

/// Combines one block of data with the key stream of ChaCha20.
#[inline(always)]
pub fn block_on<S: Simd>(token: S, stream: &mut Stream) {
    one_block(token.for_narrower(), stream);
}

#[inline(always)]
fn one_block<S: Simd>(token: S, Stream { state, counter, data }: &mut Stream) {
    if const { S::Words::ROWS == 1 } {
        return chacha20(token, state, *counter, data);
    }
    // Room for all blocks that the vectors hold.
    let mut blocks = [0; 16 * MAX_WORDS_LANES];
    chacha20(token, state, *counter, &mut blocks[..64 * S::Words::ROWS]);
    for (data, key_stream) in data.iter_mut().zip(&blocks) {
        *data ^= key_stream;
    }
}

/// Seals a message of 64 bytes with ChaCha20-Poly1305 (RFC 8439, section 2.8).
#[inline(always)]
pub fn seal_on<S: Simd>(token: S, packet: &mut Packet) {
    // Block 0 is for the one-time key, block 1 for the message.
    let mut blocks = [0; 16 * MAX_WORDS_LANES];
    blocks[64..128].copy_from_slice(&packet.message);
    let end = const { if S::Words::ROWS > 2 { 64 * S::Words::ROWS } else { 128 } };
    for (i, blocks) in blocks[..end].chunks_mut(64 * S::Words::ROWS).enumerate() {
        chacha20(token, &packet.state, i as u32, blocks);
    }
    packet.message.copy_from_slice(&blocks[64..128]);
    let key = blocks.first_chunk().expect("half of block 0");
    packet.tag = poly1305(key, &authenticated(&packet.aad, &packet.message));
}

/// Returns the input of Poly1305: associated data and message, padded, and their lengths.
#[inline(always)]
pub fn authenticated(aad: &[u8; 13], message: &[u8; 64]) -> [[u8; 16]; 6] {
    let mut blocks = [[0; 16]; 6];
    let bytes = blocks.as_flattened_mut();
    bytes[..aad.len()].copy_from_slice(aad);
    bytes[16..80].copy_from_slice(message);
    bytes[80..88].copy_from_slice(&(aad.len() as u64).to_le_bytes());
    bytes[88..].copy_from_slice(&(message.len() as u64).to_le_bytes());
    blocks
}

/// Returns the Poly1305 tag of whole blocks (RFC 8439, section 2.5), on 64-bit integers.
#[inline(always)]
pub fn poly1305(key: &[u8; 32], blocks: &[[u8; 16]]) -> [u8; 16] {
    let word = |bytes: &[u8], i: usize| u64::from_le_bytes(*bytes[8 * i..].first_chunk().expect("8 bytes"));
    let wide = |a: u64, b: u64| u128::from(a) * u128::from(b);
    let (r0, r1) = (word(key, 0) & 0x0fff_fffc_0fff_ffff, word(key, 1) & 0x0fff_fffc_0fff_fffc);
    // Modulo 2^130 - 5, 2^130 is 5, and r1 is a multiple of 4, so 2^128·r1 is 5/4·r1.
    let s1 = r1 + (r1 >> 2);
    let (mut h0, mut h1, mut h2) = (0_u64, 0_u64, 0_u64);
    for block in blocks {
        let sum = u128::from(h0) + u128::from(word(block, 0));
        let next = u128::from(h1) + u128::from(word(block, 1)) + (sum >> 64);
        (h0, h1, h2) = (sum as u64, next as u64, h2 + 1 + (next >> 64) as u64);
        let d0 = wide(h0, r0) + wide(h1, s1);
        let d1 = wide(h0, r1) + wide(h1, r0) + u128::from(h2 * s1) + (d0 >> 64);
        let d2 = h2 * r0 + (d1 >> 64) as u64;
        let sum = u128::from(d0 as u64) + u128::from((d2 >> 2) + (d2 & !3));
        let next = u128::from(d1 as u64) + (sum >> 64);
        (h0, h1, h2) = (sum as u64, next as u64, (d2 & 3) + (next >> 64) as u64);
    }
    // Reduces h modulo 2^130 - 5: if h + 5 reaches 2^130, the low bits of h + 5 are the result.
    let h = u128::from(h1) << 64 | u128::from(h0);
    let (reduced, carry) = h.overflowing_add(5);
    let mask = u128::from((h2 + u64::from(carry)) >> 2).wrapping_neg();
    let h = h & !mask | reduced & mask;
    let s = u128::from_le_bytes(*key[16..].first_chunk().expect("16 bytes"));
    h.wrapping_add(s).to_le_bytes()
}

/// Loads an element of GF(2^128).
#[inline(always)]
fn load<V: ClmulLanes>(token: V::Token, element: &Element) -> V {
    V::load(
        token,
        #[inline(always)]
        |_| element,
    )
}

/// Returns a·b modulo x^128 + x^7 + x^2 + x + 1.
#[inline(always)]
fn product<V: ClmulLanes>(a: V, b: V) -> V {
    // Karatsuba's method.
    let (low, high) = (a.mul_low(b), a.mul_high(b));
    let middle = a.xor(a.swap()).mul_low(b.xor(b.swap())).xor(low).xor(high);
    let (low, high) = (low.xor(middle.low_to_high()), high.xor(middle.high_to_low()));
    // x^128 is 1 + x + x^2 + x^7. Bits that leave a limb go to the limb above, and from the highest
    // limb to the lowest.
    let carries = high.shr(63).xor(high.shr(62)).xor(high.shr(57));
    let folded = high.xor(carries.high_to_low());
    let folded = folded.xor(folded.shl(1)).xor(folded.shl(2)).xor(folded.shl(7));
    low.xor(folded).xor(carries.low_to_high())
}

/// Returns 1/a as a^(2^128 - 2), with the addition chain of Itoh and Tsujii: a^(2^k - 1) for k = 1,
/// 3, 7 … 127.
#[inline(always)]
fn inverse<V: ClmulLanes>(a: V) -> V {
    let mut power = a;
    for doublings in 1..7 {
        let mut shifted = power;
        for _ in 0..(1 << doublings) - 1 {
            shifted = product(shifted, shifted);
        }
        let even = product(shifted, power);
        power = product(product(even, even), a);
    }
    product(power, power)
}

/// Splits with Shamir's secret sharing: evaluates the polynomials at all points.
#[inline(always)]
pub fn split_on<T: Clmul, const N: usize>(token: T, split: &mut Split<N>) {
    split_in::<T::One, N>(token, split);
}

/// Splits in one lane of the vectors `V`, with Horner's rule.
#[inline(always)]
pub fn split_in<V: ClmulLanes, const N: usize>(token: V::Token, split: &mut Split<N>) {
    for (polynomial, shares) in split.polynomials.iter().zip(&mut split.shares) {
        for (share, point) in shares.iter_mut().zip(&split.points) {
            let point = load::<V>(token, point);
            let mut value = V::zero(token);
            for coefficient in polynomial.iter().rev() {
                value = product(value, point).xor(load(token, coefficient));
            }
            value.store(0, share);
        }
    }
}

/// Reconstructs the secret from three shares.
#[inline(always)]
pub fn combine_on<T: Clmul, const N: usize>(token: T, combine: &mut Combine<N>) {
    combine_in::<T::One, N>(token, combine);
}

/// Reconstructs the secret in one lane of the vectors `V`, with Lagrange interpolation at 0: the
/// weight of share i is the product of x(j)/(x(i) + x(j)) over the other points x(j).
#[inline(always)]
pub fn combine_in<V: ClmulLanes, const N: usize>(token: V::Token, combine: &mut Combine<N>) {
    let points = combine.points.each_ref().map(
        #[inline(always)]
        |point| load::<V>(token, point),
    );
    let [a, b, c] = points;
    let (ab, ac, bc) = (a.xor(b), a.xor(c), b.xor(c));
    // One inversion is enough for all weights: ab·ac·bc is a common multiple of their denominators.
    let inverse = inverse(product(product(ab, ac), bc));
    let weights: [V; THRESHOLD] = [
        product(product(product(b, c), bc), inverse),
        product(product(product(a, c), ac), inverse),
        product(product(product(a, b), ab), inverse),
    ];
    for (shares, secret) in combine.shares.iter().zip(&mut combine.secret) {
        let mut sum = V::zero(token);
        for (share, weight) in shares.iter().zip(weights) {
            sum = sum.xor(product(load(token, share), weight));
        }
        sum.store(0, secret);
    }
}
