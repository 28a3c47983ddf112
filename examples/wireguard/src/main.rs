//! Two peers on the loopback interface: one sends packets in batches, the other sends them back.
//! Each changes its key after 100 messages.
//!
//! `cargo run --release -p wireguard`
#![forbid(unsafe_code)]

use std::io::{self, ErrorKind};
use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use wireguard::{BATCH, Datagram, Dropped, Role, Tunnel};

const PACKET_BYTES: usize = 1400;
const REKEY_AFTER: u64 = 100;
/// The time for which packets are sent.
const TIME: Duration = Duration::from_secs(1);
/// The time after which the echoing peer ends in any case.
const LONGEST: Duration = Duration::from_secs(20);
/// The longest wait for a datagram.
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
        let secret = [0x42; 32]; // in place of a handshake
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

    /// Waits for a datagram, also receives those that have arrived with it, up to a batch, and
    /// passes their packets to `deliver`. Returns whether there was a datagram.
    fn receive(&mut self, deliver: impl FnMut(&[u8])) -> io::Result<bool> {
        let mut count = 0;
        while count < BATCH {
            if count == 1 {
                self.socket.set_nonblocking(true)?;
            }
            match self.datagrams[count].fill(|buffer| self.socket.recv(buffer)) {
                Ok(()) => count += 1,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
                Err(error) => return Err(error),
            }
        }
        // Otherwise, `send` would fail while the socket's buffer is full.
        self.socket.set_nonblocking(false)?;
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

/// Echoes packets until the other peer ends or [`LONGEST`] elapses.
fn echo(mut peer: Peer, has_ended: &AtomicBool) -> io::Result<Dropped> {
    let (start, mut packets) = (Instant::now(), Vec::new());
    while !has_ended.load(Ordering::Acquire) && start.elapsed() < LONGEST {
        peer.receive(|packet| packets.push(packet.to_vec()))?;
        let batch: Vec<&[u8]> = packets.iter().map(Vec::as_slice).collect();
        peer.send(&batch)?;
        packets.clear();
    }
    Ok(peer.dropped)
}

/// Returns an IPv4 packet. Of its header, only the version and the lengths are filled in.
fn packet(number: usize) -> [u8; PACKET_BYTES] {
    let mut packet = [number as u8; PACKET_BYTES];
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&(PACKET_BYTES as u16).to_be_bytes());
    packet
}

/// Sends batches, and waits for their packets to come back, until [`TIME`] is over.
fn run(peer: &mut Peer) -> io::Result<()> {
    let packets: [_; BATCH] = std::array::from_fn(packet);
    let batch: [&[u8]; BATCH] = std::array::from_fn(|i| &packets[i][..]);
    let (start, mut sent, mut back) = (Instant::now(), 0, 0);
    while start.elapsed() < TIME {
        peer.send(&batch)?;
        sent += BATCH;
        let (mut missing, mut wrong) = (BATCH, 0);
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
    let (time, sessions) = (start.elapsed(), peer.tunnel.sending_session() + 1);
    println!("{back} of {sent} packets of {PACKET_BYTES} bytes came back in {time:.1?}, in {sessions} sessions");
    println!("{:.0} packets a second were sealed and opened twice", back as f64 / time.as_secs_f64());
    assert!(back > 0, "no packet came back");
    Ok(())
}

fn main() -> io::Result<()> {
    let [here, there] = sockets()?;
    let mut peer = Peer::new(Role::Initiator, here);
    let has_ended = AtomicBool::new(false);
    let (result, other) = thread::scope(|scope| {
        let other = scope.spawn(|| echo(Peer::new(Role::Responder, there), &has_ended));
        let result = run(&mut peer);
        has_ended.store(true, Ordering::Release);
        (result, other.join().expect("the other peer does not panic"))
    });
    result?;
    assert_eq!([peer.dropped, other?], [Dropped::default(); 2], "a genuine message was dropped");
    Ok(())
}
