//! Two peers that do not know each other's keys (pattern XX) exchange messages, and replace the
//! message key on the way.
//!
//! `cargo run --example handshake`

use snow::params::NoiseParams;

fn main() -> Result<(), snow::Error> {
    let params: NoiseParams = "Noise_XX_25519_ChaChaPoly_BLAKE2s".parse()?;
    let keys = [(); 2].map(|()| sealane_snow::builder(params.clone()).generate_keypair());
    let [initiator_keys, responder_keys] = keys;
    let (initiator_keys, responder_keys) = (initiator_keys?, responder_keys?);
    let mut initiator =
        sealane_snow::builder(params.clone()).local_private_key(&initiator_keys.private)?.build_initiator()?;
    let mut responder = sealane_snow::builder(params).local_private_key(&responder_keys.private)?.build_responder()?;

    let (mut message, mut payload) = ([0; 65535], [0; 65535]);
    let length = initiator.write_message(&[], &mut message)?; // -> e
    responder.read_message(&message[..length], &mut payload)?;
    let length = responder.write_message(&[], &mut message)?; // <- e, ee, s, es
    initiator.read_message(&message[..length], &mut payload)?;
    let length = initiator.write_message(&[], &mut message)?; // -> s, se
    responder.read_message(&message[..length], &mut payload)?;

    // Each side knows the other's key now, and decides whether it is the expected one.
    assert_eq!(responder.get_remote_static(), Some(&initiator_keys.public[..]));
    assert_eq!(initiator.get_remote_static(), Some(&responder_keys.public[..]));
    let (mut initiator, mut responder) = (initiator.into_transport_mode()?, responder.into_transport_mode()?);

    for number in 0..10 {
        if number == 5 {
            initiator.rekey_outgoing();
            responder.rekey_incoming();
        }
        let text = format!("message {number}");
        let length = initiator.write_message(text.as_bytes(), &mut message)?;
        let length = responder.read_message(&message[..length], &mut payload)?;
        println!("{}", String::from_utf8_lossy(&payload[..length]));
        assert_eq!(&payload[..length], text.as_bytes());
    }
    Ok(())
}
