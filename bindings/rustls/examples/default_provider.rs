//! Makes Sealane the default of the process. Libraries that create their configurations by
//! themselves, such as HTTP clients, then use it without knowing of it.
//!
//! `cargo run --example default_provider`
#![forbid(unsafe_code)]

use std::error::Error;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};

fn main() -> Result<(), Box<dyn Error>> {
    let provider = rustls_sealane::chacha20_first(rustls_sealane::ring::default_provider());
    // This succeeds once in a process. A program calls it first, before any library needs a
    // provider.
    provider.install_default().map_err(|_| "another provider was installed before")?;

    let (mut client, mut server) = in_a_library()?;
    // The messages of the handshake, without a network.
    while client.is_handshaking() || server.is_handshaking() {
        let mut messages = Vec::new();
        client.write_tls(&mut messages)?;
        server.read_tls(&mut &messages[..])?;
        server.process_new_packets()?;
        messages.clear();
        server.write_tls(&mut messages)?;
        client.read_tls(&mut &messages[..])?;
        client.process_new_packets()?;
    }
    let suite = client.negotiated_cipher_suite().ok_or("no cipher suite")?;
    println!("{:?}", suite.suite());
    let default = CryptoProvider::get_default().ok_or("no default")?;
    assert_eq!(suite.suite(), default.cipher_suites[0].suite());
    Ok(())
}

/// Creates connections as a library does, which names no provider.
fn in_a_library() -> Result<(ClientConnection, ServerConnection), Box<dyn Error>> {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let certificate = certified.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone())?;
    let server = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key)?;
    let client = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let client = ClientConnection::new(Arc::new(client), ServerName::try_from("localhost")?)?;
    Ok((client, ServerConnection::new(Arc::new(server))?))
}
