//! The diffusion layer of ssss: XTEA over overlapping blocks.

use zeroize::Zeroizing;

/// Applies the diffusion layer, or its inverse if `forward` is false, to a big-endian secret.
/// Leaves secrets below 64 bits unchanged.
pub(super) fn diffuse(secret: &mut [u8], forward: bool) {
    if secret.len() < 8 {
        return;
    }
    // ssss works on big-endian 16-bit words, the least significant word first. If the number of
    // bytes is odd, the byte that is left, the most significant one, comes last.
    let reorder = |bytes: &mut [u8]| bytes.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
    secret.reverse();
    reorder(secret);
    let length = secret.len();
    let starts = (0..40 * length).step_by(2);
    let mut block = Zeroizing::new([0; 8]);
    let mut slice = |start: usize| {
        for (at, byte) in block.iter_mut().enumerate() {
            *byte = secret[(start + at) % length];
        }
        let before = u64::from_be_bytes(*block);
        *block = if forward { encipher(before) } else { decipher(before) }.to_be_bytes();
        for (at, &byte) in block.iter().enumerate() {
            secret[(start + at) % length] = byte;
        }
    };
    if forward {
        starts.for_each(&mut slice);
    } else {
        starts.rev().for_each(&mut slice);
    }
    reorder(secret);
    secret.reverse();
}

const DELTA: u32 = 0x9e37_79b9;

fn mix(word: u32, sum: u32) -> u32 {
    ((word << 4) ^ (word >> 5)).wrapping_add(word) ^ sum
}

/// Encrypts a block with XTEA (Needham and Wheeler, 1997), under the key of zeros.
fn encipher(block: u64) -> u64 {
    let (mut a, mut b, mut sum) = ((block >> 32) as u32, block as u32, 0u32);
    for _ in 0..32 {
        a = a.wrapping_add(mix(b, sum));
        sum = sum.wrapping_add(DELTA);
        b = b.wrapping_add(mix(a, sum));
    }
    u64::from(a) << 32 | u64::from(b)
}

fn decipher(block: u64) -> u64 {
    let (mut a, mut b, mut sum) = ((block >> 32) as u32, block as u32, DELTA.wrapping_mul(32));
    for _ in 0..32 {
        b = b.wrapping_sub(mix(a, sum));
        sum = sum.wrapping_sub(DELTA);
        a = a.wrapping_sub(mix(b, sum));
    }
    u64::from(a) << 32 | u64::from(b)
}
