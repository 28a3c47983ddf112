// `Buffer` implemented by the program for its own type, and used as a trait object.
use chacha20poly1305::aead::{AeadInOut, Buffer, Error, KeyInit, Result};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};

struct Packet {
    bytes: [u8; 64],
    length: usize,
}

impl AsRef<[u8]> for Packet {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl AsMut<[u8]> for Packet {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }
}

impl Buffer for Packet {
    fn extend_from_slice(&mut self, other: &[u8]) -> Result<()> {
        let end = self.length + other.len();
        self.bytes.get_mut(self.length..end).ok_or(Error)?.copy_from_slice(other);
        self.length = end;
        Ok(())
    }

    fn truncate(&mut self, length: usize) {
        self.length = length;
    }
}

fn run() -> Vec<u8> {
    let cipher = ChaCha20Poly1305::new(&Key::from([0x31; 32]));
    let mut packet = Packet { bytes: [8; 64], length: 40 };
    let buffer: &mut dyn Buffer = &mut packet;
    cipher.encrypt_in_place(&Nonce::default(), b"aad", buffer).unwrap();
    assert_eq!(buffer.len(), 56);
    let sealed = packet.as_ref().to_vec();
    cipher.decrypt_in_place(&Nonce::default(), b"aad", &mut packet).unwrap();
    assert_eq!(packet.as_ref(), [8; 40]);
    sealed
}
