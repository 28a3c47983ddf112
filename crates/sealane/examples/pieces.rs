//! One long message, sealed and opened in pieces. `open` decrypts nothing before the tag of the
//! whole message has been checked.
//!
//! `cargo run -p sealane --example pieces`

use sealane::{ChaCha20Poly1305, OpenError, Tag};

const PIECE: usize = 4096;

/// Decrypts the message in place, and leaves it unchanged if it is not authentic.
fn open(cipher: &ChaCha20Poly1305, nonce: &[u8; 12], message: &mut [u8], tag: &Tag) -> Result<(), OpenError> {
    let mut opener = cipher.opener(nonce, b"pieces");
    for piece in message.chunks(PIECE) {
        opener.update(piece)?;
    }
    let mut verified = opener.verify(tag)?;
    for piece in message.chunks_mut(PIECE) {
        verified.decrypt(piece)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cipher = ChaCha20Poly1305::new(&[0x42; 32]); // from a secure generator
    let nonce = [0; 12]; // never used twice with one key

    let mut message = vec![7; 100_000];
    let mut sealer = cipher.sealer(&nonce, b"pieces");
    for piece in message.chunks_mut(PIECE) {
        sealer.seal(piece)?;
    }
    let tag = sealer.finish();

    message[50_000] ^= 1;
    let damaged = message.clone();
    assert!(open(&cipher, &nonce, &mut message, &tag).is_err());
    assert_eq!(message, damaged);
    println!("a changed bit: nothing is decrypted");

    message[50_000] ^= 1;
    open(&cipher, &nonce, &mut message, &tag)?;
    assert_eq!(message, [7; 100_000]);
    println!("{} bytes in pieces of {PIECE}, on {}", message.len(), cipher.backend());
    Ok(())
}
