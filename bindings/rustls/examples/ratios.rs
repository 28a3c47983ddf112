//! Prints how much faster the suites are than those of ring and AWS-LC, for TLS 1.3 records, QUIC
//! packets and handshakes: `cargo run --release --all-features --example ratios`.
//!
//! Each figure is the other provider's time divided by ours, in one process, as the median of
//! rounds. For packets, both the payload and the header are protected. The last row is a batch of
//! 32 packets, which the other providers protect one by one. Above the table, the batch is compared
//! with our own suite one by one, and handshakes with those of the provider that ours wraps. Run it
//! on an idle machine.
//!
//! With `-- quick`, each measurement is short, and its figures mean little. With `-- instructions`,
//! it counts the instructions of a call under valgrind instead, which needs no idle machine.
#![forbid(unsafe_code)]

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::crypto::cipher::{
    InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks, OutboundPlainMessage,
};
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::quic::{HeaderProtectionKey, PacketKey};
use rustls::{CipherSuite, ClientConfig, ClientConnection, ContentType, ProtocolVersion, RootCertStore};
use rustls::{ServerConfig, ServerConnection, Tls13CipherSuite};
use rustls_sealane::quic::{Packet, PacketKeys};
use sealane_measure::{Rounds, Table, median, size_name, take_turns};

const SIZES: [usize; 5] = [16, 64, 1200, 1350, 16_384];
const ROUNDS: Rounds = Rounds { count: 25, turn: Duration::from_millis(4), settle: Duration::from_millis(1) };
/// One call in each turn.
const QUICK: Rounds = Rounds { count: 3, turn: Duration::from_nanos(1), settle: Duration::ZERO };

const PACKETS: usize = 32;
/// A short header with a connection ID of 8 bytes and a packet number of 4.
const HEADER_BYTES: usize = 13;
const TAG_BYTES: usize = 16;

/// Runs an operation once.
type Run = Box<dyn FnMut()>;

fn suite(provider: &CryptoProvider) -> &'static Tls13CipherSuite {
    let number = CipherSuite::TLS13_CHACHA20_POLY1305_SHA256;
    let suite = provider.cipher_suites.iter().find(|suite| suite.suite() == number);
    suite.and_then(|suite| suite.tls13()).expect("the provider has the suite")
}

fn record(encrypter: &mut dyn MessageEncrypter, plaintext: &[u8]) -> Vec<u8> {
    let message = OutboundPlainMessage {
        typ: ContentType::ApplicationData,
        version: ProtocolVersion::TLSv1_2,
        payload: OutboundChunks::Single(plaintext),
    };
    encrypter.encrypt(message, 1).expect("a short message").encode()
}

/// Encrypts records.
fn encrypt(suite: &'static Tls13CipherSuite, size: usize) -> Run {
    let mut encrypter = suite.aead_alg.encrypter([1; 32].into(), Iv::from([2; 12]));
    let plaintext = vec![3; size];
    Box::new(move || {
        std::hint::black_box(record(&mut *encrypter, &plaintext));
    })
}

/// Copies a record, and decrypts the copy.
fn decrypt(suite: &'static Tls13CipherSuite, size: usize) -> Run {
    let record = record(&mut *suite.aead_alg.encrypter([1; 32].into(), Iv::from([2; 12])), &vec![3; size]);
    let mut decrypter: Box<dyn MessageDecrypter> = suite.aead_alg.decrypter([1; 32].into(), Iv::from([2; 12]));
    let mut copy = record[5..].to_vec();
    Box::new(move || {
        copy.copy_from_slice(&record[5..]);
        let message = InboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, &mut copy);
        decrypter.decrypt(message, 1).expect("an authentic record");
    })
}

fn keys(suite: &'static Tls13CipherSuite) -> (Box<dyn PacketKey>, Box<dyn HeaderProtectionKey>) {
    let quic = suite.quic.expect("the suite works with QUIC");
    (quic.packet_key([1; 32].into(), [2; 12].into()), quic.header_protection_key([4; 32].into()))
}

/// Seals packets only.
fn seal(suite: &'static Tls13CipherSuite, size: usize) -> Run {
    let (packet, _) = keys(suite);
    let mut payload = vec![3; size];
    Box::new(move || {
        let tag = packet.encrypt_in_place(1, &[0x43; 13], &mut payload).expect("a short packet");
        std::hint::black_box(tag.as_ref());
    })
}

/// Masks headers only.
fn mask(suite: &'static Tls13CipherSuite, size: usize) -> Run {
    let (_, header) = keys(suite);
    let payload = vec![3; size];
    Box::new(move || {
        let (mut first, mut number) = (0x43, [0; 4]);
        header.encrypt_in_place(&payload[..16], &mut first, &mut number).expect("a sample of 16 bytes");
        std::hint::black_box((first, number));
    })
}

/// Seals packets, and masks their headers.
fn protect(suite: &'static Tls13CipherSuite, size: usize) -> Run {
    let (packet, header) = keys(suite);
    let mut payload = vec![3; size];
    Box::new(move || {
        let tag = packet.encrypt_in_place(1, &[0x43; 13], &mut payload).expect("a short packet");
        let (mut first, mut number) = (0x43, [0; 4]);
        header.encrypt_in_place(&payload[..16], &mut first, &mut number).expect("a sample of 16 bytes");
        std::hint::black_box((tag.as_ref(), first, number));
    })
}

/// Copies a packet, unmasks a header, and opens the copy.
fn unprotect(suite: &'static Tls13CipherSuite, size: usize) -> Run {
    let (packet, header) = keys(suite);
    let mut sealed = vec![3; size];
    let tag = packet.encrypt_in_place(1, &[0x43; 13], &mut sealed).expect("a short packet");
    sealed.extend_from_slice(tag.as_ref());
    let mut copy = sealed.clone();
    Box::new(move || {
        copy.copy_from_slice(&sealed);
        let (mut first, mut number) = (0x43, [0; 4]);
        header.decrypt_in_place(&copy[..16], &mut first, &mut number).expect("a sample of 16 bytes");
        packet.decrypt_in_place(1, &[0x43; 13], &mut copy).expect("an authentic packet");
        std::hint::black_box((first, number));
    })
}

/// Protects a batch of packets one by one.
fn protect_each(suite: &'static Tls13CipherSuite, size: usize) -> Run {
    let (packet, header) = keys(suite);
    let mut packets = vec![vec![0x43; HEADER_BYTES + size + TAG_BYTES]; PACKETS];
    Box::new(move || {
        for (number, bytes) in (0..).zip(&mut packets) {
            bytes[0] = 0x43;
            let (header_bytes, rest) = bytes.split_at_mut(HEADER_BYTES);
            let (payload, room) = rest.split_at_mut(size);
            let tag = packet.encrypt_in_place(number, header_bytes, payload).expect("a short packet");
            room.copy_from_slice(tag.as_ref());
            let (first, number) = header_bytes.split_first_mut().expect("a header");
            let number = &mut number[HEADER_BYTES - 5..];
            header.encrypt_in_place(&rest[..16], first, number).expect("a sample of 16 bytes");
        }
    })
}

/// Protects a batch of packets at once.
fn protect_batch(size: usize) -> Run {
    let keys = PacketKeys::new(&[1; 32], &[2; 12], &[4; 32]);
    let mut buffers = vec![vec![0x43; HEADER_BYTES + size + TAG_BYTES]; PACKETS];
    Box::new(move || {
        let mut packets: Vec<_> = (0..)
            .zip(&mut buffers)
            .map(|(number, bytes)| {
                bytes[0] = 0x43;
                Packet::new(number, HEADER_BYTES, bytes)
            })
            .collect();
        keys.seal_packets(&mut packets).expect("long packets");
    })
}

/// Does whole handshakes of TLS 1.3 in memory, each with a new connection.
fn handshake(provider: CryptoProvider) -> Run {
    let provider = Arc::new(rustls_sealane::chacha20_first(provider));
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let certificate = certified.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a certificate");
    let tls13 = &[&rustls::version::TLS13];
    let client = ClientConfig::builder_with_provider(provider.clone()).with_protocol_versions(tls13);
    let mut client = client.expect("TLS 1.3").with_root_certificates(roots).with_no_client_auth();
    client.resumption = Resumption::disabled();
    let server = ServerConfig::builder_with_provider(provider).with_protocol_versions(tls13);
    let server = server.expect("TLS 1.3").with_no_client_auth().with_single_cert(vec![certificate], key);
    let (client, server) = (Arc::new(client), Arc::new(server.expect("a certificate and its key")));
    let run = move || {
        let name = ServerName::try_from("localhost").expect("a name");
        let mut c = ClientConnection::new(client.clone(), name).expect("a connection");
        let mut s = ServerConnection::new(server.clone()).expect("a connection");
        let mut wire = Vec::new();
        while c.is_handshaking() || s.is_handshaking() {
            c.write_tls(&mut wire).expect("memory");
            s.read_tls(&mut &wire[..]).expect("memory");
            s.process_new_packets().expect("a good client");
            wire.clear();
            s.write_tls(&mut wire).expect("memory");
            c.read_tls(&mut &wire[..]).expect("memory");
            c.process_new_packets().expect("a good server");
            wire.clear();
        }
    };
    // AWS-LC seeds its random generator in the first handshake of a process. That handshake takes
    // longer than a turn of the measurement, so it must not be used to estimate how many calls fill
    // a turn.
    run();
    Box::new(run)
}

/// Returns ours, ring's and AWS-LC's provider.
fn providers() -> [CryptoProvider; 3] {
    [
        rustls_sealane::ring::default_provider(),
        rustls::crypto::ring::default_provider(),
        rustls::crypto::aws_lc_rs::default_provider(),
    ]
}

fn batch_ratios(rounds: &Rounds, size: usize) -> [f64; 2] {
    let [_, ring, aws_lc] = providers();
    ratios_of(rounds, [protect_batch(size), protect_each(suite(&ring), size), protect_each(suite(&aws_lc), size)])
}

fn ratios(rounds: &Rounds, prepare: fn(&'static Tls13CipherSuite, usize) -> Run, size: usize) -> [f64; 2] {
    ratios_of(rounds, providers().each_ref().map(|provider| prepare(suite(provider), size)))
}

/// Returns the times of ring and AWS-LC, each divided by ours, which is the first row.
fn ratios_of(rounds: &Rounds, rows: [Run; 3]) -> [f64; 2] {
    let [_, ring, aws_lc] = relative(rounds, rows);
    [ring, aws_lc]
}

/// Returns the second time divided by the first.
fn ratio_of(rounds: &Rounds, rows: [Run; 2]) -> f64 {
    relative(rounds, rows)[1]
}

/// Returns all times divided by the first.
fn relative<const N: usize>(rounds: &Rounds, mut rows: [Run; N]) -> [f64; N] {
    let samples = take_turns(&mut rows, rounds, |run, calls| {
        let start = Instant::now();
        (0..calls).for_each(|_| run());
        start.elapsed()
    });
    std::array::from_fn(|row| {
        let pairs = samples[row].pairs(&samples[0]);
        median(&pairs.iter().map(|(time, first)| time / first).collect::<Vec<_>>())
    })
}

/// The operations whose instructions are counted, with the number of calls.
const COUNTED: [(&str, u32); 3] = [("seal a packet of 64 bytes", 1000), ("mask a header", 1000), ("handshake", 20)];

/// Calls an operation. The provider is an index: ours, ring's or AWS-LC's, and for handshakes ours
/// over AWS-LC's, or AWS-LC's.
fn call(operation: usize, provider: usize, calls: u32) {
    let mut run = match operation {
        0 => seal(suite(&providers()[provider]), 64),
        1 => mask(suite(&providers()[provider]), 64),
        _ if provider == 0 => handshake(rustls_sealane::aws_lc_rs::default_provider()),
        _ => handshake(rustls::crypto::aws_lc_rs::default_provider()),
    };
    (0..calls).for_each(|_| run());
}

/// Returns the instructions of a call: of many calls, without those of the start of the program.
fn instructions(operation: usize, provider: usize) -> u64 {
    let count = |calls: u32| {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
        let program = std::env::current_exe().expect("this program");
        valgrind.arg(program).args(["call", &operation.to_string(), &provider.to_string(), &calls.to_string()]);
        let output = valgrind.output().expect("valgrind is installed");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
        let count = text.lines().find_map(|line| line.split_once("I   refs:")).expect("a count").1;
        count.trim().replace(',', "").parse::<u64>().expect("a number")
    };
    let calls = COUNTED[operation].1;
    (count(2 * calls) - count(calls)) / u64::from(calls)
}

fn print_instructions() {
    for (operation, (name, _)) in COUNTED.iter().enumerate() {
        let providers: &[_] =
            if operation == 2 { &["ours over AWS-LC", "AWS-LC"] } else { &["ours", "ring", "AWS-LC"] };
        let cells = providers.iter().enumerate().map(|(i, name)| format!("{name} {}", instructions(operation, i)));
        println!("{name}: {}", cells.collect::<Vec<_>>().join(", "));
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => print_ratios(&ROUNDS),
        ["quick"] => print_ratios(&QUICK),
        ["instructions"] => print_instructions(),
        ["call", operation, provider, calls] => {
            let index = |text: &str| text.parse().expect("an index");
            call(index(operation), index(provider), calls.parse().expect("a number of calls"));
        }
        _ => panic!("the argument is `quick` or `instructions`"),
    }
}

fn print_ratios(rounds: &Rounds) {
    let mut table = Table::new(
        std::iter::once(String::new())
            .chain(SIZES.iter().flat_map(|size| ["ring", "AWS-LC"].map(|peer| format!("{peer} {}", size_name(*size))))),
    );
    type Prepare = fn(&'static Tls13CipherSuite, usize) -> Run;
    let operations: [(&str, Prepare); 4] = [
        ("TLS 1.3, encrypt a record", encrypt),
        ("TLS 1.3, decrypt a record", decrypt),
        ("QUIC, protect a packet", protect),
        ("QUIC, unprotect a packet", unprotect),
    ];
    for (name, prepare) in operations {
        let cells = SIZES.iter().flat_map(|size| ratios(rounds, prepare, *size)).map(|ratio| format!("{ratio:.2}"));
        table.row(std::iter::once(name.to_owned()).chain(cells));
    }
    let cells = SIZES.iter().flat_map(|size| batch_ratios(rounds, *size)).map(|ratio| format!("{ratio:.2}"));
    table.row(std::iter::once("QUIC, protect 32 packets".to_owned()).chain(cells));
    let [ours, ..] = providers();
    for size in SIZES {
        let ratio = ratio_of(rounds, [protect_batch(size), protect_each(suite(&ours), size)]);
        println!("32 packets of {}, protected one by one: {ratio:.2} times as long as at once", size_name(size));
    }
    // Compares ours with the provider that it wraps, so that only the cipher differs.
    let pairs = [
        [rustls_sealane::ring::default_provider(), rustls::crypto::ring::default_provider()],
        [rustls_sealane::aws_lc_rs::default_provider(), rustls::crypto::aws_lc_rs::default_provider()],
    ];
    let [ring, aws_lc] = pairs.map(|[ours, theirs]| ratio_of(rounds, [handshake(ours), handshake(theirs)]));
    println!("Handshakes of TLS 1.3: {ring:.2} over ring, {aws_lc:.2} over AWS-LC");
    println!("Times of other providers, divided by ours");
    print!("{}", table.text(0));
}
