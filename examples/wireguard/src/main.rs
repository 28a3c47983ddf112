//! Two peers on the loopback interface: one sends packets in batches, the other sends them back.
//! Each changes its key after 10,000 messages.
//!
//! `cargo run --release -p wireguard`
#![forbid(unsafe_code)]

use std::io::{self, ErrorKind};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use wireguard::{BATCH, Datagram, Dropped, Role, Tunnel};

const PACKET_BYTES: usize = 1400;
const REKEY_AFTER: u64 = 10_000;
/// The end of the program, whatever the sockets do.
const TIME: Duration = Duration::from_secs(1);
/// How long to wait for a datagram.
const TIMEOUT: Duration = Duration::from_millis(200);

/// A tunnel and its socket.
struct Peer {
    tunnel: Tunnel,
    socket: UdpSocket,
    datagrams: Vec<Datagram>,
    dropped: Dropped,
}

impl Peer {
    fn new(role: Role, socket: UdpSocket) -> Self {
        let secret = [0x42; 32]; // from the handshake
        let tunnel = Tunnel::with_rekey_after(&secret, role, REKEY_AFTER);
        Self { tunnel, socket, datagrams: vec![Datagram::new(); BATCH], dropped: Dropped::default() }
    }

    fn send(&mut self, packets: &[&[u8]]) -> io::Result<()> {
        self.tunnel.seal(packets, &mut self.datagrams);
        for datagram in &self.datagrams[..packets.len()] {
            self.socket.send(datagram.bytes())?;
        }
        Ok(())
    }

    /// Waits for a datagram, takes all that are there with it, and gives their packets to
    /// `deliver`. Returns whether there was one.
    fn receive(&mut self, deliver: impl FnMut(&[u8])) -> io::Result<bool> {
        let mut count = 0;
        while count < BATCH {
            self.socket.set_nonblocking(count > 0)?;
            match self.datagrams[count].fill(|buffer| self.socket.recv(buffer)) {
                Ok(()) => count += 1,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
                Err(error) => return Err(error),
            }
        }
        let dropped = self.tunnel.open(&mut self.datagrams[..count], deliver);
        self.dropped.forged += dropped.forged;
        self.dropped.replayed += dropped.replayed;
        self.dropped.unknown += dropped.unknown;
        self.dropped.malformed += dropped.malformed;
        Ok(count > 0)
    }
}

/// Returns two sockets that are connected to each other.
fn sockets() -> io::Result<[UdpSocket; 2]> {
    let [a, b] = [UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?];
    a.connect(b.local_addr()?)?;
    b.connect(a.local_addr()?)?;
    for socket in [&a, &b] {
        socket.set_read_timeout(Some(TIMEOUT))?;
    }
    Ok([a, b])
}

/// Sends every packet back, until none comes any more.
fn echo(mut peer: Peer) -> io::Result<Dropped> {
    let mut packets = Vec::new();
    while peer.receive(|packet| packets.push(packet.to_vec()))? {
        let batch: Vec<&[u8]> = packets.iter().map(Vec::as_slice).collect();
        peer.send(&batch)?;
        packets.clear();
    }
    Ok(peer.dropped)
}

/// Returns a packet of IPv4, of which only version and length are filled in.
fn packet(number: usize) -> [u8; PACKET_BYTES] {
    let mut packet = [number as u8; PACKET_BYTES];
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&(PACKET_BYTES as u16).to_be_bytes());
    packet
}

fn main() -> io::Result<()> {
    let [here, there] = sockets()?;
    let mut peer = Peer::new(Role::Initiator, here);
    let other = std::thread::spawn(|| echo(Peer::new(Role::Responder, there)));

    let packets: [_; BATCH] = std::array::from_fn(packet);
    let batch: [&[u8]; BATCH] = std::array::from_fn(|i| &packets[i][..]);
    let (start, mut sent, mut back) = (Instant::now(), 0, 0);
    while start.elapsed() < TIME {
        peer.send(&batch)?;
        sent += BATCH;
        let mut missing = BATCH;
        let mut wrong = 0;
        while missing > 0 {
            let came = peer.receive(|packet| {
                missing = missing.saturating_sub(1);
                wrong += usize::from(!packets.iter().any(|sent| sent == packet));
            })?;
            if !came {
                break; // lost on the way
            }
        }
        assert_eq!(wrong, 0, "a packet came back changed");
        back += BATCH - missing;
    }
    let (time, sessions) = (start.elapsed(), peer.tunnel.sending_session());
    let dropped = [peer.dropped, other.join().expect("the other peer does not panic")?];
    println!("{back} of {sent} packets of {PACKET_BYTES} bytes came back in {time:.1?}, in {} sessions", sessions + 1);
    println!("{:.0} packets a second were sealed and opened twice", back as f64 / time.as_secs_f64());
    assert!(back > 0, "no packet came back");
    assert_eq!(dropped, [Dropped::default(); 2], "a genuine message was dropped");
    Ok(())
}
