//! Encrypts and decrypts a file on all cores. Memory does not grow with the file.
//!
//! `cargo run --release -p sealane-age --example files`

use std::fs::{self, File};
use std::io::BufReader;

use sealane_age::{Decryptor, Encryptor, Identity, Recipient, Threads, x25519};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("sealane-age-{}", std::process::id()));
    fs::create_dir(&folder)?;
    let (plain, sealed, opened) = (folder.join("plain"), folder.join("plain.age"), folder.join("opened"));
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
    Ok(fs::remove_dir_all(folder)?)
}
