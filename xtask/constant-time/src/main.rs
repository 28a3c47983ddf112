//! Runs a primitive with secrets that valgrind's memcheck takes for uninitialised: it then reports every branch and every
//! memory address that depends on them. `cargo xtask constant-time` runs this program for every backend and primitive.
//!
//! `constant-time BACKEND PRIMITIVE`. The primitives `leaky-branch` and `leaky-index` are the positive controls: a run that does
//! not report them proves nothing.

mod memcheck;

use std::hint::black_box;
use std::process::ExitCode;

use sealane::chacha20::{ChaCha20, ChaCha20Original, XChaCha20};
use sealane::{Backend, ChaCha20Poly1305, Poly1305, SealRequest, XChaCha20Poly1305};

/// Lengths in bytes that reach every kernel of every backend, with and without a rest.
const LENGTHS: [usize; 10] = [0, 1, 64, 100, 300, 500, 700, 1024, 2300, 9000];
const KEY: [u8; 32] = [0x42; 32];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [backend, primitive] = arguments.as_slice() else {
        eprintln!("usage: constant-time BACKEND PRIMITIVE");
        return ExitCode::from(2);
    };
    let backend = match Backend::by_name(backend) {
        Ok(backend) => backend,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    if !memcheck::is_running() {
        eprintln!("not under valgrind: nothing would be checked");
        return ExitCode::from(2);
    }
    match primitive.as_str() {
        "chacha20" => chacha20(backend),
        "poly1305" => poly1305(backend),
        "seal" => seal(backend),
        "pieces" => pieces(backend),
        "batch" => batch(backend),
        "leaky-branch" => leaky_branch(),
        "leaky-index" => leaky_index(),
        _ => {
            eprintln!("no such primitive: {primitive}");
            return ExitCode::from(2);
        }
    }
    println!("{primitive} on {backend}: done");
    ExitCode::SUCCESS
}

/// A copy of `bytes` that memcheck tracks.
fn secret<T: AsMut<[u8]>>(mut bytes: T) -> T {
    memcheck::make_undefined(bytes.as_mut());
    bytes
}

/// Ends the tracking of what is public: ciphertexts and tags.
fn public<T: AsMut<[u8]>>(mut bytes: T) {
    memcheck::make_defined(bytes.as_mut());
    black_box(bytes.as_mut());
}

fn chacha20(backend: Backend) {
    let key = secret(KEY);
    for length in LENGTHS {
        let mut data = secret(vec![1; length]);
        ChaCha20::with_backend(&key, &[2; 12], backend).apply_keystream(&mut data).expect("within the key stream");
        XChaCha20::with_backend(&key, &[2; 24], backend).apply_keystream(&mut data).expect("within the key stream");
        let mut original = ChaCha20Original::with_backend(&key, &[2; 8], backend);
        original.seek(64 * 0xffff_fffe).expect("within the key stream");
        original.apply_keystream(&mut data).expect("within the key stream");
        public(data);
    }
}

fn poly1305(backend: Backend) {
    let key = secret(KEY);
    for length in LENGTHS {
        let message = secret(vec![0xff; length]);
        let mut mac = Poly1305::with_backend(&key, backend);
        mac.update(&message);
        mac.update(&message[..length / 3]);
        public(mac.finalize());
    }
}

fn seal(backend: Backend) {
    let key = secret(KEY);
    for length in LENGTHS {
        let mut data = secret(vec![1; length]);
        let tag = ChaCha20Poly1305::with_backend(&key, backend).seal_in_place(&[2; 12], b"associated data", &mut data);
        public(tag);
        let tag = XChaCha20Poly1305::with_backend(&key, backend).seal_in_place(&[2; 24], b"associated data", &mut data);
        public(tag);
        public(data);
    }
}

/// The incremental interface. Opening in one call branches on whether the tag is right, which is public but depends on the
/// key; here its parts are run without that last step.
fn pieces(backend: Backend) {
    let cipher = ChaCha20Poly1305::with_backend(&secret(KEY), backend);
    for length in LENGTHS {
        let mut data = secret(vec![1; length]);
        let mut sealer = cipher.sealer(&[2; 12], b"associated data");
        let mut opener = cipher.opener(&[2; 12], b"associated data");
        for piece in data.chunks_mut(700) {
            sealer.seal(piece).expect("within the key stream");
            opener.decrypt_unauthenticated(piece).expect("within the key stream");
        }
        public(sealer.finish());
        public(data);
    }
}

/// Messages of all lengths, sealed together. Opening branches on whether each tag is right, as does opening in one call; the
/// kernels are the same.
fn batch(backend: Backend) {
    let key = secret(KEY);
    let mut messages: Vec<_> = (0..40).map(|i| (secret(vec![1; LENGTHS[i % LENGTHS.len()]]), [0; 16])).collect();
    let mut requests: Vec<_> =
        messages.iter_mut().map(|(data, tag)| SealRequest::new([2; 12], b"associated data", data, tag)).collect();
    ChaCha20Poly1305::with_backend(&key, backend).seal_batch(&mut requests);
    let mut requests: Vec<_> =
        messages.iter_mut().map(|(data, tag)| SealRequest::new([2; 24], b"associated data", data, tag)).collect();
    XChaCha20Poly1305::with_backend(&key, backend).seal_batch(&mut requests);
    for (data, tag) in messages {
        public(data);
        public(tag);
    }
}

/// Compares as `==` does: until the first difference.
fn leaky_branch() {
    let secret = secret(KEY);
    for i in 0..secret.len() {
        if black_box(secret[i]) != black_box(KEY[i]) {
            break;
        }
    }
}

/// Looks a secret up in a table.
fn leaky_index() {
    let table: [u8; 256] = std::array::from_fn(|i| i as u8);
    let secret = secret([7; 1]);
    public([black_box(&table)[usize::from(secret[0])]]);
}
