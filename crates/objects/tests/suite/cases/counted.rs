//! A store that records what is read and written.

use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;

use super::super::object_store::path::Path;
use super::super::object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions,
    PutOptions, PutPayload, PutResult, Result, UploadPart,
};

/// A store that records the ranges that are read, and the lengths of the parts that are written.
#[derive(Debug)]
pub(super) struct Counted<T> {
    inner: T,
    read: Mutex<Vec<Range<u64>>>,
    parts: std::sync::Arc<Mutex<Vec<usize>>>,
    has_tags: bool,
    /// A size that the store reports instead of the size of the object.
    false_size: Mutex<Option<u64>>,
}

impl<T> Counted<T> {
    pub(super) fn new(inner: T) -> Self {
        let (read, parts, false_size) = <_>::default();
        Self { inner, read, parts, has_tags: true, false_size }
    }

    /// Returns a store without entity tags, whose clock stands still.
    pub(super) fn without_tags(inner: T) -> Self {
        Self { has_tags: false, ..Self::new(inner) }
    }

    /// Makes the store report a size for all objects.
    pub(super) fn lie(&self, size: u64) {
        *self.false_size.lock().unwrap_or_else(PoisonError::into_inner) = Some(size);
    }

    /// Returns the ranges that were read since the last call.
    pub(super) fn read(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.read.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the lengths of the parts that were written since the last call.
    pub(super) fn parts(&self) -> Vec<usize> {
        std::mem::take(&mut self.parts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: fmt::Display> fmt::Display for Counted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Counted({})", self.inner)
    }
}

#[async_trait]
impl<T: ObjectStore> ObjectStore for Counted<T> {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        self.inner.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        let inner = self.inner.put_multipart_opts(location, opts).await?;
        Ok(Box::new(Upload { inner, parts: self.parts.clone() }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let is_head = options.head;
        let mut result = self.inner.get_opts(location, options).await?;
        if !self.has_tags {
            (result.meta.e_tag, result.meta.last_modified) = (None, Default::default());
        }
        if let Some(size) = *self.false_size.lock().unwrap_or_else(PoisonError::into_inner) {
            result.meta.size = size;
        }
        let range = if is_head { 0..0 } else { result.range.clone() };
        self.read.lock().unwrap_or_else(PoisonError::into_inner).push(range);
        Ok(result)
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(ranges);
        self.inner.get_ranges(location, ranges).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

/// An upload that records the lengths of its parts.
#[derive(Debug)]
struct Upload {
    inner: Box<dyn MultipartUpload>,
    parts: std::sync::Arc<Mutex<Vec<usize>>>,
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).push(data.content_length());
        self.inner.put_part(data)
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.inner.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.inner.abort().await
    }
}
