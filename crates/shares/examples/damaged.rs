//! One of four shares is damaged. The other three restore the secret, and the damaged one is named.
//!
//! `cargo run -p sealane-shares --example damaged`

use std::io::Cursor;

use sealane_shares::{CombineError, ShareReader, combine, combine_seek, split};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shares = split(b"attack at dawn", 3, 5)?;
    // A share of another set does not combine with these, because its header names the set.
    let stranger = split(b"attack at noon", 3, 5)?.swap_remove(0);
    let mixed = [stranger, shares[1].clone(), shares[2].clone()];
    assert!(matches!(combine(&mixed), Err(CombineError::DifferentSets { .. })));

    let mut files: Vec<_> = shares[..4].iter().map(|share| share.as_bytes().to_vec()).collect();
    *files[1].last_mut().expect("a share is not empty") ^= 1;
    let readers = files.into_iter().map(|file| ShareReader::new(Cursor::new(file))).collect::<Result<_, _>>()?;
    let mut secret = Vec::new();
    let report = combine_seek(readers, &mut secret)?;
    assert_eq!(secret, b"attack at dawn");
    for bad in &report.bad {
        println!("share {}: {}", bad.position, bad.fault);
    }
    assert_eq!(report.bad.len(), 1);
    Ok(())
}
