//! Compares both AEADs with two other implementations, RustCrypto and orion. All give the same
//! results and refuse the same messages.
#![no_main]

use chacha20poly1305::aead::{AeadInPlace, KeyInit};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use orion::hazardous::aead as orion;
use sealane::{Backend, ChaCha20Poly1305, ChaChaFamily, XChaCha20Poly1305};
use sealane_fuzz::{Bytes, backends, reached};

#[derive(Arbitrary, Debug)]
struct Case {
    extended: bool,
    key: [u8; 32],
    nonce: [u8; 24],
    aad: Bytes<300>,
    text: Bytes<5000>,
    changes: Vec<Change>,
}

/// A change to a sealed message.
#[derive(Arbitrary, Debug)]
enum Change {
    Key { at: u8, bits: u8 },
    Nonce { at: u8, bits: u8 },
    Aad { at: u16, bits: u8 },
    Sealed { at: u16, bits: u8 },
    Tag { at: u8, bits: u8 },
    Lengthen(u8),
    Shorten(u16),
    LengthenAad(u8),
}

/// The input of an AEAD. The sealed message ends with the tag.
#[derive(Clone)]
struct Message {
    extended: bool,
    key: [u8; 32],
    nonce: [u8; 24],
    aad: Vec<u8>,
    bytes: Vec<u8>,
}

fuzz_target!(|case: Case| {
    let Case { extended, key, nonce, aad: Bytes(aad), text: Bytes(bytes), changes } = case;
    let mut message = Message { extended, key, nonce, aad, bytes };
    let sealed = seal_by_rustcrypto(&message);
    assert!(sealed == seal_by_orion(&message), "the peers seal differently");
    for backend in backends::<ChaChaFamily>() {
        assert!(seal(&message, backend) == sealed, "{backend}");
    }
    message.bytes = sealed;
    for change in changes.iter().take(6) {
        change.apply(&mut message);
    }
    let opened = open_by_rustcrypto(&message);
    assert!(opened == open_by_orion(&message), "the peers open differently");
    for backend in backends::<ChaChaFamily>() {
        assert!(open(&message, backend) == opened, "{backend}");
    }
    match (opened, extended) {
        // An empty message, or none at all.
        _ if message.bytes.len() <= 16 => {}
        (Some(_), false) => reached!("an opened message"),
        (Some(_), true) => reached!("an opened message with an extended nonce"),
        (None, false) => reached!("a refused message"),
        (None, true) => reached!("a refused message with an extended nonce"),
    }
});

impl Change {
    fn apply(&self, message: &mut Message) {
        let flip = |bytes: &mut [u8], at: usize, bits: u8| {
            let length = bytes.len().max(1);
            if let Some(byte) = bytes.get_mut(at % length) {
                *byte ^= bits;
            }
        };
        let bytes = &mut message.bytes;
        match *self {
            Self::Key { at, bits } => flip(&mut message.key, at.into(), bits),
            Self::Nonce { at, bits } => flip(&mut message.nonce, at.into(), bits),
            Self::Aad { at, bits } => flip(&mut message.aad, at.into(), bits),
            Self::Sealed { at, bits } => flip(bytes, at.into(), bits),
            Self::Tag { at, bits } => {
                let start = bytes.len().saturating_sub(16);
                flip(&mut bytes[start..], at.into(), bits);
            }
            Self::Lengthen(by) => bytes.resize(bytes.len() + usize::from(by), by),
            Self::Shorten(by) => bytes.truncate(bytes.len().saturating_sub(by.into())),
            Self::LengthenAad(by) => message.aad.resize(message.aad.len() + usize::from(by), 0),
        }
    }
}

fn first(nonce: &[u8; 24]) -> [u8; 12] {
    *nonce.first_chunk().expect("24 bytes")
}

fn seal(message: &Message, backend: Backend) -> Vec<u8> {
    let Message { extended, key, nonce, aad, bytes } = message;
    let mut sealed = bytes.clone();
    let tag = if *extended {
        XChaCha20Poly1305::with_backend(key, backend).seal_in_place(nonce, aad, &mut sealed)
    } else {
        ChaCha20Poly1305::with_backend(key, backend).seal_in_place(&first(nonce), aad, &mut sealed)
    };
    sealed.extend(tag);
    sealed
}

fn open(message: &Message, backend: Backend) -> Option<Vec<u8>> {
    let Message { extended, key, nonce, aad, bytes } = message;
    let (sealed, tag) = bytes.split_last_chunk()?;
    let mut opened = sealed.to_vec();
    let result = if *extended {
        XChaCha20Poly1305::with_backend(key, backend).open_in_place(nonce, aad, &mut opened, tag)
    } else {
        ChaCha20Poly1305::with_backend(key, backend).open_in_place(&first(nonce), aad, &mut opened, tag)
    };
    assert!(result.is_ok() || opened == sealed, "a refused message is left as it was, on {backend}");
    result.is_ok().then_some(opened)
}

fn seal_by_rustcrypto(message: &Message) -> Vec<u8> {
    let Message { extended, key, nonce, aad, bytes } = message;
    let mut sealed = bytes.clone();
    let tag = if *extended {
        let cipher = chacha20poly1305::XChaCha20Poly1305::new(key.into());
        cipher.encrypt_in_place_detached(nonce.into(), aad, &mut sealed)
    } else {
        let cipher = chacha20poly1305::ChaCha20Poly1305::new(key.into());
        cipher.encrypt_in_place_detached(&first(nonce).into(), aad, &mut sealed)
    };
    sealed.extend(tag.expect("a short message"));
    sealed
}

fn open_by_rustcrypto(message: &Message) -> Option<Vec<u8>> {
    let Message { extended, key, nonce, aad, bytes } = message;
    let (sealed, tag) = bytes.split_last_chunk::<16>()?;
    let mut opened = sealed.to_vec();
    let result = if *extended {
        let cipher = chacha20poly1305::XChaCha20Poly1305::new(key.into());
        cipher.decrypt_in_place_detached(nonce.into(), aad, &mut opened, tag.into())
    } else {
        let cipher = chacha20poly1305::ChaCha20Poly1305::new(key.into());
        cipher.decrypt_in_place_detached(&first(nonce).into(), aad, &mut opened, tag.into())
    };
    result.is_ok().then_some(opened)
}

fn seal_by_orion(message: &Message) -> Vec<u8> {
    let Message { extended, key, nonce, aad, bytes } = message;
    let mut sealed = vec![0; bytes.len() + 16];
    let key = orion::chacha20poly1305::SecretKey::from_slice(key).expect("32 bytes");
    let result = if *extended {
        let nonce = orion::xchacha20poly1305::Nonce::from_slice(nonce).expect("24 bytes");
        orion::xchacha20poly1305::seal(&key, &nonce, bytes, Some(aad), &mut sealed)
    } else {
        let nonce = orion::chacha20poly1305::Nonce::from_slice(&first(nonce)).expect("12 bytes");
        orion::chacha20poly1305::seal(&key, &nonce, bytes, Some(aad), &mut sealed)
    };
    result.expect("a short message");
    sealed
}

fn open_by_orion(message: &Message) -> Option<Vec<u8>> {
    let Message { extended, key, nonce, aad, bytes } = message;
    let mut opened = vec![0; bytes.len().checked_sub(16)?];
    let key = orion::chacha20poly1305::SecretKey::from_slice(key).expect("32 bytes");
    let result = if *extended {
        let nonce = orion::xchacha20poly1305::Nonce::from_slice(nonce).expect("24 bytes");
        orion::xchacha20poly1305::open(&key, &nonce, bytes, Some(aad), &mut opened)
    } else {
        let nonce = orion::chacha20poly1305::Nonce::from_slice(&first(nonce)).expect("12 bytes");
        orion::chacha20poly1305::open(&key, &nonce, bytes, Some(aad), &mut opened)
    };
    result.is_ok().then_some(opened)
}
