//! Gives objects other recipients.

use bytes::Bytes;
use futures_util::StreamExt as _;
use sealane_age::stream::NONCE_BYTES;
use sealane_age::{Decryptor, Existing, Recipient, RekeyError};

use super::super::compat::put_result;
use super::super::object_store::path::Path;
use super::super::object_store::{
    Attributes, Error, GetOptions, ObjectMeta, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
    UpdateVersion,
};
use super::read::{check_at_most, pieces, read_at_most, read_preamble};
use super::{SealedStore, failed, located, stamp};
use crate::error::SealedError;
use crate::unlocked::plaintext_len;

/// The length up to which an object is replaced with one conditional write.
const ONE_WRITE: u64 = 8 << 20;
/// The least length of the parts of longer objects, except the last part.
const MIN_PART: u64 = 8 << 20;
/// The greatest length of a part. Each part is in memory, and the store may lie about the size of
/// an object, from which the length of its parts follows.
const MAX_PART: u64 = 1 << 30;
/// The largest number of parts of an object in S3.
const MAX_PARTS: u64 = 10_000;
/// The lengths of parts are multiples of a mebibyte.
const MIB: u64 = 1 << 20;

/// Returns the length of the parts of an object of `size` bytes, except the last part. Returns an
/// error if it is longer than [`MAX_PART`].
fn part_len(size: u64) -> Result<u64, SealedError> {
    let len = MIN_PART.max(size.div_ceil(MAX_PARTS).div_ceil(MIB) * MIB);
    if len <= MAX_PART { Ok(len) } else { Err(SealedError::TooLong(size)) }
}

impl SealedStore {
    /// Gives an object other recipients: replaces its header with one of the same length, and
    /// copies the chunks unchanged. [`Existing::Keep`] adds to the existing recipients.
    /// [`Existing::Drop`] removes them, but those who kept the file key, or a copy of the object,
    /// can still open it.
    ///
    /// The new recipients can open whatever the inner store has at `location`, also if somebody has
    /// put another object there. Use identities that open nothing that these recipients must not
    /// read, or check the content and write it anew.
    ///
    /// An object of up to 8 MiB is replaced with a conditional write, if the inner store has
    /// conditional writes, so that a change that somebody else made meanwhile is not lost. A longer
    /// object is uploaded in parts, which `object_store` cannot make conditional. In this case, in
    /// stores without conditional writes, in those whose entity tags are weak, and in those with
    /// neither entity tags nor versions, a change is detected only if it was made before a last
    /// check, just before the object is replaced, and changed the entity tag, the version, the
    /// length or the time of the object.
    ///
    /// Parts are 8 MiB long, or longer if there would otherwise be more than 10,000. Each part is
    /// in memory, so an object whose parts would be longer than 1 GiB is refused.
    ///
    /// If the last request fails, the object is read again. If it has the new header, it was
    /// replaced: a client of a store repeats a request whose answer was lost, and the repeated one
    /// fails.
    ///
    /// If the future is dropped during such an upload, the parts that were sent can stay in the
    /// store. S3 removes them if the bucket has a rule that aborts incomplete uploads
    /// (`AbortIncompleteMultipartUpload`).
    ///
    /// Attributes are kept, except for the storage class or access tier
    /// (`Attribute::StorageClass`), which `object_store` can set and cannot read: the new object
    /// gets the default one. [`Self::rekey_with_attributes`] sets it. The object's tags are lost,
    /// too, in stores that replace them with the object, such as S3, because `object_store` cannot
    /// read tags. Set them again if a lifecycle rule or an access policy depends on them.
    ///
    /// # Errors
    /// A wrapped [`SealedError`]; [`Error::Precondition`] if somebody else replaced the object; the
    /// errors of the inner store.
    pub async fn rekey(
        &self,
        location: &Path,
        recipients: &[&(dyn Recipient + Send + Sync)],
        existing: Existing,
    ) -> Result<PutResult> {
        self.rekey_with_attributes(location, recipients, existing, Attributes::new()).await
    }

    /// Does the same as [`Self::rekey`], and also sets `attributes`, which replace those that the
    /// object has under the same names.
    ///
    /// Use it to keep the storage class of an object, such as `STANDARD_IA` in S3.
    ///
    /// # Errors
    /// Those of [`Self::rekey`].
    pub async fn rekey_with_attributes(
        &self,
        location: &Path,
        recipients: &[&(dyn Recipient + Send + Sync)],
        existing: Existing,
        attributes: Attributes,
    ) -> Result<PutResult> {
        let rekeyed = self.rekey_object(location, recipients, existing, attributes).await;
        rekeyed.map_err(|error| located(location, error))
    }

    async fn rekey_object(
        &self,
        location: &Path,
        recipients: &[&(dyn Recipient + Send + Sync)],
        existing: Existing,
        set: Attributes,
    ) -> Result<PutResult> {
        let result = self.inner.get_opts(location, GetOptions::default()).await?;
        let (meta, mut attributes) = (result.meta.clone(), result.attributes.clone());
        for (attribute, value) in &set {
            attributes.insert(attribute.clone(), value.clone());
        }
        let part_len = part_len(meta.size).map_err(failed)?;
        let mut body = pieces(result).fuse();
        let (preamble, mut bytes) = read_preamble(&mut body).await?;
        let start = preamble.len();
        plaintext_len(meta.size, start as u64).map_err(failed)?;
        let header = {
            let decryptor = Decryptor::new(&bytes[..start]).map_err(failed)?;
            let recipients = recipients.iter().map(|&recipient| recipient as &dyn Recipient);
            // The file key is unwrapped only here: a hardware key asks for a touch each time.
            let rekeyed = decryptor.rekey(self.keys.identities(), recipients, existing);
            let rekeyed = rekeyed.map_err(|error| match error {
                RekeyError::Open(error) => failed(error),
                error => failed(error),
            })?;
            let len = start - NONCE_BYTES;
            rekeyed.header_of_len(len).ok_or_else(|| failed(SealedError::HeaderLen(len)))?.encode()
        };
        bytes[..header.len()].copy_from_slice(&header);
        let replacement = Replacement { start: bytes[..start].to_vec(), size: meta.size };
        self.cache.remove(location.as_ref());

        if meta.size <= ONE_WRITE {
            while let Some(more) = body.next().await {
                bytes.extend_from_slice(&more?);
                check_at_most(bytes.len() as u64, meta.size)?;
            }
            check_len(bytes.len() as u64, meta.size)?;
            // A `LimitStore` counts the request until its body is dropped.
            drop(body);
            let payload = PutPayload::from(bytes);
            let version = UpdateVersion { e_tag: stamp(&meta).strong_tag(), version: meta.version.clone() };
            // A condition with a weak tag would never hold, and stores that have tags need one.
            let has_condition = version.e_tag.is_some() || (meta.e_tag.is_none() && version.version.is_some());
            if has_condition {
                let update = PutOptions { mode: PutMode::Update(version), ..attributes.clone().into() };
                match self.inner.put_opts(location, payload.clone(), update).await {
                    Err(Error::NotImplemented { .. } | Error::NotSupported { .. }) => {}
                    written => return self.or_replaced(written, location, replacement).await,
                }
            }
            self.check_same(location, &meta).await?;
            let written = self.inner.put_opts(location, payload, attributes.into()).await;
            return self.or_replaced(written, location, replacement).await;
        }
        let mut upload = self.inner.put_multipart_opts(location, PutMultipartOptions::from(attributes)).await?;
        let mut moved_len = 0;
        let moved = async {
            let mut rest = Bytes::from(bytes);
            loop {
                let (mut part, mut missing) = (Vec::new(), part_len);
                while missing > 0 {
                    if rest.is_empty() {
                        let Some(more) = body.next().await else { break };
                        rest = more?;
                    }
                    let len = usize::try_from(missing).map_or(rest.len(), |missing| missing.min(rest.len()));
                    missing -= len as u64;
                    part.push(rest.split_to(len));
                }
                if missing == part_len {
                    break;
                }
                moved_len += part_len - missing;
                check_at_most(moved_len, meta.size)?;
                upload.put_part(part.into_iter().collect()).await?;
            }
            check_len(moved_len, meta.size)?;
            self.check_same(location, &meta).await?;
            self.or_replaced(upload.complete().await, location, replacement).await
        }
        .await;
        if moved.is_err() {
            // The error that led to the abort is returned, and not an error of the abort itself.
            let _ = upload.abort().await;
        }
        moved
    }

    /// Returns the result of the request that replaces the object. A request that failed has
    /// succeeded if the object can be read and is the replacement.
    async fn or_replaced(
        &self,
        written: Result<PutResult>,
        location: &Path,
        replacement: Replacement,
    ) -> Result<PutResult> {
        let Err(error) = written else { return written };
        let Replacement { start, size } = replacement;
        let len = start.len() as u64;
        let options = GetOptions { range: Some((0..len).into()), ..GetOptions::default() };
        let Ok(result) = self.inner.get_opts(location, options).await else { return Err(error) };
        let meta = result.meta.clone();
        let is_there = meta.size == size && read_at_most(len, result).await.is_ok_and(|found| found == start);
        if is_there { Ok(put_result(meta.e_tag, meta.version)) } else { Err(error) }
    }

    /// Checks that an object was not replaced.
    async fn check_same(&self, location: &Path, known: &ObjectMeta) -> Result<()> {
        let options = GetOptions { head: true, ..GetOptions::default() };
        let now = self.inner.get_opts(location, options).await?.meta;
        if stamp(&now).is_same(&stamp(known)) { Ok(()) } else { Err(replaced(location)) }
    }
}

/// What an object has after a re-key.
struct Replacement {
    /// The header, which no other re-key gives an object, and the nonce.
    start: Vec<u8>,
    size: u64,
}

/// Checks that all bytes of an object were read: a store may end a body early without an error.
fn check_len(read: u64, size: u64) -> Result<()> {
    if read == size { Ok(()) } else { Err(failed(SealedError::Changed)) }
}

fn replaced(location: &Path) -> Error {
    Error::Precondition { path: location.to_string(), source: Box::new(SealedError::Changed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_object_has_too_many_parts() {
        const TIB: u64 = 1 << 40;
        const LONGEST: u64 = MAX_PARTS * MAX_PART;
        let part_len = |size| part_len(size).unwrap();
        assert_eq!([0, 1, 8 * MIB, MAX_PARTS * MIN_PART].map(part_len), [MIN_PART; 4]);
        assert_eq!(part_len(MAX_PARTS * MIN_PART + 1), MIN_PART + MIB);
        assert_eq!(part_len(LONGEST), MAX_PART);
        for size in [MAX_PARTS * MIN_PART + 1, TIB, 5 * TIB, LONGEST] {
            assert!(size.div_ceil(part_len(size)) <= MAX_PARTS, "{size}");
            assert!(part_len(size) <= MAX_PART && part_len(size).is_multiple_of(MIB), "{size}");
        }
        for size in [LONGEST + 1, u64::MAX] {
            assert!(matches!(super::part_len(size), Err(SealedError::TooLong(len)) if len == size));
        }
    }
}
