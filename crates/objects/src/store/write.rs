//! Writes objects.

use std::future;
use std::mem;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::try_join_all;

use super::super::object_store::path::Path;
use super::super::object_store::{
    MultipartUpload, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart,
};
use super::{SealedStore, failed};
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
        Ok(Box::new(SealedUpload { inner, sealing, is_finished: false }))
    }

    fn sealing(&self) -> Result<Sealing> {
        let encryptor = self.keys.encryptor().map_err(failed)?;
        Sealing::new(encryptor).map_err(failed)
    }
}

/// An upload in parts. All parts of the sealed object but the last have the length of the first.
#[derive(Debug)]
struct SealedUpload {
    inner: Box<dyn MultipartUpload>,
    sealing: Sealing,
    /// Whether the last chunk is sealed. It is sealed once, also if completion is tried again.
    is_finished: bool,
}

#[async_trait]
impl MultipartUpload for SealedUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        if let Err(error) = data.iter().try_for_each(|data| self.sealing.push(data)) {
            return future::ready(Err(failed(error))).boxed();
        }
        self.sealing.set_part_len(data.content_length());
        let mut uploads = Vec::new();
        while let Some(part) = self.sealing.take_part() {
            uploads.push(self.inner.put_part(part.into()));
        }
        try_join_all(uploads).map(|uploaded| uploaded.map(drop)).boxed()
    }

    async fn complete(&mut self) -> Result<PutResult> {
        if !mem::replace(&mut self.is_finished, true) {
            self.sealing.finish().map_err(failed)?;
            while let Some(part) = self.sealing.take_part() {
                self.inner.put_part(part.into()).await?;
            }
            let rest = self.sealing.take_rest();
            self.inner.put_part(rest.into()).await?;
        }
        self.inner.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.inner.abort().await
    }
}
