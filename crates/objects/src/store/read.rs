//! Reads objects and ranges of them.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use sealane_age::header::HeaderError;
use sealane_age::stream::SealedRange;
use sealane_age::{DecryptError, Preamble, Prefix};

use super::super::generation::with_payload;
use super::super::object_store::path::Path;
use super::super::object_store::{Error, GetOptions, GetRange, GetResult, GetResultPayload, ObjectMeta, Result};
use super::{NAME, SealedStore, failed, located, stamp};
use crate::chunks::Opening;
use crate::error::SealedError;
use crate::groups::{Collector, Group, groups};
use crate::opened::{Opened, Stamp};

/// The number of attempts to read an object that is replaced meanwhile.
const ATTEMPTS: usize = 4;
/// The largest number of concurrent requests for the ranges of an object.
const PARALLEL: usize = 10;
/// The largest number of bytes that are opened at once.
const PIECE: usize = 1 << 20;

impl SealedStore {
    /// Reads an object, a range of it, or its metadata.
    pub(super) async fn read(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if options.head {
            let (opened, head) = self.open(location, options).await?;
            return Ok(described(&head, opened.len, 0..opened.len, nothing()));
        }
        match options.range.clone() {
            None => self.read_whole(location, options).await,
            Some(range) => self.read_range(location, range, options).await,
        }
    }

    /// Reads the header, and unlocks it unless it is in the cache. One request is enough if the
    /// header is not longer than this store's headers. `options` has the caller's conditions and
    /// version. The `GetResult` describes the sealed object, and has no payload.
    pub(super) async fn open(&self, location: &Path, options: GetOptions) -> Result<(Arc<Opened>, GetResult)> {
        let version = options.version.clone();
        let first = GetOptions { range: Some((0..self.keys.prefix_len()).into()), head: false, ..options };
        let result = self.inner.get_opts(location, first).await?;
        let head = with_payload(&result, nothing());
        let mut prefix = result.bytes().await?;
        loop {
            match self.parse(location, &head.meta, &prefix)? {
                Ok(opened) => return Ok((opened, head)),
                Err(at_least) => {
                    let size = head.meta.size;
                    if prefix.len() as u64 >= size {
                        return Err(truncated());
                    }
                    let wanted = (at_least as u64).max(2 * prefix.len() as u64).min(size);
                    let more = self.fetch(location, version.as_deref(), &stamp(&head.meta), 0..wanted).await?;
                    prefix = more.ok_or_else(|| failed(SealedError::Changed))?;
                }
            }
        }
    }

    /// Parses a header, and unlocks it unless it is in the cache. If `prefix`, the start of the
    /// object, is too short, returns an inner `Err` with the least number of bytes to request.
    fn parse(&self, location: &Path, meta: &ObjectMeta, prefix: &[u8]) -> Result<Result<Arc<Opened>, usize>> {
        let preamble = match Preamble::parse(prefix).map_err(|error| failed(DecryptError::from(error)))? {
            Prefix::Complete(preamble) => preamble,
            Prefix::Incomplete { at_least } => return Ok(Err(at_least)),
        };
        let (stamp, start, nonce) = (stamp(meta), preamble.len() as u64, *preamble.nonce());
        if let Some(opened) = self.cache.same(location.as_ref(), &stamp)
            && (opened.start, opened.nonce) == (start, nonce)
        {
            return Ok(Ok(opened));
        }
        let key = self.keys.unlock(preamble).map_err(failed)?;
        let opened = Arc::new(Opened::new(key, nonce, stamp, start).map_err(failed)?);
        self.cache.insert(location.as_ref(), &opened);
        Ok(Ok(opened))
    }

    /// Requests a range of an object, or of a version of it. Returns `None` if its stamp is not
    /// `known`, because it was replaced.
    async fn request(
        &self,
        location: &Path,
        version: Option<&str>,
        known: &Stamp,
        range: Range<u64>,
    ) -> Result<Option<GetResult>> {
        let options = GetOptions {
            range: Some(range.into()),
            if_match: known.strong_tag(),
            version: version.map(str::to_owned),
            ..GetOptions::default()
        };
        match self.inner.get_opts(location, options).await {
            Ok(result) => Ok(stamp(&result.meta).is_same(known).then_some(result)),
            Err(Error::Precondition { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Does the same as `request`, and returns the bytes of the range.
    async fn fetch(
        &self,
        location: &Path,
        version: Option<&str>,
        known: &Stamp,
        range: Range<u64>,
    ) -> Result<Option<Bytes>> {
        match self.request(location, version, known, range).await? {
            Some(result) => result.bytes().await.map(Some),
            None => Ok(None),
        }
    }

    /// Reads a whole object with one request.
    async fn read_whole(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let result = self.inner.get_opts(location, options).await?;
        let head = with_payload(&result, nothing());
        let mut body = result.into_stream();
        let mut prefix = Vec::new();
        let mut at_least = 1;
        let opened = loop {
            while prefix.len() < at_least {
                let more = body.next().await.ok_or_else(truncated)??;
                prefix.extend_from_slice(&more);
            }
            match self.parse(location, &head.meta, &prefix)? {
                Ok(opened) => break opened,
                Err(more) => at_least = more,
            }
        };
        // The loop has read at least `opened.start` bytes.
        let rest = Bytes::from(prefix).split_off(usize::try_from(opened.start).unwrap_or(usize::MAX));
        let range = opened.range(0..u64::MAX).map_err(failed)?;
        let len = opened.len;
        let body = stream::iter([Ok(rest)]).chain(body).boxed();
        Ok(described(&head, len, 0..len, plaintext(location, opened, &range, body)))
    }

    /// Reads a range: with one request if the cached header is that of the present version,
    /// otherwise with more.
    async fn read_range(&self, location: &Path, range: GetRange, options: GetOptions) -> Result<GetResult> {
        if let Some(opened) = self.cache.get(location.as_ref())
            && let Ok(wanted) = range.as_range(opened.len)
            && !wanted.is_empty()
        {
            let chunks = opened.range(wanted.clone()).map_err(failed)?;
            let options = GetOptions { range: Some(opened.stored(&chunks).into()), ..options.clone() };
            // The request may fail only because a shorter object has replaced the cached one, and
            // the first chunk only because the object was replaced by one with the same stamp. An
            // error is therefore not final: the header is read again below.
            if let Ok(result) = self.inner.get_opts(location, options).await
                && stamp(&result.meta).is_same(&opened.stamp)
                && let Ok(result) = first_opened(range_of(location, &opened, &chunks, wanted, result)).await
            {
                return Ok(result);
            }
        }
        for _ in 0..ATTEMPTS {
            let (opened, head) = self.open(location, options.clone()).await?;
            let wanted = range.as_range(opened.len).map_err(out_of_range)?;
            let chunks = opened.range(wanted.clone()).map_err(failed)?;
            if chunks.sealed.is_empty() {
                return Ok(described(&head, opened.len, wanted, nothing()));
            }
            let (version, stored) = (options.version.as_deref(), opened.stored(&chunks));
            if let Some(result) = self.request(location, version, &opened.stamp, stored).await? {
                return Ok(range_of(location, &opened, &chunks, wanted, result));
            }
        }
        Err(failed(SealedError::Changed))
    }

    /// Reads several ranges. Those whose chunks touch are fetched together.
    pub(super) async fn read_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        if ranges.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(opened) = self.cache.get(location.as_ref())
            // If a range does not fit, a longer object may have replaced the cached one.
            && ranges.iter().all(|range| GetRange::Bounded(range.clone()).as_range(opened.len).is_ok())
            // If a request fails, a shorter object may have replaced the cached one, and if a chunk
            // does not open, one with the same stamp. In all cases the header is read again below.
            && let Ok(Some(found)) = self.try_ranges(location, &opened, ranges).await
        {
            return Ok(found);
        }
        for _ in 0..ATTEMPTS {
            let (opened, _) = self.open(location, GetOptions::default()).await?;
            if let Some(found) = self.try_ranges(location, &opened, ranges).await? {
                return Ok(found);
            }
        }
        Err(failed(SealedError::Changed))
    }

    /// Reads ranges of an object. Returns `None` if it was replaced.
    async fn try_ranges(
        &self,
        location: &Path,
        opened: &Arc<Opened>,
        ranges: &[Range<u64>],
    ) -> Result<Option<Vec<Bytes>>> {
        let wanted = ranges.iter().map(|range| GetRange::Bounded(range.clone()).as_range(opened.len));
        let wanted = wanted.collect::<Result<Vec<_>, _>>().map_err(out_of_range)?;
        let groups = groups(opened, &wanted).map_err(failed)?;
        let requests = groups.into_iter().map(|group| self.collect(location, opened, group));
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
    async fn collect(&self, location: &Path, opened: &Arc<Opened>, group: Group) -> Result<Option<Collector>> {
        let stored = opened.stored(&group.chunks);
        let Some(result) = self.request(location, None, &opened.stamp, stored.clone()).await? else { return Ok(None) };
        let mut collector = Collector::new(Arc::clone(opened), group);
        #[cfg(all(feature = "fs", not(target_arch = "wasm32")))]
        if let GetResultPayload::File(file, _) = result.payload {
            return super::file::collect(file, stored, collector).await.map(Some);
        }
        #[allow(irrefutable_let_patterns, reason = "without local files, each payload is a stream")]
        if let GetResultPayload::Stream(mut body) = result.payload {
            while let Some(bytes) = body.try_next().await? {
                collector.push(&bytes).map_err(failed)?;
            }
        } else {
            collector.push(&result.bytes().await?).map_err(failed)?;
        }
        Ok(Some(collector))
    }
}

/// Returns the result for a range whose chunks are the payload of `result`.
fn range_of(
    location: &Path,
    opened: &Arc<Opened>,
    chunks: &SealedRange,
    wanted: Range<u64>,
    result: GetResult,
) -> GetResult {
    let head = with_payload(&result, nothing());
    let payload = plaintext(location, Arc::clone(opened), chunks, result.into_stream());
    described(&head, opened.len, wanted, payload)
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
    opened: Arc<Opened>,
    range: &SealedRange,
    body: BoxStream<'static, Result<Bytes>>,
) -> GetResultPayload {
    let location = location.clone();
    let state = (Opening::new(opened, range), body, Bytes::new());
    let opened = stream::try_unfold(Some(state), |state| async {
        let Some((mut opening, mut body, mut ready)) = state else { return Ok(None) };
        loop {
            if ready.is_empty() {
                match body.next().await {
                    Some(more) => ready = more?,
                    None => {
                        opening.finish().map_err(failed)?;
                        return Ok(None);
                    }
                }
            }
            // A store in memory returns a whole object in one piece.
            let piece = ready.split_to(ready.len().min(PIECE));
            let plaintext = opening.push(&piece).map_err(failed)?;
            if !plaintext.is_empty() {
                return Ok(Some((Bytes::from(plaintext), Some((opening, body, ready)))));
            }
        }
    });
    GetResultPayload::Stream(opened.map_err(move |error| located(&location, error)).boxed())
}

fn truncated() -> Error {
    failed(DecryptError::from(HeaderError::Truncated))
}

fn out_of_range(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Generic { store: NAME, source: Box::new(error) }
}
