//! HTTP for a server on this machine. The crate's own client takes four times as long to compile.

use async_trait::async_trait;
use http_body_util::BodyExt as _;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::object_store;
use super::object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use super::object_store::client::{
    ClientOptions, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};

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

/// Returns the S3 settings that all buckets share.
pub(super) fn s3_client() -> AmazonS3Builder {
    AmazonS3Builder::new()
        // Signatures, and digests of lists of names, need a library for cryptography.
        .with_skip_signature(true)
        .with_config(AmazonS3ConfigKey::DisableBulkDelete, "true")
        .with_http_connector(Plain)
}
