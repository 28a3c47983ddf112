//! Chooses the implementations of a session: Sealane's cipher on a given backend, and a fallback
//! that allows one curve and one hash. The peer uses snow's own ChaChaPoly.
//!
//! `cargo run --example resolver`

use sealane_snow::{Backend, SealaneResolver};
use snow::Builder;
use snow::params::{CipherChoice, DHChoice, HashChoice, NoiseParams};
use snow::resolvers::{BoxedCryptoResolver, CryptoResolver, DefaultResolver, FallbackResolver};
use snow::types::{Cipher, Dh, Hash, Random};

/// Everything but the cipher. Keys in hardware can be added here.
struct Allowed;

impl CryptoResolver for Allowed {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        DefaultResolver.resolve_rng()
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        DefaultResolver.resolve_dh(choice).filter(|_| *choice == DHChoice::Curve25519)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        DefaultResolver.resolve_hash(choice).filter(|_| *choice == HashChoice::Blake2s)
    }

    fn resolve_cipher(&self, _: &CipherChoice) -> Option<Box<dyn Cipher>> {
        None
    }
}

fn resolver(backend: Backend) -> BoxedCryptoResolver {
    Box::new(FallbackResolver::new(Box::new(SealaneResolver::with_backend(backend)), Box::new(Allowed)))
}

fn main() -> Result<(), snow::Error> {
    let backend = Backend::detect();
    let params: NoiseParams = "Noise_KK_25519_ChaChaPoly_BLAKE2s".parse()?;
    let ours = Builder::with_resolver(params.clone(), resolver(backend));
    let theirs = Builder::new(params);
    let (our_keys, their_keys) = (ours.generate_keypair()?, theirs.generate_keypair()?);
    let ours = ours.local_private_key(&our_keys.private)?.remote_public_key(&their_keys.public)?;
    let theirs = theirs.local_private_key(&their_keys.private)?.remote_public_key(&our_keys.public)?;
    let (mut ours, mut theirs) = (ours.build_initiator()?, theirs.build_responder()?);

    // Handshake messages have payloads, too.
    let (mut message, mut payload) = ([0; 1024], [0; 1024]);
    let length = ours.write_message(b"attack at dawn?", &mut message)?; // -> e, es, ss
    let length = theirs.read_message(&message[..length], &mut payload)?;
    assert_eq!(&payload[..length], b"attack at dawn?");
    let length = theirs.write_message(b"at noon", &mut message)?; // <- e, ee, se
    let length = ours.read_message(&message[..length], &mut payload)?;
    assert_eq!(&payload[..length], b"at noon");
    // Both sides saw the same handshake.
    assert_eq!(ours.get_handshake_hash(), theirs.get_handshake_hash());
    println!("a session between Sealane's cipher on {backend} and snow's own");

    for name in ["Noise_NN_25519_AESGCM_BLAKE2s", "Noise_NN_25519_ChaChaPoly_SHA512"] {
        let refused = Builder::with_resolver(name.parse()?, resolver(backend)).build_initiator();
        println!("{name}: {}", refused.expect_err("it is not allowed"));
    }
    Ok(())
}
