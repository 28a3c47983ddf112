//! Restores a secret from four shares, one of which is damaged, and reports the damaged one. Also
//! shows that a share of another set is refused.
//!
//! `cargo run -p sealane-shares --example damaged`

use std::io::Cursor;

use sealane_shares::{CombineError, ShareReader, WipedVec, combine, combine_seek, split};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shares = split(b"attack at dawn", 3, 5)?;
    // A share of another set is refused, because the header of a share has an identifier of its
    // set.
    let stranger = split(b"attack at noon", 3, 5)?.swap_remove(0);
    let mixed = [stranger, shares[1].clone(), shares[2].clone()];
    assert!(matches!(combine(&mixed), Err(CombineError::DifferentSets { .. })));

    let mut files: Vec<_> = shares[..4].iter().map(|share| share.as_bytes().to_vec()).collect();
    *files[1].last_mut().expect("a share is not empty") ^= 1;
    let readers = files.into_iter().map(|file| ShareReader::new(Cursor::new(file))).collect::<Result<_, _>>()?;
    let mut secret = WipedVec::default();
    let report = combine_seek(readers, &mut secret)?;
    assert_eq!(secret.into_inner()[..], *b"attack at dawn");
    for bad in &report.bad {
        println!("share {} of the list: {}", bad.position + 1, bad.fault);
    }
    assert_eq!(report.bad.len(), 1);
    Ok(())
}
