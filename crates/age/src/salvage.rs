//! What a damaged file still has.

use std::io;
use std::ops::Range;

use zeroize::Zeroizing;

use crate::parallel::{CopyError, ReadAt};
use crate::stream::{CHUNK_LEN, Next, SEALED_CHUNK_LEN, StreamReader, TAG_LEN};

/// What was found, and what was not. Places are those of the plaintext, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Salvaged {
    /// Bytes that are authentic.
    pub found: u64,
    /// What could not be read or authenticated, in order.
    pub missing: Vec<Range<u64>>,
    /// Where the plaintext ends, if the last chunk is there. Otherwise nobody knows how much followed.
    pub end: Option<u64>,
    /// Bytes of the file after the last chunk, which do not belong to it.
    pub trailing: u64,
}

impl Salvaged {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.end.is_some()
    }
}

impl<R> StreamReader<R> {
    /// Gives every chunk of a damaged file that is authentic and stands where it stood when the file was made: its place in the plaintext,
    /// and its bytes. What cannot be read counts as damaged.
    ///
    /// `input` is what this reader reads, from the place on where its decryptor began, and has `len` bytes. Chunks that were moved, by bytes
    /// that were lost or inserted before them, are not found.
    ///
    /// # Errors
    /// Those of `found`, as [`CopyError::Write`].
    pub fn salvage(
        self,
        input: &impl ReadAt,
        len: u64,
        mut found: impl FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> Result<Salvaged, CopyError> {
        let mut result = Salvaged { found: 0, missing: Vec::new(), end: None, trailing: 0 };
        let payload = len.saturating_sub(self.header_len);
        let chunks = payload.div_ceil(SEALED_CHUNK_LEN as u64);
        let mut buf = Zeroizing::new(vec![0; SEALED_CHUNK_LEN]);
        for number in 0..chunks {
            let before = number * SEALED_CHUNK_LEN as u64;
            let left = payload - before;
            let sealed = usize::try_from(left).unwrap_or(usize::MAX).min(SEALED_CHUNK_LEN);
            let chunk = &mut buf[..sealed];
            let at = number * CHUNK_LEN as u64;
            let is_read = read_exact_at(input, chunk, self.header_len + before).is_ok();
            let more = left > sealed as u64;
            let next = is_read.then(|| self.opener.cipher.open_next(number, more, chunk)).and_then(Result::ok);
            match next {
                Some(next) => {
                    let plaintext = &buf[..sealed - TAG_LEN];
                    found(at, plaintext).map_err(CopyError::Write)?;
                    result.found += plaintext.len() as u64;
                    if next != Next::Chunk {
                        result.end = Some(at + plaintext.len() as u64);
                        result.trailing = left - sealed as u64;
                        break;
                    }
                }
                None => {
                    let end = at + sealed.saturating_sub(TAG_LEN) as u64;
                    match result.missing.last_mut() {
                        Some(range) if range.end == at => range.end = end,
                        _ if end > at => result.missing.push(at..end),
                        // Less than a tag is left: whether it stood for anything is not known.
                        _ => {}
                    }
                }
            }
        }
        Ok(result)
    }
}

fn read_exact_at(input: &impl ReadAt, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !out.is_empty() {
        match crate::input::retry(|| input.read_at(out, offset))? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => (out, offset) = (&mut out[n..], offset + n as u64),
        }
    }
    Ok(())
}
