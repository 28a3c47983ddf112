//! Tests that both copies give the results of the reference implementations.

use built_twice::Built;
use operations::{Combine, Element, Hash, MANY, Packet, Product, SHARES, Split, Stream, THRESHOLD};
use sealane_spec::{aead, chacha, haraka::Haraka, shamir_element};

/// Returns the two copies. The CPU must be able to run both.
fn copies() -> [Built; 2] {
    let copies: Vec<_> = Built::available().collect();
    copies.try_into().unwrap_or_else(|_| panic!("this CPU lacks what the second copy is compiled for"))
}

fn element(i: usize) -> Element {
    let mixed = (i as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    [mixed as u64, (mixed >> 64) as u64]
}

#[test]
fn there_are_two() {
    assert_eq!(copies().map(Built::name), ["fallback", "simd"]);
    assert_eq!(Built::detect().name(), "simd");
}

#[test]
fn products() {
    for built in copies() {
        for (a, b) in [(3, 5), (u64::MAX, u64::MAX), (0x1234_5678_9abc_def1, 0x9e37_79b9_7f4a_7c15)] {
            let mut product = Product { a, b, product: [0; 2] };
            built.multiply(&mut product);
            let plain = (0..64).filter(|i| b >> i & 1 == 1).fold(0_u128, |sum, i| sum ^ u128::from(a) << i);
            assert_eq!(product.product, [plain as u64, (plain >> 64) as u64], "{}", built.name());
        }
    }
}

#[test]
fn hashes() {
    for built in copies() {
        let mut hash = Hash { input: [7; 32], output: [0; 32] };
        built.haraka(&mut hash);
        assert_eq!(hash.output, Haraka::new().haraka256(5, &[7; 32]), "{}", built.name());
    }
}

#[test]
fn streams_and_packets() {
    let (key, nonce, aad) = ([9; 32], [3; 12], *b"thirteenbytes");
    let (message, tag) = aead::chacha20_aead_encrypt(&aad, &key, &nonce, &[0; 64]);
    let [n0, n1, n2] = chacha::words(&nonce);
    let state = chacha::state(&key, [0, n0, n1, n2]);
    for built in copies() {
        let mut packet = Packet { state, aad, message: [0; 64], tag: [0; 16] };
        built.seal(&mut packet);
        assert_eq!((&packet.message[..], packet.tag), (&message[..], tag), "{}", built.name());
        // Block 1 of the key stream encrypts the message, so zeros become that block.
        let mut stream = Stream { state, counter: 1, data: [0; 64] };
        built.block(&mut stream);
        assert_eq!(stream.data[..], message[..], "{}", built.name());
    }
}

fn bytes(element: &Element) -> Vec<u8> {
    element.iter().flat_map(|limb| limb.to_le_bytes()).collect()
}

fn shared<const N: usize>(split: fn(Built, &mut Split<N>), combine: fn(Built, &mut Combine<N>)) {
    let polynomials: [[Element; THRESHOLD]; N] = std::array::from_fn(|i| std::array::from_fn(|j| element(3 * i + j)));
    let points: [Element; SHARES] = std::array::from_fn(|i| element(1000 + i));
    for built in copies() {
        let mut dealt = Split { polynomials, points, shares: [[[0; 2]; SHARES]; N] };
        split(built, &mut dealt);
        for (shares, polynomial) in dealt.shares.iter().zip(&polynomials) {
            let coefficients: Vec<_> = polynomial.iter().map(bytes).collect();
            for (share, point) in shares.iter().zip(&points) {
                let value = shamir_element::evaluate(128, &coefficients, &bytes(point));
                assert_eq!(bytes(share), value, "{}", built.name());
            }
        }
        // Any three shares reconstruct the secret.
        let chosen = [4, 0, 2];
        let mut combined = Combine {
            points: chosen.map(|i| points[i]),
            shares: dealt.shares.map(|shares| chosen.map(|i| shares[i])),
            secret: [[0; 2]; N],
        };
        combine(built, &mut combined);
        assert_eq!(combined.secret, polynomials.map(|polynomial| polynomial[0]), "{}", built.name());
    }
}

#[test]
fn shares() {
    shared::<1>(Built::split_one, Built::combine_one);
    shared::<MANY>(Built::split_many, Built::combine_many);
}
