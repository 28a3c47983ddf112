//! The openssl command on the other side of a connection, as a server and as a client, with its own
//! cipher and with the provider of `bindings/openssl`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{CipherSuite, ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};
use rustls::{StreamOwned, SupportedProtocolVersion, version};

use crate::common::{only, pairs, test_bytes};

const BYTES: usize = 4 << 20;

/// The suite, the version, and OpenSSL's options for both.
const CASES: [(CipherSuite, &SupportedProtocolVersion, [&str; 3]); 2] = [
    (
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
        &version::TLS13,
        ["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"],
    ),
    (
        CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        &version::TLS12,
        ["-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"],
    ),
];

/// A process that is killed when it is dropped.
struct Running(Child);

impl Running {
    /// Waits until the process has ended by itself, so that the provider has written its
    /// statistics.
    fn ended(mut self) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.0.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "openssl does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The cipher that the openssl command uses.
#[derive(Clone, Copy)]
enum Cipher {
    /// The cipher of OpenSSL's own provider.
    OpenSsl,
    /// The cipher of Sealane's provider.
    Sealane,
}

impl Cipher {
    /// Returns the command with the configuration for this cipher.
    fn command(self, server: &Server) -> Command {
        let mut command = Command::new("openssl");
        command.current_dir(&server.folder).env("OPENSSL_CONF", "/dev/null");
        if let Self::Sealane = self {
            let module =
                std::env::var_os("SEALANE_OPENSSL").expect("the folder of the module, from `bindings/rustls/test`");
            let configuration = std::fs::read_to_string(Path::new(&module).join("sealane.cnf")).unwrap();
            let statistics = format!("\nstatistics = {}\n[algorithms]", server.path("statistics").display());
            assert!(configuration.contains("\n[algorithms]"));
            std::fs::write(server.path("sealane.cnf"), configuration.replace("\n[algorithms]", &statistics)).unwrap();
            // The process appends to this file.
            let _ = std::fs::remove_file(server.path("statistics"));
            command.env("OPENSSL_CONF", server.path("sealane.cnf"));
        }
        command
    }

    /// Checks that Sealane's provider processed the message, if the process used it.
    fn check_use(self, server: &Server) {
        if let Self::Sealane = self {
            let statistics = std::fs::read_to_string(server.path("statistics")).unwrap();
            let line = statistics.lines().find(|line| line.contains(" ChaCha20-Poly1305: ")).expect("it was used");
            let bytes: usize = line.split(' ').nth_back(1).unwrap().parse().unwrap();
            assert!(bytes >= BYTES, "{line}");
        }
    }
}

/// A certificate with its key, and a folder that holds both as files.
struct Server {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
    folder: PathBuf,
}

impl Server {
    fn new(name: &str) -> Self {
        let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("certificate.pem"), certified.cert.pem()).unwrap();
        std::fs::write(folder.join("key.pem"), certified.signing_key.serialize_pem()).unwrap();
        let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
        Self { certificate: certified.cert.der().clone(), key, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// OpenSSL's server sends a file to our client.
fn openssl_sends(cipher: Cipher, folder: &str) {
    for (pair, (suite, version, options)) in pairs().iter().flat_map(|pair| CASES.map(|case| (pair, case))) {
        let server = Server::new(folder);
        let message = test_bytes(11, BYTES);
        std::fs::write(server.path("message"), &message).unwrap();
        let provider = only(pair.ours.clone(), &[suite]);

        // OpenSSL prints the port that the system assigned.
        let mut child = cipher
            .command(&server)
            .args(["s_server", "-accept", "localhost:0", "-naccept", "1", "-HTTP"])
            .args(options)
            .args(["-cert", "certificate.pem", "-key", "key.pem"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("openssl is installed");
        let output = child.stdout.take().expect("a pipe");
        let running = Running(child);
        // The pipe stays open until the server has ended.
        let mut lines = BufReader::new(output).lines();
        let accepting = lines
            .by_ref()
            .map(Result::unwrap)
            .find(|line| line.starts_with("ACCEPT"))
            .expect("the server begins to listen");
        let address = accepting.trim_start_matches("ACCEPT ").to_owned();

        let mut roots = RootCertStore::empty();
        roots.add(server.certificate.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = StreamOwned::new(connection, TcpStream::connect(address).unwrap());
        stream.write_all(b"GET /message HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        // -HTTP sends the file as it is, and may end without an alert.
        let _ = stream.read_to_end(&mut answer);
        assert!(answer == message, "{}, {suite:?}: {} bytes came", pair.name, answer.len());
        assert_eq!(stream.conn.negotiated_cipher_suite().unwrap().suite(), suite);
        drop(stream);
        running.ended();
        cipher.check_use(&server);
    }
}

#[test]
fn openssl_is_the_server() {
    openssl_sends(Cipher::OpenSsl, "openssl-server");
}

#[test]
#[ignore = "needs the module for OpenSSL: bindings/rustls/test"]
fn openssl_with_our_provider_is_the_server() {
    openssl_sends(Cipher::Sealane, "sealane-server");
}

fn server_config(
    server: &Server,
    provider: CryptoProvider,
    version: &'static SupportedProtocolVersion,
) -> Arc<ServerConfig> {
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![server.certificate.clone()], server.key.clone_key())
        .unwrap();
    Arc::new(config)
}

/// OpenSSL's client sends its input to our server.
fn openssl_connects(cipher: Cipher, folder: &str) {
    for (pair, (suite, version, options)) in pairs().iter().flat_map(|pair| CASES.map(|case| (pair, case))) {
        let server = Server::new(folder);
        let message = test_bytes(12, BYTES);
        std::fs::write(server.path("message"), &message).unwrap();
        let config = server_config(&server, only(pair.ours.clone(), &[suite]), version);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();

        let child = cipher
            .command(&server)
            .args(["s_client", "-connect", &listener.local_addr().unwrap().to_string(), "-servername", "localhost"])
            .args(options)
            .args(["-quiet", "-verify_return_error", "-CAfile", "certificate.pem"])
            .stdin(std::fs::File::open(server.path("message")).unwrap())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("openssl is installed");
        let running = Running(child);
        let (socket, _) = accept(&listener);
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), socket);
        let mut received = vec![0; BYTES];
        stream.read_exact(&mut received).unwrap();
        assert!(received == message, "{}, {suite:?}", pair.name);
        assert_eq!(stream.conn.negotiated_cipher_suite().unwrap().suite(), suite);
        stream.conn.send_close_notify();
        stream.flush().unwrap();
        drop(stream);
        running.ended();
        cipher.check_use(&server);
    }
}

#[test]
fn openssl_is_the_client() {
    openssl_connects(Cipher::OpenSsl, "openssl-client");
}

#[test]
#[ignore = "needs the module for OpenSSL: bindings/rustls/test"]
fn openssl_with_our_provider_is_the_client() {
    openssl_connects(Cipher::Sealane, "sealane-client");
}

/// Accepts a connection, waiting at most a minute.
fn accept(listener: &TcpListener) -> (TcpStream, std::net::SocketAddr) {
    listener.set_nonblocking(true).unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        match listener.accept() {
            Ok((socket, address)) => {
                socket.set_nonblocking(false).unwrap();
                return (socket, address);
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock && Instant::now() < end => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => panic!("no client came: {error}"),
        }
    }
}
