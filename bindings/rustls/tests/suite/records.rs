//! TLS records of every length are identical to those of the wrapped provider.

use rustls::crypto::CryptoProvider;
use rustls::crypto::cipher::{
    InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks, OutboundPlainMessage,
};
use rustls::{CipherSuite, ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

use crate::common::{array, lengths, pairs, test_bytes, tls12, tls13};

/// Length of a record's header in bytes.
const HEADER_BYTES: usize = 5;

/// The protocol versions, each with a suite.
#[derive(Clone, Copy, Debug)]
enum Protocol {
    Tls13,
    Tls12(CipherSuite),
}

const PROTOCOLS: [Protocol; 3] = [
    Protocol::Tls13,
    Protocol::Tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
    Protocol::Tls12(CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256),
];

const KEY: u64 = 1;
const IV: u64 = 2;

impl Protocol {
    fn encrypter(self, provider: &CryptoProvider) -> Box<dyn MessageEncrypter> {
        let (key, iv) = (array::<32>(KEY).into(), array::<12>(IV));
        match self {
            Self::Tls13 => tls13(provider).aead_alg.encrypter(key, Iv::from(iv)),
            Self::Tls12(suite) => tls12(provider, suite).aead_alg.encrypter(key, &iv, &[]),
        }
    }

    fn decrypter(self, provider: &CryptoProvider) -> Box<dyn MessageDecrypter> {
        let (key, iv) = (array::<32>(KEY).into(), array::<12>(IV));
        match self {
            Self::Tls13 => tls13(provider).aead_alg.decrypter(key, Iv::from(iv)),
            Self::Tls12(suite) => tls12(provider, suite).aead_alg.decrypter(key, &iv),
        }
    }

    /// Returns the plaintext of a record.
    fn decrypt(self, decrypter: &mut dyn MessageDecrypter, record: &[u8], seq: u64) -> Result<Vec<u8>, Error> {
        let mut payload = record[HEADER_BYTES..].to_vec();
        let message = InboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, &mut payload);
        // The header of a record of TLS 1.3 names TLS 1.2 (RFC 8446, section 5.2).
        let version = match self {
            Self::Tls13 => ProtocolVersion::TLSv1_3,
            Self::Tls12(_) => ProtocolVersion::TLSv1_2,
        };
        decrypter.decrypt(message, seq).map(|plain| {
            assert_eq!((plain.typ, plain.version), (ContentType::ApplicationData, version));
            plain.payload.to_vec()
        })
    }

    /// Returns the key and the IV that a program gets for a connection.
    fn extracted(self, provider: &CryptoProvider) -> ([u8; 32], [u8; 12]) {
        let (key, iv) = (array::<32>(KEY).into(), array::<12>(IV));
        let secrets = match self {
            Self::Tls13 => tls13(provider).aead_alg.extract_keys(key, Iv::from(iv)),
            Self::Tls12(suite) => tls12(provider, suite).aead_alg.extract_keys(key, &iv, &[]),
        };
        match secrets {
            Ok(ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv }) => {
                (key.as_ref().try_into().unwrap(), iv.as_ref().try_into().unwrap())
            }
            _ => panic!("the secrets are of another cipher, for {self:?}"),
        }
    }
}

/// Returns the record with its header. The plaintext comes in two chunks.
fn encrypt(encrypter: &mut dyn MessageEncrypter, plaintext: &[u8], seq: u64) -> Vec<u8> {
    let (first, second) = plaintext.split_at(plaintext.len() / 3);
    let chunks = [first, second];
    let payload = OutboundChunks::new(&chunks);
    let message =
        OutboundPlainMessage { typ: ContentType::ApplicationData, version: ProtocolVersion::TLSv1_2, payload };
    let record = encrypter.encrypt(message, seq).unwrap().encode();
    assert_eq!(record.len(), HEADER_BYTES + encrypter.encrypted_payload_len(plaintext.len()));
    record
}

#[test]
fn every_length() {
    for pair in pairs() {
        for protocol in PROTOCOLS {
            let (mut ours, mut theirs) = (protocol.encrypter(&pair.ours), protocol.encrypter(&pair.wrapped));
            let (mut our_opener, mut their_opener) =
                (protocol.decrypter(&pair.ours), protocol.decrypter(&pair.wrapped));
            for length in lengths() {
                let (plaintext, seq) = (test_bytes(length as u64, length), (length as u64) << 40 | 7);
                let record = encrypt(&mut *ours, &plaintext, seq);
                let case = || format!("{length} bytes, {protocol:?}, {}", pair.name);
                assert!(record == encrypt(&mut *theirs, &plaintext, seq), "{}", case());
                assert!(protocol.decrypt(&mut *our_opener, &record, seq).as_ref() == Ok(&plaintext), "{}", case());
                assert!(protocol.decrypt(&mut *their_opener, &record, seq).as_ref() == Ok(&plaintext), "{}", case());
            }
        }
    }
}

#[test]
fn changed_records_are_refused() {
    let pair = &pairs()[0];
    for protocol in PROTOCOLS {
        let mut opener = protocol.decrypter(&pair.ours);
        for length in [0, 1, 64, 300] {
            let record = encrypt(&mut *protocol.encrypter(&pair.ours), &test_bytes(3, length), 5);
            for i in HEADER_BYTES..record.len() {
                let mut changed = record.clone();
                changed[i] ^= 1 << (i % 8);
                assert_eq!(
                    protocol.decrypt(&mut *opener, &changed, 5),
                    Err(Error::DecryptError),
                    "byte {i}, {protocol:?}"
                );
            }
            assert_eq!(protocol.decrypt(&mut *opener, &record, 6), Err(Error::DecryptError), "number, {protocol:?}");
            for end in HEADER_BYTES..record.len() {
                assert_eq!(
                    protocol.decrypt(&mut *opener, &record[..end], 5),
                    Err(Error::DecryptError),
                    "{end}, {protocol:?}"
                );
            }
            assert_eq!(protocol.decrypt(&mut *opener, &record, 5), Ok(test_bytes(3, length)), "{protocol:?}");
        }
    }
}

/// TLS allows 2^14 bytes. Both providers give the same error.
#[test]
fn records_that_are_too_long_are_refused() {
    for pair in pairs() {
        for protocol in PROTOCOLS {
            let record = encrypt(&mut *protocol.encrypter(&pair.ours), &vec![1; (1 << 14) + 1], 0);
            for provider in [&pair.ours, &pair.wrapped] {
                let result = protocol.decrypt(&mut *protocol.decrypter(provider), &record, 0);
                assert_eq!(result, Err(Error::PeerSentOversizedRecord), "{protocol:?}, {}", pair.name);
            }
        }
    }
}

/// A program that hands a connection to the kernel needs the key and the IV.
#[test]
fn keys_can_be_extracted() {
    for pair in pairs() {
        for protocol in PROTOCOLS {
            let secrets = protocol.extracted(&pair.ours);
            assert_eq!(secrets, (array(KEY), array(IV)), "{protocol:?}, {}", pair.name);
            assert_eq!(secrets, protocol.extracted(&pair.wrapped), "{protocol:?}, {}", pair.name);
        }
    }
}
