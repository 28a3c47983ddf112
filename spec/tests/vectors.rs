//! Checks the references against every vector file.

use sealane_spec::haraka::Haraka;
use sealane_spec::num::Num;
use sealane_spec::{aead, blake2b, chacha, committing, erasure, poly1305, quic, xchacha};
use sealane_vectors::{self as vectors, Layout, ParityMatrix};

#[test]
fn quarter_round() {
    let words = |hex: &[String]| hex.iter().map(|w| u32::from_str_radix(w, 16).unwrap()).collect::<Vec<_>>();
    for v in vectors::rfc8439_quarter_round().vectors {
        let mut state = words(&v.input);
        let [a, b, c, d] = v.indices;
        chacha::quarter_round(&mut state, a, b, c, d);
        assert_eq!(state, words(&v.output), "{}", v.id);
    }
}

#[test]
fn stream_ciphers() {
    for v in vectors::streams() {
        let key = v.key.array();
        let chacha = |nonce| chacha::chacha_encrypt(v.rounds, &key, v.counter, &nonce, &v.plaintext);
        let ciphertext = match v.layout {
            Layout::Ietf => chacha(chacha::Nonce::Ietf(v.nonce.array())),
            Layout::Original => chacha(chacha::Nonce::Original(v.nonce.array())),
            Layout::XChaCha => {
                let blk_ctr = v.counter.try_into().unwrap();
                xchacha::xchacha_encrypt(v.rounds, &key, blk_ctr, &v.nonce.array(), &v.plaintext)
            }
        };
        assert_eq!(ciphertext, &*v.ciphertext, "{}", v.id);
    }
}

#[test]
fn hchacha20() {
    for v in vectors::hchacha20().vectors {
        assert_eq!(xchacha::hchacha(v.rounds, &v.key.array(), &v.nonce.array()), v.output.array(), "{}", v.id);
    }
}

#[test]
fn poly1305_mac() {
    for v in vectors::macs() {
        assert_eq!(poly1305::poly1305_mac(&v.message, &v.key.array()), v.tag.array(), "{}", v.id);
    }
}

#[test]
fn poly1305_key_gen() {
    for v in vectors::rfc8439_poly1305_key_gen().vectors {
        let one_time_key = poly1305::poly1305_key_gen(&v.key.array(), &v.nonce.array());
        assert_eq!(one_time_key, v.one_time_key.array(), "{}", v.id);
    }
}

#[test]
fn header_protection() {
    for v in vectors::rfc9001_header_protection().vectors {
        assert_eq!(quic::header_protection(&v.key.array(), &v.sample.array()), v.mask.array(), "{}", v.id);
    }
}

#[test]
fn chacha20_poly1305() {
    for v in vectors::rfc8439_chacha20_poly1305().vectors {
        let (key, nonce, tag) = (v.key.array(), v.nonce.array(), v.tag.array());
        let sealed = aead::chacha20_aead_encrypt(&v.aad, &key, &nonce, &v.plaintext);
        assert_eq!(sealed, (v.ciphertext.to_vec(), tag), "{}", v.id);
        let opened = aead::chacha20_aead_decrypt(&v.aad, &key, &nonce, &v.ciphertext, &tag);
        assert_eq!(opened.as_deref(), Ok(&*v.plaintext), "{}", v.id);
        let opened = aead::chacha20_aead_decrypt(&v.aad, &key, &nonce, &v.ciphertext, &[0; 16]);
        assert_eq!(opened, Err(aead::Unauthenticated), "{}", v.id);
    }
}

#[test]
fn xchacha20_poly1305() {
    for v in vectors::xchacha20_poly1305().vectors {
        let (key, nonce, tag) = (v.key.array(), v.nonce.array(), v.tag.array());
        let sealed = aead::xchacha20_aead_encrypt(&v.aad, &key, &nonce, &v.plaintext);
        assert_eq!(sealed, (v.ciphertext.to_vec(), tag), "{}", v.id);
        let opened = aead::xchacha20_aead_decrypt(&v.aad, &key, &nonce, &v.ciphertext, &tag);
        assert_eq!(opened.as_deref(), Ok(&*v.plaintext), "{}", v.id);
        let opened = aead::xchacha20_aead_decrypt(&v.aad, &key, &nonce, &v.ciphertext, &[0; 16]);
        assert_eq!(opened, Err(aead::Unauthenticated), "{}", v.id);
    }
}

#[test]
fn blake2b() {
    for v in vectors::blake2b().vectors {
        match v.digest.len() {
            32 => assert_eq!(blake2b::blake2b(&v.message), v.digest.array::<32>(), "{}", v.id),
            _ => assert_eq!(blake2b::blake2b(&v.message), v.digest.array::<64>(), "{}", v.id),
        }
    }
}

#[test]
fn committing_aead() {
    for v in vectors::committing_aead().vectors {
        let (key, tag) = (v.key.array(), v.tag.array());
        let (sealed, opened, forged) = if v.nonce.len() == 12 {
            let nonce = v.nonce.array();
            let open = |tag| committing::ctx_chacha20_decrypt(&v.aad, &key, &nonce, &v.ciphertext, tag);
            (committing::ctx_chacha20_encrypt(&v.aad, &key, &nonce, &v.plaintext), open(&tag), open(&[0; 32]))
        } else {
            let nonce = v.nonce.array();
            let open = |tag| committing::ctx_xchacha20_decrypt(&v.aad, &key, &nonce, &v.ciphertext, tag);
            (committing::ctx_xchacha20_encrypt(&v.aad, &key, &nonce, &v.plaintext), open(&tag), open(&[0; 32]))
        };
        assert_eq!(sealed, (v.ciphertext.to_vec(), tag), "{}", v.id);
        assert_eq!(opened.as_deref(), Ok(&*v.plaintext), "{}", v.id);
        assert_eq!(forged, Err(aead::Unauthenticated), "{}", v.id);
    }
}

#[test]
fn numbers() {
    let num = |n: u128| Num::le_bytes_to_num(&n.to_le_bytes());
    let (a, b) = (0xfedc_ba98_7654_3210_u64, 0x0123_4567_89ab_cdef_u64);
    assert_eq!(num(a.into()) * num(b.into()), num(u128::from(a) * u128::from(b)));
    assert_eq!(num(a.into()) % num(b.into()), num((a % b).into()));
    assert_eq!(num(u128::MAX) + num(1) - num(1), num(u128::MAX));
    // 2^130 = p + 5, and p is 0 modulo p.
    let two_130 = num(1 << 65) * num(1 << 65);
    assert_eq!(two_130 % Num::p(), num(5));
    assert_eq!(Num::p() + num(5), two_130);
    assert_eq!(Num::p() % Num::p(), Num::ZERO);
}

#[test]
#[should_panic(expected = "32 bits")]
fn the_ietf_counter_does_not_wrap() {
    let _ = chacha::chacha20_encrypt(&[0; 32], u32::MAX, &[0; 12], &[0; 65]);
}

#[test]
fn haraka() {
    let haraka = Haraka::new();
    for v in vectors::haraka().vectors {
        let haraka = v.seed.as_ref().map_or_else(|| haraka.clone(), |seed| haraka.tweaked(seed));
        let mut input = v.input.to_vec();
        let mut output = [0; 32];
        for i in 0..v.iterations {
            output = match input.len() {
                32 => haraka.haraka256(v.rounds, input[..].try_into().unwrap()),
                _ => haraka.haraka512(v.rounds, input[..].try_into().unwrap()),
            };
            let half = if input.len() == 64 && i % 2 == 0 { 32 } else { 0 };
            input[half..half + 32].copy_from_slice(&output);
        }
        assert_eq!(output, v.output.array(), "{}", v.id);
    }
}

#[test]
fn haraka_s() {
    let haraka = Haraka::new();
    for v in vectors::haraka_s().vectors {
        assert_eq!(haraka.tweaked(&v.seed).haraka_s(&v.message, v.output.len()), &*v.output, "{}", v.id);
    }
}

#[test]
fn parity_of_erasure_codes() {
    for v in vectors::parity().vectors {
        let make = match v.matrix {
            ParityMatrix::PowersOfTwo => erasure::powers_of_two,
            ParityMatrix::Cauchy => erasure::cauchy,
            ParityMatrix::SystematicVandermonde => erasure::systematic_vandermonde,
        };
        let matrix = make(v.data_shards, v.parity.len());
        let parity = erasure::multiply_shards(erasure::REED_SOLOMON, &matrix, &v.data());
        assert_eq!(parity, v.parity.iter().map(|shard| shard.to_vec()).collect::<Vec<_>>(), "{}", v.id);
    }
}
