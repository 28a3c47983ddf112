//! Splits a key into shares of words (SLIP-39) that can be read out over the phone, protected by a
//! passphrase.
//!
//! `cargo run -p sealane-shares --example words`

use sealane_shares::slip39::{Mnemonic, combine, split};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = [0x42; 16];
    let mnemonics = split(&key, b"passphrase", 2, 3)?;
    let words = mnemonics[1].to_words();
    println!("{}", words.as_str());

    let heard = Mnemonic::parse(&words)?;
    let recovered = combine(&[heard, Mnemonic::parse(&mnemonics[2].to_words())?], b"passphrase")?;
    assert_eq!(recovered.secret[..], key);
    Ok(())
}
