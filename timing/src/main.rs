//! Does the time of an operation depend on secrets? Each operation runs on a fixed secret and on random ones, in random order, and Welch's
//! t-test compares the two sets of times (dudect). Statistics, so no proof: for the backends that `cargo xtask ct` cannot follow,
//! those of AVX-512 first of all.
//!
//! `SEALANE_BACKEND` chooses the backends. `--filter NAME` takes some tests, `--continuous NAME` runs one until it is stopped.
//! Beyond |t| = 5 there is a leak, or a machine that was busy: run it again, alone. The first test leaks on purpose, and its t must be large.

use std::cell::RefCell;
use std::hint::black_box;

use dudect_bencher::rand::{Rng, RngExt};
use dudect_bencher::{BenchRng, Class, CtRunner, ctbench_main};
use sealane::chacha20::ChaCha20;
use sealane::gf2n::{self, Gf2n};
use sealane::haraka::{self, Haraka};
use sealane::shamir::bytes::{self, Combiner, Splitter};
use sealane::{Backend, ChaCha20Poly1305, Poly1305};

/// Measurements of each test.
const SAMPLES: usize = 50_000;

/// Times `operation` on zeros, and on random octets. It gets a copy that is always in the same place, so that the two sets do not
/// differ in what the caches hold.
fn compare<const N: usize>(runner: &mut CtRunner, rng: &mut BenchRng, operation: impl FnMut(&mut [u8; N])) {
    let inputs: Vec<_> = (0..SAMPLES)
        .map(|_| {
            let mut secret = [0; N];
            let mut random = [0; N];
            rng.fill_bytes(&mut random);
            if rng.random::<bool>() {
                return (Class::Left, secret);
            }
            secret.copy_from_slice(&random);
            (Class::Right, secret)
        })
        .collect();
    // The test takes a closure that changes nothing.
    let place = RefCell::new(([0; N], operation));
    for (class, secret) in inputs {
        place.borrow_mut().0 = black_box(secret);
        runner.run_one(class, || {
            let (secret, operation) = &mut *place.borrow_mut();
            operation(black_box(secret));
        });
    }
}

/// The backend of a family that the environment names, or the widest.
macro_rules! backend {
    ($backend:ty) => {
        <$backend>::from_env().unwrap_or_else(|error| panic!("SEALANE_BACKEND: {error}"))
    };
}

/// A comparison that ends at the first difference. Zeros are equal to what they are compared with, random octets differ at once.
fn control_that_leaks(runner: &mut CtRunner, rng: &mut BenchRng) {
    let expected = black_box([0; 256]);
    compare::<256>(runner, rng, |input| {
        black_box(input.iter().zip(&expected).all(|(a, b)| black_box(a) == black_box(b)));
    });
}

fn chacha20_key(runner: &mut CtRunner, rng: &mut BenchRng) {
    let backend = backend!(Backend);
    let mut data = [0; 2048];
    compare::<32>(runner, rng, |key| {
        let mut cipher = ChaCha20::with_backend(key, &[1; 12], backend);
        cipher.apply_keystream(&mut data).expect("the key stream is longer than that");
    });
}

fn poly1305_key(runner: &mut CtRunner, rng: &mut BenchRng) {
    let backend = backend!(Backend);
    let message = [0x5a; 2048];
    compare::<32>(runner, rng, |key| {
        let mut mac = Poly1305::with_backend(key, backend);
        mac.update(&message);
        black_box(mac.finalize());
    });
}

fn seal_key(runner: &mut CtRunner, rng: &mut BenchRng) {
    let backend = backend!(Backend);
    let mut data = [0; 2048];
    compare::<32>(runner, rng, |key| {
        let cipher = ChaCha20Poly1305::with_backend(key, backend);
        black_box(cipher.seal_in_place(&[1; 12], b"", &mut data));
    });
}

fn seal_plaintext(runner: &mut CtRunner, rng: &mut BenchRng) {
    let cipher = ChaCha20Poly1305::with_backend(&[0x42; 32], backend!(Backend));
    compare::<2048>(runner, rng, |plaintext| {
        black_box(cipher.seal_in_place(&[1; 12], b"", plaintext));
    });
}

/// Tags that are wrong from their first octet on, or in their last one only.
fn open_wrong_tag(runner: &mut CtRunner, rng: &mut BenchRng) {
    let cipher = ChaCha20Poly1305::with_backend(&[0x42; 32], backend!(Backend));
    let mut ciphertext = [7; 256];
    let tag = cipher.seal_in_place(&[1; 12], b"", &mut ciphertext);
    compare::<16>(runner, rng, |difference| {
        // Random ones differ everywhere, zeros get a difference at the end.
        difference[15] |= 1;
        let mut wrong = tag;
        wrong.iter_mut().zip(difference).for_each(|(octet, difference)| *octet ^= *difference);
        let mut data = ciphertext;
        black_box(cipher.open_in_place(&[1; 12], b"", &mut data, &wrong).is_err());
    });
}

fn haraka512(runner: &mut CtRunner, rng: &mut BenchRng) {
    let haraka = Haraka::with_backend(backend!(haraka::Backend));
    compare::<{ 64 * 16 }>(runner, rng, |inputs| {
        let mut hashes = [[0; 32]; 16];
        haraka.haraka512_batch::<5>(inputs.as_chunks().0, &mut hashes);
        black_box(hashes);
    });
}

fn gf2n_multiply(runner: &mut CtRunner, rng: &mut BenchRng) {
    let backend = backend!(gf2n::Backend);
    let factor = Gf2n::<256>::from_bytes(&[0x35; 32]);
    compare::<{ 32 * 16 }>(runner, rng, |bytes| {
        let (elements, _) = bytes.as_chunks::<32>();
        let mut elements: Vec<_> = elements.iter().map(Gf2n::<256>::from_bytes).collect();
        backend.scale(&mut elements, &factor);
        black_box(elements);
    });
}

fn gf2n_invert(runner: &mut CtRunner, rng: &mut BenchRng) {
    let backend = backend!(gf2n::Backend);
    compare::<32>(runner, rng, |bytes| {
        // Zero has no inverse, which shows.
        bytes[0] |= 1;
        black_box(backend.invert(&Gf2n::<256>::from_bytes(bytes)));
    });
}

fn gf8_multiply(runner: &mut CtRunner, rng: &mut BenchRng) {
    let backend = backend!(bytes::Backend);
    compare::<1024>(runner, rng, |bytes| {
        let factor = bytes[0];
        backend.multiply_slice(factor, bytes);
    });
}

fn shamir_split(runner: &mut CtRunner, rng: &mut BenchRng) {
    let backend = backend!(bytes::Backend);
    let mut shares = [[0; 1024]; 5];
    compare::<1024>(runner, rng, |secret| {
        let mut splitter = Splitter::from_seed(3, &[1, 2, 3, 4, 5], &[9; 32], backend).expect("a sharing");
        let mut shares = shares.each_mut().map(|share| &mut share[..]);
        splitter.split(secret, &mut shares).expect("whole shares");
    });
}

fn shamir_combine(runner: &mut CtRunner, rng: &mut BenchRng) {
    let backend = backend!(bytes::Backend);
    let mut secret = [0; 1024];
    compare::<{ 3 * 1024 }>(runner, rng, |shares| {
        let (shares, _) = shares.as_chunks::<1024>();
        let combiner = Combiner::with_backend(&[1, 2, 5], 0, backend).expect("points");
        combiner.combine(&[&shares[0][..], &shares[1], &shares[2]], &mut secret).expect("whole shares");
    });
}

ctbench_main!(
    control_that_leaks,
    chacha20_key,
    poly1305_key,
    seal_key,
    seal_plaintext,
    open_wrong_tag,
    haraka512,
    gf2n_multiply,
    gf2n_invert,
    gf8_multiply,
    shamir_split,
    shamir_combine
);
