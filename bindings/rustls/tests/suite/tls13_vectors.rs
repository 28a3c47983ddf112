//! TLS 1.3 records from a traffic secret, through two key updates. `tests/vectors/tls13.py`
//! computed them without Sealane, because RFC 8448 has only records with AES.

use rustls::crypto::cipher::{InboundOpaqueMessage, Iv, OutboundChunks, OutboundPlainMessage};
use rustls::crypto::tls13::OkmBlock;
use rustls::{ContentType, ProtocolVersion, Tls13CipherSuite};

use crate::common::{pairs, tls13};

const VECTORS: &str = include_str!("../vectors/tls13.txt");

fn hex(digits: &str) -> Vec<u8> {
    if digits == "-" {
        return Vec::new();
    }
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Computes `HKDF-Expand-Label` with an empty context (RFC 8446, section 7.1).
fn expand_label<const N: usize>(suite: &Tls13CipherSuite, secret: &[u8], label: &str) -> [u8; N] {
    let label = format!("tls13 {label}");
    let info = [&(N as u16).to_be_bytes()[..], &[label.len() as u8], label.as_bytes(), &[0]].concat();
    let mut okm = [0; N];
    let expander = suite.hkdf_provider.expander_for_okm(&OkmBlock::new(secret));
    expander.expand_slice(&[&info], &mut okm).expect("a short output");
    okm
}

/// Encrypts and decrypts all records of the file. Returns how many there are.
fn check(suite: &'static Tls13CipherSuite) -> usize {
    let (mut secret, mut key, mut iv) = (Vec::new(), [0; 32], [0; 12]);
    let mut records = 0;
    for line in VECTORS.lines() {
        match *line.split(' ').collect::<Vec<_>>() {
            ["secret", new_secret, new_key, new_iv] => {
                if !secret.is_empty() {
                    assert_eq!(expand_label::<32>(suite, &secret, "traffic upd")[..], hex(new_secret));
                }
                secret = hex(new_secret);
                key = expand_label(suite, &secret, "key");
                iv = expand_label(suite, &secret, "iv");
                assert_eq!((&key[..], &iv[..]), (&hex(new_key)[..], &hex(new_iv)[..]));
            }
            ["record", sequence, kind, padding, content, record] => {
                let (content, record) = (hex(content), hex(record));
                let (sequence, kind) = (sequence.parse().unwrap(), ContentType::from(kind.parse::<u8>().unwrap()));
                // rustls sends no padding, but accepts it.
                if padding == "0" {
                    let payload = OutboundChunks::Single(&content);
                    let message = OutboundPlainMessage { typ: kind, version: ProtocolVersion::TLSv1_3, payload };
                    let sealed = suite.aead_alg.encrypter(key.into(), Iv::from(iv)).encrypt(message, sequence);
                    assert_eq!(sealed.unwrap().encode(), record, "{line}");
                }
                let mut body = record[5..].to_vec();
                let message =
                    InboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, &mut body);
                let mut decrypter = suite.aead_alg.decrypter(key.into(), Iv::from(iv));
                let opened = decrypter.decrypt(message, sequence).unwrap();
                assert_eq!((opened.typ, opened.payload), (kind, &content[..]), "{line}");
                records += 1;
            }
            _ => assert!(line.starts_with('#'), "{line}"),
        }
    }
    records
}

#[test]
fn records_from_a_traffic_secret() {
    for pair in pairs() {
        assert_eq!(check(tls13(&pair.ours)), 21, "{}", pair.name);
    }
}
