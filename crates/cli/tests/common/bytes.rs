//! Data for the tests of the command and for the exchange with its peers.

/// Returns `len` bytes that are not all alike. The same length gives the same bytes.
pub(crate) fn bytes(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ len as u64;
    let mut bytes = Vec::with_capacity(len.next_multiple_of(8));
    while bytes.len() < len {
        // xorshift64 (Marsaglia, 2003)
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}
