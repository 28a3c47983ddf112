//! Runs a primitive with secrets that valgrind's memcheck takes for uninitialised: it then reports every branch and every
//! memory address that depends on them. `cargo xtask ct` runs this program for every backend and primitive.
//!
//! `constant-time BACKEND PRIMITIVE`. The primitives `leaky-branch` and `leaky-index` are the positive controls: a run that does
//! not report them proves nothing.

mod gf2n;
mod gf8;
mod haraka;
mod memcheck;
mod shamir;

use std::hint::black_box;
use std::process::ExitCode;

use sealane::chacha20::{ChaCha20, ChaCha20Original, XChaCha20};
use sealane::{
    Backend, ChaCha20Poly1305, CommittingXChaCha20Poly1305, OpenRequest, Poly1305, SealRequest, Tag, XChaCha20Poly1305,
};

/// Lengths in bytes that reach every kernel of every backend, with and without a rest.
const LENGTHS: [usize; 13] = [0, 1, 64, 100, 300, 500, 512, 700, 1024, 1350, 2300, 9000, 16384];
const AAD: &[u8] = b"associated data";
const KEY: [u8; 32] = [0x42; 32];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [backend, primitive] = arguments.as_slice() else {
        eprintln!("usage: constant-time BACKEND PRIMITIVE");
        return ExitCode::from(2);
    };
    if let Ok(clmul) = sealane::gf2n::Backend::by_name(backend)
        && memcheck::is_running()
        && gf2n::run(primitive, clmul)
    {
        println!("{primitive} on {backend}: done");
        return ExitCode::SUCCESS;
    }
    if !memcheck::is_running() {
        eprintln!("not under valgrind: nothing would be checked");
        return ExitCode::from(2);
    }
    let result = match primitive.as_str() {
        "haraka" => backend.parse().map(haraka::run),
        "gf8" => backend.parse().map(gf8::run),
        "shamir" => backend.parse().map(shamir::share_and_combine),
        "shamir-check" => backend.parse().map(shamir::check),
        _ => backend.parse().map(|backend| run(backend, primitive)),
    };
    if let Err(error) = result {
        eprintln!("{error}");
        return ExitCode::from(2);
    }
    println!("{primitive} on {backend}: done");
    ExitCode::SUCCESS
}

/// Runs a primitive of the ChaCha family, or a control.
fn run(backend: Backend, primitive: &str) {
    match primitive {
        "chacha20" => chacha20(backend),
        "poly1305" => poly1305(backend),
        "seal" => seal(backend),
        "commit" => commit(backend),
        "pieces" => pieces(backend),
        "batch" => batch(backend),
        "open" => open(backend),
        "open-commit" => open_commit(backend),
        "open-pieces" => open_pieces(backend),
        "open-batch" => open_batch(backend),
        "leaky-branch" => leaky_branch(),
        "leaky-index" => leaky_index(),
        _ => {
            eprintln!("no such primitive: {primitive}");
            std::process::exit(2);
        }
    }
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
        let tag = ChaCha20Poly1305::with_backend(&key, backend).seal_in_place(&[2; 12], AAD, &mut data);
        public(tag);
        let tag = XChaCha20Poly1305::with_backend(&key, backend).seal_in_place(&[2; 24], AAD, &mut data);
        public(tag);
        public(data);
    }
}

/// Tags that commit to the key.
fn commit(backend: Backend) {
    let cipher = CommittingXChaCha20Poly1305::with_backend(&secret(KEY), backend);
    for length in LENGTHS {
        let mut data = secret(vec![1; length]);
        public(cipher.seal_in_place(&[2; 24], AAD, &mut data));
        public(data);
    }
}

/// The incremental interface.
fn pieces(backend: Backend) {
    let cipher = ChaCha20Poly1305::with_backend(&secret(KEY), backend);
    for length in LENGTHS {
        let mut data = secret(vec![1; length]);
        let mut sealer = cipher.sealer(&[2; 12], AAD);
        let mut opener = cipher.opener(&[2; 12], AAD);
        for piece in data.chunks_mut(700) {
            sealer.seal(piece).expect("within the key stream");
            opener.decrypt_unauthenticated(piece).expect("within the key stream");
        }
        public(sealer.finish());
        public(data);
    }
}

/// Messages of all lengths, sealed together.
fn batch(backend: Backend) {
    let key = secret(KEY);
    let mut messages: Vec<_> = (0..40).map(|i| (secret(vec![1; LENGTHS[i % LENGTHS.len()]]), [0; 16])).collect();
    let mut requests: Vec<_> =
        messages.iter_mut().map(|(data, tag)| SealRequest::new([2; 12], AAD, data, tag)).collect();
    ChaCha20Poly1305::with_backend(&key, backend).seal_batch(&mut requests);
    let mut requests: Vec<_> =
        messages.iter_mut().map(|(data, tag)| SealRequest::new([2; 24], AAD, data, tag)).collect();
    XChaCha20Poly1305::with_backend(&key, backend).seal_batch(&mut requests);
    for (data, tag) in messages {
        public(data);
        public(tag);
    }
}

/// What follows ends with branches on whether a tag is right, which depends on the key; xtask knows the lines that have them.
///
/// Messages with the right tag, and with a wrong one: what was decrypted is then taken back.
fn open(backend: Backend) {
    let cipher = ChaCha20Poly1305::with_backend(&secret(KEY), backend);
    for length in LENGTHS {
        for forged in [false, true] {
            let (mut data, tag) = sealed(backend, length, forged);
            let mut copy = vec![0; length];
            let result = cipher.open_into(&[2; 12], AAD, &data, &tag, &mut copy[..]);
            assert_eq!(is_ok(&result), !forged);
            public(copy);
            let result = cipher.open_in_place(&[2; 12], AAD, &mut data, &tag);
            assert_eq!(is_ok(&result), !forged);
            public(data);
        }
    }
}

/// As [`open`], for tags that commit to the key.
fn open_commit(backend: Backend) {
    let cipher = CommittingXChaCha20Poly1305::with_backend(&secret(KEY), backend);
    for length in LENGTHS {
        for forged in [false, true] {
            let mut data = vec![1; length];
            let untracked = CommittingXChaCha20Poly1305::with_backend(&KEY, backend);
            let mut tag = untracked.seal_in_place(&[2; 24], AAD, &mut data);
            tag[31] ^= u8::from(forged);
            let mut copy = vec![0; length];
            let result = cipher.open_into(&[2; 24], AAD, &data, &tag, &mut copy[..]);
            assert_eq!(is_ok(&result), !forged);
            public(copy);
            let result = cipher.open_in_place(&[2; 24], AAD, &mut data, &tag);
            assert_eq!(is_ok(&result), !forged);
            public(data);
        }
    }
}

/// As [`open`], for messages in pieces.
fn open_pieces(backend: Backend) {
    let cipher = ChaCha20Poly1305::with_backend(&secret(KEY), backend);
    for length in LENGTHS {
        for forged in [false, true] {
            let (data, tag) = sealed(backend, length, forged);
            let mut opener = cipher.opener(&[2; 12], AAD);
            for piece in data.chunks(700) {
                opener.update(piece).expect("within the key stream");
            }
            let result = opener.verify(&tag);
            assert_eq!(is_ok(&result), !forged);
        }
    }
}

/// As [`open`], for many messages, of which every third is a forgery.
fn open_batch(backend: Backend) {
    let forged = |i: usize| i.is_multiple_of(3);
    let length = |i: usize| LENGTHS[i % LENGTHS.len()];
    let mut messages: Vec<_> = (0..40).map(|i| sealed(backend, length(i), forged(i))).collect();
    let mut requests: Vec<_> =
        messages.iter_mut().map(|(data, tag)| OpenRequest::new([2; 12], AAD, data, tag)).collect();
    let result = ChaCha20Poly1305::with_backend(&secret(KEY), backend).open_batch(&mut requests);
    assert!(!is_ok(&result), "some are forgeries");
    drop(requests);
    for (i, (mut data, _)) in messages.into_iter().enumerate() {
        memcheck::make_defined(&mut data);
        assert_eq!(data, vec![u8::from(!forged(i)); length(i)], "opened, or wiped");
    }
}

/// A ciphertext and its tag, which are public, under a key that is not tracked.
fn sealed(backend: Backend, length: usize, forged: bool) -> (Vec<u8>, Tag) {
    let mut data = vec![1; length];
    let mut tag = ChaCha20Poly1305::with_backend(&KEY, backend).seal_in_place(&[2; 12], AAD, &mut data);
    tag[15] ^= u8::from(forged);
    (data, tag)
}

/// What everybody sees.
fn is_ok<T, E>(result: &Result<T, E>) -> bool {
    let mut ok = [u8::from(result.is_ok())];
    memcheck::make_defined(&mut ok);
    ok[0] == 1
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
