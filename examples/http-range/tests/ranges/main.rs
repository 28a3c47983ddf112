//! Tests of reading ranges of a sealed file from a server, and of the errors that can occur.

mod server;

use std::io;

use http_range::{HttpError, HttpObject};
use sealane_age::stream::{CHUNK_BYTES, SEALED_CHUNK_BYTES};
use sealane_age::{DecryptError, Identity, LockedFile, RangeReader, Recipient, StreamError, x25519};
use server::Server;

/// Five chunks and a part of one.
const LEN: usize = 5 * CHUNK_BYTES + 1234;

fn plaintext() -> Vec<u8> {
    (0..LEN).map(|i| (i * 7 + (i >> 8)) as u8).collect()
}

fn seal(identity: &x25519::Identity) -> Vec<u8> {
    sealane_age::encrypt([&identity.to_public() as &dyn Recipient], &plaintext()).unwrap()
}

async fn unlock<'o>(object: &'o HttpObject, identity: &x25519::Identity) -> RangeReader<&'o HttpObject> {
    LockedFile::read_async(object).await.unwrap().unlock([identity as &dyn Identity]).unwrap()
}

/// Returns the server's error.
fn http_error(error: &io::Error) -> Option<&HttpError> {
    error.get_ref()?.downcast_ref()
}

#[tokio::test]
async fn a_range_of_1000_bytes_fetches_the_header_and_at_most_two_chunks() {
    let identity = x25519::Identity::generate().unwrap();
    let server = Server::start(seal(&identity)).await;
    for (start, chunks) in [(10, 1), (CHUNK_BYTES - 500, 2), (3 * CHUNK_BYTES, 1), (LEN - 1000, 1)] {
        let object = HttpObject::open(server.uri()).await.unwrap();
        let reader = unlock(&object, &identity).await;
        assert_eq!((object.requests(), object.bytes()), (1, 1024), "the header, and the length with it");
        assert_eq!(reader.claimed_len(), Some(LEN as u64));
        let range = start as u64..start as u64 + 1000;
        assert_eq!(reader.read_async(range).await.unwrap(), plaintext()[start..start + 1000]);
        let fetched = object.bytes() - 1024;
        assert!(fetched <= chunks * SEALED_CHUNK_BYTES as u64, "{fetched} bytes of {chunks} chunks");
        // The first chunk's start came with the header.
        assert_eq!(object.requests(), 2, "one more for the range");
    }
}

#[tokio::test]
async fn ranges_end_with_the_file() {
    let identity = x25519::Identity::generate().unwrap();
    let server = Server::start(seal(&identity)).await;
    let object = HttpObject::open(server.uri()).await.unwrap();
    let reader = unlock(&object, &identity).await;
    assert_eq!(reader.read_async(0..u64::MAX).await.unwrap(), plaintext());
    assert_eq!(reader.read_async(LEN as u64 - 1..LEN as u64 + 5).await.unwrap(), plaintext()[LEN - 1..]);
}

#[tokio::test]
async fn a_wrong_key_is_named() {
    let server = Server::start(seal(&x25519::Identity::generate().unwrap())).await;
    let object = HttpObject::open(server.uri()).await.unwrap();
    let file = LockedFile::read_async(&object).await.unwrap();
    let other = x25519::Identity::generate().unwrap();
    let error = file.unlock([&other as &dyn Identity]).unwrap_err();
    assert!(matches!(error, DecryptError::NoMatch), "{error:?}");
}

#[tokio::test]
async fn a_truncated_object_is_found_out() {
    let identity = x25519::Identity::generate().unwrap();
    let file = seal(&identity);
    // The object is cut between two chunks: the last one is missing.
    let end = file.len() - (1234 + 16);
    let server = Server::start(file[..end].to_vec()).await;
    let object = HttpObject::open(server.uri()).await.unwrap();
    let reader = unlock(&object, &identity).await;
    assert!(reader.read_async(0..1000).await.is_ok());
    let error = reader.read_async(4 * CHUNK_BYTES as u64..LEN as u64).await.unwrap_err();
    assert_eq!(error.to_string(), StreamError::Truncated.to_string());

    // The object is cut after its length was read, and its version stays the same.
    let server = Server::start(file.clone()).await;
    let object = HttpObject::open(server.uri()).await.unwrap();
    let reader = unlock(&object, &identity).await;
    server.object.lock().unwrap().content.truncate(2 * CHUNK_BYTES);
    for start in [CHUNK_BYTES as u64, 4 * CHUNK_BYTES as u64] {
        let error = reader.read_async(start..start + 2 * CHUNK_BYTES as u64).await.unwrap_err();
        assert_eq!(error.to_string(), StreamError::Truncated.to_string());
    }

    // The object is cut inside the header.
    let server = Server::start(file[..50].to_vec()).await;
    let object = HttpObject::open(server.uri()).await.unwrap();
    let error = LockedFile::read_async(&object).await.unwrap_err();
    assert!(matches!(error, DecryptError::Header(sealane_age::header::HeaderError::Truncated)), "{error:?}");
}

#[tokio::test]
async fn a_changed_object_is_found_out() {
    let identity = x25519::Identity::generate().unwrap();
    let server = Server::start(seal(&identity)).await;
    let object = HttpObject::open(server.uri()).await.unwrap();
    let reader = unlock(&object, &identity).await;
    // One bit of the third chunk changes, and the version stays the same.
    server.object.lock().unwrap().content[3 * SEALED_CHUNK_BYTES - 9] ^= 1;
    let error = reader.read_async(2 * CHUNK_BYTES as u64..2 * CHUNK_BYTES as u64 + 1000).await.unwrap_err();
    let expected = StreamError::CorruptChunk { number: 2 };
    assert_eq!(error.to_string(), expected.to_string());
    assert!(reader.read_async(CHUNK_BYTES as u64..CHUNK_BYTES as u64 + 1000).await.is_ok(), "the others are intact");

    // The version changes.
    server.object.lock().unwrap().version = 2;
    let error = reader.read_async(0..100_000).await.unwrap_err();
    assert_eq!(http_error(&error), Some(&HttpError::Changed));
    assert_eq!(error.to_string(), "the object was replaced while it was read");
}

#[tokio::test]
async fn a_weak_tag_is_not_asked_for() {
    let identity = x25519::Identity::generate().unwrap();
    let server = Server::start(seal(&identity)).await;
    server.object.lock().unwrap().has_weak_tag = true;
    let object = HttpObject::open(server.uri()).await.unwrap();
    let reader = unlock(&object, &identity).await;
    assert_eq!(reader.read_async(0..LEN as u64).await.unwrap(), plaintext());
}

#[tokio::test]
async fn addresses_and_responses_are_checked() {
    for uri in ["https://localhost/x", "/x", "http://user:secret@localhost/x"] {
        let error = HttpObject::open(uri.parse().unwrap()).await.err().unwrap();
        assert_eq!(http_error(&error), Some(&HttpError::Address), "{uri}");
    }
    // No server listens on this port. The error is that of the connection, not of a name lookup.
    let error = HttpObject::open("http://[::1]:1/x".parse().unwrap()).await.err().unwrap();
    assert!(error.raw_os_error().is_some(), "{error}");
    let server = Server::start(Vec::new()).await;
    let error = HttpObject::open(server.uri_of("/another")).await.err().unwrap();
    assert_eq!(http_error(&error), Some(&HttpError::Status(hyper::StatusCode::NOT_FOUND)));
    // An empty object has no ranges, but a length.
    let object = HttpObject::open(server.uri()).await.unwrap();
    let error = LockedFile::read_async(&object).await.unwrap_err();
    assert!(matches!(error, DecryptError::Header(sealane_age::header::HeaderError::Empty)), "{error:?}");
}
