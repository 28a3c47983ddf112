//! Encrypts and decrypts a file on all cores. `encrypt` and `copy_to` take the same memory for
//! files of any length.
//!
//! `cargo run --release -p sealane-age --example files`

use std::fs::{self, File};
use std::io::BufReader;

use sealane_age::{Decryptor, Encryptor, Identity, Recipient, Threads, x25519};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Other users cannot read this folder. It is removed in the end, and after an error too.
    let folder = tempfile::tempdir()?;
    let [plain, sealed, opened] = ["plain", "plain.age", "opened"].map(|name| folder.path().join(name));
    fs::write(&plain, vec![7; 5_000_000])?;
    let identity = x25519::Identity::generate()?;
    let recipient = identity.to_public();

    let encryptor = Encryptor::with_recipients([&recipient as &dyn Recipient])?;
    encryptor.encrypt(File::open(&plain)?, File::create(&sealed)?, Threads::available())?;

    // After an error, the output holds the authentic beginning of the plaintext.
    let decryptor = Decryptor::new(BufReader::new(File::open(&sealed)?))?;
    let reader = decryptor.decrypt([&identity as &dyn Identity])?;
    reader.copy_to(File::create(&opened)?, Threads::available())?;

    assert_eq!(fs::read(&opened)?, fs::read(&plain)?);
    println!("{} bytes became {}", fs::metadata(&plain)?.len(), fs::metadata(&sealed)?.len());
    Ok(folder.close()?)
}
