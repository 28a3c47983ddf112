//! Changes a stored object in several ways. Each time, reading gives an error that tells what is
//! wrong. The intact chunks of a damaged object can still be read.
//!
//! `cargo run --example tamper`

use std::sync::Arc;

use sealane_object_store::object_store_014::SealedStore;
use sealane_object_store::object_store_014::object_store::memory::InMemory;
use sealane_object_store::object_store_014::object_store::path::Path;
use sealane_object_store::object_store_014::object_store::{Error, ObjectStoreExt as _};
use sealane_object_store::sealane_age::header::HeaderError;
use sealane_object_store::sealane_age::stream::CHUNK_BYTES;
use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::sealane_age::{DecryptError, StreamError, encrypt};
use sealane_object_store::{Keys, SealedError};

fn cause(error: &Error) -> &'static str {
    match SealedError::of(error) {
        // Damage to the part of the header that is for this key gives the same error.
        Some(SealedError::Open(DecryptError::NoMatch)) => "sealed for another key",
        Some(SealedError::Open(DecryptError::Header(HeaderError::NotAge))) => "not sealed",
        Some(SealedError::Open(_)) => "damaged header",
        Some(SealedError::Payload(StreamError::CorruptChunk { .. })) => "damaged chunk",
        Some(SealedError::Payload(_)) => "cut off, or damaged at the end",
        Some(_) => "another error of the sealed store",
        None => "an error of the inner store",
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (identity, stranger) = (Identity::generate()?, Identity::generate()?);
    let inner = Arc::new(InMemory::new());
    let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
    let store = SealedStore::new(inner.clone(), keys)?;
    let path = Path::from("report");
    store.put(&path, vec![7; 3 * CHUNK_BYTES].into()).await?;
    let sealed = inner.get(&path).await?.bytes().await?.to_vec();

    let (mut bad_header, mut bad_chunk) = (sealed.clone(), sealed.clone());
    bad_header[2000] ^= 1;
    bad_chunk[100_000] ^= 1; // the second chunk
    for (object, expected) in [
        (encrypt([&stranger.to_public() as _], b"from somebody else")?, "sealed for another key"),
        (b"plain text".to_vec(), "not sealed"),
        (bad_header, "damaged header"),
        (sealed[..200_000].to_vec(), "cut off, or damaged at the end"),
        (bad_chunk, "damaged chunk"),
    ] {
        inner.put(&path, object.into()).await?;
        let whole = async { store.get(&path).await?.bytes().await };
        let error = whole.await.expect_err("the object is changed");
        println!("{}: {error}", cause(&error));
        assert_eq!(cause(&error), expected);
    }

    assert_eq!(store.get_range(&path, 0..CHUNK_BYTES as u64).await?, vec![7; CHUNK_BYTES]);
    let error = store.get_range(&path, 0..CHUNK_BYTES as u64 + 1).await.expect_err("the second chunk is damaged");
    assert_eq!(cause(&error), "damaged chunk");
    Ok(())
}
