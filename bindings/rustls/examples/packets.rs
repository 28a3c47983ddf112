//! Protects all packets that a QUIC stack is about to send in one call, and opens them one by one
//! as the peer does. A packet that was changed on the way is refused.
//!
//! `cargo run --example packets`
#![forbid(unsafe_code)]

use std::error::Error;

use rustls::crypto::CryptoProvider;
use rustls::quic::Algorithm;
use rustls_sealane::quic::{Packet, PacketKeys};

// A short header: flags, a connection ID of 8 bytes, and a packet number of 4 bytes.
const HEADER_BYTES: usize = 13;
const NUMBER_AT: usize = 9;
const PAYLOAD_BYTES: usize = 1200;
const TAG_BYTES: usize = 16;
type Bytes = [u8; HEADER_BYTES + PAYLOAD_BYTES + TAG_BYTES];

fn main() -> Result<(), Box<dyn Error>> {
    // In a QUIC stack, the keys are those that rustls passes to a `quic::Algorithm`.
    let (key, iv, header_key) = ([1; 32], [2; 12], [3; 32]);

    let mut packets: [Bytes; 32] = std::array::from_fn(|number| packet(number as u32));
    let mut requests: Vec<_> =
        (0..).zip(&mut packets).map(|(number, bytes)| Packet::new(number, HEADER_BYTES, bytes)).collect();
    PacketKeys::new(&key, &iv, &header_key).seal_packets(&mut requests)?;
    packets[7][500] ^= 1;

    let provider = rustls_sealane::ring::default_provider();
    let algorithm = algorithm(&provider).ok_or("the provider has no ChaCha20-Poly1305 for QUIC")?;
    let receiver = algorithm.packet_key(key.into(), iv.into());
    let headers = algorithm.header_protection_key(header_key.into());
    let mut refused = Vec::new();
    for (index, bytes) in packets.iter_mut().enumerate() {
        let (header, payload) = bytes.split_at_mut(HEADER_BYTES);
        let (rest, number) = header.split_at_mut(NUMBER_AT);
        // With a packet number of 4 bytes, the sample is at the start of the payload.
        headers.decrypt_in_place(&payload[..headers.sample_len()], &mut rest[0], number)?;
        // A QUIC stack takes the length of the number from the first byte, and restores its upper
        // bits.
        let number = u32::from_be_bytes((*number).try_into()?);
        match receiver.decrypt_in_place(number.into(), header, payload) {
            Ok(plaintext) => assert_eq!(plaintext, [number as u8; PAYLOAD_BYTES]),
            Err(_) => refused.push(index),
        }
    }
    println!("{} packets opened; refused: {refused:?}", packets.len() - refused.len());
    assert_eq!(refused, [7]);
    Ok(())
}

/// Returns a packet before it is protected: its header, its payload, and room for the tag.
fn packet(number: u32) -> Bytes {
    let mut bytes = [number as u8; HEADER_BYTES + PAYLOAD_BYTES + TAG_BYTES];
    // The lowest two bits are the length of the packet number less one.
    bytes[0] = 0x43;
    bytes[NUMBER_AT..HEADER_BYTES].copy_from_slice(&number.to_be_bytes());
    bytes
}

/// Returns the provider's ChaCha20-Poly1305 for QUIC.
fn algorithm(provider: &CryptoProvider) -> Option<&'static dyn Algorithm> {
    let number = rustls::CipherSuite::TLS13_CHACHA20_POLY1305_SHA256;
    provider.cipher_suites.iter().find(|suite| suite.suite() == number)?.tls13()?.quic
}
