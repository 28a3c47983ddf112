//! Recovers the intact parts of a damaged file, and lists the gaps.
//!
//! `cargo run -p sealane-age --example salvage`

use sealane_age::{Decryptor, Encryptor, Identity, Recipient, Salvaging, x25519};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let identity = x25519::Identity::generate()?;
    let recipient = identity.to_public();
    let plaintext = vec![7; 300_000];
    let mut file = Encryptor::with_recipients([&recipient as &dyn Recipient])?.encrypt_to_vec(&plaintext)?;
    file[150_000] ^= 1;

    let mut found = vec![0; plaintext.len()];
    let reader = Decryptor::new(&file[..])?.decrypt([&identity as &dyn Identity])?;
    let salvaged = reader.salvage(&file.as_slice(), file.len() as u64, |progress| {
        if let Salvaging::Found { at, plaintext } = progress {
            found[at as usize..][..plaintext.len()].copy_from_slice(plaintext);
        }
        Ok(())
    })?;
    println!("{} bytes are authentic; missing: {:?}", salvaged.found, salvaged.missing);
    assert_eq!(salvaged.missing.len(), 1);
    let missing = &salvaged.missing[0];
    assert!(found[..missing.start as usize].iter().chain(&found[missing.end as usize..]).all(|byte| *byte == 7));
    Ok(())
}
