//! Encrypts a secret to two people, as armored text, and opens it with the key of one of them.
//!
//! `cargo run -p sealane-age --example memory`

use sealane_age::{Identity, Recipient, decrypt, encrypt_and_armor, x25519};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (alice, bob) = (x25519::Identity::generate()?, x25519::Identity::generate()?);
    let (to_alice, to_bob) = (alice.to_public(), bob.to_public());

    let text = encrypt_and_armor([&to_alice as &dyn Recipient, &to_bob], b"attack at dawn")?;
    println!("to {to_alice} and {to_bob}:\n{text}");

    let plaintext = decrypt([&bob as &dyn Identity], text.as_bytes())?;
    assert_eq!(plaintext, b"attack at dawn");

    let stranger = x25519::Identity::generate()?;
    println!(
        "another key: {}",
        decrypt([&stranger as &dyn Identity], text.as_bytes()).expect_err("no recipient has this key")
    );
    Ok(())
}
