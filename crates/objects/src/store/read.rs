//! Reads objects and ranges of them.

use std::future;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use sealane_age::header::HeaderError;
use sealane_age::stream::SealedRange;
use sealane_age::{DecryptError, Preamble, Prefix};

use super::super::compat::with_payload;
use super::super::object_store::path::Path;
use super::super::object_store::{Error, GetOptions, GetRange, GetResult, GetResultPayload, ObjectMeta, Result};
use super::{NAME, SealedStore, failed, located, stamp};
use crate::chunks::RangeDecryptor;
use crate::error::SealedError;
use crate::groups::{Collector, Group, groups};
use crate::unlocked::{Stamp, UnlockedObject};

/// The number of attempts to read an object that is replaced meanwhile.
const ATTEMPTS: usize = 4;
/// The largest number of empty pieces in succession in the body of a response.
const MAX_EMPTY: usize = 64;
/// The largest number of concurrent requests for the ranges of an object.
const PARALLEL: usize = 10;
/// The largest number of bytes that are opened at once.
const PIECE: usize = 1 << 20;

impl SealedStore {
    /// Reads an object, a range of it, or its metadata.
    pub(super) async fn read(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if options.head {
            let (object, head) = self.open(location, options.clone()).await?;
            if object.len == 0 {
                return self.head_of_empty(location, options).await;
            }
            return Ok(described(&head, object.len, 0..object.len, nothing()));
        }
        match options.range.clone() {
            None => self.read_whole(location, options).await,
            Some(range) => self.read_range(location, range, options).await,
        }
    }

    /// Reads an object that seems empty, and returns its metadata.
    ///
    /// The size 0 is authentic. Engines skip objects of this size without reading them, so an
    /// object of which only the header and a tag are left must not seem empty.
    pub(super) async fn head_of_empty(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let options = GetOptions { range: None, head: false, ..options };
        let result = self.read_whole(location, options).await?;
        let head = with_payload(&result, nothing());
        // The object may have been replaced by one that is not empty.
        if head.meta.size == 0 {
            result.bytes().await?;
        }
        Ok(head)
    }

    /// Reads the header, and unlocks it unless it is in the cache. One request is enough if the
    /// header is not longer than this store's headers. `options` has the caller's conditions and
    /// version. The `GetResult` describes the sealed object, and has no payload.
    pub(super) async fn open(&self, location: &Path, options: GetOptions) -> Result<(Arc<UnlockedObject>, GetResult)> {
        for _ in 0..ATTEMPTS {
            if let Some(opened) = self.try_open(location, &options).await? {
                return Ok(opened);
            }
        }
        Err(failed(SealedError::Changed))
    }

    /// Does the same as `open`. Returns `None` if the object was replaced between two requests.
    async fn try_open(
        &self,
        location: &Path,
        options: &GetOptions,
    ) -> Result<Option<(Arc<UnlockedObject>, GetResult)>> {
        let mut wanted = self.keys.prefix_len();
        let first = GetOptions { range: Some((0..wanted).into()), head: false, ..options.clone() };
        let result = self.inner.get_opts(location, first).await?;
        let head = with_payload(&result, nothing());
        let mut prefix = read_at_most(wanted, result).await?;
        loop {
            match parse(&prefix)? {
                Prefix::Complete(preamble) => {
                    return Ok(Some((self.unlock(location, &head.meta, preamble)?, head)));
                }
                Prefix::Incomplete { at_least } => {
                    let size = head.meta.size;
                    if prefix.len() as u64 >= size {
                        return Err(truncated());
                    }
                    wanted = (at_least as u64).max(2 * prefix.len() as u64).min(size);
                    let more = self.request(location, options, &stamp(&head.meta), 0..wanted).await?;
                    let Some(more) = more else { return Ok(None) };
                    let more = read_at_most(wanted, more).await?;
                    if more.len() <= prefix.len() {
                        return Err(truncated());
                    }
                    prefix = more;
                }
            }
        }
    }

    /// Unlocks the header of an object, unless it is in the cache.
    pub(super) fn unlock(&self, location: &Path, meta: &ObjectMeta, preamble: Preamble) -> Result<Arc<UnlockedObject>> {
        let (stamp, start, nonce) = (stamp(meta), preamble.len() as u64, *preamble.nonce());
        if let Some(object) = self.cache.same(location.as_ref(), &stamp)
            && (object.start, object.nonce) == (start, nonce)
        {
            return Ok(object);
        }
        let key = self.keys.unlock(preamble).map_err(failed)?;
        let object = Arc::new(UnlockedObject::new(key, nonce, stamp, start).map_err(failed)?);
        self.cache.insert(location.as_ref(), &object);
        Ok(object)
    }

    /// Requests a range of an object, with the version and the extensions of the caller's
    /// `options`. Returns `None` if its stamp is not `known`, because it was replaced.
    async fn request(
        &self,
        location: &Path,
        options: &GetOptions,
        known: &Stamp,
        range: Range<u64>,
    ) -> Result<Option<GetResult>> {
        let options = GetOptions {
            range: Some(range.into()),
            if_match: known.strong_tag(),
            version: options.version.clone(),
            extensions: options.extensions.clone(),
            ..GetOptions::default()
        };
        match self.inner.get_opts(location, options).await {
            Ok(result) => Ok(stamp(&result.meta).is_same(known).then_some(result)),
            Err(Error::Precondition { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a whole object with one request.
    async fn read_whole(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let result = self.inner.get_opts(location, options).await?;
        let head = with_payload(&result, nothing());
        let mut body = pieces(result).fuse();
        let (preamble, prefix) = read_preamble(&mut body).await?;
        let rest = Bytes::from(prefix).split_off(preamble.len());
        let object = self.unlock(location, &head.meta, preamble)?;
        let range = object.range(0..u64::MAX).map_err(failed)?;
        let len = object.len;
        let body = stream::iter([Ok(rest)]).chain(body).boxed();
        Ok(described(&head, len, 0..len, plaintext(location, object, &range, body)))
    }

    /// Reads a range: with one request if the cached header is that of the present version,
    /// otherwise with more.
    async fn read_range(&self, location: &Path, range: GetRange, options: GetOptions) -> Result<GetResult> {
        if let Some(object) = self.cache.get(location.as_ref())
            && let Ok(wanted) = range.as_range(object.len)
            && !wanted.is_empty()
        {
            let chunks = object.range(wanted.clone()).map_err(failed)?;
            let options = GetOptions { range: Some(object.stored(&chunks).into()), ..options.clone() };
            // The request may fail only because a shorter object has replaced the cached one, and
            // the first chunk only because the object was replaced by one with the same stamp. An
            // error is therefore not final: the header is read again below.
            if let Ok(result) = self.inner.get_opts(location, options).await
                && stamp(&result.meta).is_same(&object.stamp)
                && let Ok(result) = first_opened(range_of(location, &object, &chunks, wanted, result)).await
            {
                return Ok(result);
            }
        }
        for _ in 0..ATTEMPTS {
            let (object, head) = self.open(location, options.clone()).await?;
            let wanted = range.as_range(object.len).map_err(out_of_range)?;
            let chunks = object.range(wanted.clone()).map_err(failed)?;
            if chunks.sealed.is_empty() {
                return Ok(described(&head, object.len, wanted, nothing()));
            }
            let stored = object.stored(&chunks);
            if let Some(result) = self.request(location, &options, &object.stamp, stored).await? {
                return Ok(range_of(location, &object, &chunks, wanted, result));
            }
        }
        Err(failed(SealedError::Changed))
    }

    /// Reads several ranges. Those whose chunks touch are fetched together.
    pub(super) async fn read_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        if ranges.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(object) = self.cache.get(location.as_ref())
            // If a range does not fit, a longer object may have replaced the cached one.
            && ranges.iter().all(|range| GetRange::Bounded(range.clone()).as_range(object.len).is_ok())
            // If a request fails, a shorter object may have replaced the cached one, and if a chunk
            // does not open, one with the same stamp. In all cases the header is read again below.
            && let Ok(Some(found)) = self.try_ranges(location, &object, ranges).await
        {
            return Ok(found);
        }
        for _ in 0..ATTEMPTS {
            let (object, _) = self.open(location, GetOptions::default()).await?;
            if let Some(found) = self.try_ranges(location, &object, ranges).await? {
                return Ok(found);
            }
        }
        Err(failed(SealedError::Changed))
    }

    /// Reads ranges of an object. Returns `None` if it was replaced.
    async fn try_ranges(
        &self,
        location: &Path,
        object: &Arc<UnlockedObject>,
        ranges: &[Range<u64>],
    ) -> Result<Option<Vec<Bytes>>> {
        let wanted = ranges.iter().map(|range| GetRange::Bounded(range.clone()).as_range(object.len));
        let wanted = wanted.collect::<Result<Vec<_>, _>>().map_err(out_of_range)?;
        let groups = groups(object, &wanted).map_err(failed)?;
        let requests = groups.into_iter().map(|group| self.collect(location, object, group));
        let collected: Vec<Option<Collector>> = stream::iter(requests).buffered(PARALLEL).try_collect().await?;
        let mut found = vec![Bytes::new(); ranges.len()];
        for collector in collected {
            let Some(collector) = collector else { return Ok(None) };
            for (i, plaintext) in collector.finish().map_err(failed)? {
                found[i] = plaintext.into();
            }
        }
        Ok(Some(found))
    }

    /// Fetches and opens the chunks of a group. Returns `None` if the object was replaced.
    async fn collect(&self, location: &Path, object: &Arc<UnlockedObject>, group: Group) -> Result<Option<Collector>> {
        let stored = object.stored(&group.chunks);
        let options = GetOptions::default();
        let result = self.request(location, &options, &object.stamp, stored.clone()).await?;
        let Some(result) = result else { return Ok(None) };
        let mut collector = Collector::new(Arc::clone(object), group);
        #[cfg(all(feature = "fs", not(target_arch = "wasm32")))]
        if let GetResultPayload::File(file, _) = result.payload {
            return super::file::collect(file, stored, collector).await.map(Some);
        }
        let mut body = pieces(result);
        while let Some(bytes) = body.try_next().await? {
            collector.push(&bytes).map_err(failed)?;
        }
        Ok(Some(collector))
    }
}

fn parse(prefix: &[u8]) -> Result<Prefix> {
    Preamble::parse(prefix).map_err(|error| failed(DecryptError::from(error)))
}

/// Returns the pieces of the payload that are not empty.
///
/// The stream of a local file that is cut while it is read has empty pieces without end, also if
/// another store has wrapped it. After many in succession, the stream therefore ends with an error.
pub(super) fn pieces(result: GetResult) -> BoxStream<'static, Result<Bytes>> {
    let mut empty = 0;
    let counted = result.into_stream().map(move |piece| {
        let piece = piece?;
        empty = if piece.is_empty() { empty + 1 } else { 0 };
        if empty > MAX_EMPTY { Err(failed(SealedError::Changed)) } else { Ok(piece) }
    });
    counted.try_filter(|piece| future::ready(!piece.is_empty())).boxed()
}

/// Checks that a body is not longer than what it is part of, before it is read to its end: it may
/// be endless.
pub(super) fn check_at_most(read: u64, most: u64) -> Result<()> {
    if read <= most { Ok(()) } else { Err(failed(SealedError::Changed)) }
}

/// Returns the payload, which is the response to a request for `most` bytes.
pub(super) async fn read_at_most(most: u64, result: GetResult) -> Result<Vec<u8>> {
    let (mut body, mut read) = (pieces(result), Vec::new());
    while let Some(piece) = body.try_next().await? {
        check_at_most((read.len() + piece.len()) as u64, most)?;
        read.extend_from_slice(&piece);
    }
    Ok(read)
}

/// Reads the header and the nonce from the body of a whole object. Returns them, and all bytes that
/// were read.
pub(super) async fn read_preamble(
    body: &mut (impl Stream<Item = Result<Bytes>> + Unpin),
) -> Result<(Preamble, Vec<u8>)> {
    let (mut prefix, mut wanted) = (Vec::new(), 1);
    loop {
        let mut has_ended = false;
        while prefix.len() < wanted && !has_ended {
            match body.next().await {
                Some(more) => prefix.extend_from_slice(&more?),
                None => has_ended = true,
            }
        }
        match parse(&prefix)? {
            Prefix::Complete(preamble) => return Ok((preamble, prefix)),
            Prefix::Incomplete { .. } if has_ended => return Err(truncated()),
            // Each attempt parses the prefix from its start. It is twice as long each time, so that
            // a long header in short pieces does not take many attempts.
            Prefix::Incomplete { at_least } => wanted = at_least.max(2 * prefix.len()),
        }
    }
}

/// Returns the result for a range whose chunks are the payload of `result`.
fn range_of(
    location: &Path,
    object: &Arc<UnlockedObject>,
    chunks: &SealedRange,
    wanted: Range<u64>,
    result: GetResult,
) -> GetResult {
    let head = with_payload(&result, nothing());
    let payload = plaintext(location, Arc::clone(object), chunks, pieces(result));
    described(&head, object.len, wanted, payload)
}

/// Returns `result` when the first piece of its plaintext is open.
async fn first_opened(result: GetResult) -> Result<GetResult> {
    let head = with_payload(&result, nothing());
    let mut body = result.into_stream();
    let first = body.try_next().await?;
    Ok(with_payload(&head, GetResultPayload::Stream(stream::iter(first.map(Ok)).chain(body).boxed())))
}

/// Returns `head` with `payload`, and with the size and the range of the plaintext.
fn described(head: &GetResult, len: u64, range: Range<u64>, payload: GetResultPayload) -> GetResult {
    let mut result = with_payload(head, payload);
    result.meta.size = len;
    result.range = range;
    result
}

fn nothing() -> GetResultPayload {
    GetResultPayload::Stream(stream::empty().boxed())
}

/// Returns a payload that opens the chunks of `body` as they arrive.
fn plaintext(
    location: &Path,
    object: Arc<UnlockedObject>,
    range: &SealedRange,
    body: BoxStream<'static, Result<Bytes>>,
) -> GetResultPayload {
    let location = location.clone();
    let state = (RangeDecryptor::new(object, range), body, Bytes::new());
    let pieces = stream::try_unfold(Some(state), |state| async {
        let Some((mut decryptor, mut body, mut ready)) = state else { return Ok(None) };
        loop {
            if ready.is_empty() {
                match body.next().await {
                    Some(more) => ready = more?,
                    None => {
                        decryptor.finish().map_err(failed)?;
                        return Ok(None);
                    }
                }
            }
            // A store in memory returns a whole object in one piece.
            let piece = ready.split_to(ready.len().min(PIECE));
            let plaintext = decryptor.push(&piece).map_err(failed)?;
            if !plaintext.is_empty() {
                return Ok(Some((Bytes::from(plaintext), Some((decryptor, body, ready)))));
            }
        }
    });
    GetResultPayload::Stream(pieces.map_err(move |error| located(&location, error)).boxed())
}

fn truncated() -> Error {
    failed(DecryptError::from(HeaderError::Truncated))
}

fn out_of_range(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Generic { store: NAME, source: Box::new(error) }
}
