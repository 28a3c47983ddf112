//! Uploads a stream in parts, at most four at once. The writer has no identity, so it cannot read
//! what it wrote. If the stream fails, the upload is aborted and leaves nothing in the store.
//!
//! `cargo run --example upload`

use std::io;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use sealane_object_store::Keys;
use sealane_object_store::object_store_014::SealedStore;
use sealane_object_store::object_store_014::object_store::local::LocalFileSystem;
use sealane_object_store::object_store_014::object_store::path::Path;
use sealane_object_store::object_store_014::object_store::{ObjectStoreExt as _, WriteMultipart};
use sealane_object_store::sealane_age::x25519::Identity;

type Error = Box<dyn std::error::Error>;

async fn upload(store: &SealedStore, path: &Path, data: impl Stream<Item = io::Result<Bytes>>) -> Result<(), Error> {
    let mut data = pin!(data);
    let mut parts = WriteMultipart::new(store.put_multipart(path).await?);
    let written = async {
        while let Some(piece) = data.try_next().await? {
            parts.wait_for_capacity(4).await?;
            parts.put(piece);
        }
        Ok::<(), Error>(())
    }
    .await;
    if let Err(error) = written {
        // The error that led to the abort is returned, and not an error of the abort itself.
        let _ = parts.abort().await;
        return Err(error);
    }
    parts.finish().await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let folder = tempfile::tempdir()?;
    let inner = Arc::new(LocalFileSystem::new_with_prefix(folder.path())?);
    let identity = Identity::generate()?;
    let writer = SealedStore::new(inner.clone(), Keys::new().with_recipient(identity.to_public()))?;
    let reader = SealedStore::new(inner, Keys::new().with_identity(identity))?;
    let data = || stream::iter((0..12).map(|i| Ok(Bytes::from(vec![i; 1 << 20]))));

    let whole = Path::from("recording-1");
    upload(&writer, &whole, data()).await?;
    println!("the reader finds {} bytes", reader.head(&whole).await?.size);
    assert_eq!(reader.get_range(&whole, (12 << 20) - 2..12 << 20).await?, [11, 11][..]);
    println!("the writer cannot read: {}", writer.get(&whole).await.expect_err("it has no identity"));

    let broken = Path::from("recording-2");
    let data = data().chain(stream::iter([Err(io::Error::other("the camera is off"))]));
    println!("upload aborted: {}", upload(&writer, &broken, data).await.expect_err("the stream fails"));
    assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
    Ok(())
}
