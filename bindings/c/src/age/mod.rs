//! Files in the age v1 format.

mod arguments;
mod callbacks;
mod failure;
mod identities;
mod keygen;
mod memory;
mod parts;
mod ranges;
mod recipients;
mod streams;

/// The binary form of a file.
pub const SEALANE_AGE_BINARY: u32 = 0;
/// The text form of a file: armor. Decryption recognises it, but ranges are read only from binary
/// files.
pub const SEALANE_AGE_ARMOR: u32 = 1;

fn format(format: u32) -> Result<sealane_age::armor::Format, failure::Failure> {
    match format {
        SEALANE_AGE_BINARY => Ok(sealane_age::armor::Format::Binary),
        SEALANE_AGE_ARMOR => Ok(sealane_age::armor::Format::Armored),
        _ => Err(crate::status::sealane_status::SEALANE_OUT_OF_RANGE.into()),
    }
}
