//! Sessions between `snow`'s own ChaChaPoly and Sealane's, each as initiator and as responder.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sealane::Backend;
use sealane_snow::SealaneResolver;
use snow::params::{CipherChoice, DHChoice, HashChoice};
use snow::resolvers::{BoxedCryptoResolver, CryptoResolver, DefaultResolver, FallbackResolver};
use snow::types::{Cipher, Dh, Hash, Random};
use snow::{Builder, HandshakeState, TransportState};

/// Patterns with and without static keys, shared keys, and messages in one direction only.
const PATTERNS: [&str; 8] = ["NN", "XX", "IK", "KK", "NNpsk0", "XXpsk3", "N", "Kpsk0"];
const HASHES: [&str; 4] = ["SHA256", "SHA512", "BLAKE2s", "BLAKE2b"];
const PSK: [u8; 32] = [0x33; 32];
/// Private keys: static and ephemeral of the initiator, static and ephemeral of the responder.
const KEYS: [[u8; 32]; 4] = [[1; 32], [2; 32], [3; 32], [4; 32]];

/// `snow`'s own implementations. Panics if it is asked for `ChaChaPoly`.
struct AllButChaChaPoly;

impl CryptoResolver for AllButChaChaPoly {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        DefaultResolver.resolve_rng()
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        DefaultResolver.resolve_dh(choice)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        DefaultResolver.resolve_hash(choice)
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        assert!(!matches!(choice, CipherChoice::ChaChaPoly), "the fallback was asked for ChaChaPoly");
        DefaultResolver.resolve_cipher(choice)
    }
}

/// An implementation of the cipher: `snow`'s, or Sealane's on a backend.
#[derive(Clone, Copy, Debug)]
enum Side {
    Snow,
    Sealane(Backend),
}

impl Side {
    fn resolver(self) -> BoxedCryptoResolver {
        match self {
            Self::Snow => Box::new(DefaultResolver),
            Self::Sealane(backend) => Box::new(FallbackResolver::new(
                Box::new(SealaneResolver::with_backend(backend)),
                Box::new(AllButChaChaPoly),
            )),
        }
    }
}

/// Returns pairs of implementations: `snow`'s with itself and, for every backend of this CPU,
/// Sealane's with `snow`'s in both orders and with itself.
fn pairs() -> Vec<[Side; 2]> {
    let ours: Vec<_> = Backend::available().map(Side::Sealane).collect();
    assert!(!ours.is_empty());
    let mixed = ours.iter().flat_map(|ours| [[Side::Snow, *ours], [*ours, Side::Snow], [*ours, *ours]]);
    [[Side::Snow; 2]].into_iter().chain(mixed).collect()
}

fn public(private: &[u8; 32]) -> Vec<u8> {
    let mut dh = DefaultResolver.resolve_dh(&DHChoice::Curve25519).unwrap();
    dh.set(private);
    dh.pubkey().to_vec()
}

/// Returns both ends of a session. Keys are fixed, so that all pairs send the same messages.
fn sessions(pattern: &str, hash: &str, sides: [Side; 2]) -> [HandshakeState; 2] {
    let (name, psk) = pattern.split_once("psk").map_or((pattern, None), |(name, place)| (name, place.parse().ok()));
    let [of_initiator, of_responder] = [public(&KEYS[0]), public(&KEYS[2])];
    let build = |is_initiator: bool| {
        let side = sides[usize::from(!is_initiator)];
        let [own, ephemeral] = if is_initiator { [&KEYS[0], &KEYS[1]] } else { [&KEYS[2], &KEYS[3]] };
        let params = format!("Noise_{pattern}_25519_ChaChaPoly_{hash}").parse().unwrap();
        let mut builder = Builder::with_resolver(params, side.resolver())
            .prologue(b"prologue")
            .unwrap()
            .fixed_ephemeral_key_for_testing_only(ephemeral);
        let has_own_key = match name {
            "NN" => false,
            "N" => !is_initiator,
            _ => true,
        };
        if has_own_key {
            builder = builder.local_private_key(own).unwrap();
        }
        let knows_other = match name {
            "KK" | "K" => true,
            "IK" | "N" => is_initiator,
            _ => false,
        };
        if knows_other {
            builder = builder.remote_public_key(if is_initiator { &of_responder } else { &of_initiator }).unwrap();
        }
        if let Some(place) = psk {
            builder = builder.psk(place, &PSK).unwrap();
        }
        if is_initiator { builder.build_initiator().unwrap() } else { builder.build_responder().unwrap() }
    };
    [build(true), build(false)]
}

/// Sends a message, after tampered copies that must be refused. Returns the message.
fn send(from: &mut TransportState, to: &mut TransportState, payload: &[u8]) -> Vec<u8> {
    let mut message = vec![0; payload.len() + 16];
    assert_eq!(from.write_message(payload, &mut message), Ok(message.len()));
    let mut opened = vec![0; payload.len() + 16];
    for place in [0, payload.len() / 2, payload.len(), message.len() - 1] {
        let mut tampered = message.clone();
        tampered[place] ^= 0x80;
        assert_eq!(to.read_message(&tampered, &mut opened), Err(snow::Error::Decrypt));
        assert!(payload.len() < 16 || !opened.starts_with(payload), "a forgery left its plaintext behind");
    }
    for length in [0, 15, message.len() - 1] {
        assert_eq!(to.read_message(&message[..length], &mut opened), Err(snow::Error::Decrypt));
    }
    assert_eq!(to.read_message(&message, &mut opened), Ok(payload.len()));
    assert!(opened[..payload.len()] == *payload);
    message
}

/// Runs the handshake, sends messages, and replaces keys in every way. Returns all messages.
fn transcript(pattern: &str, hash: &str, sides: [Side; 2]) -> Vec<u8> {
    let mut ends = sessions(pattern, hash, sides);
    let mut sent = Vec::new();
    let (mut message, mut payload) = ([0; 4096], [0; 4096]);
    for turn in 0.. {
        if ends[0].is_handshake_finished() {
            break;
        }
        let [initiator, responder] = &mut ends;
        let (from, to) = if turn % 2 == 0 { (initiator, responder) } else { (responder, initiator) };
        let text = vec![turn as u8; 100 * turn];
        let length = from.write_message(&text, &mut message).unwrap();
        sent.extend(&message[..length]);
        let length = to.read_message(&message[..length], &mut payload).unwrap();
        assert_eq!(payload[..length], text);
    }
    assert_eq!(ends[0].get_handshake_hash(), ends[1].get_handshake_hash());
    let is_one_way = ["N", "Kpsk0"].contains(&pattern);
    let [mut initiator, mut responder] = ends.map(|end| end.into_transport_mode().unwrap());
    for (number, length) in [0, 1, 16, 63, 64, 65, 600, 1400].into_iter().enumerate() {
        let data: Vec<u8> = (0..length).map(|i| (i * 11 + number) as u8 | 1).collect();
        sent.extend(send(&mut initiator, &mut responder, &data));
        if !is_one_way {
            sent.extend(send(&mut responder, &mut initiator, &data));
        }
        match number {
            2 | 4 => {
                initiator.rekey_outgoing();
                responder.rekey_incoming();
            }
            3 if !is_one_way => {
                initiator.rekey_incoming();
                responder.rekey_outgoing();
            }
            5 => {
                initiator.rekey_manually(Some(&[7; 32]), Some(&[8; 32]));
                responder.rekey_manually(Some(&[7; 32]), Some(&[8; 32]));
            }
            _ => {}
        }
    }
    sent
}

#[test]
fn every_pattern_between_both_implementations() {
    for pattern in PATTERNS {
        for hash in HASHES {
            let [first, rest @ ..] = &pairs()[..] else { unreachable!("pairs() is never empty") };
            let expected = transcript(pattern, hash, *first);
            assert!(expected.len() > 2000);
            for sides in rest {
                assert!(transcript(pattern, hash, *sides) == expected, "{pattern} {hash}: {sides:?}");
            }
        }
    }
}

#[test]
fn a_tampered_handshake_is_refused() {
    for sides in pairs() {
        // The second message of XX has an encrypted static key and an encrypted payload.
        let mut message = [0; 1024];
        let [mut initiator, mut responder] = sessions("XX", "BLAKE2s", sides);
        let length = initiator.write_message(&[], &mut message).unwrap();
        responder.read_message(&message[..length], &mut [0; 1024]).unwrap();
        let length = responder.write_message(b"payload", &mut message).unwrap();
        for place in 32..length {
            let [mut initiator, _] = sessions("XX", "BLAKE2s", sides);
            initiator.write_message(&[], &mut [0; 1024]).unwrap();
            let mut tampered = message[..length].to_vec();
            tampered[place] ^= 1;
            let result = initiator.read_message(&tampered, &mut [0; 1024]);
            assert_eq!(result, Err(snow::Error::Decrypt), "byte {place}: {sides:?}");
        }
        initiator.read_message(&message[..length], &mut [0; 1024]).unwrap();
    }
}

#[test]
fn the_ciphers_agree_at_every_length() {
    let resolve = |side: Side| {
        let mut cipher = side.resolver().resolve_cipher(&CipherChoice::ChaChaPoly).unwrap();
        cipher.set(&[9; 32]);
        cipher
    };
    let theirs = resolve(Side::Snow);
    for backend in Backend::available() {
        let ours = resolve(Side::Sealane(backend));
        assert_eq!(ours.name(), theirs.name());
        for length in 0..=600 {
            let plaintext: Vec<u8> = (0..length).map(|i| (i * 7) as u8).collect();
            let (n, ad) = (u64::MAX - length as u64, &plaintext[..length % 37]);
            let (mut a, mut b) = (vec![0; length + 16], vec![0; length + 16]);
            assert_eq!(ours.encrypt(n, ad, &plaintext, &mut a), length + 16);
            assert_eq!(theirs.encrypt(n, ad, &plaintext, &mut b), length + 16);
            assert!(a == b, "{length} bytes on {backend}");
            let mut opened = vec![0; length];
            assert_eq!(ours.decrypt(n, ad, &a, &mut opened), Ok(length));
            assert!(opened == plaintext, "{length} bytes on {backend}");
            assert_eq!(ours.decrypt(n - 1, ad, &a, &mut opened), Err(snow::Error::Decrypt));
            if length > 0 {
                assert_eq!(ours.decrypt(n, ad, &a, &mut opened[1..]), Err(snow::Error::Decrypt), "no space");
            }
        }
    }
}

#[test]
fn only_chachapoly_is_resolved_here() {
    let resolver = SealaneResolver::default();
    assert!(resolver.resolve_cipher(&CipherChoice::ChaChaPoly).is_some());
    assert!(resolver.resolve_cipher(&CipherChoice::AESGCM).is_none());
    assert!(resolver.resolve_rng().is_none() && resolver.resolve_dh(&DHChoice::Curve25519).is_none());
    assert!(resolver.resolve_hash(&HashChoice::SHA256).is_none());
    let resolver = sealane_snow::resolver();
    assert!(resolver.resolve_cipher(&CipherChoice::AESGCM).is_some(), "the fallback has it");
    assert!(resolver.resolve_rng().is_some() && resolver.resolve_dh(&DHChoice::Curve25519).is_some());
}

#[test]
fn no_key_opens_nothing() {
    let cipher = SealaneResolver::new().resolve_cipher(&CipherChoice::ChaChaPoly).unwrap();
    assert_eq!(cipher.decrypt(0, &[], &[0; 16], &mut []), Err(snow::Error::Decrypt));
}

#[test]
#[should_panic(expected = "a key is set before the first message")]
fn no_key_seals_nothing() {
    let cipher = SealaneResolver::new().resolve_cipher(&CipherChoice::ChaChaPoly).unwrap();
    cipher.encrypt(0, &[], &[], &mut [0; 16]);
}

/// `snow` does not check the space for the tag of a static key, and the trait has no error.
#[test]
fn a_buffer_without_space_for_the_tag_stays_as_it_is() {
    let mut cipher = SealaneResolver::new().resolve_cipher(&CipherChoice::ChaChaPoly).unwrap();
    cipher.set(&PSK);
    for length in [0, 31, 32, 47] {
        let mut out = vec![7; length];
        let sealed = catch_unwind(AssertUnwindSafe(|| cipher.encrypt(0, &[], &[1; 32], &mut out)));
        let message = sealed.unwrap_err();
        let message = message.downcast_ref::<&str>().map(|&text| text.to_owned()).or(message.downcast_ref().cloned());
        assert_eq!(message.as_deref(), Some("the buffer is too short for the message and its tag"));
        assert!(out == vec![7; length], "{length} bytes");
    }
    assert_eq!(cipher.encrypt(0, &[], &[1; 32], &mut [0; 48]), 48);
}
