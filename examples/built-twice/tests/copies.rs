//! Both copies give the answers of the crate `sealane`.

use built_twice::Built;
use operations::{Combine, Hash, MANY, Packet, Product, SHARES, Split, Stream, THRESHOLD};
use sealane::ChaCha20Poly1305;
use sealane::gf2n::{Backend, Gf128};
use sealane::haraka::haraka256;

/// The copies, of which this CPU must have both.
fn copies() -> [Built; 2] {
    let copies: Vec<_> = Built::available().collect();
    copies.try_into().unwrap_or_else(|_| panic!("this CPU lacks what the second copy is compiled for"))
}

fn scalar() -> Backend {
    Backend::by_name("scalar").unwrap()
}

fn element(i: usize) -> Gf128 {
    Gf128::from_bytes(&(i as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_le_bytes())
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
        assert_eq!(hash.output, haraka256::<5>(&[7; 32]), "{}", built.name());
    }
}

/// The input of the block function for key and nonce (RFC 8439, section 2.3).
fn state(key: &[u8; 32], nonce: &[u8; 12]) -> [u32; 16] {
    let mut state = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let words = key.as_chunks().0.iter().chain([&[0; 4]]).chain(nonce.as_chunks().0);
    for (word, bytes) in state[4..].iter_mut().zip(words) {
        *word = u32::from_le_bytes(*bytes);
    }
    state
}

#[test]
fn streams_and_packets() {
    let (key, nonce, aad) = ([9; 32], [3; 12], *b"thirteenbytes");
    let mut message = [0; 64];
    let tag = ChaCha20Poly1305::new(&key).seal_in_place(&nonce, &aad, &mut message);
    for built in copies() {
        let mut packet = Packet { state: state(&key, &nonce), aad, message: [0; 64], tag: [0; 16] };
        built.seal(&mut packet);
        assert_eq!((packet.message, packet.tag), (message, tag), "{}", built.name());
        // A message of zeros is encrypted by block 1.
        let mut stream = Stream { state: state(&key, &nonce), counter: 1, data: [0; 64] };
        built.block(&mut stream);
        assert_eq!(stream.data, message, "{}", built.name());
    }
}

fn shared<const N: usize>(split: fn(Built, &mut Split<N>), combine: fn(Built, &mut Combine<N>)) {
    let polynomials: [[Gf128; THRESHOLD]; N] = std::array::from_fn(|i| std::array::from_fn(|j| element(3 * i + j)));
    let points: [Gf128; SHARES] = std::array::from_fn(|i| Gf128::from_bits(i as u64 + 1).unwrap());
    for built in copies() {
        let mut dealt = Split { polynomials, points, shares: [[Gf128::ZERO; SHARES]; N] };
        split(built, &mut dealt);
        for (shares, polynomial) in dealt.shares.iter().zip(&polynomials) {
            let mut values = [Gf128::ZERO; SHARES];
            scalar().evaluate(polynomial, &points, &mut values);
            assert!(*shares == values, "{}", built.name());
        }
        // Any three give it back.
        let chosen = [4, 0, 2];
        let mut combined = Combine {
            points: chosen.map(|i| points[i]),
            shares: dealt.shares.map(|shares| chosen.map(|i| shares[i])),
            secret: [Gf128::ZERO; N],
        };
        combine(built, &mut combined);
        assert!(combined.secret == polynomials.map(|polynomial| polynomial[0]), "{}", built.name());
    }
}

#[test]
fn shares() {
    shared::<1>(Built::split_one, Built::combine_one);
    shared::<MANY>(Built::split_many, Built::combine_many);
}
