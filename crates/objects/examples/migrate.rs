//! Seals the plain objects of a store in place, and keeps their attributes, but neither their
//! storage class nor their tags. An object that somebody replaces meanwhile is not overwritten: run
//! the program again. The store must have conditional writes, which local disks do not have. Each
//! object must fit into memory. Age files count as sealed, whatever their recipients.
//!
//! `cargo run --example migrate`

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sealane_object_store::Keys;
use sealane_object_store::object_store_014::SealedStore;
use sealane_object_store::object_store_014::object_store::memory::InMemory;
use sealane_object_store::object_store_014::object_store::path::Path;
use sealane_object_store::object_store_014::object_store::{
    Attribute, Attributes, Error, GetResult, ObjectMeta, ObjectStore as _, ObjectStoreExt as _, PutMode, PutOptions,
    UpdateVersion,
};
use sealane_object_store::sealane_age::x25519::Identity;

const START: &[u8] = b"age-encryption.org/v1\n";

/// Seals an object that was read from the inner store. Returns whether it was plain.
async fn seal(store: &SealedStore, object: GetResult) -> Result<bool, Error> {
    let path = object.meta.location.clone();
    let version = UpdateVersion { e_tag: object.meta.e_tag.clone(), version: object.meta.version.clone() };
    let options = PutOptions { mode: PutMode::Update(version), ..object.attributes.clone().into() };
    let size = object.meta.size;
    let bytes = object.bytes().await?;
    // A store may end a body early without an error.
    if bytes.len() as u64 != size {
        let source = format!("{path}: {} of {size} bytes were read", bytes.len()).into();
        return Err(Error::Generic { store: "plain", source });
    }
    // `options` name the version with these bytes, so no other version is sealed.
    if bytes.starts_with(START) {
        return Ok(false);
    }
    store.put_opts(&path, bytes.into(), options).await?;
    Ok(true)
}

/// Seals an object that was listed. Returns whether it was plain.
async fn seal_listed(store: &SealedStore, found: &ObjectMeta) -> Result<bool, Error> {
    let (path, start) = (&found.location, START.len() as u64);
    // Saves reading the whole of a sealed object.
    if found.size >= start && store.inner().get_range(path, 0..start).await? == START {
        return Ok(false);
    }
    seal(store, store.inner().get(path).await?).await
}

/// Seals the plain objects of a listing. Returns their number.
async fn migrate(store: &SealedStore, listed: &[ObjectMeta]) -> Result<usize, Error> {
    let mut sealed = 0;
    for found in listed {
        match seal_listed(store, found).await {
            Ok(was_plain) => sealed += usize::from(was_plain),
            // The object was deleted meanwhile, or the store lists a marker of a folder, `name/`,
            // as an object `name`.
            Err(Error::NotFound { .. }) => println!("nothing to seal at {}", found.location),
            Err(error) => return Err(error),
        }
    }
    Ok(sealed)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let identity = Identity::generate()?;
    let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
    let inner = Arc::new(InMemory::new());
    let store = SealedStore::new(inner.clone(), keys)?;
    let attributes = Attributes::from_iter([(Attribute::ContentType, "text/csv")]);
    for day in 1..=9 {
        let options = PutOptions::from(attributes.clone());
        inner.put_opts(&Path::from(format!("day-{day}.csv")), "time,event\n".into(), options).await?;
    }

    // Somebody replaces an object after it was read here.
    let path = Path::from("day-9.csv");
    let object = inner.get(&path).await?;
    inner.put_opts(&path, "time,event\n09:00,start\n".into(), attributes.clone().into()).await?;
    let error = seal(&store, object).await.expect_err("the object was replaced");
    assert!(matches!(error, Error::Precondition { .. }));

    println!("replaced meanwhile: {error}");

    // The body of an object ends early.
    let mut object = inner.get(&path).await?;
    object.meta.size += 1;
    let error = seal(&store, object).await.expect_err("the body ended early");
    println!("ended early: {error}");
    assert_eq!(inner.get(&path).await?.bytes().await?, "time,event\n09:00,start\n");

    // Somebody seals one object and deletes another, after they were listed here.
    let listed: Vec<_> = inner.list(None).try_collect().await?;
    let other = Path::from("day-8.csv");
    store.put(&other, "time,event\n".into()).await?;
    assert!(!seal(&store, inner.get(&other).await?).await?, "it is sealed already");
    inner.delete(&Path::from("day-7.csv")).await?;
    println!("{} objects sealed", migrate(&store, &listed).await?);
    assert_eq!(store.get(&other).await?.bytes().await?, "time,event\n");
    let listed: Vec<_> = inner.list(None).try_collect().await?;
    assert_eq!(migrate(&store, &listed).await?, 0, "all are sealed");
    let object = store.get(&path).await?;
    assert_eq!(object.attributes, attributes);
    assert_eq!(object.bytes().await?, "time,event\n09:00,start\n");
    Ok(())
}
