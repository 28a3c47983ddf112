//! Seals and opens a message, and splits and recovers a secret, on a microcontroller with 32 KB of
//! RAM and without an allocator. The results are compared with known answers.
//!
//! After each step, the program prints how many bytes of stack the step used.
//! `examples/cortex-m/test` runs it in an emulator, and reads these lines.
#![no_std]
#![no_main]

mod known;
mod stack;

use sealane::shamir::bytes::{Combiner, Splitter};
use sealane::shamir::{self, Gf8Backend};
use sealane::{Backend, ChaCha20Poly1305, OpenError};
use semihosting::{eprintln, process};

/// A part of the program whose stack is measured.
type Step = fn() -> Result<(), Failure>;

#[cortex_m_rt::entry]
fn main() -> ! {
    let steps: [(&str, Step); 4] = [
        ("the known-answer tests of the cipher", || same("backend", Backend::detect().name(), "scalar")),
        ("sealing and opening", seal_and_open),
        ("the known-answer tests of secret sharing", || same("backend", Gf8Backend::detect().name(), "scalar")),
        ("splitting and recovering", split_and_recover),
    ];
    for (name, step) in steps {
        let result = stack::measure(name, step);
        if let Err(failure) = result {
            eprintln!("{name}: {failure:?}");
            process::exit(1);
        }
    }
    stack::print_size();
    process::exit(0)
}

/// The reason why a step failed.
#[derive(Debug)]
enum Failure {
    /// A result is not the known answer.
    Wrong(#[expect(dead_code, reason = "printed")] &'static str),
    /// An authentic message was not opened.
    NotOpened,
    /// A forged message was opened.
    Forged,
    /// Secret sharing refused its arguments.
    Sharing(#[expect(dead_code, reason = "printed")] shamir::Error),
}

impl From<OpenError> for Failure {
    fn from(_: OpenError) -> Self {
        Self::NotOpened
    }
}

impl From<shamir::Error> for Failure {
    fn from(error: shamir::Error) -> Self {
        Self::Sharing(error)
    }
}

fn same<T: PartialEq + ?Sized>(what: &'static str, result: &T, known: &T) -> Result<(), Failure> {
    if result == known { Ok(()) } else { Err(Failure::Wrong(what)) }
}

/// Seals and opens the example of RFC 8439, section 2.8.2, and a message of several kilobytes.
fn seal_and_open() -> Result<(), Failure> {
    let cipher = ChaCha20Poly1305::new(&known::KEY);
    let mut message = *known::PLAINTEXT;
    let tag = cipher.seal_in_place(&known::NONCE, &known::AAD, &mut message);
    same("ciphertext", &message, &known::CIPHERTEXT)?;
    same("tag", &tag, &known::TAG)?;
    cipher.open_in_place(&known::NONCE, &known::AAD, &mut message, &tag)?;
    same("plaintext", &message, known::PLAINTEXT)?;

    // Two messages never have the same key and nonce.
    let mut packet = [0x5a; 4096];
    let mut tag = cipher.seal_in_place(&known::PACKET_NONCE, b"", &mut packet);
    same("tag of the packet", &tag, &known::PACKET_TAG)?;
    tag[0] ^= 1;
    if cipher.open_in_place(&known::PACKET_NONCE, b"", &mut packet, &tag).is_ok() {
        return Err(Failure::Forged);
    }
    tag[0] ^= 1;
    cipher.open_in_place(&known::PACKET_NONCE, b"", &mut packet, &tag)?;
    same("packet", &packet, &[0x5a; 4096])
}

/// Splits a key into five shares, and recovers it from three.
fn split_and_recover() -> Result<(), Failure> {
    let mut shares = [[0; 32]; known::POINTS.len()];
    let mut buffers = shares.each_mut().map(|share| &mut share[..]);
    Splitter::from_seed(3, &known::POINTS, &known::SEED)?.split(&known::KEY, &mut buffers)?;
    same("shares", &shares, &known::SHARES)?;

    let mut recovered = [0; 32];
    Combiner::new(&[5, 1, 4])?.combine(&[&shares[4], &shares[0], &shares[3]], &mut recovered)?;
    same("secret", &recovered, &known::KEY)
}
