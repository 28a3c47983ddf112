//! Splits a secret into lines of text for five people, and restores it from three of them.
//!
//! `cargo run -p sealane-shares --example split`

use sealane_shares::{Share, combine, split};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shares = split(b"the combination is 12-34-56", 3, 5)?;
    let lines: Vec<_> = shares.iter().map(Share::to_text).collect::<Result<_, _>>()?;
    println!("{}", lines[0].as_str());

    // Two of the lines are lost.
    let remaining = [&lines[4], &lines[1], &lines[2]];
    let remaining: Vec<_> = remaining.iter().map(|line| Share::from_text(line)).collect::<Result<_, _>>()?;
    let recovered = combine(&remaining)?;
    println!("{}", std::str::from_utf8(&recovered.secret)?);
    assert_eq!(&recovered.secret[..], b"the combination is 12-34-56");
    Ok(())
}
