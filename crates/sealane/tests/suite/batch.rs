//! Compares batches with the results for their messages one by one, which other tests compare with
//! the references.

use proptest::prelude::*;
use sealane::{Backend, ChaCha20Poly1305, OpenError, OpenRequest, SealRequest, Tag, XChaCha20Poly1305};

use crate::common::{array, backends, cases, cpu_classes, test_bytes};

/// A message, and the result of sealing it alone.
#[derive(Clone, Debug)]
struct Message<const N: usize> {
    nonce: [u8; N],
    aad: Vec<u8>,
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Tag,
}

const KEY: [u8; 32] = [0x9c; 32];

/// More messages than a vector has lanes.
const MANY: u64 = 22;

macro_rules! checks {
    ($module:ident, $cipher:ty, $nonce:literal) => {
        mod $module {
            use super::*;

            pub(super) fn message(seed: u64, aad: usize, length: usize) -> Message<$nonce> {
                let nonce = array(3 * seed);
                let (aad, plaintext) = (test_bytes(3 * seed + 1, aad), test_bytes(3 * seed + 2, length));
                let mut ciphertext = plaintext.clone();
                let cipher = <$cipher>::with_backend(&KEY, Backend::by_name("scalar").unwrap());
                let tag = cipher.seal_in_place(&nonce, &aad, &mut ciphertext);
                Message { nonce, aad, plaintext, ciphertext, tag }
            }

            /// Seals all messages in one batch.
            pub(super) fn seal(backend: Backend, messages: &[Message<$nonce>]) {
                let case = || format!("{} messages on {backend}", messages.len());
                let mut buffers: Vec<_> = messages.iter().map(|message| message.plaintext.clone()).collect();
                let mut tags = vec![[0x55; 16]; messages.len()];
                let outputs = buffers.iter_mut().zip(&mut tags);
                let mut requests: Vec<_> = messages
                    .iter()
                    .zip(outputs)
                    .map(|(message, (buffer, tag))| SealRequest::new(message.nonce, &message.aad, buffer, tag))
                    .collect();
                <$cipher>::with_backend(&KEY, backend).seal_batch(&mut requests);
                for (i, message) in messages.iter().enumerate() {
                    let bytes = message.plaintext.len();
                    assert!(buffers[i] == message.ciphertext, "number {i}, {bytes} bytes, of {}", case());
                    assert!(tags[i] == message.tag, "tag of number {i}, {bytes} bytes, of {}", case());
                }
            }

            /// Opens all messages in one batch. If `forge` returns true for the index of a message,
            /// its tag is made wrong.
            pub(super) fn open(backend: Backend, messages: &[Message<$nonce>], forge: impl Fn(usize) -> bool) {
                let mut messages = messages.to_vec();
                for (i, message) in messages.iter_mut().enumerate().filter(|(i, _)| forge(*i)) {
                    message.tag[i % 16] ^= 1 << (i % 8);
                }
                opens_all_but(backend, &messages, forge);
            }

            /// Opens all messages in one batch. `is_forged` returns whether the message at an index
            /// is a forgery.
            fn opens_all_but(backend: Backend, messages: &[Message<$nonce>], is_forged: impl Fn(usize) -> bool) {
                let case = || format!("{} messages on {backend}", messages.len());
                let mut buffers: Vec<_> = messages.iter().map(|message| message.ciphertext.clone()).collect();
                let mut requests: Vec<_> = messages
                    .iter()
                    .zip(&mut buffers)
                    .map(|(message, buffer)| OpenRequest::new(message.nonce, &message.aad, buffer, &message.tag))
                    .collect();
                assert!(requests.iter_mut().all(|request| request.plaintext() == Err(OpenError)), "before opening");
                let result = <$cipher>::with_backend(&KEY, backend).open_batch(&mut requests);
                assert_eq!(result.is_err(), (0..messages.len()).any(&is_forged), "{}", case());
                for (i, (mut request, message)) in requests.into_iter().zip(messages).enumerate() {
                    let expected = if is_forged(i) { Err(OpenError) } else { Ok(&message.plaintext[..]) };
                    let bytes = message.plaintext.len();
                    assert!(
                        request.plaintext().as_deref() == expected.as_ref().map(|p| *p),
                        "number {i}, {bytes} bytes, of {}",
                        case()
                    );
                    assert!(request.into_plaintext().as_deref() == expected.as_ref().map(|p| *p));
                }
                for (i, buffer) in buffers.iter().enumerate().filter(|(i, _)| is_forged(*i)) {
                    assert!(buffer.iter().all(|byte| *byte == 0), "number {i} of {} was not wiped", case());
                }
            }

            pub(super) fn both(backend: Backend, messages: &[Message<$nonce>]) {
                seal(backend, messages);
                open(backend, messages, |_| false);
            }

            #[test]
            fn every_number_of_messages() {
                let all: Vec<_> = (0..70).map(|i| message(i, 13, 64)).collect();
                for backend in backends() {
                    (0..=all.len()).for_each(|count| both(backend, &all[..count]));
                }
            }

            #[test]
            fn every_length_in_batches_of_equal_length() {
                for length in 0..=600 {
                    let messages: Vec<_> = (0..MANY).map(|i| message(1000 * i + length, 13, length as usize)).collect();
                    backends().into_iter().for_each(|backend| both(backend, &messages));
                }
            }

            #[test]
            fn every_length_in_one_batch() {
                let all: Vec<_> = (0..=600).map(|i| message(i, i as usize % 41, i as usize)).collect();
                let reversed: Vec<_> = all.iter().rev().cloned().collect();
                // 251 and 601 have no common factor, so each length occurs once, far from its
                // neighbours.
                let mixed: Vec<_> = (0..=600).map(|i| all[i * 251 % 601].clone()).collect();
                for backend in backends() {
                    both(backend, &all);
                    both(backend, &reversed);
                    both(backend, &mixed);
                    mixed.chunks(5).chain(mixed.chunks(25)).for_each(|messages| both(backend, messages));
                }
            }

            #[test]
            fn every_length_of_associated_data_in_one_batch() {
                let all: Vec<_> = (0..=40).chain([100, 2000, 5000]).map(|aad| message(aad, aad as usize, 33)).collect();
                backends().into_iter().for_each(|backend| both(backend, &all));
            }

            #[test]
            fn long_and_short_messages() {
                let lengths = |i: u64| match i % 4 {
                    0 => i as usize,
                    1 => 1000 + i as usize,
                    2 => 1990 + i as usize,
                    _ => 2000 + 40 * i as usize,
                };
                let all: Vec<_> = (0..76).map(|i| message(i, i as usize % 17, lengths(i))).collect();
                for backend in backends() {
                    both(backend, &all);
                    all.chunks(7).chain(all.chunks(26)).for_each(|messages| both(backend, messages));
                }
            }

            /// Lengths near the greatest at which a message is processed together with others.
            #[test]
            fn the_longest_messages() {
                let lengths = [4083, 4084, 4096, 4097, 5120, 6144, 6400, 8191, 8192, 8193, 8255, 8256, 8257, 8320, 9000];
                let equal = |length| (0..9).map(|i| message(i, 13, length)).collect::<Vec<_>>();
                let mixed: Vec<_> = (0..).zip(lengths).map(|(i, length)| message(i, i as usize, length)).collect();
                for backend in backends() {
                    for _ in cpu_classes(backend) {
                        both(backend, &mixed);
                        lengths.iter().for_each(|length| both(backend, &equal(*length)));
                        open(backend, &mixed, |i| i % 3 == 1);
                    }
                }
            }

            #[test]
            fn one_bad_tag_at_each_position() {
                for (count, length) in [(1, 64), (2, 64), (3, 0), (4, 64), (MANY, 100), (33, 64), (40, 300), (9, 1350)] {
                    let messages: Vec<_> = (0..count).map(|i| message(i, 5, length + i as usize % 3)).collect();
                    for backend in backends() {
                        (0..messages.len()).for_each(|bad| open(backend, &messages, |i| i == bad));
                    }
                }
            }

            /// Messages that some backends process alone because of their long associated data;
            /// some of them are too short for a group.
            #[test]
            fn long_associated_data() {
                let lengths = [0, 0, 1350, 0, 700, 513, 0, 1, 2048, 3000, 0, 0];
                for aad in [512, 513, 600] {
                    let all: Vec<_> = (0..).zip(lengths).map(|(i, length)| message(i, aad, length)).collect();
                    let reversed: Vec<_> = all.iter().rev().cloned().collect();
                    for backend in backends() {
                        both(backend, &all);
                        both(backend, &reversed);
                        (0..all.len()).for_each(|bad| open(backend, &all, |i| i == bad));
                    }
                }
            }

            /// One changed byte of ciphertext, associated data or nonce in a batch.
            #[test]
            fn a_changed_message_is_not_opened() {
                for length in [100, 600, 1350] {
                    let messages: Vec<_> = (0..10).map(|i| message(i, 13, length)).collect();
                    for backend in backends() {
                        for place in [0, 63, 64, 511, 512, length - 17, length - 1].into_iter().filter(|at| *at < length) {
                            rejects(backend, &messages, |bad| bad.ciphertext[place] ^= 4);
                        }
                        rejects(backend, &messages, |bad| bad.aad[12] ^= 4);
                        rejects(backend, &messages, |bad| bad.nonce[0] ^= 4);
                    }
                }
            }

            /// Changes one message at a time, and opens all.
            fn rejects(backend: Backend, messages: &[Message<$nonce>], change: impl Fn(&mut Message<$nonce>)) {
                for bad in [0, 3, messages.len() - 1] {
                    let mut messages = messages.to_vec();
                    change(&mut messages[bad]);
                    opens_all_but(backend, &messages, |i| i == bad);
                }
            }

            #[test]
            fn several_bad_tags() {
                let messages: Vec<_> = (0..70).map(|i| message(i, 20, 37 * i as usize)).collect();
                for backend in backends() {
                    open(backend, &messages, |_| true);
                    (2..9).for_each(|step| open(backend, &messages, |i| i % step == 0));
                    (2..9).for_each(|step| open(backend, &messages, |i| i % step != 0));
                }
            }

            #[test]
            fn every_bit_of_a_tag() {
                let messages: Vec<_> = (0..MANY).map(|i| message(i, 13, if i < 8 { 64 } else { 100 })).collect();
                for backend in backends() {
                    for bit in 0..256 {
                        // First a message of one length, then one of the other.
                        let wrong = if bit < 128 { 3 } else { 13 };
                        let bit = bit % 128;
                        let mut bad = messages.clone();
                        bad[wrong].tag[bit / 8] ^= 1 << (bit % 8);
                        opens_all_but(backend, &bad, |i| i == wrong);
                    }
                }
            }

            #[test]
            fn requests_are_processed_once() {
                for (count, length, backend) in [(1, 50), (5, 50), (40, 50), (40, 1350), (2, 9000)]
                    .into_iter()
                    .flat_map(|(count, length)| backends().into_iter().map(move |backend| (count, length, backend)))
                {
                    let messages: Vec<_> = (0..count).map(|i| message(i, 0, length)).collect();
                    let cipher = <$cipher>::with_backend(&KEY, backend);
                    let mut buffers: Vec<_> = messages.iter().map(|message| message.ciphertext.clone()).collect();
                    let mut requests: Vec<_> = messages
                        .iter()
                        .zip(&mut buffers)
                        .map(|(message, buffer)| OpenRequest::new(message.nonce, &message.aad, buffer, &message.tag))
                        .collect();
                    let half = messages.len().div_ceil(2);
                    assert_eq!(cipher.open_batch(&mut requests[..half]), Ok(()));
                    // The first half of the buffers no longer holds ciphertexts.
                    assert_eq!(cipher.open_batch(&mut requests), Ok(()));
                    for (request, message) in requests.iter_mut().zip(&messages) {
                        assert_eq!(request.plaintext(), Ok(&mut message.plaintext.clone()[..]));
                    }

                    let mut buffers: Vec<_> = messages.iter().map(|message| message.plaintext.clone()).collect();
                    let mut tags = vec![[0; 16]; messages.len()];
                    let mut requests: Vec<_> = messages
                        .iter()
                        .zip(buffers.iter_mut().zip(&mut tags))
                        .map(|(message, (buffer, tag))| SealRequest::new(message.nonce, &message.aad, buffer, tag))
                        .collect();
                    cipher.seal_batch(&mut requests[..half]);
                    cipher.seal_batch(&mut requests);
                    cipher.seal_batch(&mut requests);
                    for ((buffer, tag), message) in buffers.iter().zip(&tags).zip(&messages) {
                        assert_eq!((buffer, tag), (&message.ciphertext, &message.tag), "{backend}");
                    }
                }
            }

            /// Random tests once found a failure with this message.
            #[test]
            fn one_message_of_1345_bytes() {
                let messages = [message(0, 0, 1345)];
                for backend in backends() {
                    both(backend, &messages);
                    open(backend, &messages, |_| true);
                }
            }

            proptest! {
                #![proptest_config(cases(200))]

                #[test]
                fn any_batch(
                    shapes in prop::collection::vec(
                        (0_usize..50, prop_oneof![4 => 0_usize..200, 2 => 0_usize..1500, 1 => 0_usize..5000], any::<bool>()),
                        0..45,
                    ),
                    seed in 0_u64..1 << 40,
                ) {
                    let messages: Vec<_> = (seed..).zip(&shapes).map(|(i, (aad, length, _))| message(i, *aad, *length)).collect();
                    for backend in backends() {
                        both(backend, &messages);
                        open(backend, &messages, |i| shapes[i].2);
                    }
                }
            }
        }
    };
}

checks!(chacha20_poly1305, ChaCha20Poly1305, 12);
checks!(xchacha20_poly1305, XChaCha20Poly1305, 24);
