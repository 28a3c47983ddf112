//! A stranger has seen a share. All shares are replaced, without computing the secret. Old and new
//! shares do not combine.
//!
//! `cargo run -p sealane-shares --example refresh`

use sealane_shares::{combine, refresh, reissue, split};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let old = split(b"attack at dawn", 2, 3)?;
    // The third share was lost, and is reissued first.
    let third = reissue(&old[..2], 3)?;
    assert_eq!(third, old[2]);

    // All remaining shares take part, and each gets a successor.
    let new = refresh(&[old[0].clone(), old[1].clone(), third])?;
    println!("{} shares of set {} replace those of set {}", new.len(), new[0].header().set(), old[0].header().set());
    assert!(combine(&[old[0].clone(), new[1].clone()]).is_err());
    assert_eq!(&combine(&new[1..])?.secret[..], b"attack at dawn");
    Ok(())
}
