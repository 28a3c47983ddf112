// Appends the tag to a user's own type of buffer, which needs no allocator.
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

struct Packet {
    bytes: [u8; 64],
    length: usize,
}

impl AsMut<[u8]> for Packet {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }
}

impl<'a> Extend<&'a u8> for Packet {
    fn extend<I: IntoIterator<Item = &'a u8>>(&mut self, bytes: I) {
        for byte in bytes {
            self.bytes[self.length] = *byte;
            self.length += 1;
        }
    }
}

fn run() -> Vec<u8> {
    let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &[9; 32]).unwrap());
    let mut packet = Packet { bytes: [0x20; 64], length: 30 };
    let nonce = || Nonce::assume_unique_for_key([4; 12]);
    key.seal_in_place_append_tag(nonce(), Aad::from([7_u8; 3]), &mut packet).unwrap();
    assert_eq!(packet.length, 46);
    let sealed = packet.bytes.to_vec();
    let plaintext = key.open_in_place(nonce(), Aad::from([7_u8; 3]), packet.as_mut()).unwrap();
    assert_eq!(plaintext, [0x20; 30]);
    sealed
}
