//! A server and a client over TCP, first with TLS 1.3 and then with TLS 1.2. The client uploads 16
//! MiB, and the server answers with the number of bytes that arrived. The length precedes the
//! upload, because TLS 1.2 cannot close one direction alone.
//!
//! `cargo run --example tls`
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned};

const UPLOAD_BYTES: usize = 16 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let provider = Arc::new(rustls_sealane::chacha20_first(rustls_sealane::ring::default_provider()));
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let certificate = certified.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let server = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&TLS13, &TLS12])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)?;
    let server = Arc::new(server);
    let mut roots = RootCertStore::empty();
    roots.add(certificate)?;

    for version in [&TLS13, &TLS12] {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let server = server.clone();
        let serving = thread::spawn(move || serve(&listener, server));

        let client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[version])?
            .with_root_certificates(roots.clone())
            .with_no_client_auth();
        let connection = ClientConnection::new(Arc::new(client), ServerName::try_from("localhost")?)?;
        let mut stream = StreamOwned::new(connection, TcpStream::connect(address)?);
        stream.write_all(&(UPLOAD_BYTES as u64).to_be_bytes())?;
        stream.write_all(&vec![7; UPLOAD_BYTES])?;
        stream.flush()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        println!("{:?}: {answer}", stream.conn.negotiated_cipher_suite().ok_or("no cipher suite")?.suite());
        assert_eq!(answer, format!("{UPLOAD_BYTES} bytes"));
        serving.join().expect("the server does not panic")?;
    }
    Ok(())
}

/// Reads the upload of one client, and answers.
fn serve(listener: &TcpListener, config: Arc<ServerConfig>) -> io::Result<()> {
    let (socket, _) = listener.accept()?;
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, socket);
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let received = io::copy(&mut (&mut stream).take(u64::from_be_bytes(length)), &mut io::sink())?;
    write!(stream, "{received} bytes")?;
    stream.conn.send_close_notify();
    stream.flush()
}
