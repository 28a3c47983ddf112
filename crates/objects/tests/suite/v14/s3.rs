//! A sealed store over S3, on the server that `SEALANE_S3` names. `crates/objects/test` starts it.

use std::sync::Arc;

use async_trait::async_trait;
use http_body_util::BodyExt as _;
use hyper_util::rt::TokioIo;
use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::sealane_age::{Existing, Recipient, decrypt};
use tokio::net::TcpStream;

use super::SealedStore;
use super::cases::counted::Counted;
use super::cases::integration::every_store;
use super::cases::{keys, text, whole};
use super::object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, S3CopyIfNotExists};
use super::object_store::client::{
    ClientOptions, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};
use super::object_store::path::Path;
use super::object_store::{
    self, Attribute, Attributes, Error, ObjectStore as _, ObjectStoreExt as _, integration as tests,
};

const MIN: usize = 5 << 20;

/// Sends each request over a connection of its own, without TLS.
#[derive(Clone, Copy, Debug)]
struct Plain;

impl HttpConnector for Plain {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(*self))
    }
}

#[async_trait]
impl HttpService for Plain {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let authority = request.uri().authority().expect("an address").to_string();
        let failed = |error| HttpError::new(HttpErrorKind::Connect, error);
        let stream = TcpStream::connect(&authority).await.map_err(failed)?;
        let failed = |error| HttpError::new(HttpErrorKind::Request, error);
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(failed)?;
        tokio::spawn(connection);
        request.headers_mut().insert("host", authority.parse().expect("a header"));
        *request.uri_mut() = request.uri().path_and_query().expect("a path").as_str().parse().expect("a path");
        let response = sender.send_request(request).await.map_err(failed)?;
        Ok(response
            .map(|body| HttpResponseBody::new(body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error)))))
    }
}

/// Returns the store of a bucket of the server.
fn bucket(name: &str) -> AmazonS3 {
    let address = std::env::var("SEALANE_S3").expect("crates/objects/test sets SEALANE_S3");
    AmazonS3Builder::new()
        .with_endpoint(address)
        .with_bucket_name(name)
        .with_allow_http(true)
        // Signatures, and digests of lists of names, need a library for cryptography.
        .with_skip_signature(true)
        .with_config(AmazonS3ConfigKey::DisableBulkDelete, "true")
        .with_copy_if_not_exists(S3CopyIfNotExists::Multipart)
        .with_http_connector(Plain)
        .build()
        .unwrap()
}

#[tokio::test]
#[ignore = "needs an S3 server: crates/objects/test starts one"]
async fn behaves_like_any_store() {
    let store = SealedStore::new(Arc::new(bucket("any")), keys(&Identity::generate().unwrap())).unwrap();
    // Without the test of attributes, whose names have underscores: moto's server drops them.
    every_store(&store).await;
    tests::put_opts(&store, true).await;
    tests::multipart_race_condition(&store, true).await;
    tests::multipart_out_of_order(&store).await;
}

#[tokio::test]
#[ignore = "needs an S3 server: crates/objects/test starts one"]
async fn parts_become_one_age_file() {
    let (identity, path, text) = (Identity::generate().unwrap(), Path::from("a/b.csv"), text(2 * MIN + 3));
    let below = Arc::new(Counted::new(bucket("parts")));
    let store = SealedStore::new(below.clone(), keys(&identity)).unwrap();
    let mut upload = store.put_multipart(&path).await.unwrap();
    for part in text.chunks(MIN) {
        upload.put_part(part.to_vec().into()).await.unwrap();
    }
    assert!(below.head(&path).await.is_err(), "the object appears at the end");
    upload.complete().await.unwrap();
    assert!(below.parts().len() > 1);
    let sealed = whole(&below, &path).await.unwrap();
    assert_eq!(decrypt([&identity as _], &sealed).unwrap(), text);
    let ranges = [100..200, MIN as u64 - 10..MIN as u64 + 10, 2 * MIN as u64..2 * MIN as u64 + 3];
    for (range, bytes) in ranges.iter().zip(store.get_ranges(&path, &ranges).await.unwrap()) {
        assert_eq!(bytes, text[range.start as usize..range.end as usize]);
    }
}

#[tokio::test]
#[ignore = "needs an S3 server: crates/objects/test starts one"]
async fn other_recipients() {
    let (old, new, path) = (Identity::generate().unwrap(), Identity::generate().unwrap(), Path::from("a"));
    let below = Arc::new(Counted::new(bucket("rekey")));
    let store = SealedStore::new(below.clone(), keys(&old)).unwrap();
    let successor = SealedStore::new(below.clone(), keys(&new)).unwrap();
    let recipient = new.to_public();
    let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
    // One conditional write, and parts.
    for (len, parts) in [(1000, 0), (9 << 20, 2)] {
        let attributes = Attributes::from_iter([
            (Attribute::ContentType, "text/plain"),
            (Attribute::Metadata("team".into()), "blue"),
        ]);
        store.put_opts(&path, text(len).into(), attributes.clone().into()).await.unwrap();
        store.rekey(&path, &recipients, Existing::Drop).await.unwrap();
        assert_eq!(below.parts().len(), parts);
        assert_eq!(successor.get(&path).await.unwrap().attributes, attributes);
        assert_eq!(whole(&successor, &path).await.unwrap(), text(len));
        assert!(whole(&store, &path).await.is_err());

        // Somebody else replaces the object meanwhile.
        store.put(&path, text(len).into()).await.unwrap();
        let other = b"another object".to_vec();
        below.replace_next(other.clone());
        let refused = store.rekey(&path, &recipients, Existing::Drop).await;
        assert!(matches!(refused, Err(Error::Precondition { .. })), "{refused:?}");
        assert_eq!(whole(&below, &path).await.unwrap(), other);
        below.parts();
    }
}
