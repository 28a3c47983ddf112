//! A store that records what is read and written.

use std::fmt;
use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};

use super::super::object_store::path::Path;
use super::super::object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart,
};

/// An extension of requests.
#[derive(Clone, Debug)]
pub(super) struct Mark;

/// A store that records the ranges that are read, and the lengths of the parts that are written.
#[derive(Debug)]
pub(crate) struct Counted<T> {
    inner: T,
    read: Mutex<Vec<Range<u64>>>,
    parts: std::sync::Arc<Mutex<Vec<usize>>>,
    /// The number of uploads in parts that were begun.
    uploads: Mutex<usize>,
    has_tags: bool,
    /// Whether entity tags are weak. Conditional writes with such tags fail.
    has_weak_tags: bool,
    /// Whether either listings or responses have quotes around entity tags, and only listings have
    /// fractions of seconds, as in Azure.
    is_azure: bool,
    /// A size that the store reports instead of the size of the object.
    false_size: Mutex<Option<u64>>,
    /// An object that may not be read.
    denied: Mutex<Option<Path>>,
    /// The bytes that replace an object when it is read.
    replacement: Mutex<Option<Vec<u8>>>,
    /// A local file, and the length to which it is cut when it is read.
    cut: Mutex<Option<(PathBuf, u64)>>,
    unmarked: Mutex<usize>,
}

impl<T> Counted<T> {
    pub(crate) fn new(inner: T) -> Self {
        let (read, parts, uploads, false_size, denied, replacement, cut, unmarked) = <_>::default();
        let (has_tags, has_weak_tags, is_azure) = (true, false, false);
        Self {
            inner,
            read,
            parts,
            uploads,
            has_tags,
            has_weak_tags,
            is_azure,
            false_size,
            denied,
            replacement,
            cut,
            unmarked,
        }
    }

    /// Returns a store without entity tags and conditional writes, whose clock stands still.
    pub(super) fn without_tags(inner: T) -> Self {
        Self { has_tags: false, ..Self::new(inner) }
    }

    /// Returns a store with weak entity tags, and versions.
    pub(super) fn with_weak_tags(inner: T) -> Self {
        Self { has_weak_tags: true, ..Self::new(inner) }
    }

    /// Returns a store whose listings have other tags and times than its responses.
    pub(super) fn like_azure(inner: T) -> Self {
        Self { is_azure: true, ..Self::new(inner) }
    }

    /// Makes the store report a size for all objects.
    pub(super) fn lie(&self, size: u64) {
        *self.false_size.lock().unwrap_or_else(PoisonError::into_inner) = Some(size);
    }

    /// Denies reading an object.
    pub(super) fn deny(&self, path: &Path) {
        *self.denied.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.clone());
    }

    /// Replaces the object that is read next, after its response has begun.
    pub(crate) fn replace_next(&self, bytes: Vec<u8>) {
        *self.replacement.lock().unwrap_or_else(PoisonError::into_inner) = Some(bytes);
    }

    /// Cuts a local file to `len` bytes after the response to the next request has begun.
    pub(super) fn cut_next(&self, file: PathBuf, len: u64) {
        *self.cut.lock().unwrap_or_else(PoisonError::into_inner) = Some((file, len));
    }

    /// Returns the number of requests without the extension [`Mark`] since the last call.
    pub(super) fn unmarked(&self) -> usize {
        std::mem::take(&mut self.unmarked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the ranges that were read since the last call.
    pub(super) fn read(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.read.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of uploads in parts that were begun since the last call.
    pub(super) fn uploads(&self) -> usize {
        std::mem::take(&mut self.uploads.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the lengths of the parts that were written since the last call.
    pub(crate) fn parts(&self) -> Vec<usize> {
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
        if !self.has_tags && opts.mode != PutMode::Overwrite {
            return Err(Error::NotImplemented { operation: "put_opts".to_owned(), implementer: self.to_string() });
        }
        self.inner.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        *self.uploads.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        let inner = self.inner.put_multipart_opts(location, opts).await?;
        Ok(Box::new(Upload { inner, parts: self.parts.clone() }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let is_head = options.head;
        if options.extensions.get::<Mark>().is_none() {
            *self.unmarked.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        }
        if self.denied.lock().unwrap_or_else(PoisonError::into_inner).as_ref() == Some(location) {
            let (path, source) = (location.to_string(), "archived".into());
            // Azure answers with the status 409, S3 with 403.
            return Err(if self.is_azure {
                Error::AlreadyExists { path, source }
            } else {
                Error::PermissionDenied { path, source }
            });
        }
        let mut result = self.inner.get_opts(location, options).await?;
        if !self.has_tags {
            (result.meta.e_tag, result.meta.last_modified) = (None, Default::default());
        }
        if self.has_weak_tags {
            result.meta.e_tag = result.meta.e_tag.map(|tag| format!("W/{tag}"));
            result.meta.version = Some("1".to_owned());
        }
        if self.is_azure {
            let fraction = Duration::from_nanos(result.meta.last_modified.timestamp_subsec_nanos().into());
            result.meta.last_modified -= fraction;
        }
        let replacement = self.replacement.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(bytes) = replacement {
            self.inner.put(location, bytes.into()).await?;
        }
        if let Some((file, len)) = self.cut.lock().unwrap_or_else(PoisonError::into_inner).take() {
            File::options().write(true).open(file).unwrap().set_len(len).unwrap();
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
        let is_azure = self.is_azure;
        self.inner.list(prefix).map_ok(move |meta| if is_azure { with_other_quotes(meta) } else { meta }).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let mut listed = self.inner.list_with_delimiter(prefix).await?;
        if self.is_azure {
            listed.objects = listed.objects.into_iter().map(with_other_quotes).collect();
        }
        Ok(listed)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

/// Removes the quotes around an entity tag, or adds them.
fn with_other_quotes(mut meta: ObjectMeta) -> ObjectMeta {
    meta.e_tag = meta.e_tag.map(|tag| match tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')) {
        Some(tag) => tag.to_owned(),
        None => format!("\"{tag}\""),
    });
    meta
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
