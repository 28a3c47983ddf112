//! Writes objects.

use std::future;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures_util::{FutureExt as _, TryFutureExt as _};

use super::super::object_store::path::Path;
use super::super::object_store::{
    Error, MultipartUpload, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart,
};
use super::{SealedStore, failed, located};
use crate::error::SealedError;
use crate::parts::Sealing;

impl SealedStore {
    pub(super) async fn put_sealed(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let mut sealing = self.sealing()?;
        sealing.reserve(payload.content_length());
        payload.iter().try_for_each(|data| sealing.push(data)).map_err(failed)?;
        sealing.finish().map_err(failed)?;
        self.cache.remove(location.as_ref());
        self.inner.put_opts(location, sealing.take_rest().into(), options).await
    }

    pub(super) async fn begin_upload(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        let sealing = self.sealing()?;
        self.cache.remove(location.as_ref());
        let inner = self.inner.put_multipart_opts(location, options).await?;
        let location = location.clone();
        Ok(Box::new(SealedUpload { inner, location, sealing, state: State::Open, unwritten: Arc::default() }))
    }

    fn sealing(&self) -> Result<Sealing> {
        let encryptor = self.keys.encryptor().map_err(failed)?;
        Sealing::new(encryptor).map_err(failed)
    }
}

/// An upload in parts: see [`Sealing::push_part`].
#[derive(Debug)]
struct SealedUpload {
    inner: Box<dyn MultipartUpload>,
    location: Path,
    sealing: Sealing,
    state: State,
    /// The number of parts that are not written: pending, failed, or added too late. The future of
    /// `put_part` subtracts one when its part is written, so a part whose future is dropped or
    /// never polled stays counted.
    unwritten: Arc<AtomicUsize>,
}

/// The progress of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// More parts can follow.
    Open,
    /// The last parts were not written, or may not have been.
    Failed,
    /// All parts are written. Completion can be tried again.
    Sent,
}

impl SealedUpload {
    fn failed(&self, error: impl Into<SealedError>) -> Error {
        located(&self.location, failed(error))
    }

    /// Seals the last chunk and writes the remaining parts.
    async fn send_rest(&mut self) -> Result<()> {
        self.sealing.finish().map_err(|error| self.failed(error))?;
        while let Some(part) = self.sealing.take_part() {
            self.inner.put_part(part.into()).await?;
        }
        let rest = self.sealing.take_rest();
        self.inner.put_part(rest.into()).await
    }
}

#[async_trait]
impl MultipartUpload for SealedUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        // The last chunk is sealed, so nothing can follow it.
        if self.state != State::Open {
            self.unwritten.fetch_add(1, Ordering::Relaxed);
            return future::ready(Err(self.failed(SealedError::PartFailed))).boxed();
        }
        let part = match self.sealing.push_part(data.iter().map(|piece| &piece[..])) {
            Ok(Some(part)) => part,
            Ok(None) => return future::ready(Ok(())).boxed(),
            Err(error) => {
                self.unwritten.fetch_add(1, Ordering::Relaxed);
                return future::ready(Err(self.failed(error))).boxed();
            }
        };
        self.unwritten.fetch_add(1, Ordering::Relaxed);
        let unwritten = Arc::clone(&self.unwritten);
        let upload = self.inner.put_part(part.into());
        let written = move |_: &()| _ = unwritten.fetch_sub(1, Ordering::Relaxed);
        upload.inspect_ok(written).boxed()
    }

    async fn complete(&mut self) -> Result<PutResult> {
        if self.unwritten.load(Ordering::Relaxed) > 0 {
            return Err(self.failed(SealedError::PartFailed));
        }
        // The state stays `Failed` if this future fails or is dropped before all parts are written.
        match mem::replace(&mut self.state, State::Failed) {
            State::Open => self.send_rest().await?,
            State::Failed => return Err(self.failed(SealedError::PartFailed)),
            State::Sent => {}
        }
        self.state = State::Sent;
        self.inner.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.inner.abort().await
    }
}
