//! A server and a client with quinn. The client sends four messages on streams of their own, all at
//! the same time, and the server sends each back.
//!
//! `cargo run --example quic`
#![forbid(unsafe_code)]

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use quinn::crypto::rustls::{HandshakeData, QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Connection, Endpoint, ServerConfig};
use rustls::RootCertStore;
use rustls::pki_types::PrivateKeyDer;
use rustls::version::TLS13;

const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
const MESSAGE_BYTES: usize = 1 << 20;
const PROTOCOL: &[u8] = b"echo";

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    // The suite of AES-128-GCM stays in the provider, because QUIC's first packets need it.
    let provider = Arc::new(rustls_sealane::chacha20_first(rustls_sealane::ring::default_provider()));
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let certificate = certified.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());

    let mut server = rustls::ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)?;
    server.alpn_protocols = vec![PROTOCOL.to_vec()];
    let server = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(server)?));
    let server = Endpoint::server(server, ANY_PORT)?;
    let address = server.local_addr()?;
    let serving = tokio::spawn(async move {
        let connection = server.accept().await.ok_or("the endpoint is closed")?.await?;
        echo(&connection).await;
        server.wait_idle().await;
        Ok::<_, Failure>(())
    });

    let mut roots = RootCertStore::empty();
    roots.add(certificate)?;
    let mut client = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.alpn_protocols = vec![PROTOCOL.to_vec()];
    let client = ClientConfig::new(Arc::new(QuicClientConfig::try_from(client)?));
    let endpoint = Endpoint::client(ANY_PORT)?;
    let connection = endpoint.connect_with(client, address, "localhost")?.await?;
    let handshake = connection.handshake_data().ok_or("no handshake")?.downcast::<HandshakeData>();
    assert_eq!(handshake.map_err(|_| "not rustls")?.protocol.as_deref(), Some(PROTOCOL));

    let messages = (0..4).map(|i| tokio::spawn(send(connection.clone(), vec![i; MESSAGE_BYTES])));
    for message in messages.collect::<Vec<_>>() {
        message.await??;
    }
    connection.close(0_u8.into(), b"done");
    endpoint.wait_idle().await;
    serving.await??;
    println!("4 messages of {MESSAGE_BYTES} bytes were sent and came back");
    Ok(())
}

/// Sends back what arrives on each stream, until the client closes the connection.
async fn echo(connection: &Connection) {
    while let Ok((mut send, mut receive)) = connection.accept_bi().await {
        tokio::spawn(async move {
            let message = receive.read_to_end(MESSAGE_BYTES).await?;
            send.write_all(&message).await?;
            send.finish()?;
            Ok::<_, Failure>(())
        });
    }
}

/// Sends a message on a new stream, and compares it with what comes back.
async fn send(connection: Connection, message: Vec<u8>) -> Result<(), Failure> {
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(&message).await?;
    send.finish()?;
    assert!(receive.read_to_end(MESSAGE_BYTES).await? == message, "another message came back");
    Ok(())
}
