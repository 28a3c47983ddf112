//! Messages at the edge of accessible memory: an inaccessible page is directly after a message, or
//! directly before it. A kernel that reads or writes beyond a message ends the program.
//!
//! Every backend, with each class of CPUs, processes every length up to 9 KiB. The reference
//! computes its answers once for each length.

use sealane::chacha20::ChaCha20;
use sealane::{Backend, ChaCha20Poly1305, OpenRequest, Poly1305, SealRequest, Tag};
use sealane_simd::Guarded;

use crate::common::{AeadOracle, MacOracle, array, backends, combined, cpu_classes, test_bytes};

/// More than four pairs of the widest groups of blocks.
const LONGEST: usize = 9 * 1024;
const AAD_BYTES: usize = 13;
const NONCE: [u8; 12] = [0x51; 12];

/// Returns every length. In an emulator, returns one in several lengths, and all lengths around
/// multiples of 2 KiB.
fn lengths() -> impl Iterator<Item = usize> {
    let mut lengths: Vec<_> = combined(0..=LONGEST).collect();
    lengths.extend((1..=4).flat_map(|pairs| 2048 * pairs - 20..=2048 * pairs + 20));
    lengths.sort_unstable();
    lengths.dedup();
    lengths.into_iter()
}

/// The position of a message in its memory.
#[derive(Clone, Copy, Debug)]
enum Edge {
    Start,
    End,
}

impl Edge {
    const BOTH: [Self; 2] = [Self::Start, Self::End];

    fn place(self, memory: &mut Guarded, length: usize) -> &mut [u8] {
        match self {
            Self::Start => memory.at_start(length),
            Self::End => memory.at_end(length),
        }
    }

    /// Copies the bytes to this edge of the memory, and returns the copy.
    fn hold<'a>(self, memory: &'a mut Guarded, bytes: &[u8]) -> &'a mut [u8] {
        let slice = self.place(memory, bytes.len());
        slice.copy_from_slice(bytes);
        slice
    }
}

/// Calls `check` for each backend, class of CPUs and edge.
#[track_caller]
fn each(mut check: impl FnMut(Backend, Edge)) {
    for backend in backends() {
        for _ in cpu_classes(backend) {
            Edge::BOTH.into_iter().for_each(|edge| check(backend, edge));
        }
    }
}

/// Messages of every length, and their sealed forms.
struct Expected {
    key: [u8; 32],
    oracle: AeadOracle,
    tags: Vec<(usize, Tag)>,
}

impl Expected {
    fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let key = array(200);
        let oracle = AeadOracle::new(&key, &NONCE, &test_bytes(201, AAD_BYTES), &test_bytes(202, LONGEST));
        let tags = lengths.map(|length| (length, oracle.tag(length))).collect();
        Self { key, oracle, tags }
    }
}

#[test]
fn messages_in_place() {
    let Expected { key, oracle, tags } = Expected::new(lengths());
    let (mut memory, mut aad_memory) = (Guarded::new(LONGEST), Guarded::new(AAD_BYTES));
    each(|backend, edge| {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        let aad = &*edge.hold(&mut aad_memory, &oracle.aad);
        for (length, tag) in &tags {
            let case = || format!("{length} bytes, {edge:?}, {backend}");
            let (plaintext, ciphertext) = (&oracle.plaintext[..*length], &oracle.ciphertext[..*length]);
            let buffer = edge.hold(&mut memory, plaintext);
            assert_eq!(cipher.seal_in_place(&NONCE, aad, buffer), *tag, "{}", case());
            assert!(buffer == ciphertext, "{}", case());
            assert_eq!(cipher.open_in_place(&NONCE, aad, buffer, tag), Ok(()), "{}", case());
            assert!(buffer == plaintext, "{}", case());
            if length % 5 == 0 {
                // After a forgery, the decrypted part is encrypted again.
                let forged = tag.map(|byte| !byte);
                buffer.copy_from_slice(ciphertext);
                assert!(cipher.open_in_place(&NONCE, aad, buffer, &forged).is_err(), "{}", case());
                assert!(buffer == ciphertext, "{}", case());
            }
        }
    });
}

#[test]
fn messages_into_other_memory() {
    let Expected { key, oracle, tags } = Expected::new(lengths());
    let (mut memory, mut output) = (Guarded::new(LONGEST), Guarded::new(LONGEST));
    each(|backend, edge| {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        for (length, tag) in &tags {
            let case = || format!("{length} bytes, {edge:?}, {backend}");
            let (plaintext, ciphertext) = (&oracle.plaintext[..*length], &oracle.ciphertext[..*length]);
            let input = edge.hold(&mut memory, plaintext);
            let sealed = cipher.seal_into(&NONCE, &oracle.aad, input, edge.place(&mut output, *length));
            assert!(sealed == (&mut ciphertext.to_vec(), *tag), "{}", case());
            let input = edge.hold(&mut memory, ciphertext);
            let opened = cipher.open_into(&NONCE, &oracle.aad, input, tag, edge.place(&mut output, *length));
            assert!(opened.is_ok_and(|opened| opened == plaintext), "{}", case());
        }
    });
}

/// The second of two pieces, long enough for all kernels.
#[test]
fn pieces() {
    const FIRST: usize = 64;
    let lengths = || (6000..=8320).step_by(61).chain(8192 - 20..=8192 + 20);
    let Expected { key, oracle, tags } = Expected::new(lengths().map(|length| FIRST + length));
    let mut memory = Guarded::new(LONGEST);
    each(|backend, edge| {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        for (length, tag) in &tags {
            let case = || format!("{length} bytes, {edge:?}, {backend}");
            let (plaintext, ciphertext) = (&oracle.plaintext[..*length], &oracle.ciphertext[..*length]);
            let mut sealer = cipher.sealer(&NONCE, &oracle.aad);
            let mut opener = cipher.opener(&NONCE, &oracle.aad);
            sealer.seal(&mut plaintext[..FIRST].to_vec()).unwrap();
            opener.decrypt_unauthenticated(&mut ciphertext[..FIRST].to_vec()).unwrap();
            let piece = edge.hold(&mut memory, &plaintext[FIRST..]);
            sealer.seal(piece).unwrap();
            assert!(piece == &ciphertext[FIRST..], "{}", case());
            opener.decrypt_unauthenticated(piece).unwrap();
            assert!(piece == &plaintext[FIRST..], "{}", case());
            assert_eq!(sealer.finish(), *tag, "{}", case());
            assert!(opener.verify(tag).is_ok(), "{}", case());
        }
    });
}

#[test]
fn key_streams() {
    let (key, plaintext) = (array(203), test_bytes(204, LONGEST));
    let ciphertext = sealane_spec::chacha::chacha20_encrypt(&key, 0, &NONCE, &plaintext);
    let mut memory = Guarded::new(LONGEST);
    each(|backend, edge| {
        let cipher = ChaCha20::with_backend(&key, &NONCE, backend);
        for length in lengths() {
            let buffer = edge.hold(&mut memory, &plaintext[..length]);
            cipher.clone().apply_keystream(buffer).unwrap();
            assert!(buffer == &ciphertext[..length], "{length} bytes, {edge:?}, {backend}");
        }
    });
}

#[test]
fn authenticated_messages() {
    let (key, message) = (array(205), test_bytes(206, LONGEST));
    let oracle = MacOracle::new(&key, &message);
    let tags: Vec<_> = lengths().map(|length| (length, oracle.tag(length))).collect();
    let mut memory = Guarded::new(LONGEST);
    each(|backend, edge| {
        for (length, tag) in &tags {
            let message = &*edge.hold(&mut memory, &message[..*length]);
            let mut poly1305 = Poly1305::with_backend(&key, backend);
            poly1305.update(message);
            assert_eq!(poly1305.finalize(), *tag, "{length} bytes, {edge:?}, {backend}");
            let whole = Poly1305::mac_with_backend(&key, message, backend);
            assert_eq!(whole, *tag, "{length} bytes in one call, {edge:?}, {backend}");
        }
    });
}

/// Batches of messages of neighbouring lengths. Each length is in one batch. The messages of some
/// batches are short enough for the backends that process three short messages at once.
#[test]
fn batches() {
    const MESSAGES: usize = 32;
    let Expected { key, oracle, tags } = Expected::new(0..=LONGEST);
    let mut memory: Vec<_> = (0..MESSAGES).map(|_| Guarded::new(LONGEST)).collect();
    each(|backend, edge| {
        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        for messages in tags.chunks(MESSAGES) {
            let case = || format!("from {} bytes, {edge:?}, {backend}", messages[0].0);
            let mut sealed = [[0; 16]; MESSAGES];
            let mut requests = Vec::new();
            for (((length, _), memory), tag) in messages.iter().zip(&mut memory).zip(&mut sealed) {
                let buffer = edge.hold(memory, &oracle.plaintext[..*length]);
                requests.push(SealRequest::new(NONCE, &oracle.aad, buffer, tag));
            }
            cipher.seal_batch(&mut requests);
            let mut requests = Vec::new();
            for (((length, tag), memory), sealed) in messages.iter().zip(&mut memory).zip(&sealed) {
                let buffer = edge.place(memory, *length);
                assert!(buffer == &oracle.ciphertext[..*length] && sealed == tag, "{}", case());
                requests.push(OpenRequest::new(NONCE, &oracle.aad, buffer, tag));
            }
            assert_eq!(cipher.open_batch(&mut requests), Ok(()), "{}", case());
            for ((length, _), request) in messages.iter().zip(&mut requests) {
                assert!(
                    request.plaintext().is_ok_and(|plaintext| plaintext == &oracle.plaintext[..*length]),
                    "{}",
                    case()
                );
            }
        }
    });
}
