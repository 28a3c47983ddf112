//! A share was seen by a stranger. All of them are replaced, without forming the secret, and old
//! and new ones do not go together.
//!
//! `cargo run -p sealane-shares --example refresh`

use sealane_shares::{combine, refresh, reissue, split};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let old = split(b"attack at dawn", 2, 3)?;
    // The third was lost before.
    let third = reissue(&old[..2], 3)?;
    assert_eq!(third, old[2]);

    // Every share that is kept is there: each of them gets its successor.
    let new = refresh(&[old[0].clone(), old[1].clone(), third])?;
    println!("{} shares of set {} replace those of set {}", new.len(), new[0].header().set(), old[0].header().set());
    assert!(combine(&[old[0].clone(), new[1].clone()]).is_err());
    assert_eq!(&combine(&new[1..])?.secret[..], b"attack at dawn");
    Ok(())
}
