//! Sessions, and the packets that go through them.

use sealane::chacha20::ChaCha20;
use sealane::{ChaCha20Poly1305, OpenRequest, SealRequest};
use zeroize::Zeroizing;

use crate::message::{Datagram, Header, without_padding};
use crate::window::ReplayWindow;

/// The number of packets that are sealed or opened together.
pub const BATCH: usize = 32;
/// A session has no message with this counter or a higher one (section 6.1 of the paper).
const REJECT_AFTER_MESSAGES: u64 = u64::MAX - (1 << 13);
/// The number of messages after which a sender changes its keys (section 6.1 of the paper).
const REKEY_AFTER_MESSAGES: u64 = 1 << 60;

/// One of the two peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The peer that began.
    Initiator,
    /// The other one.
    Responder,
}

impl Role {
    fn other(self) -> Self {
        match self {
            Self::Initiator => Self::Responder,
            Self::Responder => Self::Initiator,
        }
    }
}

/// The numbers of messages that were dropped, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// They are not transport data messages, or contain no IP packet.
    pub malformed: usize,
    /// They belong to no session.
    pub unknown: usize,
    /// They are repeated, or too late.
    pub replayed: usize,
    /// They are not authentic.
    pub forged: usize,
}

impl Dropped {
    /// Returns the number of messages.
    #[must_use]
    pub fn total(&self) -> usize {
        self.malformed + self.unknown + self.replayed + self.forged
    }
}

/// A session in which this peer sends.
struct Sending {
    number: u32,
    cipher: ChaCha20Poly1305,
    counter: u64,
}

/// A session in which this peer receives.
struct Receiving {
    number: u32,
    cipher: ChaCha20Poly1305,
    window: ReplayWindow,
}

/// One end of a tunnel.
pub struct Tunnel {
    role: Role,
    secret: Zeroizing<[u8; 32]>,
    rekey_after: u64,
    sending: Sending,
    /// The previous session, the current one, and the next one. A message of the next session shows
    /// that the sender has changed its key.
    receiving: Vec<Receiving>,
}

impl Tunnel {
    /// Returns one end of the tunnel between two peers with this secret.
    ///
    /// Use a secret for one tunnel only, also after a restart. A second one would seal with the
    /// same keys and nonces, which reveals the packets of both and lets anyone forge others, and
    /// its peer would accept old messages. A handshake gives a new secret each time.
    #[must_use]
    pub fn new(secret: &[u8; 32], role: Role) -> Self {
        Self::with_rekey_after(secret, role, REKEY_AFTER_MESSAGES)
    }

    /// Does the same as [`Tunnel::new`], with another number of messages after which the peer
    /// changes its sending key.
    ///
    /// # Panics
    /// If the number is 0, or so high that a counter would be refused.
    #[must_use]
    pub fn with_rekey_after(secret: &[u8; 32], role: Role, messages: u64) -> Self {
        assert!((1..=REJECT_AFTER_MESSAGES).contains(&messages), "a session has at least one message");
        let mut tunnel = Self {
            role,
            secret: Zeroizing::new(*secret),
            rekey_after: messages,
            sending: Sending { number: 0, cipher: cipher(secret, 0, role), counter: 0 },
            receiving: Vec::with_capacity(3),
        };
        tunnel.receiving = (0..2).map(|number| tunnel.receiving_session(number)).collect();
        tunnel
    }

    /// Returns the number of the session in which this peer sends.
    #[must_use]
    pub fn sending_session(&self) -> u32 {
        self.sending.number
    }

    /// Seals each packet into one datagram. Changes the key when its limit is reached.
    ///
    /// # Panics
    /// If there are more packets than datagrams, or a packet is longer than
    /// [`MAX_PACKET_BYTES`](crate::MAX_PACKET_BYTES).
    pub fn seal(&mut self, packets: &[&[u8]], datagrams: &mut [Datagram]) {
        let mut datagrams = &mut datagrams[..packets.len()];
        let mut packets = packets;
        while !packets.is_empty() {
            if self.sending.counter >= self.rekey_after {
                let number = next(self.sending.number);
                self.sending = Sending { number, cipher: cipher(&self.secret, number, self.role), counter: 0 };
            }
            let left = self.rekey_after - self.sending.counter;
            let count = packets.len().min(BATCH).min(usize::try_from(left).unwrap_or(usize::MAX));
            let (now, later) = datagrams.split_at_mut(count);
            self.sending.seal(&packets[..count], now);
            (packets, datagrams) = (&packets[count..], later);
        }
    }

    /// Opens datagrams, and passes each packet to `deliver`. Returns how many were dropped.
    pub fn open(&mut self, datagrams: &mut [Datagram], mut deliver: impl FnMut(&[u8])) -> Dropped {
        let mut dropped = Dropped::default();
        let mut headers = [None; BATCH];
        for batch in datagrams.chunks_mut(BATCH) {
            for (header, datagram) in headers.iter_mut().zip(&*batch) {
                *header = datagram.header();
                match header {
                    None => dropped.malformed += 1,
                    Some(header) if self.receiving.iter().any(|session| session.number == header.receiver) => {}
                    Some(_) => dropped.unknown += 1,
                }
            }
            // The newest session is the last one, and opening a message of it adds another.
            let mut newest_was_used = false;
            let sessions = self.receiving.len();
            for (place, session) in self.receiving.iter_mut().enumerate() {
                let has_opened = session.open(&headers, batch, &mut dropped, &mut deliver);
                newest_was_used |= has_opened && place + 1 == sessions;
            }
            if newest_was_used {
                let number = next(self.receiving[sessions - 1].number);
                let session = self.receiving_session(number);
                self.receiving.push(session);
                if self.receiving.len() > 3 {
                    self.receiving.remove(0);
                }
            }
        }
        dropped
    }

    fn receiving_session(&self, number: u32) -> Receiving {
        let cipher = cipher(&self.secret, number, self.role.other());
        Receiving { number, cipher, window: ReplayWindow::default() }
    }
}

/// Returns the number of the next session. Its key is that of no earlier session.
fn next(session: u32) -> u32 {
    session.checked_add(1).expect("2^32 sessions, of 2^60 messages each unless the caller chose fewer")
}

/// Returns the cipher for a session and a sender. This replaces the handshake: the key is
/// ChaCha20's key stream, as a pseudorandom function of the session's number and the sender.
fn cipher(secret: &[u8; 32], number: u32, sender: Role) -> ChaCha20Poly1305 {
    let mut nonce = [0; 12];
    nonce[..4].copy_from_slice(&number.to_le_bytes());
    nonce[4] = u8::from(sender == Role::Responder);
    let mut key = Zeroizing::new([0; 32]);
    ChaCha20::new(secret, &nonce).apply_keystream(&mut key[..]).expect("the key stream is longer");
    ChaCha20Poly1305::new(&key)
}

impl Sending {
    /// Seals one batch with the session's key.
    fn seal(&mut self, packets: &[&[u8]], datagrams: &mut [Datagram]) {
        let mut requests = Vec::with_capacity(packets.len());
        for (packet, datagram) in packets.iter().zip(datagrams) {
            let header = Header { receiver: self.number, counter: self.counter };
            self.counter += 1;
            datagram.write(header, packet);
            let (padded, tag) = datagram.parts();
            requests.push(SealRequest::new(header.nonce(), &[], padded, tag));
        }
        self.cipher.seal_batch(&mut requests);
    }
}

impl Receiving {
    /// Opens the messages of this session, and counts those that were dropped. Returns whether one
    /// was authentic.
    fn open(
        &mut self,
        headers: &[Option<Header>],
        datagrams: &mut [Datagram],
        dropped: &mut Dropped,
        deliver: &mut impl FnMut(&[u8]),
    ) -> bool {
        let mut requests = Vec::with_capacity(datagrams.len());
        let mut counters = Vec::with_capacity(datagrams.len());
        for (header, datagram) in headers.iter().zip(datagrams) {
            let Some(header) = header.filter(|header| header.receiver == self.number) else { continue };
            // A repeated message is not decrypted. Only authentic messages move the window.
            if header.counter >= REJECT_AFTER_MESSAGES || !self.window.is_new(header.counter) {
                dropped.replayed += 1;
                continue;
            }
            let (padded, tag) = datagram.parts();
            requests.push(OpenRequest::new(header.nonce(), &[], padded, tag));
            counters.push(header.counter);
        }
        // Each request knows its own result.
        let _ = self.cipher.open_batch(&mut requests);
        let mut has_opened = false;
        for (request, counter) in requests.into_iter().zip(counters) {
            let Ok(padded) = request.into_plaintext() else {
                dropped.forged += 1;
                continue;
            };
            has_opened = true;
            // A batch may contain the same message twice.
            if !self.window.accept(counter) {
                dropped.replayed += 1;
                continue;
            }
            match without_padding(padded) {
                Some(packet) => deliver(packet),
                None => dropped.malformed += 1,
            }
        }
        has_opened
    }
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "2^32 sessions")]
    fn no_session_number_comes_twice() {
        super::next(u32::MAX);
    }
}
