//! Two endpoints of quinn, with a forwarder between them that loses and changes packets.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Endpoint, ServerConfig, TransportConfig};
use rustls::crypto::CryptoProvider;
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::pki_types::PrivateKeyDer;
use rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey, Tag};
use rustls::{CipherSuite, CipherSuiteCommon, Error, RootCertStore, SupportedCipherSuite, Tls13CipherSuite, version};
use tokio::net::UdpSocket;

use crate::common::{only, pairs, quic, test_bytes, tls13};

/// Lengths of messages, which are sent and echoed. The long one adds up to 256 MiB.
const LONG: usize = 128 << 20;
const SHORT: usize = 8 << 20;
/// One in `LOST` packets is lost, and one in `CHANGED` is changed.
const LOST: u64 = 61;
const CHANGED: u64 = 53;
const LOCALHOST: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Packets that our keys have encrypted, decrypted and refused.
#[derive(Default)]
struct Counts {
    encrypted: AtomicU64,
    decrypted: AtomicU64,
    refused: AtomicU64,
    headers: AtomicU64,
    /// The keys, in the order of creation.
    keys: Mutex<Vec<Arc<KeyCounts>>>,
}

/// Packets that one key has encrypted and decrypted.
#[derive(Default)]
struct KeyCounts {
    encrypted: AtomicU64,
    decrypted: AtomicU64,
}

impl Counts {
    /// Returns how many keys have encrypted more than `packets` packets, and how many have
    /// decrypted more.
    fn keys(&self, packets: u64) -> [usize; 2] {
        let keys = self.keys.lock().unwrap();
        [
            keys.iter().filter(|key| key.encrypted.load(Relaxed) > packets).count(),
            keys.iter().filter(|key| key.decrypted.load(Relaxed) > packets).count(),
        ]
    }
}

/// Our algorithm, which counts packets.
struct Counting {
    ours: &'static dyn Algorithm,
    counts: Arc<Counts>,
}

struct CountingKey(Box<dyn PacketKey>, Arc<Counts>, Arc<KeyCounts>);
struct CountingHeaders(Box<dyn HeaderProtectionKey>, Arc<Counts>);

impl Algorithm for Counting {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        let own = Arc::new(KeyCounts::default());
        self.counts.keys.lock().unwrap().push(own.clone());
        Box::new(CountingKey(self.ours.packet_key(key, iv), self.counts.clone(), own))
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        Box::new(CountingHeaders(self.ours.header_protection_key(key), self.counts.clone()))
    }

    fn aead_key_len(&self) -> usize {
        self.ours.aead_key_len()
    }
}

impl PacketKey for CountingKey {
    fn encrypt_in_place(&self, number: u64, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        self.1.encrypted.fetch_add(1, Relaxed);
        self.2.encrypted.fetch_add(1, Relaxed);
        self.0.encrypt_in_place(number, header, payload)
    }

    fn decrypt_in_place<'a>(&self, number: u64, header: &[u8], payload: &'a mut [u8]) -> Result<&'a [u8], Error> {
        let result = self.0.decrypt_in_place(number, header, payload);
        if result.is_ok() { &self.1.decrypted } else { &self.1.refused }.fetch_add(1, Relaxed);
        self.2.decrypted.fetch_add(u64::from(result.is_ok()), Relaxed);
        result
    }

    fn tag_len(&self) -> usize {
        self.0.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.0.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.0.integrity_limit()
    }
}

impl HeaderProtectionKey for CountingHeaders {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.1.headers.fetch_add(1, Relaxed);
        self.0.encrypt_in_place(sample, first, number)
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.1.headers.fetch_add(1, Relaxed);
        self.0.decrypt_in_place(sample, first, number)
    }

    fn sample_len(&self) -> usize {
        self.0.sample_len()
    }
}

/// Returns the provider with one suite for the connection, which counts, and one for the Initial
/// packets, which are always protected with AES-128-GCM (RFC 9001, section 5.2).
fn counting(provider: &CryptoProvider) -> (CryptoProvider, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    let ours = tls13(provider);
    let algorithm = Box::leak(Box::new(Counting { ours: quic(provider), counts: counts.clone() }));
    let CipherSuiteCommon { suite, hash_provider, confidentiality_limit } = ours.common;
    let common = CipherSuiteCommon { suite, hash_provider, confidentiality_limit };
    let suite =
        Tls13CipherSuite { common, hkdf_provider: ours.hkdf_provider, aead_alg: ours.aead_alg, quic: Some(algorithm) };
    let mut provider = only(provider.clone(), &[CipherSuite::TLS13_AES_128_GCM_SHA256]);
    provider.cipher_suites.insert(0, SupportedCipherSuite::Tls13(Box::leak(Box::new(suite))));
    (provider, counts)
}

/// Returns a server that sends back what it receives, and the configuration of its clients.
fn endpoints(client: CryptoProvider, server: CryptoProvider) -> (Endpoint, ClientConfig) {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = certified.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let client = rustls::ClientConfig::builder_with_provider(Arc::new(client))
        .with_protocol_versions(&[&version::TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let server = rustls::ServerConfig::builder_with_provider(Arc::new(server))
        .with_protocol_versions(&[&version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let mut server = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(server).unwrap()));
    let mut client = ClientConfig::new(Arc::new(QuicClientConfig::try_from(client).unwrap()));
    let mut transport = TransportConfig::default();
    transport.initial_rtt(Duration::from_millis(5));
    let transport = Arc::new(transport);
    server.transport_config(transport.clone());
    client.transport_config(transport);
    (Endpoint::server(server, LOCALHOST).unwrap(), client)
}

/// Forwards packets between a client and the server, and loses and changes some of them. Returns
/// the address for the client, and the number of packets that were changed.
async fn forwarder(server: SocketAddr) -> (SocketAddr, Arc<AtomicU64>) {
    let front = Arc::new(UdpSocket::bind(LOCALHOST).await.unwrap());
    let back = Arc::new(UdpSocket::bind(LOCALHOST).await.unwrap());
    back.connect(server).await.unwrap();
    let (address, changed) = (front.local_addr().unwrap(), Arc::new(AtomicU64::new(0)));
    let count = changed.clone();
    tokio::spawn(async move {
        let (mut up, mut down) = (vec![0; 1 << 16], vec![0; 1 << 16]);
        let mut client = None;
        for number in 1.. {
            let (length, from_client) = tokio::select! {
                received = front.recv_from(&mut up) => {
                    let Ok((length, address)) = received else { return };
                    client = Some(address);
                    (length, true)
                }
                received = back.recv(&mut down) => {
                    let Ok(length) = received else { return };
                    (length, false)
                }
            };
            let packet = if from_client { &mut up[..length] } else { &mut down[..length] };
            if number % LOST == 0 {
                continue;
            }
            if number % CHANGED == 0 {
                packet[length - 1] ^= 1;
                count.fetch_add(1, Relaxed);
            }
            // A packet that cannot be sent is lost.
            let _ = match (from_client, client) {
                (true, _) => back.send(packet).await,
                (false, Some(client)) => front.send_to(packet, client).await,
                (false, None) => Ok(0),
            };
        }
    });
    (address, changed)
}

/// Sends a message to the server and receives it again, with key updates on the way.
async fn echo(bytes: usize, client: CryptoProvider, server: CryptoProvider) -> u64 {
    let (server, config) = endpoints(client, server);
    let (address, changed) = forwarder(server.local_addr().unwrap()).await;
    let serving = tokio::spawn(async move {
        let connection = server.accept().await.unwrap().await.unwrap();
        let (mut send, mut receive) = connection.accept_bi().await.unwrap();
        let mut buffer = vec![0; 1 << 16];
        while let Some(length) = receive.read(&mut buffer).await.unwrap() {
            send.write_all(&buffer[..length]).await.unwrap();
        }
        send.finish().unwrap();
        connection.closed().await;
    });
    let endpoint = Endpoint::client(LOCALHOST).unwrap();
    let connection = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap();
    let (mut send, mut receive) = connection.open_bi().await.unwrap();
    let message = test_bytes(5, bytes);
    let sent = message.clone();
    let updated = connection.clone();
    let sending = tokio::spawn(async move {
        for (i, piece) in sent.chunks(bytes / 8).enumerate() {
            send.write_all(piece).await.unwrap();
            if i == 3 {
                updated.force_key_update();
            }
        }
        send.finish().unwrap();
    });
    let received = receive.read_to_end(bytes).await.unwrap();
    assert!(received == message, "what came back differs");
    sending.await.unwrap();
    connection.close(0_u8.into(), b"");
    serving.await.unwrap();
    changed.load(Relaxed)
}

/// Runs [`echo`] with a time limit, because a connection whose packets are all refused would hang.
async fn limited_echo(bytes: usize, client: CryptoProvider, server: CryptoProvider) -> u64 {
    tokio::time::timeout(Duration::from_secs(300), echo(bytes, client, server)).await.expect("the echo takes too long")
}

/// Returns the minimum number of packets for a message, if all have the maximum length.
fn fewest_packets(bytes: usize) -> u64 {
    bytes as u64 / 1500
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_and_changed_packets_are_sent_again() {
    let pair = &pairs()[0];
    let (client, client_counts) = counting(&pair.ours);
    let (server, server_counts) = counting(&pair.ours);
    let changed = limited_echo(LONG, client, server).await;
    let fewest = fewest_packets(LONG);
    assert!(changed > fewest / CHANGED, "{changed} packets were changed");
    let mut refused = 0;
    for counts in [client_counts, server_counts] {
        assert!(counts.encrypted.load(Relaxed) > fewest);
        assert!(counts.decrypted.load(Relaxed) > fewest);
        assert!(counts.headers.load(Relaxed) > 2 * fewest);
        // quinn updates the keys by itself within the first 1000 packets, and the client updates
        // them in the middle. Each key of the last two phases protects a large part of the packets.
        assert!(fewest / 8 > 2000);
        assert_eq!(counts.keys(fewest / 8), [2, 2], "keys were updated in the middle");
        refused += counts.refused.load(Relaxed);
    }
    assert!(refused > changed / 2, "of {changed} changed packets, {refused} were refused");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_other_side_may_have_another_provider() {
    for (pair, ours_is_client) in pairs().iter().flat_map(|pair| [(pair, true), (pair, false)]) {
        let (ours, counts) = counting(&pair.ours);
        let suites = [CipherSuite::TLS13_CHACHA20_POLY1305_SHA256, CipherSuite::TLS13_AES_128_GCM_SHA256];
        let theirs = rustls_sealane::chacha20_first(only(pair.wrapped.clone(), &suites));
        let (client, server) = if ours_is_client { (ours, theirs) } else { (theirs, ours) };
        limited_echo(SHORT, client, server).await;
        assert!(counts.encrypted.load(Relaxed) > fewest_packets(SHORT), "{}", pair.name);
        assert!(counts.decrypted.load(Relaxed) > fewest_packets(SHORT), "{}", pair.name);
        // One key for the handshake, and one before and one after an update.
        assert!(counts.keys(0).iter().all(|keys| *keys >= 3), "{}: {:?} keys", pair.name, counts.keys(0));
    }
}
