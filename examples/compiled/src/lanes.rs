//! ChaCha20 in plain Rust: each word is an array of lanes, one for each block, so that the compiler
//! can vectorise the code.

/// Combines `data` with the key stream from block 0 on, `LANES` blocks at once.
///
/// The length should be a multiple of `64 * LANES`, because a remainder is left unchanged.
pub(crate) fn apply<const LANES: usize>(key: &[u8; 32], nonce: &[u8; 12], data: &mut [u8]) {
    let mut state = [0; 16];
    state[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
    let words = key.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    state[4..12].iter_mut().zip(words).for_each(|(to, word)| *to = word);
    let words = nonce.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    state[13..].iter_mut().zip(words).for_each(|(to, word)| *to = word);
    for group in data.chunks_exact_mut(64 * LANES) {
        blocks::<LANES>(&state, group);
        state[12] = state[12].wrapping_add(LANES as u32);
    }
}

#[inline(never)]
fn blocks<const LANES: usize>(state: &[u32; 16], data: &mut [u8]) {
    let mut initial = [[0; LANES]; 16];
    for (lanes, word) in initial.iter_mut().zip(state) {
        *lanes = [*word; LANES];
    }
    for (lane, counter) in initial[12].iter_mut().enumerate() {
        *counter = counter.wrapping_add(lane as u32);
    }
    let mut v = initial;
    for _ in 0..10 {
        double_round(&mut v);
    }
    for (lane, block) in data.as_chunks_mut::<64>().0.iter_mut().enumerate() {
        for (i, word) in block.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let key_stream = v[i][lane].wrapping_add(initial[i][lane]);
            *word = (u32::from_le_bytes(*word) ^ key_stream).to_le_bytes();
        }
    }
}

/// Computes a double round (RFC 8439, section 2.3) in each lane. This is the loop that the compiler
/// should vectorise.
#[inline(always)]
fn double_round<const LANES: usize>(v: &mut [[u32; LANES]; 16]) {
    for lane in 0..LANES {
        let mut x = [0; 16];
        for (word, lanes) in x.iter_mut().zip(&*v) {
            *word = lanes[lane];
        }
        quarter_round(&mut x, 0, 4, 8, 12);
        quarter_round(&mut x, 1, 5, 9, 13);
        quarter_round(&mut x, 2, 6, 10, 14);
        quarter_round(&mut x, 3, 7, 11, 15);
        quarter_round(&mut x, 0, 5, 10, 15);
        quarter_round(&mut x, 1, 6, 11, 12);
        quarter_round(&mut x, 2, 7, 8, 13);
        quarter_round(&mut x, 3, 4, 9, 14);
        for (word, lanes) in x.iter().zip(&mut *v) {
            lanes[lane] = *word;
        }
    }
}

/// Computes a quarter round (RFC 8439, section 2.1).
#[inline(always)]
fn quarter_round(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(16);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(12);
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(8);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(7);
}
