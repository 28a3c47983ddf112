//! A client and a server in memory, with our suites on either side.

use std::io::{Read, Write};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{
    CipherSuite, ClientConfig, ClientConnection, ConnectionCommon, RootCertStore, ServerConfig, ServerConnection,
    SupportedCipherSuite, SupportedProtocolVersion, version,
};

use crate::common::{only, pairs, test_bytes};

const BYTES: usize = 16 << 20;
/// The number of bytes written at once: several full records and a partial one.
const PIECE_BYTES: usize = 100_000;

/// Returns the connections, before the handshake.
pub(crate) fn connections(
    client: CryptoProvider,
    server: CryptoProvider,
    version: &'static SupportedProtocolVersion,
) -> (ClientConnection, ServerConnection) {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = certified.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let client = ClientConfig::builder_with_provider(Arc::new(client))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let server = ServerConfig::builder_with_provider(Arc::new(server))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    (ClientConnection::new(Arc::new(client), name).unwrap(), ServerConnection::new(Arc::new(server)).unwrap())
}

/// Moves all bytes that `from` has to send. Returns whether there were any.
pub(crate) fn transfer<A, B>(
    from: &mut impl DerefMut<Target = ConnectionCommon<A>>,
    to: &mut impl DerefMut<Target = ConnectionCommon<B>>,
    received: &mut Vec<u8>,
) -> bool {
    let mut wire = Vec::new();
    while from.wants_write() {
        from.write_tls(&mut wire).unwrap();
    }
    let mut rest = &wire[..];
    while !rest.is_empty() {
        to.read_tls(&mut rest).unwrap();
        let state = to.process_new_packets().unwrap();
        let start = received.len();
        received.resize(start + state.plaintext_bytes_to_read(), 0);
        to.reader().read_exact(&mut received[start..]).unwrap();
    }
    !wire.is_empty()
}

/// Sends a message in pieces.
pub(crate) fn send<A, B>(
    from: &mut impl DerefMut<Target = ConnectionCommon<A>>,
    to: &mut impl DerefMut<Target = ConnectionCommon<B>>,
    message: &[u8],
) -> Vec<u8> {
    let mut received = Vec::with_capacity(message.len());
    for mut piece in message.chunks(PIECE_BYTES) {
        while !piece.is_empty() {
            let taken = from.writer().write(piece).unwrap();
            piece = &piece[taken..];
            transfer(from, to, &mut received);
        }
    }
    received
}

fn negotiated<S>(connection: &impl Deref<Target = ConnectionCommon<S>>) -> SupportedCipherSuite {
    connection.negotiated_cipher_suite().expect("the handshake is complete")
}

/// Returns whether a suite is the same object as one of the provider's suites.
fn is_of(provider: &CryptoProvider, suite: SupportedCipherSuite) -> bool {
    provider.cipher_suites.iter().any(|other| match (other, suite) {
        (SupportedCipherSuite::Tls13(a), SupportedCipherSuite::Tls13(b)) => std::ptr::eq(*a, b),
        (SupportedCipherSuite::Tls12(a), SupportedCipherSuite::Tls12(b)) => std::ptr::eq(*a, b),
        _ => false,
    })
}

/// Does a handshake, checks the suites, and sends the bytes both ways.
fn exchange(client: &CryptoProvider, server: &CryptoProvider, version: &'static SupportedProtocolVersion) {
    let (mut c, mut s) = connections(client.clone(), server.clone(), version);
    while c.is_handshaking() || s.is_handshaking() {
        let moved = transfer(&mut c, &mut s, &mut Vec::new()) | transfer(&mut s, &mut c, &mut Vec::new());
        assert!(moved, "the handshake stopped");
    }
    assert_eq!(c.protocol_version(), Some(version.version));
    assert!(is_of(client, negotiated(&c)), "{:?}", negotiated(&c));
    assert!(is_of(server, negotiated(&s)), "{:?}", negotiated(&s));
    let message = test_bytes(1, BYTES);
    assert!(send(&mut c, &mut s, &message) == message, "client to server");
    assert!(send(&mut s, &mut c, &message) == message, "server to client");
}

fn exchanges(suite: CipherSuite, version: &'static SupportedProtocolVersion) {
    for pair in pairs() {
        let [ours, wrapped] = [pair.ours, pair.wrapped].map(|provider| only(provider, &[suite]));
        assert!(ours.cipher_suites.iter().all(|suite| !is_of(&wrapped, *suite)), "ours are other objects");
        exchange(&ours, &ours, version);
        exchange(&ours, &wrapped, version);
        exchange(&wrapped, &ours, version);
    }
}

#[test]
fn tls_1_3() {
    exchanges(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256, &version::TLS13);
}

#[test]
fn tls_1_2() {
    exchanges(CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, &version::TLS12);
}

#[test]
fn a_changed_record_ends_the_connection() {
    let provider = &pairs()[0].ours;
    for (suite, version) in [
        (CipherSuite::TLS13_CHACHA20_POLY1305_SHA256, &version::TLS13),
        (CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, &version::TLS12),
    ] {
        let provider = only(provider.clone(), &[suite]);
        let (mut c, mut s) = connections(provider.clone(), provider, version);
        while c.is_handshaking() || s.is_handshaking() {
            transfer(&mut c, &mut s, &mut Vec::new());
            transfer(&mut s, &mut c, &mut Vec::new());
        }
        c.writer().write_all(b"a record").unwrap();
        let mut wire = Vec::new();
        c.write_tls(&mut wire).unwrap();
        *wire.last_mut().unwrap() ^= 1;
        s.read_tls(&mut &wire[..]).unwrap();
        assert_eq!(s.process_new_packets().unwrap_err(), rustls::Error::DecryptError);
    }
}
