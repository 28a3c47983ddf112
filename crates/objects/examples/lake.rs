//! A data lake on disk: writes sealed objects, lists them with the lengths of their plaintexts, and
//! replaces the recipient of all of them.
//!
//! `cargo run --example lake`

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sealane_object_store::object_store_014::SealedStore;
use sealane_object_store::object_store_014::object_store::local::LocalFileSystem;
use sealane_object_store::object_store_014::object_store::path::Path;
use sealane_object_store::object_store_014::object_store::{ObjectStore as _, ObjectStoreExt as _};
use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::sealane_age::{Existing, Recipient};
use sealane_object_store::{Keys, SealedError};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let inner = Arc::new(LocalFileSystem::new_with_prefix(folder.path())?);
    let (old, new) = (Identity::generate()?, Identity::generate()?);
    let store = SealedStore::new(inner.clone(), Keys::new().with_recipient(old.to_public()).with_identity(old))?;

    for day in 1..=9 {
        let path = Path::from(format!("events/day={day}/part-0.csv"));
        store.put(&path, format!("{day},start\n").repeat(day * 1000).into()).await?;
    }
    let mut listed: Vec<_> = store.list(None).try_collect().await?;
    listed.sort_by(|one, other| one.location.cmp(&other.location));
    for object in &listed {
        println!("{:>8}  {}", object.size, object.location);
    }
    assert_eq!(listed[8].size, 9 * 8000);

    for object in &listed {
        store.rekey(&object.location, &[&new.to_public() as &(dyn Recipient + Send + Sync)], Existing::Drop).await?;
    }
    let successor = SealedStore::new(inner, Keys::new().with_identity(new))?;
    assert_eq!(successor.get(&listed[0].location).await?.bytes().await?.len(), 8000);
    let error = store.get(&listed[0].location).await.expect_err("the old key is gone");
    println!("with the old key: {}", SealedError::of(&error).ok_or("another error")?);
    Ok(())
}
