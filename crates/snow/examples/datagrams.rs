//! Messages that may be lost, repeated or arrive in another order, such as datagrams: each one
//! carries its number. The client knows the server's public key beforehand (pattern NK), and both
//! have a shared key (psk0).
//!
//! The client never uses a number twice. Anyone can deliver a datagram again, so the server accepts
//! each number once. A server that runs for long needs a window of numbers instead of a set: see
//! `ReplayWindow` in `examples/wireguard`.
//!
//! `cargo run --example datagrams`

use std::collections::HashSet;

use snow::params::NoiseParams;

fn main() -> Result<(), snow::Error> {
    let params: NoiseParams = "Noise_NKpsk0_25519_ChaChaPoly_SHA256".parse()?;
    let keys = sealane_snow::builder(params.clone()).generate_keypair()?;
    let shared = [0x42; 32]; // agreed on before
    let mut client =
        sealane_snow::builder(params.clone()).psk(0, &shared)?.remote_public_key(&keys.public)?.build_initiator()?;
    let mut server =
        sealane_snow::builder(params).psk(0, &shared)?.local_private_key(&keys.private)?.build_responder()?;

    let (mut message, mut payload) = ([0; 2048], [0; 2048]);
    let length = client.write_message(&[], &mut message)?; // -> psk, e, es
    server.read_message(&message[..length], &mut payload)?;
    let length = server.write_message(&[], &mut message)?; // <- e, ee
    client.read_message(&message[..length], &mut payload)?;
    let (client, server) = (client.into_stateless_transport_mode()?, server.into_stateless_transport_mode()?);

    let mut datagrams = Vec::new();
    for number in 0..8_u64 {
        let length = client.write_message(number, &[number as u8; 100], &mut message)?;
        datagrams.push((number, message[..length].to_vec()));
    }
    datagrams.reverse();
    datagrams.remove(3);
    datagrams.push(datagrams[2].clone());
    let (mut accepted, mut repeated) = (HashSet::new(), Vec::new());
    for (number, datagram) in &mut datagrams {
        let length = server.read_message(*number, datagram, &mut payload)?;
        assert_eq!(payload[..length], [*number as u8; 100]);
        // Only after the datagram was opened: anyone can send a number.
        if !accepted.insert(*number) {
            repeated.push(*number);
        }
        datagram[0] ^= 1;
        assert!(server.read_message(*number, datagram, &mut payload).is_err());
    }
    assert_eq!((accepted.len(), repeated), (7, vec![5]));
    println!("{} datagrams accepted; a repeated one and all changed ones were refused", accepted.len());
    Ok(())
}
