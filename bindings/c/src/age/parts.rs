//! Parts: the texts that holders contribute in order to open a file together.

use core::ffi::c_char;

use sealane_age::Decryptor;
use sealane_age::armor::ArmoredReader;
use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::threshold::{MAX_LABEL_BYTES, Part, SHARE_SET_ID_BYTES, ShareDescription};

use super::failure::{guard_file, sealane_age_error};
use super::identities::sealane_age_identities;
use crate::boundary::{Caller, Region, check_disjoint};
use crate::status::sealane_status::{self, *};

/// The length of the text of a part in bytes, with the zero byte at its end.
pub const SEALANE_AGE_PART_TEXT_BYTES: usize = 96;
/// The length of a label in bytes, with the zero byte at its end.
pub const SEALANE_AGE_LABEL_BYTES: usize = 101;
/// The length of the text of a share set id in bytes, with the zero byte at its end.
pub const SEALANE_AGE_SHARE_SET_TEXT_BYTES: usize = 33;

const _: () = assert!(SEALANE_AGE_LABEL_BYTES == MAX_LABEL_BYTES + 1);
const _: () = assert!(SEALANE_AGE_SHARE_SET_TEXT_BYTES == 2 * SHARE_SET_ID_BYTES + 1);

/// A part of a file for several holders, and the description of the share, which is authenticated.
#[repr(C)]
pub struct sealane_age_part {
    /// The text, which is secret. Send it to the person who opens the file, then wipe it.
    pub text: [c_char; SEALANE_AGE_PART_TEXT_BYTES],
    /// The label, or an empty text.
    pub label: [c_char; SEALANE_AGE_LABEL_BYTES],
    /// The share set id in hexadecimal digits, as `sealane inspect` shows it.
    pub share_set: [c_char; SEALANE_AGE_SHARE_SET_TEXT_BYTES],
    /// The number of parts needed to open the file.
    pub threshold: u8,
    /// The number of holders.
    pub count: u8,
    /// The number of this holder, counted from 1.
    pub point: u8,
}

fn fixed<const N: usize>(text: &str) -> Result<[c_char; N], sealane_status> {
    let mut field = [0; N];
    if text.len() >= N {
        return Err(SEALANE_INTERNAL);
    }
    for (to, from) in field.iter_mut().zip(text.bytes()) {
        *to = from.cast_signed() as c_char;
    }
    Ok(field)
}

fn to_c((description, part): &(ShareDescription, Part)) -> Result<sealane_age_part, sealane_status> {
    Ok(sealane_age_part {
        text: fixed(part.to_text().expose_secret())?,
        label: fixed(description.label.as_ref().map_or("", |label| label.as_str()))?,
        share_set: fixed(&description.set.to_string())?,
        threshold: description.threshold,
        count: description.count,
        point: description.point,
    })
}

/// Writes the parts that these identities contribute to a file for several holders. Show each
/// holder the label and the share set id, and nothing else about the file, before the holder sends
/// the part.
///
/// `file` is the file, or its beginning with the whole header. `parts` has room for `size` parts,
/// and `*count` becomes the number of parts. A count of 0 is not an error: no identity holds a
/// share.
///
/// Returns SEALANE_WRONG_LENGTH if `size` is less than the number of parts. `*count` then still
/// becomes that number.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_contribute(
    identities: *const sealane_age_identities,
    file: *const u8,
    file_len: usize,
    parts: *mut sealane_age_part,
    size: usize,
    count: *mut usize,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let identities = caller.shared(identities)?;
        check_disjoint(&[Region::new(parts, size), Region::new(count, 1)], &[Region::new(file, file_len)])?;
        let file = caller.input(file, file_len)?;
        let room = caller.room(parts, size)?;
        let header = Decryptor::read_header(ArmoredReader::new(file))?;
        let found = identities.holders(|holders| Part::of(&header, holders.iter().copied()))?;
        caller.store(count, found.len())?;
        if found.len() > room.len() {
            return Err(SEALANE_WRONG_LENGTH.into());
        }
        for (to, part) in room.iter_mut().zip(&found) {
            to.write(to_c(part)?);
        }
        Ok(())
    })
}
