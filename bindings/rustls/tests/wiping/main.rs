//! Checks that memory returned to the allocator holds no keys or IVs of dropped objects.
//!
//! The allocator of this program searches every block that is freed for the bytes of the secrets.
//! Each object is freed twice: without its destructor, where the search must find its secrets, and
//! dropped, where it must not.

mod allocator;
#[cfg(feature = "rustls-024")]
mod rustls_024;

use std::alloc::{Layout, dealloc};
use std::fmt::Debug;

use allocator::{HEADER_KEY, IV, KEY, Secret, found};
use rustls::crypto::cipher::{
    InboundOpaqueMessage, MessageDecrypter, MessageEncrypter, OutboundChunks, OutboundPlainMessage,
};
use rustls::quic::Algorithm;
use rustls::{CipherSuite, ContentType, ProtocolVersion, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite};
use rustls_sealane::quic::{Packet, PacketKeys};

/// The secrets in an object that encrypts or decrypts messages.
const MESSAGE_SECRETS: &[Secret] = &[Secret::Key, Secret::Iv];

fn suite(number: CipherSuite) -> SupportedCipherSuite {
    let provider = rustls_sealane::ring::default_provider();
    *provider.cipher_suites.iter().find(|suite| suite.suite() == number).expect("the provider has the suite")
}

fn tls13() -> &'static Tls13CipherSuite {
    suite(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256).tls13().expect("a suite of TLS 1.3")
}

fn tls12() -> &'static Tls12CipherSuite {
    match suite(CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256) {
        SupportedCipherSuite::Tls12(suite) => suite,
        SupportedCipherSuite::Tls13(_) => panic!("a suite of TLS 1.3"),
    }
}

fn quic() -> &'static dyn Algorithm {
    tls13().quic.expect("the suite works with QUIC")
}

/// Frees the memory of an object without running its destructor.
#[allow(unsafe_code)]
fn free_unwiped<T: ?Sized>(object: Box<T>) {
    let layout = Layout::for_value(&*object);
    assert_ne!(layout.size(), 0);
    let memory = Box::into_raw(object).cast::<u8>();
    // SAFETY: the memory is that of a box of this layout, which is not empty, so the global
    // allocator allocated it with this layout. Nothing else refers to it.
    unsafe { dealloc(memory, layout) }
}

/// Checks that the memory of an object holds these secrets if it is freed without its destructor,
/// and not if it is dropped. The object is used first.
fn check<T: ?Sized>(name: impl Debug, secrets: &[Secret], make: impl Fn() -> Box<T>, work: impl Fn(&mut T)) {
    let used = || {
        let mut object = make();
        work(&mut object);
        object
    };
    let object = used();
    let before = found();
    free_unwiped(object);
    for secret in secrets {
        assert_eq!(found().of(*secret), before.of(*secret) + 1, "{name:?}: {secret:?} in memory that was not wiped");
    }
    let before = found();
    drop(used());
    assert_eq!(found(), before, "{name:?}: a secret in memory that was freed");
}

fn encrypt(encrypter: &mut dyn MessageEncrypter) -> Vec<u8> {
    let payload = OutboundChunks::Single(&[7; 300]);
    let message =
        OutboundPlainMessage { typ: ContentType::ApplicationData, version: ProtocolVersion::TLSv1_2, payload };
    // The payload follows the header.
    encrypter.encrypt(message, 5).expect("a record").encode().split_off(5)
}

fn decrypt(decrypter: &mut dyn MessageDecrypter, mut record: Vec<u8>) {
    let message = InboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, &mut record);
    assert_eq!(decrypter.decrypt(message, 5).expect("an authentic record").payload, [7; 300]);
}

#[test]
fn records_of_tls13() {
    let encrypter = || tls13().aead_alg.encrypter(KEY.into(), IV.into());
    check("encrypter", MESSAGE_SECRETS, encrypter, |encrypter| drop(encrypt(encrypter)));
    let decrypter = || tls13().aead_alg.decrypter(KEY.into(), IV.into());
    check("decrypter", MESSAGE_SECRETS, decrypter, |decrypter| decrypt(decrypter, encrypt(&mut *encrypter())));
}

#[test]
fn records_of_tls12() {
    let encrypter = || tls12().aead_alg.encrypter(KEY.into(), &IV, &[]);
    check("encrypter", MESSAGE_SECRETS, encrypter, |encrypter| drop(encrypt(encrypter)));
    let decrypter = || tls12().aead_alg.decrypter(KEY.into(), &IV);
    check("decrypter", MESSAGE_SECRETS, decrypter, |decrypter| decrypt(decrypter, encrypt(&mut *encrypter())));
}

#[test]
fn packets_of_quic() {
    let packet_key = || quic().packet_key(KEY.into(), IV.into());
    check("packets", MESSAGE_SECRETS, packet_key, |key| {
        let mut payload = vec![7; 300];
        let tag = key.encrypt_in_place(5, b"header", &mut payload).expect("a packet");
        payload.extend_from_slice(tag.as_ref());
        assert_eq!(key.decrypt_in_place(5, b"header", &mut payload).expect("an authentic packet"), [7; 300]);
    });
    let header_key = || quic().header_protection_key(HEADER_KEY.into());
    check("headers", &[Secret::HeaderKey], header_key, |key| {
        let (mut first, mut number) = (0x43, [1, 2, 3, 4]);
        key.encrypt_in_place(&[1; 16], &mut first, &mut number).expect("a header");
        key.decrypt_in_place(&[1; 16], &mut first, &mut number).expect("a header");
        assert_eq!((first, number), (0x43, [1, 2, 3, 4]));
    });
}

#[test]
fn batches_of_quic() {
    let keys = || Box::new(PacketKeys::new(&KEY, &IV, &HEADER_KEY));
    check("keys", &[Secret::Key, Secret::Iv, Secret::HeaderKey], keys, |keys| {
        let mut buffers = vec![[0x40; 100]; 20];
        let mut packets: Vec<_> =
            (0..).zip(&mut buffers).map(|(number, buffer)| Packet::new(number, 9, buffer)).collect();
        keys.seal_packets(&mut packets).expect("packets");
    });
}
