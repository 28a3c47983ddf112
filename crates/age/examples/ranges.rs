//! Reads some bytes from the middle of an encrypted file. Apart from the header, only the chunks
//! that hold these bytes are read, authenticated and decrypted.
//!
//! `cargo run -p sealane-age --example ranges`

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use sealane_age::{Encryptor, Identity, LockedFile, ReadAt, Recipient, x25519};

/// A file that is stored elsewhere. It counts the bytes that are fetched.
struct Remote {
    bytes: Vec<u8>,
    fetched: AtomicUsize,
}

impl ReadAt for Remote {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let n = self.bytes.as_slice().read_at(buf, offset)?;
        self.fetched.fetch_add(n, Ordering::Relaxed);
        Ok(n)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let identity = x25519::Identity::generate()?;
    let recipient = identity.to_public();
    let plaintext: Vec<u8> = (0..3_000_000_u32).map(|i| (i / 1000) as u8).collect();
    let bytes = Encryptor::with_recipients([&recipient as &dyn Recipient])?.encrypt_to_vec(&plaintext)?;

    let remote = Remote { bytes, fetched: AtomicUsize::new(0) };
    let file = LockedFile::read(&remote)?.unlock([&identity as &dyn Identity])?;
    let range = file.read(2_000_000..2_000_010)?;
    assert_eq!(range, &plaintext[2_000_000..2_000_010]);
    println!("fetched {} of {} bytes", remote.fetched.load(Ordering::Relaxed), remote.bytes.len());
    Ok(())
}
