//! The primitives, and their work on a message.

use std::hint::black_box;

use sealane::chacha20::ChaCha20;
use sealane::{Backend, ChaCha20Poly1305, Poly1305, Tag, XChaCha20Poly1305};
use sealane_measure::{Work, size_name};

use crate::error::{Error, Result};

/// The same length as in a TLS 1.2 record.
const AAD: [u8; 13] = *b"thirteenbytes";
const KEY: [u8; 32] = *b"the same key for each benchmark.";

/// A message, and its output.
pub(super) struct Message {
    /// The input of primitives that do not work in place.
    input: Vec<u8>,
    pub(super) output: Vec<u8>,
    /// The last tag, or the tag to check.
    pub(super) tag: Tag,
    /// The tag before the first call. To open a message, it is the input's tag.
    initial_tag: Tag,
}

/// Does a primitive's work on this many messages.
///
/// The first call works on message number 0, whose result is the same on every backend.
pub(super) type Operation = Box<dyn FnMut(u64, &mut Message)>;

/// A primitive to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Primitive {
    ChaCha20,
    Poly1305,
    Seal,
    Open,
    ExtendedSeal,
}

impl Primitive {
    pub(super) const ALL: [Self; 5] = [Self::ChaCha20, Self::Poly1305, Self::Seal, Self::Open, Self::ExtendedSeal];

    /// The name in reports and for `--filter`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ChaCha20 => "chacha20",
            Self::Poly1305 => "poly1305",
            Self::Seal => "chacha20poly1305-seal",
            Self::Open => "chacha20poly1305-open",
            Self::ExtendedSeal => "xchacha20poly1305-seal",
        }
    }

    /// Returns the work, which gives a lower bound for the time of a message.
    pub(super) fn work(self) -> Work {
        match self {
            Self::ChaCha20 => Work::ChaCha20,
            Self::Poly1305 => Work::Poly1305,
            Self::Seal | Self::Open | Self::ExtendedSeal => Work::Aead,
        }
    }

    /// Returns the name and the operation, for a person.
    pub(super) fn title(name: &str) -> (&'static str, &'static str) {
        match name {
            "chacha20" => ("ChaCha20", "encryption in place, a new nonce for each message"),
            "poly1305" => ("Poly1305", "the tag of a message, a new key object for each"),
            "chacha20poly1305-seal" => {
                ("ChaCha20-Poly1305, seal", "in place, 13 bytes of associated data, a new nonce for each message")
            }
            "chacha20poly1305-open" => {
                ("ChaCha20-Poly1305, open", "from one buffer into another, 13 bytes of associated data")
            }
            _ => (
                "XChaCha20-Poly1305, seal",
                "in place, 13 bytes of associated data, a new 192-bit nonce for each message",
            ),
        }
    }

    /// Returns the work on `backend`.
    pub(super) fn operation(self, backend: Backend) -> Operation {
        match self {
            Self::ChaCha20 => repeated(move |number, message| {
                let mut cipher = ChaCha20::with_backend(black_box(&KEY), black_box(&nonce(number)), backend);
                cipher.apply_keystream(&mut message.output).expect("a message shorter than the key stream");
            }),
            Self::Poly1305 => repeated(move |_, message| {
                let mut mac = Poly1305::with_backend(black_box(&KEY), backend);
                mac.update(&message.output);
                message.tag = mac.finalize();
            }),
            Self::Seal => {
                let cipher = ChaCha20Poly1305::with_backend(&KEY, backend);
                repeated(move |number, message| {
                    message.tag =
                        black_box(&cipher).seal_in_place(black_box(&nonce(number)), &AAD, &mut message.output);
                })
            }
            Self::Open => {
                let cipher = ChaCha20Poly1305::with_backend(&KEY, backend);
                repeated(move |_, message| {
                    let Message { input, output, tag, .. } = message;
                    let opened =
                        black_box(&cipher).open_into(black_box(&nonce(0)), &AAD, input, tag, output.as_mut_slice());
                    // The plaintext was compared before the measurement.
                    debug_assert!(opened.is_ok(), "an authentic message is refused");
                    black_box(opened.is_ok());
                })
            }
            Self::ExtendedSeal => {
                let cipher = XChaCha20Poly1305::with_backend(&KEY, backend);
                repeated(move |number, message| {
                    message.tag =
                        black_box(&cipher).seal_in_place(black_box(&nonce(number)), &AAD, &mut message.output);
                })
            }
        }
    }

    /// Returns a message of `size` bytes for this primitive.
    pub(super) fn message(self, size: usize) -> Result<Message> {
        let mut input = allocate(size)?;
        input.extend((0..size).map(|i| (i * 31 + i / 256 + 1) as u8));
        let mut initial_tag = [0; 16];
        if self == Self::Open {
            let scalar = Backend::available().next().expect("portable code is always available");
            initial_tag = ChaCha20Poly1305::with_backend(&KEY, scalar).seal_in_place(&nonce(0), &AAD, &mut input);
        }
        let mut output = allocate(size)?;
        output.resize(size, 0);
        Ok(Message { input, output, tag: initial_tag, initial_tag })
    }
}

impl Message {
    /// Returns to the initial message, without an earlier result.
    pub(super) fn reset(&mut self, primitive: Primitive) {
        if primitive == Primitive::Open {
            self.output.fill(0);
        } else {
            self.output.copy_from_slice(&self.input);
        }
        self.tag = self.initial_tag;
    }

    /// Returns everything that a primitive writes, the tag last.
    pub(super) fn result(&self) -> Result<Vec<u8>> {
        let mut result = allocate(self.output.len() + self.tag.len())?;
        result.extend_from_slice(&self.output);
        result.extend_from_slice(&self.tag);
        Ok(result)
    }

    /// Returns whether a primitive's result for the message is right.
    pub(super) fn is_result(&self, expected: &[u8]) -> bool {
        expected.split_at_checked(self.output.len()) == Some((&self.output[..], &self.tag[..]))
    }
}

/// Makes a loop over the work on one message, so that only one call for many messages goes through
/// a pointer. The compiler knows nothing about the message, so it cannot move work out of the loop.
fn repeated(mut one: impl FnMut(u64, &mut Message) + 'static) -> Operation {
    let mut number = 0;
    Box::new(move |count, message| {
        for _ in 0..count {
            one(number, black_box(&mut *message));
            black_box(&mut *message);
            number += 1;
        }
    })
}

/// The nonce of message `number`: a counter.
fn nonce<const N: usize>(number: u64) -> [u8; N] {
    let mut nonce = [0; N];
    nonce[N - 8..].copy_from_slice(&number.to_le_bytes());
    nonce
}

fn allocate(size: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| {
        Error::new(format!("not enough memory for messages of {}", size_name(size))).hint("give smaller --sizes")
    })?;
    Ok(bytes)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns the references' result for message number 0.
    pub(in super::super) fn of_the_references(primitive: Primitive, size: usize) -> Vec<u8> {
        let input: Vec<u8> = (0..size).map(|i| (i * 31 + i / 256 + 1) as u8).collect();
        let seal = || sealane_spec::aead::chacha20_aead_encrypt(&AAD, &KEY, &[0; 12], &input);
        let (output, tag) = match primitive {
            Primitive::ChaCha20 => (sealane_spec::chacha::chacha20_encrypt(&KEY, 0, &[0; 12], &input), [0; 16]),
            Primitive::Poly1305 => (input.clone(), sealane_spec::poly1305::poly1305_mac(&input, &KEY)),
            Primitive::Seal => seal(),
            Primitive::Open => (input.clone(), seal().1),
            Primitive::ExtendedSeal => sealane_spec::aead::xchacha20_aead_encrypt(&AAD, &KEY, &[0; 24], &input),
        };
        [&output[..], &tag].concat()
    }

    #[test]
    fn every_backend_does_what_the_references_do() {
        for primitive in Primitive::ALL {
            for size in [1, 64, 1000, 5000] {
                let expected = of_the_references(primitive, size);
                for backend in Backend::available() {
                    let mut message = primitive.message(size).unwrap();
                    message.reset(primitive);
                    assert!(!message.is_result(&expected), "nothing was done yet");
                    primitive.operation(backend)(1, &mut message);
                    assert!(message.is_result(&expected), "{primitive:?} {size} {backend}");
                    assert_eq!(message.result().unwrap(), expected);
                }
            }
        }
    }
}
