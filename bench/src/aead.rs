//! ChaCha20-Poly1305 (RFC 8439, section 2.8) in place, 13 bytes of associated data, a new nonce for each message.

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use openssl::cipher::Cipher;
use openssl::cipher_ctx::CipherCtx;

use crate::chacha20::nonce;
use crate::harness::{Row, Suite};

const KEY: [u8; 32] = [0x42; 32];
/// As long as that of a TLS 1.2 record.
const AAD: [u8; 13] = [0x17; 13];

pub fn seal_suite() -> Suite {
    let mut rows = crate::sealane_rows(|name, backend| {
        let cipher = sealane::ChaCha20Poly1305::with_backend(&KEY, backend);
        Row::new(name, true, move |message, data| cipher.seal_in_place(&nonce(message), &AAD, data))
    });
    rows.push(openssl_seal(true));
    rows.push(openssl_seal(false));
    let cipher = chacha20poly1305::ChaCha20Poly1305::new(&KEY.into());
    rows.push(Row::new("RustCrypto chacha20poly1305", false, move |message, data| {
        cipher.encrypt_inout_detached(&nonce(message).into(), &AAD, data.into()).expect("RustCrypto seal").into()
    }));
    let cipher = ring_key();
    rows.push(Row::new("ring", false, move |message, data| {
        let nonce = ring::aead::Nonce::assume_unique_for_key(nonce(message));
        let tag = cipher.seal_in_place_separate_tag(nonce, ring::aead::Aad::from(AAD), data).expect("ring seal");
        tag.as_ref().try_into().expect("16 bytes")
    }));
    let cipher = aws_lc_key();
    rows.push(Row::new("aws-lc-rs", false, move |message, data| {
        let nonce = aws_lc_rs::aead::Nonce::assume_unique_for_key(nonce(message));
        let tag = cipher.seal_in_place_separate_tag(nonce, aws_lc_rs::aead::Aad::from(AAD), data);
        tag.expect("aws-lc-rs seal").as_ref().try_into().expect("16 bytes")
    }));
    Suite { name: "seal", rows }
}

/// Opening needs a sealed message, which it destroys. Every row copies one back before each call, so all of them pay the
/// same for it.
pub fn open_suite() -> Suite {
    let mut rows = crate::sealane_rows(|name, backend| {
        let cipher = sealane::ChaCha20Poly1305::with_backend(&KEY, backend);
        Row::new(name, true, opening(move |data, tag| cipher.open_in_place(&nonce(0), &AAD, data, tag).is_ok()))
    });
    let mut context = CipherCtx::new().expect("OpenSSL context");
    context.decrypt_init(Some(Cipher::chacha20_poly1305()), Some(&KEY), Some(&nonce(0))).expect("OpenSSL cipher");
    rows.push(Row::new(
        "OpenSSL (context kept)",
        false,
        opening(move |data, tag| {
            context.decrypt_init(None, None, Some(&nonce(0))).expect("OpenSSL nonce");
            context.set_tag(tag).expect("OpenSSL tag");
            context.cipher_update(&AAD, None).expect("OpenSSL associated data");
            let length = data.len();
            context.cipher_update_inplace(data, length).expect("OpenSSL update");
            context.cipher_final(&mut []).is_ok()
        }),
    ));
    let cipher = chacha20poly1305::ChaCha20Poly1305::new(&KEY.into());
    rows.push(Row::new(
        "RustCrypto chacha20poly1305",
        false,
        opening(move |data, tag| {
            cipher.decrypt_inout_detached(&nonce(0).into(), &AAD, data.into(), &(*tag).into()).is_ok()
        }),
    ));
    let cipher = ring_key();
    rows.push(Row::new(
        "ring",
        false,
        opening(move |data, tag| {
            let nonce = ring::aead::Nonce::assume_unique_for_key(nonce(0));
            cipher.open_in_place_separate_tag(nonce, ring::aead::Aad::from(AAD), (*tag).into(), data, 0..).is_ok()
        }),
    ));
    let cipher = aws_lc_key();
    rows.push(Row::new(
        "aws-lc-rs",
        false,
        opening(move |data, tag| {
            let nonce = aws_lc_rs::aead::Nonce::assume_unique_for_key(nonce(0));
            cipher.open_in_place_separate_tag(nonce, aws_lc_rs::aead::Aad::from(AAD), tag, data).is_ok()
        }),
    ));
    Suite { name: "open", rows }
}

fn ring_key() -> ring::aead::LessSafeKey {
    let key = ring::aead::UnboundKey::new(&ring::aead::CHACHA20_POLY1305, &KEY).expect("32 bytes");
    ring::aead::LessSafeKey::new(key)
}

fn aws_lc_key() -> aws_lc_rs::aead::LessSafeKey {
    let key = aws_lc_rs::aead::UnboundKey::new(&aws_lc_rs::aead::CHACHA20_POLY1305, &KEY).expect("32 bytes");
    aws_lc_rs::aead::LessSafeKey::new(key)
}

/// An operation that opens a copy of a sealed message.
fn opening(mut open: impl FnMut(&mut [u8], &[u8; 16]) -> bool + 'static) -> impl FnMut(u64, &mut [u8]) -> [u8; 16] {
    let mut sealed: (Vec<u8>, [u8; 16]) = (Vec::new(), [0; 16]);
    move |_, data| {
        if sealed.0.len() != data.len() || sealed.1 == [0; 16] {
            let mut message = vec![0x5a; data.len()];
            let tag = sealane::ChaCha20Poly1305::new(&KEY).seal_in_place(&nonce(0), &AAD, &mut message);
            sealed = (message, tag);
        }
        data.copy_from_slice(&sealed.0);
        assert!(open(data, &sealed.1), "an authentic message was refused");
        sealed.1
    }
}

/// `kept`: the context and its key live as long as the row; else both are made for each message.
fn openssl_seal(kept: bool) -> Row {
    let new = || {
        let mut context = CipherCtx::new().expect("OpenSSL context");
        context.encrypt_init(Some(Cipher::chacha20_poly1305()), Some(&KEY), None).expect("OpenSSL cipher");
        context
    };
    let mut context = new();
    let name = if kept { "OpenSSL (context kept)" } else { "OpenSSL (fresh context)" };
    Row::new(name, false, move |message, data| {
        if !kept {
            context = new();
        }
        context.encrypt_init(None, None, Some(&nonce(message))).expect("OpenSSL nonce");
        context.cipher_update(&AAD, None).expect("OpenSSL associated data");
        let length = data.len();
        context.cipher_update_inplace(data, length).expect("OpenSSL update");
        context.cipher_final(&mut []).expect("OpenSSL final");
        let mut tag = [0; 16];
        context.tag(&mut tag).expect("OpenSSL tag");
        tag
    })
}
