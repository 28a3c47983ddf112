//! Vectors of 512 bits and bytes in memory. Masks leave out the bytes behind the end of a message.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use crate::aligned::AlignedBytes;
use crate::xor;

const PAGE_BYTES: usize = 4096;

/// Loads up to 64 bytes, as if zeros followed.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn load_up_to_64(bytes: &[u8]) -> __m512i {
    if bytes.is_empty() {
        return _mm512_setzero_si512();
    }
    let mut copy = [0; 64];
    let pointer = if reaches_next_page(bytes) {
        copy[..bytes.len()].copy_from_slice(bytes);
        copy.as_ptr()
    } else {
        bytes.as_ptr()
    };
    // SAFETY: the mask has as many bits as there are bytes from the pointer on, and the other bytes
    // are not read.
    unsafe { _mm512_maskz_loadu_epi8(mask_of(bytes), pointer.cast()) }
}

/// Returns whether a vector from the start of `bytes` on would reach into the next page.
///
/// A masked access whose hidden bytes are in another page may take a microcode assist of hundreds
/// of cycles if that page is not mapped.
#[inline]
fn reaches_next_page(bytes: &[u8]) -> bool {
    bytes.as_ptr().addr() % PAGE_BYTES > PAGE_BYTES - 64
}

/// Returns a mask with a bit for each of the 1 to 64 bytes.
#[inline]
fn mask_of(bytes: &[u8]) -> u64 {
    debug_assert!((1..=64).contains(&bytes.len()), "a vector");
    u64::MAX >> (64 - bytes.len())
}

/// Combines a block by XOR with `key`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn xor_block(key: __m512i, block: &mut [u8; 64]) {
    let data = _mm512_xor_si512(load_block(block), key);
    // SAFETY: the exclusive reference is valid for writing 64 bytes, and the store needs no
    // alignment.
    unsafe { _mm512_storeu_si512(block.as_mut_ptr().cast(), data) };
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_block(block: &[u8; 64]) -> __m512i {
    // SAFETY: the reference is valid for 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

/// Combines up to four blocks by XOR with the start of `keys`.
///
/// # Panics
/// If there are more bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn xor_start_of_keys(keys: [__m512i; 4], bytes: &mut [u8]) {
    // Aligned by hand: an aligned type would align the frame, which takes a register from the
    // kernels that compute a block on integers.
    let mut memory = [MaybeUninit::<u8>::uninit(); 4 * 64 + 63];
    let start = memory.as_ptr().addr().wrapping_neg() % 64;
    let in_memory: &mut [_; 4 * 64] = memory[start..].first_chunk_mut().expect("four blocks");
    for (key, place) in keys.into_iter().zip(in_memory.as_chunks_mut::<64>().0) {
        // SAFETY: the exclusive reference is valid for writing 64 bytes, and the store needs no
        // alignment.
        unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), key) };
    }
    // SAFETY: four vectors of 64 bytes were written to it.
    xor_start_of_blocks(unsafe { &mut *in_memory.as_mut_ptr().cast() }, bytes);
}

/// Does the same as [`xor_start_of_keys`], and clears the keys.
///
/// It is not inlined. In each kernel it would need 600 bytes, and registers in which the kernel
/// keeps values during the rounds.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw")]
fn xor_start_of_blocks(keys: &mut [[u8; 64]; 4], bytes: &mut [u8]) {
    assert!(bytes.len() <= 4 * 64, "four blocks");
    let (blocks, rest) = bytes.as_chunks_mut();
    for (key, block) in keys.iter().zip(&mut *blocks) {
        xor_block(load_block(key), block);
    }
    if let Some(key) = keys.get(blocks.len()) {
        xor_up_to_64(load_block(key), rest);
    }
    *keys = [[0; 64]; 4];
}

/// Combines `data` by XOR with the start of `key_stream`. All kernels share it.
///
/// # Panics
/// If `key_stream` is shorter.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn xor_bytes(data: &mut [u8], key_stream: &[u8]) {
    let key_stream = &key_stream[..data.len()];
    let ((blocks, rest), (keys, rest_keys)) = (data.as_chunks_mut(), key_stream.as_chunks());
    for (block, key) in blocks.iter_mut().zip(keys) {
        xor_block(load_block(key), block);
    }
    if reaches_next_page(rest_keys) {
        // `load_up_to_64` would leave a copy of the key stream.
        return xor::xor_bytes(rest, rest_keys);
    }
    xor_up_to_64(load_up_to_64(rest_keys), rest);
}

/// Combines up to 64 bytes by XOR with the start of `key`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn xor_up_to_64(key: __m512i, bytes: &mut [u8]) {
    if bytes.is_empty() {
        return;
    }
    if reaches_next_page(bytes) {
        return xor_before_page(key, bytes);
    }
    let mask = mask_of(bytes);
    // SAFETY: the mask has as many bits as there are bytes, and the other bytes are not read.
    let data = unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) };
    let data = _mm512_xor_si512(data, key);
    // SAFETY: the exclusive reference is valid for writing the bytes, and the mask leaves out all
    // others.
    unsafe { _mm512_mask_storeu_epi8(bytes.as_mut_ptr().cast(), mask, data) };
}

/// Does the same as [`xor_up_to_64`] without masks.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx512f")]
fn xor_before_page(key: __m512i, bytes: &mut [u8]) {
    let mut key_stream = AlignedBytes([0; 64]);
    // SAFETY: the array has 64 bytes, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(key_stream.0.as_mut_ptr().cast(), key) };
    xor::xor_bytes(bytes, &key_stream.0);
    // The key stream is secret.
    key_stream = AlignedBytes([0; 64]);
    core::hint::black_box(&mut key_stream);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other tests see no wrong answer: a masked access that reaches the next page is slow, but
    /// does not fault.
    #[test]
    fn accesses_that_reach_the_next_page_are_found() {
        let memory = [0; 2 * PAGE_BYTES];
        let page = PAGE_BYTES + memory.as_ptr().addr().wrapping_neg() % PAGE_BYTES;
        for before in 1..=PAGE_BYTES {
            assert_eq!(reaches_next_page(&memory[page - before..][..1]), before < 64, "{before} bytes before");
        }
    }
}
