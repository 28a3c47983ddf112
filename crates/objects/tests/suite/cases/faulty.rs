//! A store that keeps versions and fails on demand.

use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream};
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};

use super::super::object_store::memory::InMemory;
use super::super::object_store::path::Path;
use super::super::object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart,
};

/// A fault that happens once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A request for bytes fails.
    Get,
    /// The body of a whole object ends early, without an error.
    ShortBody,
    /// The body of an object or a range does not end: 64 MiB follow it.
    LongBody,
    /// A part is not written.
    Part,
    /// An upload is not completed.
    Complete,
    /// An object is written, but the answer is an error: the first one was lost, and the client
    /// repeated the request.
    LostAnswer,
}

/// The faults that will happen, and what has happened.
#[derive(Debug, Default)]
struct Plan {
    faults: Vec<Fault>,
    /// The number of aborted uploads.
    aborted: usize,
    /// The number of mebibytes that were read of those that follow an object.
    surplus: usize,
}

/// A store in memory. The version of an object is its entity tag.
#[derive(Debug, Default)]
pub(super) struct Faulty {
    inner: InMemory,
    plan: Arc<Mutex<Plan>>,
}

impl Faulty {
    /// Plans a fault for the next operation that it can affect.
    pub(super) fn plan(&self, fault: Fault) {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner).faults.push(fault);
    }

    /// Returns the number of planned faults that have not happened.
    pub(super) fn planned(&self) -> usize {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner).faults.len()
    }

    /// Returns the number of uploads that were aborted since the last call.
    pub(super) fn aborted(&self) -> usize {
        mem::take(&mut self.plan.lock().unwrap_or_else(PoisonError::into_inner).aborted)
    }

    /// Returns the number of mebibytes that were read after the end of an object since the last
    /// call.
    pub(super) fn surplus(&self) -> usize {
        mem::take(&mut self.plan.lock().unwrap_or_else(PoisonError::into_inner).surplus)
    }
}

/// Returns 64 MiB, and counts those that are read.
fn surplus(plan: Arc<Mutex<Plan>>) -> impl Stream<Item = Result<Bytes>> {
    stream::iter(0..64).map(move |_| {
        plan.lock().unwrap_or_else(PoisonError::into_inner).surplus += 1;
        Ok(vec![0; 1 << 20].into())
    })
}

/// Returns whether a fault is planned, and removes it from the plan.
fn happens(plan: &Mutex<Plan>, fault: Fault) -> bool {
    let faults = &mut plan.lock().unwrap_or_else(PoisonError::into_inner).faults;
    let at = faults.iter().position(|planned| *planned == fault);
    at.map(|at| faults.remove(at)).is_some()
}

fn error(fault: Fault) -> Error {
    Error::Generic { store: "faulty", source: format!("{fault:?}").into() }
}

/// Returns the path that holds a version of an object.
fn kept(location: &Path, version: &str) -> Path {
    Path::from(format!("versions/{location}/{version}"))
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Faulty({})", self.inner)
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        let mut written = self.inner.put_opts(location, payload, opts).await?;
        written.version.clone_from(&written.e_tag);
        let version = written.version.as_deref().unwrap_or_default();
        self.inner.copy(location, &kept(location, version)).await?;
        if happens(&self.plan, Fault::LostAnswer) {
            let source = format!("{:?}", Fault::LostAnswer).into();
            return Err(Error::Precondition { path: location.to_string(), source });
        }
        Ok(written)
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        let inner = self.inner.put_multipart_opts(location, opts).await?;
        Ok(Box::new(Upload { inner, plan: Arc::clone(&self.plan) }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if !options.head && happens(&self.plan, Fault::Get) {
            return Err(error(Fault::Get));
        }
        let has_body = !options.head;
        let is_whole = has_body && options.range.is_none();
        let place = options.version.as_ref().map_or_else(|| location.clone(), |version| kept(location, version));
        let mut result = self.inner.get_opts(&place, options).await?;
        result.meta.location = location.clone();
        if is_whole && happens(&self.plan, Fault::ShortBody) {
            let whole = mem::replace(&mut result.payload, GetResultPayload::Stream(stream::empty().boxed()));
            let GetResultPayload::Stream(body) = whole else { panic!("a store in memory has no files") };
            // The body is one piece.
            let short = body.map_ok(|piece| piece.slice(..piece.len() - 1));
            result.payload = GetResultPayload::Stream(short.boxed());
        }
        if has_body && happens(&self.plan, Fault::LongBody) {
            let whole = mem::replace(&mut result.payload, GetResultPayload::Stream(stream::empty().boxed()));
            let GetResultPayload::Stream(body) = whole else { panic!("a store in memory has no files") };
            result.payload = GetResultPayload::Stream(body.chain(surplus(Arc::clone(&self.plan))).boxed());
        }
        Ok(result)
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

#[derive(Debug)]
struct Upload {
    inner: Box<dyn MultipartUpload>,
    plan: Arc<Mutex<Plan>>,
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        if happens(&self.plan, Fault::Part) {
            return async { Err(error(Fault::Part)) }.boxed();
        }
        self.inner.put_part(data)
    }

    async fn complete(&mut self) -> Result<PutResult> {
        if happens(&self.plan, Fault::Complete) {
            return Err(error(Fault::Complete));
        }
        let completed = self.inner.complete().await?;
        if happens(&self.plan, Fault::LostAnswer) {
            return Err(error(Fault::LostAnswer));
        }
        Ok(completed)
    }

    async fn abort(&mut self) -> Result<()> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner).aborted += 1;
        self.inner.abort().await
    }
}
