//! Messages with random nonces: each is one vector of bytes, which can be stored or sent unchanged.
//!
//! `cargo run -p sealane --example messages`

use sealane::XChaCha20Poly1305;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The key is wiped when it is dropped.
    let key = XChaCha20Poly1305::generate_key()?;
    let cipher = XChaCha20Poly1305::new(&key);

    // The associated data names the row of a message, so that no message can replace another.
    let mut stored = Vec::new();
    for (row, text) in (0_u64..).zip(["a quarter", "a half"]) {
        stored.push(cipher.seal_random(&row.to_le_bytes(), text.as_bytes())?);
    }
    for (row, message) in (0_u64..).zip(&stored) {
        let text = cipher.open_random(&row.to_le_bytes(), message)?;
        println!("row {row}: {} bytes, {:?}", message.len(), String::from_utf8(text)?);
    }
    assert!(cipher.open_random(&0_u64.to_le_bytes(), &stored[1]).is_err());
    println!("row 1 does not open as row 0");
    Ok(())
}
