//! Repeats operations between calls of [`boundary`], before which callgrind writes down how many instructions it has counted.
//! `cargo xtask instructions` runs this program once per backend.
//!
//! `sealane-instructions-probe BACKEND` prints a line `OPERATION SIZE BYTES MORE` for each case: the size of a message, and how
//! many bytes of messages one operation processes. It calls the boundary three times a case: before one operation, before
//! [`MORE`] + 1, and after them.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::process::ExitCode;

use sealane::chacha20::ChaCha20;
use sealane::{
    Backend, ChaCha20Poly1305, CommittingChaCha20Poly1305, Poly1305, SealRequest, TAG_BYTES, XChaCha20Poly1305,
};

const MORE: usize = 10;

const AAD: [u8; 13] = [0xad; 13];
const KEY: [u8; 32] = [0x42; 32];
/// Of messages, in bytes.
const SIZES: [usize; 10] = [16, 64, 128, 256, 448, 512, 1024, 1350, 4096, LONGEST];
const LONGEST: usize = 16384;
/// Of the messages of a batch.
const BATCH_SIZES: [usize; 3] = [64, 256, 1350];
const BATCH: usize = 32;

/// How many instructions `memcpy` takes depends on the alignment. A variable of this type aligns the stack from there on, which
/// else begins where the environment's variables end.
#[repr(align(4096))]
struct Buffer([u8; BATCH * BATCH_SIZES[2]]);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [backend] = arguments.as_slice() else {
        eprintln!("usage: sealane-instructions-probe BACKEND");
        return ExitCode::from(2);
    };
    // Not the environment's choice or detection: what is missing is an error.
    match Backend::by_name(backend) {
        Ok(backend) => cases(backend),
        Err(error) => {
            eprintln!("{backend}: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Runs one case, whose operation processes `bytes` bytes in messages of `size` bytes.
fn case(name: &str, size: usize, bytes: usize, mut operation: impl FnMut()) {
    println!("{name} {size} {bytes} {MORE}");
    // The dynamic linker's work, and whatever else is done once.
    operation();
    repeat(&[1, 1 + MORE, 0], &mut operation);
}

/// Each so many times after a call of [`boundary`]. A loop over what the compiler does not know, so that the same instructions
/// surround each repetition; a dynamic call, so that it can neither unroll the loop nor move work out of it.
#[inline(never)]
fn repeat(times: &[usize], operation: &mut dyn FnMut()) {
    for &times in black_box(times) {
        boundary();
        for _ in 0..times {
            operation();
        }
    }
}

/// xtask names this function to callgrind.
#[inline(never)]
fn boundary() {
    black_box(());
}

/// A different one for each message, at the same cost.
struct Nonces(u64);

impl Nonces {
    fn next<const N: usize>(&mut self) -> [u8; N] {
        self.0 += 1;
        let mut nonce = [0; N];
        nonce[..8].copy_from_slice(&self.0.to_le_bytes());
        nonce
    }
}

fn cases(backend: Backend) {
    let key = black_box(KEY);
    let mut buffer = black_box(Buffer([0x5a; _]));
    let mut nonces = Nonces(0);

    for size in SIZES {
        let data = &mut buffer.0[..size];
        case("chacha20", size, size, || {
            let mut cipher = ChaCha20::with_backend(&key, &nonces.next(), backend);
            cipher.apply_keystream(data).expect("the key stream is longer than that");
        });
    }
    for size in SIZES {
        let data = &buffer.0[..size];
        case("poly1305", size, size, || {
            let mut mac = Poly1305::with_backend(&key, backend);
            mac.update(data);
            black_box(mac.finalize());
        });
    }
    let cipher = ChaCha20Poly1305::with_backend(&key, backend);
    for size in SIZES {
        let data = &mut buffer.0[..size];
        case("seal", size, size, || {
            black_box(cipher.seal_in_place(&nonces.next(), &AAD, data));
        });
        // There is nothing to open without a sealed message: this is both, and xtask subtracts the case above.
        case("seal+open", size, size, || {
            let nonce = nonces.next();
            let tag = cipher.seal_in_place(&nonce, &AAD, data);
            cipher.open_in_place(&nonce, &AAD, data, &tag).expect("what was sealed opens");
        });
    }
    let committing = CommittingChaCha20Poly1305::with_backend(&key, backend);
    for size in [64, 1024, LONGEST] {
        let data = &mut buffer.0[..size];
        case("commit-seal", size, size, || {
            black_box(committing.seal_in_place(&nonces.next(), &AAD, data));
        });
        case("commit-seal+open", size, size, || {
            let nonce = nonces.next();
            let tag = committing.seal_in_place(&nonce, &AAD, data);
            committing.open_in_place(&nonce, &AAD, data, &tag).expect("what was sealed opens");
        });
    }
    for size in BATCH_SIZES {
        let data = &mut buffer.0[..BATCH * size];
        // The requests are built for each batch, as their users do.
        case("seal-batch-32", size, BATCH * size, || {
            let mut tags = [[0; TAG_BYTES]; BATCH];
            let mut messages = data.chunks_exact_mut(size).zip(&mut tags);
            let mut requests: [_; BATCH] = std::array::from_fn(|_| {
                let (message, tag) = messages.next().expect("as many as requests");
                SealRequest::new(nonces.next(), &AAD, message, tag)
            });
            cipher.seal_batch(&mut requests);
            black_box(tags);
        });
    }
    let cipher = XChaCha20Poly1305::with_backend(&key, backend);
    let data = &mut buffer.0[..64];
    case("xchacha-seal", 64, 64, || {
        black_box(cipher.seal_in_place(&nonces.next(), &AAD, data));
    });
}
