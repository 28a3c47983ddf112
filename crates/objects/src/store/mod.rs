//! A store that seals its objects and keeps them in an inner store.

#[cfg(all(feature = "fs", not(target_arch = "wasm32")))]
mod file;
mod list;
mod read;
mod rekey;
mod write;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;

use super::object_store::path::Path;
use super::object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result,
};
use crate::error::SealedError;
use crate::keys::Keys;
use crate::sizes::ListedSize;
use crate::unlocked::{Cache, Stamp};

/// The name of this store in errors.
const NAME: &str = "sealed";

/// A store whose objects are sealed as age files. Clones share the cache of headers.
///
/// The crate's documentation has an example.
#[derive(Clone)]
pub struct SealedStore {
    inner: Arc<dyn ObjectStore>,
    keys: Keys,
    listed: ListedSize,
    cache: Arc<Cache>,
}

impl SealedStore {
    /// Returns a store that seals its objects and keeps them in `inner`.
    ///
    /// # Errors
    /// [`SealedError::Encrypt`] if the recipients cannot be combined or their header does not fit
    /// the chosen length; [`SealedError::LongHeader`] if no header can have that length.
    pub fn new(inner: Arc<dyn ObjectStore>, keys: Keys) -> Result<Self, SealedError> {
        keys.check()?;
        Ok(Self { inner, keys, listed: ListedSize::default(), cache: Arc::default() })
    }

    /// Chooses the sizes that listings report.
    #[must_use]
    pub fn with_listed_size(mut self, listed: ListedSize) -> Self {
        self.listed = listed;
        self
    }

    /// Returns the inner store, which holds the sealed objects.
    #[must_use]
    pub fn inner(&self) -> &Arc<dyn ObjectStore> {
        &self.inner
    }
}

impl fmt::Debug for SealedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealedStore")
            .field("inner", &self.inner)
            .field("keys", &self.keys)
            .field("listed", &self.listed)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for SealedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealedStore({})", self.inner)
    }
}

/// Wraps an error of this crate in the error type of `object_store`.
fn failed(error: impl Into<SealedError>) -> Error {
    Error::Generic { store: NAME, source: Box::new(error.into()) }
}

/// An error with the path of the object.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
struct Located {
    path: Path,
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// Adds the object's path to an error that does not come from the inner store, because a program
/// works on many objects.
fn located(path: &Path, error: Error) -> Error {
    match error {
        Error::Generic { store: NAME, source } if !source.is::<Located>() => {
            Error::Generic { store: NAME, source: Box::new(Located { path: path.clone(), source }) }
        }
        other => other,
    }
}

/// Returns the metadata that changes when an object is replaced.
fn stamp(meta: &ObjectMeta) -> Stamp {
    Stamp {
        e_tag: meta.e_tag.clone(),
        version: meta.version.clone(),
        modified: meta.last_modified.timestamp_micros(),
        size: meta.size,
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl ObjectStore for SealedStore {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        self.put_sealed(location, payload, opts).await.map_err(|error| located(location, error))
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.begin_upload(location, opts).await.map_err(|error| located(location, error))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.read(location, options).await.map_err(|error| located(location, error))
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.read_ranges(location, ranges).await.map_err(|error| located(location, error))
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let cache = Arc::clone(&self.cache);
        let deleted = self.inner.delete_stream(locations);
        deleted.inspect(move |path| path.iter().for_each(|path| cache.remove(path.as_ref()))).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.with_sizes(self.inner.list(prefix))
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, Result<ObjectMeta>> {
        self.with_sizes(self.inner.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.list_folder(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.cache.remove(to.as_ref());
        self.inner.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.cache.remove(from.as_ref());
        self.cache.remove(to.as_ref());
        self.inner.rename_opts(from, to, options).await
    }
}
