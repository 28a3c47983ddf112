//! Reads the end of a large sealed object, and shows how long that takes.
//!
//! `cargo run --example ranges`

use std::sync::Arc;
use std::time::Instant;

use sealane_object_store::Keys;
use sealane_object_store::object_store_014::SealedStore;
use sealane_object_store::object_store_014::object_store::memory::InMemory;
use sealane_object_store::object_store_014::object_store::path::Path;
use sealane_object_store::object_store_014::object_store::{ObjectStoreExt as _, WriteMultipart};
use sealane_object_store::sealane_age::x25519::Identity;

const MIB: u64 = 1 << 20;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let identity = Identity::generate()?;
    let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
    let inner = Arc::new(InMemory::new());
    let store = SealedStore::new(inner.clone(), keys)?;
    let path = Path::from("log");

    let mut upload = WriteMultipart::new(store.put_multipart(&path).await?);
    for i in 0..64_u8 {
        upload.write(&vec![i; MIB as usize]);
    }
    upload.finish().await?;
    let sealed = inner.head(&path).await?.size;
    let size = store.head(&path).await?.size;
    println!("{size} bytes of plaintext are {sealed} bytes in the store");
    assert_eq!(size, 64 * MIB);

    let started = Instant::now();
    let end = store.get_range(&path, size - 1000..size).await?;
    println!("the last {} bytes took {:?}", end.len(), started.elapsed());
    assert!(end.iter().all(|byte| *byte == 63));
    Ok(())
}
