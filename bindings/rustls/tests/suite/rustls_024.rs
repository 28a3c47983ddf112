//! The suites for rustls 0.24: records and packets are identical to those of the wrapped providers,
//! and connections work with our suites on either side.

use std::sync::Arc;

use rustls_024::crypto::cipher::{EncodableVersion, InboundOpaque, Iv, OutboundPlain, Record};
use rustls_024::crypto::cipher::{RecordDecrypter, RecordEncrypter};
use rustls_024::crypto::kx::KeyExchangeAlgorithm;
use rustls_024::crypto::{CipherSuite, CryptoProvider, Identity};
use rustls_024::enums::{ContentType, ProtocolVersion};
use rustls_024::error::Error;
use rustls_024::pki_types::{FipsStatus, PrivateKeyDer, ServerName};
use rustls_024::quic::PacketKey;
use rustls_024::{
    CipherSuiteCommon, ClientConfig, Connection, ConnectionTrafficSecrets, RootCertStore, ServerConfig, ServerSide,
    SideData, Tcp, Tls12CipherSuite, Tls13CipherSuite, VecInput,
};
use rustls_sealane::rustls_024::{chacha20_first, with_sealane};

use crate::common::{array, lengths, test_bytes};

const TLS12: [CipherSuite; 2] = [
    CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
];

/// Returns the providers that are wrapped.
pub(crate) fn wrapped() -> [(&'static str, CryptoProvider); 2] {
    [("ring", rustls_ring::DEFAULT_PROVIDER), ("AWS-LC", rustls_aws_lc_rs::DEFAULT_PROVIDER)]
}

pub(crate) fn tls13(provider: &CryptoProvider) -> &'static Tls13CipherSuite {
    let number = CipherSuite::TLS13_CHACHA20_POLY1305_SHA256;
    provider.tls13_cipher_suites.iter().find(|suite| suite.common.suite == number).expect("the suite")
}

fn tls12(provider: &CryptoProvider, number: CipherSuite) -> &'static Tls12CipherSuite {
    provider.tls12_cipher_suites.iter().find(|suite| suite.common.suite == number).expect("the suite")
}

type Pair = (Box<dyn RecordEncrypter>, Box<dyn RecordDecrypter>);

/// Returns the encrypter and decrypter of each suite.
fn records(provider: &CryptoProvider) -> [Pair; 3] {
    let (key, iv) = (|| array::<32>(1).into(), array::<12>(2));
    let suite = tls13(provider).aead_alg;
    let tls12 = TLS12.map(|number| {
        let suite = tls12(provider, number).aead_alg;
        (suite.encrypter(key(), &iv, &[]), suite.decrypter(key(), &iv))
    });
    let [ecdsa, rsa] = tls12;
    [(suite.encrypter(key(), Iv::from(iv)), suite.decrypter(key(), Iv::from(iv))), ecdsa, rsa]
}

fn version() -> EncodableVersion {
    EncodableVersion::Legacy(ProtocolVersion::TLSv1_2)
}

fn encrypt(encrypter: &mut dyn RecordEncrypter, plaintext: &[u8], seq: u64) -> Vec<u8> {
    let (first, second) = plaintext.split_at(plaintext.len() / 3);
    let chunks = [first, second];
    let record = Record::new(ContentType::ApplicationData, version(), OutboundPlain::new(&chunks));
    let mut out = vec![0; encrypter.encrypted_payload_len(plaintext.len()) + 3];
    let length = encrypter.encrypted_payload_len(plaintext.len());
    let payload = encrypter.encrypt(record, seq, &mut out).unwrap().payload;
    assert_eq!(payload.len(), length);
    payload.to_vec()
}

fn decrypt(decrypter: &mut dyn RecordDecrypter, sealed: &[u8], seq: u64) -> Result<Vec<u8>, Error> {
    let mut payload = sealed.to_vec();
    let record = Record::new(ContentType::ApplicationData, version(), InboundOpaque(&mut payload));
    decrypter.decrypt(record, seq).map(|record| {
        assert_eq!(record.typ, ContentType::ApplicationData);
        record.payload.to_vec()
    })
}

#[test]
fn records_of_every_length() {
    for (name, wrapped) in wrapped() {
        let (mut ours, mut theirs) = (records(&with_sealane(wrapped.clone())), records(&wrapped));
        for (suite, (ours, theirs)) in ours.iter_mut().zip(&mut theirs).enumerate() {
            for length in lengths() {
                let (plaintext, seq) = (test_bytes(length as u64, length), (length as u64) << 40 | 7);
                let record = encrypt(&mut *ours.0, &plaintext, seq);
                assert!(record == encrypt(&mut *theirs.0, &plaintext, seq), "{length} bytes, suite {suite}, {name}");
                for decrypter in [&mut ours.1, &mut theirs.1] {
                    assert!(
                        decrypt(&mut **decrypter, &record, seq) == Ok(plaintext.clone()),
                        "{length}, suite {suite}, {name}"
                    );
                }
            }
            let record = encrypt(&mut *ours.0, &test_bytes(3, 300), 5);
            for i in 0..record.len() {
                let mut changed = record.clone();
                changed[i] ^= 1 << (i % 8);
                assert_eq!(
                    decrypt(&mut *ours.1, &changed, 5),
                    Err(Error::DecryptError),
                    "byte {i}, suite {suite}, {name}"
                );
                assert_eq!(
                    decrypt(&mut *ours.1, &record[..i], 5),
                    Err(Error::DecryptError),
                    "{i}, suite {suite}, {name}"
                );
            }
            assert_eq!(decrypt(&mut *ours.1, &record, 6), Err(Error::DecryptError), "suite {suite}, {name}");
            let long = encrypt(&mut *ours.0, &vec![1; (1 << 14) + 1], 0);
            assert_eq!(decrypt(&mut *ours.1, &long, 0), Err(Error::PeerSentOversizedRecord), "suite {suite}, {name}");
            assert_eq!(decrypt(&mut *theirs.1, &long, 0), Err(Error::PeerSentOversizedRecord), "suite {suite}, {name}");
        }
    }
}

/// A program that hands a connection to the kernel needs the key and the IV.
#[test]
fn keys_can_be_extracted() {
    for (name, wrapped) in wrapped() {
        let extracted = |provider: &CryptoProvider| {
            let (key, iv) = (|| array::<32>(1).into(), array::<12>(2));
            let mut secrets = vec![tls13(provider).aead_alg.extract_keys(key(), Iv::from(iv)).unwrap()];
            for number in TLS12 {
                secrets.push(tls12(provider, number).aead_alg.extract_keys(key(), &iv, &[]).unwrap());
            }
            let bytes = |secrets| match secrets {
                ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => {
                    [AsRef::<[u8]>::as_ref(&key), AsRef::<[u8]>::as_ref(&iv)].concat()
                }
                _ => panic!("the secrets are of another cipher"),
            };
            secrets.into_iter().map(bytes).collect::<Vec<_>>()
        };
        let secrets = extracted(&with_sealane(wrapped.clone()));
        assert_eq!(secrets, vec![[test_bytes(1, 32), test_bytes(2, 12)].concat(); 3], "{name}");
        assert_eq!(secrets, extracted(&wrapped), "{name}");
    }
}

/// A buffer that is too small is an error, and not a panic.
#[test]
fn output_that_is_too_short() {
    for (name, wrapped) in wrapped() {
        for (encrypter, _) in &mut records(&with_sealane(wrapped.clone())) {
            let record = Record::new(ContentType::ApplicationData, version(), OutboundPlain::Single(&[1; 50]));
            let mut out = vec![0; encrypter.encrypted_payload_len(50) - 1];
            encrypter.encrypt(record, 0, &mut out).unwrap_err();
            assert!(out.iter().all(|byte| *byte == 0), "nothing is written, {name}");
        }
    }
}

#[test]
fn packets_of_every_length() {
    for (name, wrapped) in wrapped() {
        let keys = |provider: &CryptoProvider| {
            let algorithm = tls13(provider).quic.expect("the suite works with QUIC");
            let header = algorithm.header_protection_key(array::<32>(3).into());
            (algorithm.packet_key(array::<32>(1).into(), array::<12>(2).into()), header)
        };
        let (ours, theirs) = (keys(&with_sealane(wrapped.clone())), keys(&wrapped));
        let limits = |key: &dyn PacketKey| (key.confidentiality_limit(), key.integrity_limit(), key.tag_len());
        assert_eq!(limits(&*ours.0), limits(&*theirs.0), "{name}");
        for length in lengths() {
            let (plaintext, header) = (test_bytes(length as u64, length), test_bytes(7, 1 + length % 40));
            let (path, number) = ((length % 3 == 0).then_some(length as u32), (length as u64) << 30 | 5);
            let seal = |key: &dyn PacketKey| {
                let mut payload = plaintext.clone();
                let tag = key.encrypt_in_place(number, &header, &mut payload, path).unwrap();
                [&payload, tag.as_ref()].concat()
            };
            let packet = seal(&*ours.0);
            assert!(packet == seal(&*theirs.0), "{length} bytes, {name}");
            let open = |packet: &[u8]| {
                ours.0.decrypt_in_place(number, &header, &mut packet.to_vec(), path).map(<[u8]>::to_vec)
            };
            assert!(open(&packet) == Ok(plaintext), "{length} bytes, {name}");
            let mut changed = packet;
            changed[length / 2] ^= 1;
            assert_eq!(open(&changed), Err(Error::DecryptError), "{length} bytes, {name}");
        }
        for first in 0..=u8::MAX {
            let sample = test_bytes(first.into(), 16);
            for length in 0..=4 {
                let mask = |on: bool, key: &dyn rustls_024::quic::HeaderProtectionKey| {
                    let (mut first, mut number) = (first, test_bytes(90, length));
                    let result = if on {
                        key.encrypt_in_place(&sample, &mut first, &mut number)
                    } else {
                        key.decrypt_in_place(&sample, &mut first, &mut number)
                    };
                    result.unwrap();
                    (first, number)
                };
                assert_eq!(mask(true, &*ours.1), mask(true, &*theirs.1), "{first:#x}, {name}");
                assert_eq!(mask(false, &*ours.1), mask(false, &*theirs.1), "{first:#x}, {name}");
            }
        }
    }
}

/// Both providers have the same suites, each once, and none of ours is FIPS-validated.
#[test]
fn providers() {
    for (name, wrapped) in wrapped() {
        let ours = with_sealane(wrapped.clone());
        let numbers = |provider: &CryptoProvider| {
            let tls13 = provider.tls13_cipher_suites.iter().map(|suite| suite.common.suite);
            let tls12 = provider.tls12_cipher_suites.iter().map(|suite| suite.common.suite);
            (tls13.collect::<Vec<_>>(), tls12.collect::<Vec<_>>())
        };
        assert_eq!(numbers(&ours), numbers(&wrapped), "{name}");
        assert!(!std::ptr::eq(tls13(&ours), tls13(&wrapped)), "{name}");
        assert!(std::ptr::eq(tls13(&ours), tls13(&with_sealane(wrapped.clone()))), "each suite is made once");
        assert!(std::ptr::eq(tls13(&ours), tls13(&with_sealane(ours.clone()))), "ours are not wrapped again");
        assert_eq!(tls13(&ours).fips(), FipsStatus::Unvalidated);
        for number in TLS12 {
            assert!(!std::ptr::eq(tls12(&ours, number), tls12(&wrapped, number)), "{name}");
            assert_eq!(tls12(&ours, number).fips(), FipsStatus::Unvalidated);
        }
        let sorted = numbers(&chacha20_first(ours));
        assert_eq!(sorted.0[0], CipherSuite::TLS13_CHACHA20_POLY1305_SHA256);
        assert_eq!(sorted.1[..2], TLS12);
    }
}

/// A provider may have a suite without QUIC, and limits of its own.
#[test]
fn suites_without_quic() {
    let mut wrapped = rustls_ring::DEFAULT_PROVIDER;
    let suite = tls13(&wrapped);
    let limited = Tls13CipherSuite {
        common: CipherSuiteCommon {
            suite: suite.common.suite,
            hash_provider: suite.common.hash_provider,
            confidentiality_limit: 5,
        },
        protocol_version: suite.protocol_version,
        hkdf_provider: suite.hkdf_provider,
        aead_alg: suite.aead_alg,
        quic: None,
    };
    wrapped.tls13_cipher_suites = vec![&*Box::leak(Box::new(limited))].into();
    let ours = with_sealane(wrapped.clone());
    assert!(!std::ptr::eq(tls13(&ours), tls13(&wrapped)));
    assert!(tls13(&ours).quic.is_none());
    assert_eq!(tls13(&ours).common.confidentiality_limit, 5);
}

/// A program's own provider may have the suite with DHE, which rustls's providers lack.
#[test]
fn a_suite_with_dhe() {
    let mut wrapped = rustls_ring::DEFAULT_PROVIDER;
    let number = CipherSuite::TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256;
    let rsa = tls12(&wrapped, TLS12[1]);
    let dhe = Tls12CipherSuite {
        common: CipherSuiteCommon {
            suite: number,
            hash_provider: rsa.common.hash_provider,
            confidentiality_limit: rsa.common.confidentiality_limit,
        },
        protocol_version: rsa.protocol_version,
        prf_provider: rsa.prf_provider,
        kx: KeyExchangeAlgorithm::DHE,
        sign: rsa.sign,
        aead_alg: rsa.aead_alg,
    };
    wrapped.tls12_cipher_suites.to_mut().push(Box::leak(Box::new(dhe)));
    let ours = chacha20_first(with_sealane(wrapped.clone()));
    let suite = tls12(&ours, number);
    assert!(!std::ptr::eq(suite, tls12(&wrapped, number)));
    assert_eq!(suite.kx, KeyExchangeAlgorithm::DHE);
    let numbers: Vec<_> = ours.tls12_cipher_suites.iter().take(3).map(|suite| suite.common.suite).collect();
    assert_eq!(numbers, [TLS12[0], TLS12[1], number]);
}

/// Returns the provider with only the ChaCha20-Poly1305 suites of a version of TLS.
fn only(mut provider: CryptoProvider, tls13: bool) -> CryptoProvider {
    let suites13 = provider.tls13_cipher_suites.to_mut();
    suites13.retain(|suite| tls13 && suite.common.suite == CipherSuite::TLS13_CHACHA20_POLY1305_SHA256);
    let suites12 = provider.tls12_cipher_suites.to_mut();
    suites12.retain(|suite| !tls13 && TLS12.contains(&suite.common.suite));
    provider
}

/// Passes the bytes in `wire` to `to`. Returns what it received.
fn deliver<S: SideData>(
    to: &mut Connection<S, Tcp>,
    input: &mut VecInput,
    wire: &mut Vec<u8>,
    answer: &mut Vec<u8>,
) -> Vec<u8> {
    let mut plaintext = Vec::new();
    let sent = std::mem::take(wire);
    let mut rest = &sent[..];
    while !rest.is_empty() {
        input.read(&mut rest).unwrap();
        to.read_tls(input, answer).handle_all(&mut plaintext).unwrap();
    }
    plaintext
}

fn exchange(client: CryptoProvider, server: CryptoProvider) {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = certified.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let client = ClientConfig::builder(Arc::new(client)).with_root_certificates(roots).with_no_client_auth().unwrap();
    let identity = Arc::new(Identity::from_cert_chain(vec![certificate]).unwrap());
    let server = ServerConfig::builder(Arc::new(server)).with_no_client_auth().with_single_cert(identity, key).unwrap();

    let (mut to_server, mut to_client) = (Vec::new(), Vec::new());
    let (mut server_input, mut client_input) = (VecInput::default(), VecInput::default());
    let name = ServerName::try_from("localhost").unwrap();
    let mut c = Arc::new(client).connect(name).build(&mut to_server).unwrap();
    let mut s = Connection::<ServerSide, Tcp>::new(Arc::new(server)).unwrap();
    while c.is_handshaking() || s.is_handshaking() {
        assert!(!to_server.is_empty() || !to_client.is_empty(), "the handshake stopped");
        deliver(&mut s, &mut server_input, &mut to_server, &mut to_client);
        deliver(&mut c, &mut client_input, &mut to_client, &mut to_server);
    }
    let message = test_bytes(1, 4 << 20);
    c.write(message[..].into(), &mut to_server).unwrap();
    assert!(deliver(&mut s, &mut server_input, &mut to_server, &mut to_client) == message, "client to server");
    s.write(message[..].into(), &mut to_client).unwrap();
    assert!(deliver(&mut c, &mut client_input, &mut to_client, &mut to_server) == message, "server to client");
}

#[test]
fn connections() {
    for (name, wrapped) in wrapped() {
        for tls13 in [true, false] {
            println!("{name}, TLS 1.3: {tls13}");
            let ours = || only(with_sealane(wrapped.clone()), tls13);
            let theirs = || only(wrapped.clone(), tls13);
            exchange(ours(), ours());
            exchange(ours(), theirs());
            exchange(theirs(), ours());
        }
    }
}
