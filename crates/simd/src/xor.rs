//! The combination of bytes by XOR.

/// Combines `data` by XOR with the start of `key_stream`.
///
/// ```
/// let mut data = *b"attack";
/// sealane_simd::xor_bytes(&mut data, &[0x20; 16]);
/// assert_eq!(&data, b"ATTACK");
/// ```
///
/// # Panics
/// If `key_stream` is shorter than `data`.
#[inline(always)]
pub fn xor_bytes(data: &mut [u8], key_stream: &[u8]) {
    // Pieces of 32 bytes come first, then at most one of 16, then single bytes. For one loop over
    // bytes, the compiler would test whether the slices overlap, and end with up to 31 single
    // bytes.
    let key_stream = &key_stream[..data.len()];
    let (blocks, rest) = data.as_chunks_mut::<32>();
    let (keys, rest_keys) = key_stream.as_chunks::<32>();
    for (block, key) in blocks.iter_mut().zip(keys) {
        xor_array(block, key);
    }
    let (blocks, rest) = rest.as_chunks_mut::<16>();
    let (keys, rest_keys) = rest_keys.as_chunks::<16>();
    for (block, key) in blocks.iter_mut().zip(keys) {
        xor_array(block, key);
    }
    for (byte, key) in rest.iter_mut().zip(rest_keys) {
        *byte ^= key;
    }
}

#[inline(always)]
fn xor_array<const N: usize>(data: &mut [u8; N], key: &[u8; N]) {
    // All reads come before the first write, so the compiler does not test whether the arrays
    // overlap.
    let mut result = *key;
    for (key, data) in result.as_chunks_mut::<8>().0.iter_mut().zip(data.as_chunks::<8>().0) {
        *key = (u64::from_ne_bytes(*data) ^ u64::from_ne_bytes(*key)).to_ne_bytes();
    }
    *data = result;
}
