//! Header protection for packets (RFC 9001, section 5.4).

use core::fmt;

use sealane::quic::{HeaderProtectionKey, MASK_BYTES, Mask};

/// A sample or a packet number has the wrong length.
#[derive(Debug)]
pub(crate) struct WrongLength(&'static str);

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Masks the first byte and the packet number.
pub(crate) fn protect(
    key: &HeaderProtectionKey,
    sample: &[u8],
    first: &mut u8,
    packet_number: &mut [u8],
) -> Result<(), WrongLength> {
    apply(&mask(key, sample, packet_number)?, first, packet_number);
    Ok(())
}

/// Removes the mask from the first byte and the packet number.
pub(crate) fn unprotect(
    key: &HeaderProtectionKey,
    sample: &[u8],
    first: &mut u8,
    packet_number: &mut [u8],
) -> Result<(), WrongLength> {
    let mask = mask(key, sample, packet_number)?;
    *first ^= mask[0] & protected_bits(*first);
    apply_to_number(&mask, packet_number, packet_number_bytes(*first));
    Ok(())
}

/// Applies a mask to an unprotected header.
pub(crate) fn apply(mask: &Mask, first: &mut u8, packet_number: &mut [u8]) {
    // The length is read first, because the mask covers its bits.
    let length = packet_number_bytes(*first);
    *first ^= mask[0] & protected_bits(*first);
    apply_to_number(mask, packet_number, length);
}

/// Returns the length of the packet number in bytes, from the first byte without its mask.
pub(crate) fn packet_number_bytes(first: u8) -> usize {
    usize::from(first & 0x03) + 1
}

fn mask(key: &HeaderProtectionKey, sample: &[u8], packet_number: &[u8]) -> Result<Mask, WrongLength> {
    let sample = sample.try_into().map_err(|_| WrongLength("a sample has 16 bytes"))?;
    if packet_number.len() >= MASK_BYTES {
        return Err(WrongLength("a packet number has at most four bytes"));
    }
    Ok(key.header_protection_mask(sample))
}

/// Returns the bits of the first byte that are masked: four in a long header, five in a short one
/// (RFC 9001, section 5.4.1).
fn protected_bits(first: u8) -> u8 {
    if first & 0x80 == 0 { 0x1f } else { 0x0f }
}

/// Masks the packet number, and no bytes after it.
fn apply_to_number(mask: &Mask, packet_number: &mut [u8], length: usize) {
    for (byte, mask) in packet_number.iter_mut().zip(&mask[1..]).take(length) {
        *byte ^= mask;
    }
}
