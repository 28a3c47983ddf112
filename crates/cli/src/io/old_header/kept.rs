//! The kept file, which holds the old and the new header of a file, and the state of that file.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sealane_age::ReadAt as _;
use sealane_age::header::{Header, MAX_HEADER_BYTES};
use sealane_age::stream::NONCE_BYTES;
use sha2::{Digest as _, Sha256};

use super::place::Place;
use crate::os::dir;

/// The first bytes of a kept file.
const MAGIC: &[u8] = b"sealane old header, version 1\n";

/// The maximum length of a kept file, which has `MAGIC`, the length of each header, the old and the
/// new header, the nonce of the payload, and a checksum. Both headers have the same length.
const MAX_BYTES: usize = MAGIC.len() + LEN + 2 * MAX_HEADER_BYTES + NONCE_BYTES + CHECKSUM;
const LEN: usize = 4;
const CHECKSUM: usize = 32;

/// The contents of a kept file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) old: Vec<u8>,
    pub(super) new: Vec<u8>,
    /// The nonce of the payload, which identifies the file that the headers belong to.
    pub(super) nonce: [u8; NONCE_BYTES],
}

impl Kept {
    pub(super) fn encode(&self) -> Vec<u8> {
        let len = u32::try_from(self.old.len()).unwrap_or(u32::MAX);
        let mut bytes = [MAGIC, &len.to_be_bytes(), &self.old, &self.new, &self.nonce].concat();
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, checksum) = bytes.split_last_chunk::<CHECKSUM>()?;
        if Sha256::digest(content)[..] != checksum[..] {
            return None;
        }
        let (len, rest) = content.strip_prefix(MAGIC)?.split_first_chunk::<LEN>()?;
        let len = usize::try_from(u32::from_be_bytes(*len)).ok()?;
        let (old, rest) = rest.split_at_checked(len)?;
        let (new, nonce) = rest.split_at_checked(len)?;
        let is_header = |bytes: &[u8]| Header::parse(bytes).is_ok_and(|(_, len)| len == bytes.len());
        (is_header(old) && is_header(new)).then_some(())?;
        Some(Self { old: old.to_vec(), new: new.to_vec(), nonce: nonce.try_into().ok()? })
    }
}

/// The state of a file whose header may have been changed.
pub(super) enum State {
    /// No file is kept: no change was interrupted.
    None,
    /// The file has one of the two headers. The value is the open kept file.
    Whole(File),
    /// The file has parts of both headers, or a header that cannot be parsed. The values are the
    /// contents of the kept file, and the open kept file.
    Torn(Kept, File),
    /// The kept headers belong to another file, or another program has written a new header.
    OfAnother,
    /// The file with the name of the kept file cannot be used. The text says why.
    NotKept(String),
}

impl State {
    /// Compares the file with the kept file beside it.
    pub(super) fn of(place: &Place, file: &File) -> io::Result<Self> {
        let mut kept_file = match place.directory.open_file(Path::new(&place.kept())) {
            Ok(kept) => kept,
            Err(error) if dir::is_missing(&error) => return Ok(Self::None),
            Err(error) => return Ok(Self::NotKept(crate::error::describe(&error))),
        };
        // The kept file must belong to the user or to the owner of `file`, who can change `file` in
        // any case.
        if !dir::is_own(&kept_file, dir::owner(&file.metadata()?))? {
            return Ok(Self::NotKept("it belongs to another user, or has another hard link".to_owned()));
        }
        let mut bytes = Vec::new();
        (&mut kept_file).take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        let Some(kept) = Kept::decode(&bytes) else {
            return Ok(Self::NotKept("it is damaged, or not a kept header".to_owned()));
        };
        let mut found = vec![0; kept.old.len() + NONCE_BYTES];
        match read_start(file, &mut found) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Self::OfAnother),
            read => read?,
        }
        let (header, nonce) = found.split_at(kept.old.len());
        if nonce != kept.nonce {
            return Ok(Self::OfAnother);
        }
        if header == kept.old || header == kept.new {
            return Ok(Self::Whole(kept_file));
        }
        let is_mixture =
            header.iter().zip(&kept.old).zip(&kept.new).all(|((found, old), new)| found == old || found == new);
        let is_header = Header::parse(header).is_ok();
        Ok(if is_mixture || !is_header { Self::Torn(kept, kept_file) } else { Self::OfAnother })
    }
}

/// Fills `out` from the start of the file.
pub(super) fn read_start(file: &File, out: &mut [u8]) -> io::Result<()> {
    let mut len = 0;
    while len < out.len() {
        match file.read_at(&mut out[len..], len as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => len += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
