//! Lists objects with the length of their plaintext.

use std::future;

use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use sealane_age::stream::plaintext_len;

use super::super::object_store::path::Path;
use super::super::object_store::{Error, GetOptions, ListResult, ObjectMeta, Result};
use super::{SealedStore, stamp};
use crate::error::SealedError;
use crate::sizes::ListedSize;

/// The number of headers that are read at once.
const PARALLEL: usize = 10;

impl SealedStore {
    /// Sets the sizes of listed objects, and leaves out objects that were deleted meanwhile.
    pub(super) fn with_sizes(
        &self,
        listed: BoxStream<'static, Result<ObjectMeta>>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let store = self.clone();
        let sized = listed.map_ok(move |meta| {
            let store = store.clone();
            async move { store.with_size(meta).await }
        });
        sized.try_buffered(PARALLEL).try_filter_map(|meta| future::ready(Ok(meta))).boxed()
    }

    pub(super) async fn list_folder(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let mut listed = self.inner.list_with_delimiter(prefix).await?;
        let objects = std::mem::take(&mut listed.objects);
        listed.objects = self.with_sizes(stream::iter(objects.into_iter().map(Ok)).boxed()).try_collect().await?;
        Ok(listed)
    }

    /// Sets the size of a listed object. Returns `None` if it was deleted.
    async fn with_size(&self, mut meta: ObjectMeta) -> Result<Option<ObjectMeta>> {
        // An empty object, such as a directory marker, is not sealed and has no range to read.
        if self.listed == ListedSize::Stored || meta.size == 0 {
            return Ok(Some(meta));
        }
        let size = if let Some(object) = self.cache.listed(meta.location.as_ref(), &stamp(&meta)) {
            Ok(object.len)
        } else if self.listed == ListedSize::FixedHeader {
            let payload = meta.size.checked_sub(self.keys.prefix_len());
            // An object keeps its size if no sealed object with a header of this length has that
            // size.
            Ok(payload.and_then(plaintext_len).unwrap_or(meta.size))
        } else {
            self.open(&meta.location, GetOptions::default()).await.map(|(object, _)| object.len)
        };
        let size = match size {
            Ok(0) => self.head_of_empty(&meta.location, GetOptions::default()).await.map(|head| head.meta.size),
            other => other,
        };
        match size {
            Ok(size) => meta.size = size,
            Err(Error::NotFound { .. }) => return Ok(None),
            // An object that may not be read, because it is archived for example, or that cannot
            // be opened, keeps its size, too.
            // Azure answers with the status 409, which becomes `AlreadyExists`.
            Err(Error::PermissionDenied { .. } | Error::Unauthenticated { .. } | Error::AlreadyExists { .. }) => {}
            Err(error) if SealedError::of(&error).is_some() => {}
            Err(error) => return Err(error),
        }
        Ok(Some(meta))
    }
}
