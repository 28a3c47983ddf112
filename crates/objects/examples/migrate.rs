//! Seals the plain objects of a store in place, and keeps their attributes, but not their tags. An
//! object that somebody replaces meanwhile is not overwritten: run the program again. The store
//! must have conditional writes, which local disks do not have. Each object must fit into memory.
//! Age files count as sealed, whatever their recipients.
//!
//! `cargo run --example migrate`

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sealane_object_store::Keys;
use sealane_object_store::object_store_014::SealedStore;
use sealane_object_store::object_store_014::object_store::memory::InMemory;
use sealane_object_store::object_store_014::object_store::path::Path;
use sealane_object_store::object_store_014::object_store::{
    Attribute, Attributes, Error, GetResult, ObjectStore as _, ObjectStoreExt as _, PutMode, PutOptions, UpdateVersion,
};
use sealane_object_store::sealane_age::x25519::Identity;

const START: &[u8] = b"age-encryption.org/v1\n";

/// Seals an object that was read from the inner store.
async fn seal(store: &SealedStore, object: GetResult) -> Result<(), Error> {
    let path = object.meta.location.clone();
    let version = UpdateVersion { e_tag: object.meta.e_tag.clone(), version: object.meta.version.clone() };
    let options = PutOptions { mode: PutMode::Update(version), ..object.attributes.clone().into() };
    store.put_opts(&path, object.bytes().await?.into(), options).await?;
    Ok(())
}

/// Seals all plain objects. Returns their number.
async fn migrate(store: &SealedStore) -> Result<usize, Error> {
    let mut sealed = 0;
    for found in store.inner().list(None).try_collect::<Vec<_>>().await? {
        let (path, start) = (&found.location, START.len() as u64);
        if found.size >= start && store.inner().get_range(path, 0..start).await? == START {
            continue;
        }
        seal(store, store.inner().get(path).await?).await?;
        sealed += 1;
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
    println!("{} objects sealed", migrate(&store).await?);
    assert_eq!(migrate(&store).await?, 0, "all are sealed");
    let object = store.get(&path).await?;
    assert_eq!(object.attributes, attributes);
    assert_eq!(object.bytes().await?, "time,event\n09:00,start\n");
    Ok(())
}
