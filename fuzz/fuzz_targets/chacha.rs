//! Compares every backend with the reference, for ChaCha, Poly1305, the AEADs, and QUIC's header
//! protection.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use sealane::chacha20::{ChaCha, Extended, Ietf, Layout, Original};
use sealane::{
    AeadLayout, Backend, ChaCha20Poly1305, ChaChaFamily, CommittingChaCha20Poly1305, CommittingChaChaPoly1305,
    CommittingTag, CommittingXChaCha20Poly1305, CounterOverflow, OpenError, OpenRequest, OpenSshChaCha20Poly1305,
    Poly1305, SealRequest, Tag, XChaCha20Poly1305, quic,
};
use sealane_fuzz::{Bytes, backends, reached};
use sealane_spec::chacha::{Nonce, chacha_block};
use sealane_spec::{self as spec, aead, poly1305, xchacha};

/// More than two groups of blocks in the widest kernel.
type Message = Bytes<2200>;
/// More than one group, but shorter, because the reference for Poly1305 is slow.
type Authenticated = Bytes<1300>;

#[derive(Arbitrary, Debug)]
enum Case {
    KeyStream { layout: u8, key: [u8; 32], nonce: [u8; 24], block: Block, skip: u8, message: Message },
    Mac { key: [u8; 32], message: Authenticated },
    Aead { key: [u8; 32], message: Aead, forgery: Option<Forgery> },
    Batch { key: [u8; 32], messages: Vec<(ShortAead, bool)> },
    Committing { key: [u8; 32], message: Aead, forgery: Option<Forgery> },
    OpenSsh { keys: [[u8; 32]; 2], sequence_number: u32, packet: Packet, forgery: Option<Forgery> },
    HeaderProtection { key: [u8; 32], samples: Vec<quic::Sample> },
}

/// The position at which the key stream starts.
#[derive(Arbitrary, Debug)]
enum Block {
    At(u64),
    /// This many blocks before the end of a 32-bit counter.
    Before32(u8),
    /// This many blocks before the end of the key stream.
    Before64(u8),
}

#[derive(Arbitrary, Debug)]
struct Aead {
    extended: bool,
    nonce: [u8; 24],
    aad: Bytes<300>,
    text: Authenticated,
    /// The buffer's address, modulo 64.
    skip: u8,
}

#[derive(Arbitrary, Debug)]
struct ShortAead {
    nonce: [u8; 12],
    aad: Bytes<40>,
    text: Bytes<400>,
}

#[derive(Arbitrary, Debug)]
struct Packet {
    length: [u8; 4],
    payload: Authenticated,
}

/// A bit to flip in the tag, the ciphertext, or the associated data.
#[derive(Arbitrary, Debug)]
struct Forgery {
    part: u8,
    at: u16,
    bit: u8,
}

impl Forgery {
    fn apply(&self, parts: &mut [&mut [u8]]) -> bool {
        let part = &mut *parts[usize::from(self.part) % parts.len()];
        if part.is_empty() {
            return false;
        }
        let at = usize::from(self.at) % part.len();
        part[at] ^= 1 << (self.bit % 8);
        true
    }
}

fuzz_target!(|case: Case| match case {
    Case::KeyStream { layout, key, nonce, block, skip, message } => {
        // The kernels for 12 and 8 rounds have the same source, and would take long to compile.
        let (skip, message) = (skip % 64, &message.0);
        match layout % 3 {
            0 => key_stream::<Ietf>(&key, &nonce, &block, skip, message, || reached!("a key stream")),
            1 => key_stream::<Original>(&key, &nonce, &block, skip, message, || reached!("an original key stream")),
            _ => key_stream::<Extended>(&key, &nonce, &block, skip, message, || reached!("an extended key stream")),
        }
    }
    Case::Mac { key, message } => {
        let expected = poly1305::poly1305_mac(&message.0, &key);
        for backend in backends::<ChaChaFamily>() {
            let mut mac = Poly1305::with_backend(&key, backend);
            mac.update(&message.0);
            assert_eq!(mac.finalize(), expected, "{backend}");
        }
        reached!("a tag");
    }
    Case::Aead { key, message, forgery } => {
        let Aead { extended, nonce, aad, text, .. } = &message;
        let (ciphertext, tag) = if *extended {
            aead::xchacha20_aead_encrypt(&aad.0, &key, nonce, &text.0)
        } else {
            aead::chacha20_aead_encrypt(&aad.0, &key, &first(nonce), &text.0)
        };
        for backend in backends::<ChaChaFamily>() {
            one(backend, &key, &message, (&ciphertext, tag), forgery.as_ref());
        }
    }
    Case::Batch { key, messages } => {
        let messages = &messages[..messages.len().min(24)];
        let seal = |(it, _): &(ShortAead, bool)| aead::chacha20_aead_encrypt(&it.aad.0, &key, &it.nonce, &it.text.0);
        let expected: Vec<_> = messages.iter().map(seal).collect();
        for backend in backends::<ChaChaFamily>() {
            batch(backend, &key, messages, &expected);
        }
    }
    Case::Committing { key, message, forgery } => {
        let Aead { extended, nonce, aad, text, .. } = &message;
        let (ciphertext, tag) = if *extended {
            spec::committing::ctx_xchacha20_encrypt(&aad.0, &key, nonce, &text.0)
        } else {
            spec::committing::ctx_chacha20_encrypt(&aad.0, &key, &first(nonce), &text.0)
        };
        for backend in backends::<ChaChaFamily>() {
            if *extended {
                let cipher = CommittingXChaCha20Poly1305::with_backend(&key, backend);
                let reached = || reached!("a committing tag with an extended nonce");
                committing(&cipher, nonce, &message, (&ciphertext, tag), forgery.as_ref(), reached);
            } else {
                let cipher = CommittingChaCha20Poly1305::with_backend(&key, backend);
                let reached = || reached!("a committing tag");
                committing(&cipher, &first(nonce), &message, (&ciphertext, tag), forgery.as_ref(), reached);
            }
        }
    }
    Case::OpenSsh { keys, sequence_number, packet, forgery } => {
        let key = keys.as_flattened().try_into().expect("64 bytes");
        let packet = [&packet.length[..], &packet.payload.0].concat();
        let sealed = spec::openssh::encrypt_packet(key, sequence_number, &packet);
        for backend in backends::<ChaChaFamily>() {
            let cipher = OpenSshChaCha20Poly1305::with_backend(key, backend);
            openssh(&cipher, sequence_number, &packet, &sealed, forgery.as_ref());
        }
    }
    Case::HeaderProtection { key, samples } => {
        let samples = &samples[..samples.len().min(70)];
        let expected: Vec<_> = samples.iter().map(|sample| spec::quic::header_protection(&key, sample)).collect();
        for backend in backends::<ChaChaFamily>() {
            let key = quic::HeaderProtectionKey::with_backend(&key, backend);
            let mut masks = vec![[0; quic::MASK_BYTES]; samples.len()];
            key.header_protection_masks(samples, &mut masks);
            assert_eq!(masks, expected, "{backend}");
            if !masks.is_empty() {
                reached!("a mask");
            }
            let single = samples.iter().map(|sample| key.header_protection_mask(sample));
            assert!(single.eq(expected.iter().copied()), "{backend}");
        }
    }
});

/// A layout, and the reference's key stream for it.
trait Reference: Layout {
    const BLOCKS: u128;

    fn nonce(nonce: &[u8; 24]) -> Self::Nonce;

    fn block(key: &[u8; 32], nonce: &[u8; 24], number: u64) -> [u8; 64];
}

fn first<const N: usize>(nonce: &[u8; 24]) -> [u8; N] {
    *nonce.first_chunk().expect("the longest nonce has 24 bytes")
}

impl Reference for Ietf {
    const BLOCKS: u128 = 1 << 32;

    fn nonce(nonce: &[u8; 24]) -> [u8; 12] {
        first(nonce)
    }

    fn block(key: &[u8; 32], nonce: &[u8; 24], number: u64) -> [u8; 64] {
        chacha_block(20, key, number, &Nonce::Ietf(first(nonce)))
    }
}

impl Reference for Original {
    const BLOCKS: u128 = 1 << 64;

    fn nonce(nonce: &[u8; 24]) -> [u8; 8] {
        first(nonce)
    }

    fn block(key: &[u8; 32], nonce: &[u8; 24], number: u64) -> [u8; 64] {
        chacha_block(20, key, number, &Nonce::Original(first(nonce)))
    }
}

impl Reference for Extended {
    const BLOCKS: u128 = 1 << 32;

    fn nonce(nonce: &[u8; 24]) -> [u8; 24] {
        *nonce
    }

    fn block(key: &[u8; 32], nonce: &[u8; 24], number: u64) -> [u8; 64] {
        let (subkey, nonce) = xchacha::subkey_and_nonce(20, key, nonce);
        chacha_block(20, &subkey, number, &Nonce::Ietf(nonce))
    }
}

fn key_stream<L: Reference>(key: &[u8; 32], nonce: &[u8; 24], block: &Block, skip: u8, message: &[u8], reached: fn()) {
    let start = match block {
        Block::At(number) => u128::from(*number) % L::BLOCKS,
        Block::Before32(blocks) => (1 << 32) - u128::from(*blocks),
        Block::Before64(blocks) => L::BLOCKS - u128::from(*blocks),
    };
    let position = start * 64 + u128::from(skip);
    let available = (L::BLOCKS * 64).checked_sub(position);
    let fits = available.is_some_and(|available| message.len() as u128 <= available);
    let mut expected = message.to_vec();
    if fits {
        let blocks = (usize::from(skip) + message.len()).div_ceil(64);
        let stream = (0..blocks as u128).flat_map(|number| L::block(key, nonce, (start + number) as u64));
        expected.iter_mut().zip(stream.skip(skip.into())).for_each(|(byte, key)| *byte ^= key);
    }
    for backend in backends::<ChaChaFamily>() {
        let mut cipher = ChaCha::<20, L>::with_backend(key, &L::nonce(nonce), backend);
        assert_eq!(cipher.seek(position), available.map(drop).ok_or(CounterOverflow));
        if available.is_none() {
            return;
        }
        let mut data = message.to_vec();
        let result = cipher.apply_keystream(&mut data);
        assert_eq!(result.is_ok(), fits, "{backend}");
        assert!(data == expected, "{} bytes from {position} on {backend}", data.len());
        if fits && !data.is_empty() {
            reached();
        }
        assert_eq!(cipher.position(), position + if fits { data.len() as u128 } else { 0 });
    }
}

fn one(backend: Backend, key: &[u8; 32], message: &Aead, sealed: (&[u8], Tag), forgery: Option<&Forgery>) {
    let (ciphertext, tag) = sealed;
    let Aead { extended, nonce, aad: Bytes(aad), text: Bytes(text), skip } = message;
    let short = &first(nonce);
    let (cipher, xcipher) =
        (ChaCha20Poly1305::with_backend(key, backend), XChaCha20Poly1305::with_backend(key, backend));
    let skip = usize::from(*skip % 64);
    let mut memory = vec![0x5a; skip + text.len() + 64];
    let buffer = &mut memory[skip..skip + text.len()];
    buffer.copy_from_slice(text);
    let sealed =
        if *extended { xcipher.seal_in_place(nonce, aad, buffer) } else { cipher.seal_in_place(short, aad, buffer) };
    assert!((&*buffer, sealed) == (ciphertext, tag), "sealed on {backend}");
    let mut output = vec![0; text.len()];
    let (_, sealed) = if *extended {
        xcipher.seal_into(nonce, aad, text, &mut output[..])
    } else {
        cipher.seal_into(short, aad, text, &mut output[..])
    };
    assert!((&output[..], sealed) == (ciphertext, tag), "sealed with a copy on {backend}");

    let (mut aad, mut tag) = (aad.clone(), tag);
    let forged = forgery.is_some_and(|forgery| forgery.apply(&mut [&mut tag, buffer, &mut aad]));
    let given = buffer.to_vec();
    let opened = if *extended {
        xcipher.open_in_place(nonce, &aad, buffer, &tag)
    } else {
        cipher.open_in_place(short, &aad, buffer, &tag)
    };
    let expected = if forged { &given } else { text };
    assert!((opened.is_err(), &*buffer) == (forged, &expected[..]), "opened on {backend}");
    let opened = if *extended {
        xcipher.open_into(nonce, &aad, &given, &tag, &mut output[..]).map(drop)
    } else {
        cipher.open_into(short, &aad, &given, &tag, &mut output[..]).map(drop)
    };
    assert_eq!(opened.is_err(), forged, "opened with a copy on {backend}");
    assert!(forged || output == *text, "opened with a copy on {backend}");
    match (forged, extended) {
        _ if text.is_empty() => {}
        (false, false) => reached!("an opened message"),
        (false, true) => reached!("an opened message with an extended nonce"),
        (true, false) => reached!("a forged message"),
        (true, true) => reached!("a forged message with an extended nonce"),
    }
    assert!(memory[..skip].iter().chain(&memory[skip + text.len()..]).all(|byte| *byte == 0x5a));
}

/// Seals and opens messages together. Some get a wrong tag in between.
fn batch(backend: Backend, key: &[u8; 32], messages: &[(ShortAead, bool)], sealed: &[(Vec<u8>, Tag)]) {
    let cipher = ChaCha20Poly1305::with_backend(key, backend);
    let mut buffers: Vec<_> = messages.iter().map(|(message, _)| message.text.0.clone()).collect();
    let mut tags: Vec<Tag> = vec![[0; 16]; messages.len()];
    let outputs = buffers.iter_mut().zip(&mut tags);
    let mut requests: Vec<_> = messages
        .iter()
        .zip(outputs)
        .map(|((message, _), (buffer, tag))| SealRequest::new(message.nonce, &message.aad.0, buffer, tag))
        .collect();
    cipher.seal_batch(&mut requests);
    for (sealed, (buffer, tag)) in sealed.iter().zip(buffers.iter().zip(&tags)) {
        assert!((&sealed.0, &sealed.1) == (buffer, tag), "{backend}");
    }
    for (tag, (message, forged)) in tags.iter_mut().zip(messages) {
        tag[usize::from(message.nonce[0] % 16)] ^= u8::from(*forged);
    }
    let mut requests: Vec<_> = messages
        .iter()
        .zip(buffers.iter_mut().zip(&tags))
        .map(|((message, _), (buffer, tag))| OpenRequest::new(message.nonce, &message.aad.0, buffer, tag))
        .collect();
    let opened = cipher.open_batch(&mut requests);
    assert_eq!(opened.is_err(), messages.iter().any(|(_, forged)| *forged), "{backend}");
    for (mut request, (message, forged)) in requests.into_iter().zip(messages) {
        let expected = if *forged { Err(OpenError) } else { Ok(&message.text.0[..]) };
        assert!(request.plaintext().map(|text| &*text) == expected, "{backend}");
        if expected.is_ok_and(|text| !text.is_empty()) {
            reached!("a message of a batch");
        }
    }
}

fn committing<L: AeadLayout>(
    cipher: &CommittingChaChaPoly1305<L>,
    nonce: &L::Nonce,
    message: &Aead,
    sealed: (&[u8], CommittingTag),
    forgery: Option<&Forgery>,
    reached: fn(),
) {
    let (Bytes(aad), Bytes(text), backend) = (&message.aad, &message.text, cipher.backend());
    let mut buffer = text.clone();
    let tag = cipher.seal_in_place(nonce, aad, &mut buffer);
    assert!((&*buffer, tag) == sealed, "sealed on {backend}");
    let mut output = vec![0; text.len()];
    let (_, tag) = cipher.seal_into(nonce, aad, text, &mut output[..]);
    assert!((&*output, tag) == sealed, "sealed with a copy on {backend}");

    let (mut aad, mut tag) = (aad.clone(), tag);
    let forged = forgery.is_some_and(|forgery| forgery.apply(&mut [&mut tag, &mut buffer, &mut aad]));
    let given = buffer.clone();
    let opened = cipher.open_in_place(nonce, &aad, &mut buffer, &tag);
    let expected = if forged { &given } else { text };
    assert!((opened.is_err(), &buffer) == (forged, expected), "opened on {backend}");
    let opened = cipher.open_into(nonce, &aad, &given, &tag, &mut output[..]).map(drop);
    assert_eq!(opened.is_err(), forged, "opened with a copy on {backend}");
    assert!(forged || output == *text, "opened with a copy on {backend}");
    if !forged && !text.is_empty() {
        reached();
    }
}

fn openssh(
    cipher: &OpenSshChaCha20Poly1305,
    sequence_number: u32,
    packet: &[u8],
    sealed: &(Vec<u8>, Tag),
    forgery: Option<&Forgery>,
) {
    let backend = cipher.backend();
    let mut buffer = packet.to_vec();
    let mut tag = cipher.seal_in_place(sequence_number, &mut buffer);
    assert!((&buffer, &tag) == (&sealed.0, &sealed.1), "sealed on {backend}");
    let length = cipher.open_length(sequence_number, buffer.first_chunk().expect("a length"));
    assert_eq!(length.to_be_bytes(), packet[..4], "the length on {backend}");

    let forged = forgery.is_some_and(|forgery| forgery.apply(&mut [&mut tag, &mut buffer]));
    let given = buffer.clone();
    match cipher.open_in_place(sequence_number, &mut buffer, &tag) {
        Ok(payload) => {
            reached!("a packet of SSH");
            assert!(!forged && *payload == packet[4..], "opened on {backend}");
        }
        Err(OpenError) => assert!(forged && buffer == given, "refused on {backend}"),
    }
    assert!(cipher.open_in_place(sequence_number, &mut [0; 3], &tag).is_err(), "too short, on {backend}");
}
