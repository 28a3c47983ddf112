// WireGuard's messages of type 4: type, receiver and counter, then the packet and its tag.
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

const HEADER: usize = 16;

struct Session {
    receiver: u32,
    sender: LessSafeKey,
    opener: LessSafeKey,
    counter: u64,
}

fn nonce(counter: u64) -> Nonce {
    let mut nonce = [0; 12];
    nonce[4..12].copy_from_slice(&counter.to_le_bytes());
    Nonce::assume_unique_for_key(nonce)
}

impl Session {
    fn new(receiver: u32, sending_key: [u8; 32], receiving_key: [u8; 32]) -> Self {
        let key = |bytes: [u8; 32]| LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &bytes).unwrap());
        Self { receiver, sender: key(sending_key), opener: key(receiving_key), counter: 0 }
    }

    fn format_packet_data<'a>(&mut self, packet: &[u8], destination: &'a mut [u8]) -> &'a mut [u8] {
        assert!(destination.len() >= HEADER + packet.len() + CHACHA20_POLY1305.tag_len(), "the buffer is too small");
        let (header, data) = destination.split_at_mut(HEADER);
        header[..4].copy_from_slice(&4_u32.to_le_bytes());
        header[4..8].copy_from_slice(&self.receiver.to_le_bytes());
        header[8..].copy_from_slice(&self.counter.to_le_bytes());
        let length = packet.len();
        data[..length].copy_from_slice(packet);
        let tag = self.sender.seal_in_place_separate_tag(nonce(self.counter), Aad::from(&[]), &mut data[..length]);
        let tag = tag.map(|tag| {
            data[length..length + 16].copy_from_slice(tag.as_ref());
            length + 16
        });
        self.counter += 1;
        &mut destination[..HEADER + tag.unwrap()]
    }

    fn receive_packet_data<'a>(&self, packet: &[u8], destination: &'a mut [u8]) -> Option<&'a mut [u8]> {
        let counter = u64::from_le_bytes(packet[8..HEADER].try_into().unwrap());
        let length = packet.len() - HEADER;
        let buffer = &mut destination[..length];
        buffer.copy_from_slice(&packet[HEADER..]);
        self.opener.open_in_place(nonce(counter), Aad::from(&[]), buffer).ok()
    }
}

fn run() -> Vec<u8> {
    let mut initiator = Session::new(7, [1; 32], [2; 32]);
    let responder = Session::new(8, [2; 32], [1; 32]);
    let (mut sent, mut received) = ([0; 2048], [0; 2048]);
    let mut results = Vec::new();
    for length in (0..1500).step_by(16) {
        let packet = vec![length as u8; length];
        let datagram = initiator.format_packet_data(&packet, &mut sent);
        results.extend(&*datagram);
        assert_eq!(responder.receive_packet_data(datagram, &mut received).unwrap(), packet);
        datagram[8] ^= 1;
        assert_eq!(responder.receive_packet_data(datagram, &mut received), None);
    }
    results
}
