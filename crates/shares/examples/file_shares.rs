//! Splits a stream of any length into share files, in constant memory, and combines two of them.
//!
//! `cargo run -p sealane-shares --example file_shares`

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write as _};

use sealane_shares::{ShareReader, Split, WipedVec, combine_to};

const BYTES: u64 = 1_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Other users cannot read this folder. It is removed in the end, and after an error too.
    let folder = tempfile::tempdir()?;

    let split = Split::new(2, 3)?;
    let names: Vec<_> = split.headers().map(|header| folder.path().join(format!("{}.share", header.index()))).collect();
    let files: Vec<_> = names.iter().map(|name| File::create(name).map(BufWriter::new)).collect::<Result<_, _>>()?;
    let mut writer = split.write_to(files)?;
    io::copy(&mut io::repeat(7).take(BYTES), &mut writer)?;
    for mut file in writer.finish()? {
        file.flush()?;
    }

    fs::remove_file(&names[1])?;
    let readers = vec![ShareReader::new(File::open(&names[0])?)?, ShareReader::new(File::open(&names[2])?)?];
    // It is wiped when it is dropped.
    let mut secret = WipedVec::default();
    combine_to(readers, &mut secret)?;
    let secret = secret.into_inner();
    assert_eq!(secret[..], vec![7; BYTES as usize]);
    println!("{} bytes, from two files of three", secret.len());
    Ok(folder.close()?)
}
