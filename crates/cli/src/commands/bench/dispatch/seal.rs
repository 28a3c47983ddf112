//! The AEAD on a message of 64 bytes: what a small packet needs.

use sealane::{Tag, internals};
use sealane_simd::Simd;
use sealane_simd::dispatch;

use super::block::state;
use super::{Operation, detected};

/// Bytes of the message.
const MESSAGE_BYTES: usize = 64;

/// Seals the message again and again.
pub(super) struct Seal;

#[derive(Clone, PartialEq)]
pub(super) struct Packet {
    state: [u32; 16],
    aad: [u8; 13],
    message: [u8; MESSAGE_BYTES],
    tag: Tag,
}

impl Operation for Seal {
    type Data = Packet;

    const NAME: &'static str = "seal, 64 B";
    const DESCRIPTION: &'static str =
        "ChaCha20-Poly1305 with 13 bytes of associated data; leaf: one-time key, encryption, tag, each for itself";

    fn data() -> Packet {
        Packet { state: state(), aad: *b"thirteenbytes", message: [0; MESSAGE_BYTES], tag: [0; 16] }
    }

    #[inline(always)]
    fn call<S: Simd>(token: S, packet: &mut Packet) {
        packet.tag = internals::seal(token, &packet.state, &packet.aad, &mut packet.message);
    }

    fn call_leaf(packet: &mut Packet) {
        let mut key = [0; 64];
        dispatch!(detected(), token => internals::chacha20(token, &packet.state, 0, &mut key));
        dispatch!(detected(), token => internals::chacha20(token, &packet.state, 1, &mut packet.message));
        // What is authenticated, in one piece (RFC 8439, section 2.8).
        let mut authenticated = [0; 16 + MESSAGE_BYTES + 16];
        authenticated[..13].copy_from_slice(&packet.aad);
        authenticated[16..][..MESSAGE_BYTES].copy_from_slice(&packet.message);
        authenticated[16 + MESSAGE_BYTES..][..8].copy_from_slice(&13_u64.to_le_bytes());
        authenticated[16 + MESSAGE_BYTES + 8..].copy_from_slice(&(MESSAGE_BYTES as u64).to_le_bytes());
        let key = key.first_chunk().expect("half of block 0");
        packet.tag = dispatch!(detected(), token => internals::poly1305(token, key, &authenticated));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn check(packet: &Packet, calls: u64) {
        let state = state();
        let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
        let (key, nonce) = (bytes(&state[4..12]).try_into().unwrap(), bytes(&state[13..]).try_into().unwrap());
        let (mut message, mut tag) = (vec![0; MESSAGE_BYTES], [0; 16]);
        for _ in 0..calls {
            (message, tag) = sealane_spec::aead::chacha20_aead_encrypt(&packet.aad, &key, &nonce, &message);
        }
        assert_eq!(packet.message[..], message);
        assert_eq!(packet.tag, tag);
    }
}
