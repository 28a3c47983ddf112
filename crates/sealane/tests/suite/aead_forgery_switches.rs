//! Forgeries of every class of length: data that was decrypted during authentication is encrypted
//! again, or wiped.

use sealane::{Backend, ChaCha20Poly1305, OpenError, Tag, XChaCha20Poly1305};

use crate::common::{array, backends, cpu_classes, test_bytes};

/// Lengths on each side of each change of algorithm. The messages have no head, part of a head,
/// whole groups of each backend and more, two passes, and several pieces (see `aead_switches.rs`).
const LENGTHS: [usize; 31] = [
    0, 1, 16, 192, 193, 448, 449, 512, 513, 576, 577, 640, 704, 705, 769, 832, 833, 960, 1350, 1472, 4352, 4353, 5000,
    16_383, 16_384, 16_385, 16_832, 20_000, 32_768, 32_769, 40_000,
];
/// Lengths of associated data: a short one, and one that is too long for the code for short
/// messages.
const AAD_LENGTHS: [usize; 2] = [13, 600];

/// The initial content of an output. No byte of it is zero.
const BEFORE: u8 = 0xa5;

/// The inputs of one opening.
#[derive(Clone)]
struct Message<const N: usize> {
    nonce: [u8; N],
    aad: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Tag,
}

/// Returns messages that differ from `good` in one place.
fn forgeries<const N: usize>(good: &Message<N>) -> Vec<(String, Message<N>)> {
    let mut forgeries = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut Message<N>)| {
        let mut bad = good.clone();
        change(&mut bad);
        forgeries.push((what, bad));
    };
    let length = good.ciphertext.len();
    for byte in 0..16 {
        let bit = byte % 8;
        add(format!("bit {bit} of byte {byte} of the tag"), &|bad| bad.tag[byte] ^= 1 << bit);
    }
    // The ends and the middle; the start of the first group in sealing; the ends of the head and of
    // the group after it in opening; the last whole block.
    let mut places = vec![0, 15, length / 2, length.saturating_sub(17), length.saturating_sub(1)];
    for group in [256, 512] {
        let head = length.next_multiple_of(64) % group;
        places.extend([group - 65, group - 64, group - 49, head.saturating_sub(1), head]);
        places.extend([head + group - 1, head + group]);
    }
    places.sort_unstable();
    places.dedup();
    for byte in places.into_iter().filter(|&byte| byte < length) {
        add(format!("byte {byte} of the ciphertext"), &|bad| bad.ciphertext[byte] ^= 0x10);
    }
    for byte in [0, good.aad.len() - 1] {
        add(format!("byte {byte} of the associated data"), &|bad| bad.aad[byte] ^= 0x80);
    }
    for byte in [0, N / 2, N - 1] {
        add(format!("byte {byte} of the nonce"), &|bad| bad.nonce[byte] ^= 1);
    }
    add("one zero more".into(), &|bad| bad.ciphertext.push(0));
    if length > 0 {
        add("one byte less".into(), &|bad| bad.ciphertext.truncate(length - 1));
    }
    forgeries
}

macro_rules! check {
    ($cipher:ty, $nonce_bytes:literal, $backend:expr, $length:expr, $aad:expr) => {{
        let (backend, length): (Backend, usize) = ($backend, $length);
        let cipher = <$cipher>::with_backend(&array(200), backend);
        let plaintext = test_bytes(201, length);
        let mut good = Message {
            nonce: array::<$nonce_bytes>(202),
            aad: test_bytes(203, $aad),
            ciphertext: plaintext.clone(),
            tag: [0; 16],
        };
        good.tag = cipher.seal_in_place(&good.nonce, &good.aad, &mut good.ciphertext);

        for (what, bad) in forgeries(&good) {
            let what = format!("{length} bytes, {what}, on {backend}");
            let mut buffer = bad.ciphertext.clone();
            let result = cipher.open_in_place(&bad.nonce, &bad.aad, &mut buffer, &bad.tag);
            assert_eq!(result, Err(OpenError), "in place: {what}");
            assert!(buffer == bad.ciphertext, "the buffer is not the ciphertext any more: {what}");

            let mut output = vec![BEFORE; bad.ciphertext.len()];
            let result = cipher.open_into(&bad.nonce, &bad.aad, &bad.ciphertext, &bad.tag, &mut output[..]);
            assert_eq!(result, Err(OpenError), "into other memory: {what}");
            // The written part is zero now, and the rest is unchanged.
            let wiped = output.iter().take_while(|&&byte| byte == 0).count();
            assert!(output[wiped..].iter().all(|&byte| byte == BEFORE), "the output holds something else: {what}");
        }

        // The same object still works, with buffers that have seen a forgery.
        let mut buffer = good.ciphertext.clone();
        let mut output = vec![BEFORE; length];
        let mut tag = good.tag;
        tag[15] ^= 0x80;
        assert_eq!(cipher.open_in_place(&good.nonce, &good.aad, &mut buffer, &tag), Err(OpenError));
        assert_eq!(cipher.open_into(&good.nonce, &good.aad, &good.ciphertext, &tag, &mut output[..]), Err(OpenError));
        assert_eq!(
            cipher.open_in_place(&good.nonce, &good.aad, &mut buffer, &good.tag),
            Ok(()),
            "{length} on {backend}"
        );
        assert!(buffer == plaintext, "{length} bytes on {backend}");
        let opened = cipher.open_into(&good.nonce, &good.aad, &good.ciphertext, &good.tag, &mut output[..]);
        assert!(opened.is_ok_and(|opened| opened == plaintext), "{length} bytes on {backend}");
    }};
}

#[test]
fn chacha20_poly1305() {
    for backend in backends() {
        for length in LENGTHS {
            for _ in cpu_classes(backend) {
                AAD_LENGTHS.into_iter().for_each(|aad| check!(ChaCha20Poly1305, 12, backend, length, aad));
            }
        }
    }
}

#[test]
fn xchacha20_poly1305() {
    for backend in backends() {
        for length in [1, 449, 1350, 5000, 16_384, 20_000] {
            for _ in cpu_classes(backend) {
                AAD_LENGTHS.into_iter().for_each(|aad| check!(XChaCha20Poly1305, 24, backend, length, aad));
            }
        }
    }
}
