//! Code that is generic over the AEADs, messages in a `Vec`, and generated keys.

use rand_core::SeedableRng;
use sealane::chacha20::ChaCha20Rng;
use sealane::{
    Aead, AeadLayout, ByteArray, ChaCha20Poly1305, ChaChaPoly1305, CommittingChaCha20Poly1305,
    CommittingXChaCha20Poly1305, OpenError, RandomError, XChaCha20Poly1305,
};

use crate::common::{array, backends, test_bytes};

/// Checks that all methods of the trait give the same results.
fn check<A: Aead>() {
    for backend in backends() {
        let cipher = A::with_backend(&array(1), backend);
        assert_eq!(cipher.backend(), backend);
        let nonce = A::Nonce::try_from(&test_bytes(2, A::Nonce::BYTES)).unwrap();
        for length in [0, 1, 15, 16, 17, 64, 1000, 5000] {
            let (plaintext, aad) = (test_bytes(3, length), test_bytes(4, length % 40));
            let mut buffer = plaintext.clone();
            let tag = cipher.seal_in_place(&nonce, &aad, &mut buffer);
            let sealed = [&buffer, tag.as_ref()].concat();
            assert_eq!(sealed.len(), length + A::Tag::BYTES);
            assert!(cipher.seal(&nonce, &aad, &plaintext) == sealed);

            let mut ciphertext = vec![0; length];
            let (written, other_tag) = cipher.seal_into(&nonce, &aad, &plaintext, &mut ciphertext[..]);
            assert!(written == buffer && other_tag == tag);
            let mut opened = vec![0; length];
            cipher.open_into(&nonce, &aad, &ciphertext, &tag, &mut opened[..]).unwrap();
            assert!(opened == plaintext);

            assert_eq!(cipher.open(&nonce, &aad, &sealed), Ok(plaintext.clone()));
            cipher.open_in_place(&nonce, &aad, &mut buffer, &tag).unwrap();
            assert!(buffer == plaintext);
        }
    }
}

/// Checks that a sealed message is refused if it is changed, shorter or longer, or opened with
/// other associated data, another nonce or another key.
fn refuses<A: Aead>() {
    let (cipher, nonce) = (A::new(&array(5)), A::Nonce::default());
    let sealed = cipher.seal(&nonce, b"aad", b"some plaintext");
    for index in 0..sealed.len() {
        assert_eq!(cipher.open(&nonce, b"aad", &sealed[..index]), Err(OpenError), "{index} bytes");
        let mut bad = sealed.clone();
        bad[index] ^= 0x10;
        assert_eq!(cipher.open(&nonce, b"aad", &bad), Err(OpenError), "byte {index} changed");
    }
    assert_eq!(cipher.open(&nonce, b"", &sealed), Err(OpenError));
    assert_eq!(cipher.open(&nonce, b"aad", &[&sealed[..], &[0]].concat()), Err(OpenError));
    let mut other = nonce;
    other.as_mut()[A::Nonce::BYTES - 1] = 1;
    assert_eq!(cipher.open(&other, b"aad", &sealed), Err(OpenError));
    assert_eq!(A::new(&array(6)).open(&nonce, b"aad", &sealed), Err(OpenError));
}

#[test]
fn one_function_serves_every_aead() {
    check::<ChaCha20Poly1305>();
    check::<XChaCha20Poly1305>();
    check::<CommittingChaCha20Poly1305>();
    check::<CommittingXChaCha20Poly1305>();
}

#[test]
fn changed_and_short_messages_are_refused() {
    refuses::<ChaCha20Poly1305>();
    refuses::<XChaCha20Poly1305>();
    refuses::<CommittingChaCha20Poly1305>();
    refuses::<CommittingXChaCha20Poly1305>();
}

/// A function for messages in pieces can take both layouts too.
#[test]
fn one_function_serves_both_layouts() {
    fn in_pieces<L: AeadLayout>(cipher: &ChaChaPoly1305<L>, nonce: &L::Nonce) {
        let mut message = *b"in two pieces";
        let mut sealer = cipher.sealer(nonce, b"");
        sealer.seal(&mut message[..5]).unwrap();
        sealer.seal(&mut message[5..]).unwrap();
        let tag = sealer.finish();
        assert_eq!(cipher.seal(nonce, b"", b"in two pieces"), [&message[..], &tag].concat());
    }
    in_pieces(&ChaCha20Poly1305::new(&array(1)), &array(2));
    in_pieces(&XChaCha20Poly1305::new(&array(1)), &array(2));
}

#[test]
fn keys_are_the_generators_bytes() {
    let (mut rng, mut same) = (ChaCha20Rng::from_seed(array(1)), ChaCha20Rng::from_seed(array(1)));
    let key = ChaCha20Poly1305::generate_key_with_rng(&mut rng).unwrap();
    let again = CommittingXChaCha20Poly1305::generate_key_with_rng(&mut same).unwrap();
    assert_eq!(*key, *again);
    assert_ne!(*key, *ChaCha20Poly1305::generate_key_with_rng(&mut rng).unwrap());
    assert_ne!(*key, [0; 32]);
    let system = XChaCha20Poly1305::generate_key().unwrap();
    assert_ne!(*system, *CommittingChaCha20Poly1305::generate_key().unwrap());
    let broken = ChaCha20Poly1305::generate_key_with_rng(&mut crate::random_nonce::Broken);
    assert_eq!(broken.err(), Some(RandomError));
}
