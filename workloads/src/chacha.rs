//! ChaCha20, Poly1305 and the AEADs of both.

use std::hint::black_box;

use sealane::chacha20::{ChaCha8, ChaCha12, ChaCha20, ChaCha20Original, XChaCha20};
use sealane::quic::{HeaderProtectionKey, MASK_BYTES, SAMPLE_BYTES};
use sealane::rustcrypto::{self, AeadInOut, KeyInit, aead::Aead};
use sealane::{
    Backend, BackendError, COMMITTING_TAG_BYTES, ChaCha20Poly1305, CommittingChaCha20Poly1305, OpenRequest,
    OpenSshChaCha20Poly1305, Poly1305, SealRequest, TAG_BYTES, XChaCha20Poly1305,
};

use crate::buffer::Buffer;
use crate::workload::{Run, Secrets};

/// Associated data as long as that of a TLS 1.2 record.
const AAD: [u8; 13] = [0xad; 13];
/// The number of messages in a batch.
const BATCH: usize = 32;
/// Lengths of the messages of a mixed batch, one after the other.
const MIXED: [usize; 13] = [0, 1, 64, 100, 300, 500, 512, 700, 1024, 1350, 2300, 9000, 16384];
const POSITIONS: &str = "the key stream is longer than that";

/// Returns a different nonce for each message, each in the same time.
struct Nonces(u64);

impl Nonces {
    fn next<const N: usize>(&mut self) -> [u8; N] {
        self.0 += 1;
        let mut nonce = [0; N];
        nonce[..8].copy_from_slice(&self.0.to_le_bytes());
        nonce
    }
}

/// Returns the backend, a secret key, and a secret message of `size` bytes.
fn parts(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<(Backend, [u8; 32], Buffer), BackendError> {
    let mut key = [0; 32];
    secrets(&mut key);
    let mut message = Buffer::new(size);
    secrets(message.bytes());
    Ok((Backend::by_name(backend)?, black_box(key), message))
}

/// Writes the function that prepares a stream cipher.
macro_rules! cipher {
    ($(#[$doc:meta])* $name:ident: $cipher:ident, |$stream:ident| $prepare:block) => {
        $(#[$doc])*
        pub fn $name(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
            let (backend, key, mut data) = parts(backend, size, secrets)?;
            let mut nonces = Nonces(0);
            Ok(Box::new(move || {
                let mut $stream = $cipher::with_backend(&key, &nonces.next(), backend);
                $prepare
                $stream.apply_keystream(data.bytes()).expect(POSITIONS);
            }))
        }
    };
}

cipher! {
    /// Prepares ChaCha20.
    chacha20: ChaCha20, |cipher| {}
}
cipher! {
    /// Prepares ChaCha12.
    chacha12: ChaCha12, |cipher| {}
}
cipher! {
    /// Prepares ChaCha8.
    chacha8: ChaCha8, |cipher| {}
}
cipher! {
    /// Prepares XChaCha20.
    xchacha20: XChaCha20, |cipher| {}
}
cipher! {
    /// Prepares the original ChaCha20, with a block counter that exceeds 32 bits.
    chacha20_original: ChaCha20Original, |cipher| { cipher.seek(64 * 0xffff_fffe).expect(POSITIONS); }
}

/// Prepares Poly1305.
pub fn poly1305(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, key, mut data) = parts(backend, size, secrets)?;
    Ok(Box::new(move || {
        let mut mac = Poly1305::with_backend(&key, backend);
        mac.update(data.bytes());
        black_box(mac.finalize());
    }))
}

/// Writes the functions that prepare three operations: sealing; sealing and then opening; opening
/// of a forgery.
macro_rules! aead {
    ($cipher:ident, $tag_bytes:expr, $seal:ident $open:ident $($forged:ident)?) => {
        /// Prepares sealing of a message in place.
        pub fn $seal(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
            let (backend, key, mut data) = parts(backend, size, secrets)?;
            let (cipher, mut nonces) = ($cipher::with_backend(&key, backend), Nonces(0));
            Ok(Box::new(move || {
                black_box(cipher.seal_in_place(&nonces.next(), &AAD, data.bytes()));
            }))
        }

        /// Prepares sealing, and opening of the result.
        pub fn $open(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
            let (backend, key, mut data) = parts(backend, size, secrets)?;
            let (cipher, mut nonces) = ($cipher::with_backend(&key, backend), Nonces(0));
            Ok(Box::new(move || {
                let data = data.bytes();
                let nonce = nonces.next();
                let tag = cipher.seal_in_place(&nonce, &AAD, data);
                cipher.open_in_place(&nonce, &AAD, data, &tag).expect("what was sealed opens");
            }))
        }

        $(
        /// Prepares opening of a message whose tag is wrong, in place and into another buffer.
        ///
        /// If the secrets are zeros, only the last byte of the tag is wrong. Otherwise all bytes
        /// are wrong.
        pub fn $forged(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
            let mut difference = [0; $tag_bytes];
            secrets(&mut difference);
            difference[$tag_bytes - 1] |= 1;
            let (backend, key, mut data) = parts(backend, size, secrets)?;
            let cipher = $cipher::with_backend(&key, backend);
            let mut tag = cipher.seal_in_place(&[2; _], &AAD, data.bytes());
            tag.iter_mut().zip(difference).for_each(|(byte, difference)| *byte ^= difference);
            let mut copy = Buffer::new(size);
            Ok(Box::new(move || {
                let result = cipher.open_into(&[2; _], &AAD, data.bytes(), &tag, copy.bytes());
                assert!(result.is_err(), "a forgery was opened");
                let result = cipher.open_in_place(&[2; _], &AAD, data.bytes(), &tag);
                assert!(result.is_err(), "a forgery was opened");
            }))
        }
        )?
    };
}

aead!(ChaCha20Poly1305, TAG_BYTES, seal open open_forged);
aead!(CommittingChaCha20Poly1305, COMMITTING_TAG_BYTES, commit_seal commit_open commit_open_forged);

/// Prepares sealing of a message under XChaCha20-Poly1305.
pub fn xchacha_seal(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, key, mut data) = parts(backend, size, secrets)?;
    let (cipher, mut nonces) = (XChaCha20Poly1305::with_backend(&key, backend), Nonces(0));
    Ok(Box::new(move || {
        black_box(cipher.seal_in_place(&nonces.next(), &AAD, data.bytes()));
    }))
}

/// Prepares sealing into another buffer under XChaCha20-Poly1305, and opening into a third.
pub fn xchacha_open(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, key, mut data) = parts(backend, size, secrets)?;
    let (cipher, mut nonces) = (XChaCha20Poly1305::with_backend(&key, backend), Nonces(0));
    let (mut sealed, mut opened) = (Buffer::new(size), Buffer::new(size));
    Ok(Box::new(move || {
        let nonce = nonces.next();
        let (ciphertext, tag) = cipher.seal_into(&nonce, &AAD, data.bytes(), sealed.bytes());
        cipher.open_into(&nonce, &AAD, ciphertext, &tag, opened.bytes()).expect("what was sealed opens");
    }))
}

/// Prepares the tag of a message in pieces.
pub fn poly1305_pieces(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, key, mut data) = parts(backend, size, secrets)?;
    Ok(Box::new(move || {
        let mut poly1305 = Poly1305::with_backend(&key, backend);
        data.bytes().chunks(256).for_each(|piece| poly1305.update(piece));
        black_box(poly1305.finalize());
    }))
}

/// Prepares sealing of a message in pieces of `BYTES`.
pub fn pieces_seal<const BYTES: usize>(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, key, mut data) = parts(backend, size, secrets)?;
    let (cipher, mut nonces) = (ChaCha20Poly1305::with_backend(&key, backend), Nonces(0));
    Ok(Box::new(move || {
        let mut sealer = cipher.sealer(&nonces.next(), &AAD);
        for piece in data.bytes().chunks_mut(BYTES) {
            sealer.seal(piece).expect(POSITIONS);
        }
        black_box(sealer.finish());
    }))
}

/// Prepares sealing, verification in pieces, and decryption in pieces.
pub fn pieces_open(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, key, mut data) = parts(backend, size, secrets)?;
    let (cipher, mut nonces) = (ChaCha20Poly1305::with_backend(&key, backend), Nonces(0));
    Ok(Box::new(move || {
        let nonce = nonces.next();
        let mut tag = cipher.seal_in_place(&nonce, &AAD, data.bytes());
        for is_forged in [false, true] {
            tag[TAG_BYTES - 1] ^= u8::from(is_forged);
            let mut opener = cipher.opener(&nonce, &AAD);
            for piece in data.bytes().chunks(700) {
                opener.update(piece).expect(POSITIONS);
            }
            assert_eq!(opener.verify(&tag).is_err(), is_forged);
        }
        let mut opener = cipher.opener(&nonce, &AAD);
        for piece in data.bytes().chunks_mut(700) {
            opener.decrypt_unauthenticated(piece).expect(POSITIONS);
        }
    }))
}

/// Prepares decryption of a message in pieces of `BYTES`.
pub fn pieces_decrypt<const BYTES: usize>(
    backend: &str,
    size: usize,
    secrets: Secrets<'_>,
) -> Result<Run, BackendError> {
    let (backend, key, mut data) = parts(backend, size, secrets)?;
    let (cipher, mut nonces) = (ChaCha20Poly1305::with_backend(&key, backend), Nonces(0));
    Ok(Box::new(move || {
        let mut opener = cipher.opener(&nonces.next(), &AAD);
        for piece in data.bytes().chunks_mut(BYTES) {
            opener.decrypt_unauthenticated(piece).expect(POSITIONS);
        }
    }))
}

/// Prepares sealing through RustCrypto's traits, on the widest backend, because these traits cannot
/// name one.
pub fn rustcrypto_seal(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (_, key, mut data) = parts(backend, size, secrets)?;
    let cipher = rustcrypto::ChaCha20Poly1305::new(&key.into());
    Ok(Box::new(move || {
        black_box(cipher.encrypt(&[0; 12].into(), &*data.bytes()).expect("a short message"));
    }))
}

/// Prepares sealing and opening with 8 rounds, and refusing a forgery.
pub fn chacha8_open(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, key, mut data) = parts(backend, size, secrets)?;
    let (cipher, mut nonces) = (rustcrypto::ChaCha8Poly1305::with_backend(&key.into(), backend), Nonces(0));
    Ok(Box::new(move || {
        let nonce = nonces.next().into();
        let tag = cipher.encrypt_inout_detached(&nonce, &AAD, data.bytes().into()).expect("a short message");
        let mut forged = tag;
        forged[TAG_BYTES - 1] ^= 1;
        for (tag, is_forged) in [(forged, true), (tag, false)] {
            let opened = cipher.decrypt_inout_detached(&nonce, &AAD, data.bytes().into(), &tag);
            assert_eq!(opened.is_err(), is_forged);
        }
    }))
}

/// Prepares sealing of an SSH packet, opening of its length and of the packet, and refusing a
/// forgery. `size` does not count the four bytes of the length.
pub fn openssh(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let mut key = [0; OpenSshChaCha20Poly1305::KEY_BYTES];
    secrets(&mut key);
    let (backend, _, mut data) = parts(backend, OpenSshChaCha20Poly1305::LENGTH_BYTES + size, secrets)?;
    let cipher = OpenSshChaCha20Poly1305::with_backend(&black_box(key), backend);
    let mut sequence_number = 0_u32;
    Ok(Box::new(move || {
        sequence_number = sequence_number.wrapping_add(1);
        let tag = cipher.seal_in_place(sequence_number, data.bytes());
        let mut forged = tag;
        forged[TAG_BYTES - 1] ^= 1;
        for (tag, is_forged) in [(forged, true), (tag, false)] {
            let length = data.bytes().first_chunk().expect("a packet starts with its length");
            black_box(cipher.open_length(sequence_number, length));
            let opened = cipher.open_in_place(sequence_number, data.bytes(), &tag);
            assert_eq!(opened.is_err(), is_forged);
        }
    }))
}

/// Writes the functions that prepare batches of messages of one size.
macro_rules! batch {
    ($cipher:ident, $seal:ident $open:ident) => {
        /// Prepares sealing of a batch of 32 messages.
        pub fn $seal(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
            let (backend, key, mut data) = parts(backend, BATCH * size, secrets)?;
            let (cipher, mut nonces) = ($cipher::with_backend(&key, backend), Nonces(0));
            // The requests are built for each batch, as callers do.
            Ok(Box::new(move || {
                let mut tags = [[0; TAG_BYTES]; BATCH];
                let mut messages = split(data.bytes(), size).zip(&mut tags);
                let mut requests: [_; BATCH] = std::array::from_fn(|_| {
                    let (message, tag) = messages.next().expect("as many as requests");
                    SealRequest::new(nonces.next(), &AAD, message, tag)
                });
                cipher.seal_batch(&mut requests);
                black_box(tags);
            }))
        }

        /// Prepares sealing of a batch, and opening of the result.
        pub fn $open(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
            let (backend, key, mut data) = parts(backend, BATCH * size, secrets)?;
            let cipher = $cipher::with_backend(&key, backend);
            Ok(Box::new(move || {
                let mut tags = [[0; TAG_BYTES]; BATCH];
                let messages = split(data.bytes(), size).zip(&mut tags);
                let mut requests: Vec<_> =
                    messages.map(|(message, tag)| SealRequest::new([1; _], &AAD, message, tag)).collect();
                cipher.seal_batch(&mut requests);
                let messages = split(data.bytes(), size).zip(&tags);
                let mut requests: Vec<_> =
                    messages.map(|(message, tag)| OpenRequest::new([1; _], &AAD, message, tag)).collect();
                cipher.open_batch(&mut requests).expect("what was sealed opens");
            }))
        }
    };
}

/// Returns the messages of a batch, each of `size` bytes.
#[inline]
fn split(mut data: &mut [u8], size: usize) -> impl Iterator<Item = &mut [u8]> {
    (0..BATCH).map(move |_| {
        let (message, rest) = std::mem::take(&mut data).split_at_mut(size);
        data = rest;
        message
    })
}

batch!(ChaCha20Poly1305, seal_batch open_batch);
batch!(XChaCha20Poly1305, xchacha_seal_batch xchacha_open_batch);

/// Prepares the masks of QUIC packets in a batch, and one mask by itself.
pub fn header_protection_masks(backend: &str, packets: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, key, _) = parts(backend, 0, secrets)?;
    let key = HeaderProtectionKey::with_backend(&key, backend);
    let mut nonces = Nonces(0);
    let (mut samples, mut masks) = (vec![[0; SAMPLE_BYTES]; packets], vec![[0; MASK_BYTES]; packets]);
    Ok(Box::new(move || {
        samples.fill_with(|| nonces.next());
        key.header_protection_masks(&samples, &mut masks);
        black_box(&masks);
        if let Some(sample) = samples.first() {
            black_box(key.header_protection_mask(sample));
        }
    }))
}

/// A message and its tag.
type Sealed = (Buffer, [u8; TAG_BYTES]);

/// Returns a cipher, and `count` secret messages of mixed lengths.
fn mixed(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<(ChaCha20Poly1305, Vec<Sealed>), BackendError> {
    let mut message = |i: usize| {
        let mut data = Buffer::new(MIXED[i % MIXED.len()]);
        secrets(data.bytes());
        (data, [0; TAG_BYTES])
    };
    let messages = (0..count).map(&mut message).collect();
    let (backend, key, _) = parts(backend, 0, secrets)?;
    Ok((ChaCha20Poly1305::with_backend(&key, backend), messages))
}

/// Seals all messages as one batch.
fn seal_all(cipher: &ChaCha20Poly1305, messages: &mut [Sealed]) {
    let requests = messages.iter_mut().map(|(data, tag)| SealRequest::new([2; 12], &AAD, data.bytes(), tag));
    cipher.seal_batch(&mut requests.collect::<Vec<_>>());
}

/// Prepares sealing of a batch of messages of all lengths.
pub fn seal_batch_mixed(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (cipher, mut messages) = mixed(backend, count, secrets)?;
    Ok(Box::new(move || seal_all(&cipher, &mut messages)))
}

/// Prepares sealing of a batch of messages of all lengths, and opening of the batch after every
/// third message has become a forgery.
pub fn open_batch_mixed(backend: &str, count: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (cipher, mut messages) = mixed(backend, count, secrets)?;
    Ok(Box::new(move || {
        seal_all(&cipher, &mut messages);
        messages.iter_mut().step_by(3).for_each(|(_, tag)| tag[TAG_BYTES - 1] ^= 1);
        let requests = messages.iter_mut().map(|(data, tag)| OpenRequest::new([2; 12], &AAD, data.bytes(), tag));
        let result = cipher.open_batch(&mut requests.collect::<Vec<_>>());
        assert!(result.is_err(), "forgeries were opened");
    }))
}
