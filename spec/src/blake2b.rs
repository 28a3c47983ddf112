//! BLAKE2b without a key, salt or personalisation: RFC 7693.

/// IV of section 2.6: the first 64 bits of the fractional parts of the square roots of the first
/// eight primes.
const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// SIGMA of section 2.7.
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// Computes the mixing function G (section 3.1).
fn g(v: &mut [u64; 16], [a, b, c, d]: [usize; 4], x: u64, y: u64) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(32);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(24);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(63);
}

/// Computes the compression function F (section 3.2). `t` is the number of bytes so far, and `f`
/// marks the last block.
fn compress(h: &mut [u64; 8], block: &[u8; 128], t: u128, f: bool) {
    let m: [u64; 16] = core::array::from_fn(|i| u64::from_le_bytes(core::array::from_fn(|byte| block[8 * i + byte])));
    let mut v = [0; 16];
    v[..8].copy_from_slice(h);
    v[8..].copy_from_slice(&IV);
    v[12] ^= t as u64;
    v[13] ^= (t >> 64) as u64;
    if f {
        v[14] = !v[14];
    }
    for round in 0..12 {
        let s = SIGMA[round % 10];
        g(&mut v, [0, 4, 8, 12], m[s[0]], m[s[1]]);
        g(&mut v, [1, 5, 9, 13], m[s[2]], m[s[3]]);
        g(&mut v, [2, 6, 10, 14], m[s[4]], m[s[5]]);
        g(&mut v, [3, 7, 11, 15], m[s[6]], m[s[7]]);
        g(&mut v, [0, 5, 10, 15], m[s[8]], m[s[9]]);
        g(&mut v, [1, 6, 11, 12], m[s[10]], m[s[11]]);
        g(&mut v, [2, 7, 8, 13], m[s[12]], m[s[13]]);
        g(&mut v, [3, 4, 9, 14], m[s[14]], m[s[15]]);
    }
    for i in 0..8 {
        h[i] ^= v[i] ^ v[i + 8];
    }
}

/// Computes BLAKE2b (section 3.3) with a result of `N` bytes, from 1 to 64.
///
/// # Panics
/// If `N` is not in that range.
#[must_use]
pub fn blake2b<const N: usize>(message: &[u8]) -> [u8; N] {
    assert!((1..=64).contains(&N));
    let mut h = IV;
    // The first word of the parameter block (section 2.5): no key, and a single node.
    h[0] ^= 0x0101_0000 ^ N as u64;
    // An empty message has one block of zeros.
    let last = message.len().saturating_sub(1) / 128;
    for i in 0..=last {
        let piece = &message[128 * i..message.len().min(128 * (i + 1))];
        let mut block = [0; 128];
        block[..piece.len()].copy_from_slice(piece);
        compress(&mut h, &block, (128 * i + piece.len()) as u128, i == last);
    }
    core::array::from_fn(|i| h[i / 8].to_le_bytes()[i % 8])
}
