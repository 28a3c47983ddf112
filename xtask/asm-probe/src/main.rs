//! Calls every kernel on every backend, so that the linker keeps them for `cargo xtask asm` to disassemble.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::mem::MaybeUninit;

use sealane::chacha20::{ChaCha8, ChaCha12, ChaCha20, ChaCha20Original, XChaCha20};
use sealane::gf2n::{self, Degree, Element, Field};
use sealane::haraka::{self, Haraka};
use sealane::rustcrypto::{self, KeyInit, aead::Aead};
use sealane::shamir::bytes::{self, Combiner, Refresher, Splitter};
use sealane::{Backend, ChaCha20Poly1305, OpenRequest, Poly1305, SealRequest, XChaCha20Poly1305};

fn main() {
    let key = black_box([0x42; 32]);
    let mut data = black_box(vec![0; 100_000]);
    let mut tags = black_box([[0; 16]; 32]);
    // As a program that has changed its `use` line would: no other package here turns on the features that this takes.
    let drop_in = rustcrypto::ChaCha20Poly1305::new(&key.into());
    black_box(drop_in.encrypt(&[0; 12].into(), b"message".as_ref()).expect("a short message"));
    for backend in Backend::available() {
        let positions = "the key stream is longer than that";
        ChaCha20::with_backend(&key, &[0; 12], backend).apply_keystream(&mut data).expect(positions);
        ChaCha12::with_backend(&key, &[0; 12], backend).apply_keystream(&mut data).expect(positions);
        ChaCha8::with_backend(&key, &[0; 12], backend).apply_keystream(&mut data).expect(positions);
        ChaCha20Original::with_backend(&key, &[0; 8], backend).apply_keystream(&mut data).expect(positions);
        XChaCha20::with_backend(&key, &[0; 24], backend).apply_keystream(&mut data).expect(positions);

        let mut poly1305 = Poly1305::with_backend(&key, backend);
        poly1305.update(&data);
        black_box(poly1305.finalize());

        let cipher = ChaCha20Poly1305::with_backend(&key, backend);
        let tag = cipher.seal_in_place(&[0; 12], b"", &mut data);
        cipher.open_in_place(&[0; 12], b"", &mut data, &tag).expect("what was sealed opens");
        let mut copy = vec![MaybeUninit::uninit(); data.len()];
        let (ciphertext, tag) = cipher.seal_into(&[0; 12], b"", &data, &mut copy[..]);
        let mut opened = vec![MaybeUninit::uninit(); ciphertext.len()];
        cipher.open_into(&[0; 12], b"", ciphertext, &tag, &mut opened[..]).expect("what was sealed opens");
        let cipher = XChaCha20Poly1305::with_backend(&key, backend);
        let tag = cipher.seal_in_place(&[0; 24], b"", &mut data);
        cipher.open_in_place(&[0; 24], b"", &mut data, &tag).expect("what was sealed opens");
        let packets = data.chunks_mut(1350).take(32).zip(&mut tags);
        let mut requests: Vec<_> = packets.map(|(packet, tag)| SealRequest::new([1; 24], b"", packet, tag)).collect();
        cipher.seal_batch(&mut requests);
        let packets = data.chunks_mut(1350).take(32).zip(&tags);
        let mut requests: Vec<_> = packets.map(|(packet, tag)| OpenRequest::new([1; 24], b"", packet, tag)).collect();
        cipher.open_batch(&mut requests).expect("what was sealed opens");
        println!("{backend}: the kernels ran");
    }
    for backend in bytes::Backend::available() {
        share(backend);
        println!("shamir on {backend}: the kernels ran");
        let (mut product, mut sum) = (black_box(vec![1; 1000]), black_box(vec![2; 1000]));
        backend.multiply_slice(black_box(3), &mut product);
        backend.multiply_add_slice(black_box(3), &product, &mut sum);
        black_box(sum);
        println!("gf8 on {backend}: the kernels ran");
    }
    for backend in haraka::Backend::available() {
        let haraka = Haraka::with_backend(backend);
        let mut hashes = black_box([[0; 32]; 100]);
        haraka.haraka256_batch::<5>(&black_box([[0; 32]; 100]), &mut hashes);
        haraka.haraka256_batch::<6>(&black_box([[0; 32]; 100]), &mut hashes);
        haraka.haraka512_batch::<5>(&black_box([[0; 64]; 100]), &mut hashes);
        haraka.haraka512_batch::<6>(&black_box([[0; 64]; 100]), &mut hashes);
        black_box(hashes);
        println!("haraka on {backend}: the kernels ran");
    }
    for backend in gf2n::Backend::available() {
        arithmetic::<Degree<128>>(backend);
        arithmetic::<Degree<256>>(backend);
        println!("gf2n on {backend}: the kernels ran");
    }
}

/// Secret sharing of bytes, with the thresholds that have a kernel each and another, and as many shares as are combined at once
/// and more.
fn share(backend: bytes::Backend) {
    const POINTS: [u8; 6] = [1, 2, 3, 4, 5, 9];
    let seed = black_box([0x42; 32]);
    let secret = black_box(vec![0; 10_000]);
    for threshold in [2, 3, 5] {
        let mut shares = vec![vec![0; secret.len()]; POINTS.len()];
        let mut buffers: Vec<_> = shares.iter_mut().map(Vec::as_mut_slice).collect();
        let mut splitter = Splitter::from_seed(threshold, &POINTS, &seed, backend).expect("a sharing");
        splitter.split(&secret, &mut buffers).expect("whole shares");
        let mut refresher = Refresher::from_seed(threshold, &POINTS, &seed, backend).expect("a sharing");
        refresher.refresh(&mut buffers).expect("whole shares");
        let shares: Vec<_> = shares.iter().map(Vec::as_slice).collect();
        let mut combined = vec![0; secret.len()];
        for count in [threshold, POINTS.len()] {
            let combiner = Combiner::with_backend(&POINTS[..count], 0, backend).expect("points");
            combiner.combine(&shares[..count], &mut combined).expect("whole shares");
            assert_eq!(combined, secret);
        }
    }
}

/// Products of many elements of a field.
fn arithmetic<F: Field>(backend: gf2n::Backend) {
    let mut a = black_box(vec![Element::<F>::ONE; 100]);
    let b = black_box(a.clone());
    backend.multiply_slices(&mut a, &b);
    backend.scale(&mut a, &b[0]);
    black_box(backend.dot_product(&a, &b));
    backend.evaluate(&b, &b, &mut a);
    backend.batch_invert(&mut a, &mut vec![Element::ZERO; b.len()]);
    black_box(a);
}
