//! A program that seals and opens a message.

use sealane::ChaCha20Poly1305;

fn main() -> std::io::Result<()> {
    let mut message = std::fs::read("/dev/null")?;
    // Test values: never use a key and a nonce for two messages.
    let cipher = ChaCha20Poly1305::new(&[7; 32]);
    let tag = cipher.seal_in_place(&[0; 12], b"", &mut message);
    if cipher.open_in_place(&[0; 12], b"", &mut message, &tag).is_err() {
        std::process::exit(1);
    }
    println!("{} bytes", message.len());
    Ok(())
}
