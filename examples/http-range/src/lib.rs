//! Reads ranges of a sealed file on an HTTP server, such as an object store.
//!
//! [`HttpObject::open`] fetches the start of the object with one request, whose response also gives
//! the object's length. [`sealane_age::LockedFile`] reads the header from this start. Each range of
//! plaintext then takes one request for the chunks that hold it.

mod error;

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_RANGE, ETAG, HOST, HeaderValue, IF_MATCH, RANGE};
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use sealane_age::AsyncReadAt;
use tokio::net::TcpStream;
use tokio::sync::Mutex;

pub use error::HttpError;

/// The number of bytes in the first request. Most headers are shorter.
const PREFIX_BYTES: u64 = 1024;

/// An object on a server, over one connection.
#[derive(Debug)]
pub struct HttpObject {
    connection: Mutex<SendRequest<Empty<Bytes>>>,
    uri: Uri,
    host: HeaderValue,
    /// The start of the object.
    prefix: Bytes,
    len: u64,
    /// The version of the object that all later requests ask for, if the server tells one.
    etag: Option<HeaderValue>,
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl HttpObject {
    /// Connects to the server of an `http` address, and fetches the object's start and length.
    ///
    /// # Errors
    /// The errors of the connection, and an [`HttpError`] for a wrong address or response.
    pub async fn open(uri: Uri) -> io::Result<Self> {
        let authority = uri.authority().filter(|_| uri.scheme_str() == Some("http")).ok_or(HttpError::Address)?;
        // The header `Host` has no user and no password (RFC 9110, section 7.2).
        if authority.as_str().contains('@') {
            return Err(HttpError::Address.into());
        }
        // IPv6 addresses are in brackets.
        let host = authority.host().trim_matches(['[', ']']);
        let stream = TcpStream::connect((host, authority.port_u16().unwrap_or(80))).await?;
        let (connection, driver) = handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        // The task ends with the connection. The requests return its errors.
        tokio::spawn(driver);
        let host = HeaderValue::from_str(authority.as_str()).map_err(|_| HttpError::Address)?;
        let mut object = Self {
            connection: Mutex::new(connection),
            uri,
            host,
            prefix: Bytes::new(),
            len: 0,
            etag: None,
            requests: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        };
        let mut prefix = vec![0; PREFIX_BYTES as usize];
        let (filled, head) = object.fetch(&mut prefix, 0).await?;
        prefix.truncate(filled);
        object.prefix = prefix.into();
        object.len = total_len(&head)?;
        object.etag = head.headers().get(ETAG).filter(|etag| !is_weak(etag)).cloned();
        Ok(object)
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes of the object that have been fetched so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Fetches bytes from `offset` on. Returns their number, and the head of the response.
    async fn fetch(&self, out: &mut [u8], offset: u64) -> io::Result<(usize, Response<()>)> {
        let range = format!("bytes={offset}-{}", offset + out.len() as u64 - 1);
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::get(path).header(HOST, &self.host).header(RANGE, range);
        if let Some(etag) = &self.etag {
            request = request.header(IF_MATCH, etag);
        }
        let request = request.body(Empty::new()).map_err(io::Error::other)?;
        // Sends one request at a time, because HTTP/1.1 has no concurrent requests on a connection.
        let mut connection = self.connection.lock().await;
        connection.ready().await.map_err(io::Error::other)?;
        self.requests.fetch_add(1, Ordering::Relaxed);
        let (head, mut body) = connection.send_request(request).await.map_err(io::Error::other)?.into_parts();
        match head.status {
            StatusCode::PARTIAL_CONTENT => {}
            StatusCode::PRECONDITION_FAILED => return Err(HttpError::Changed.into()),
            // The object ends before this range: it is empty, or has become shorter.
            StatusCode::RANGE_NOT_SATISFIABLE => return Ok((0, Response::from_parts(head, ()))),
            status => return Err(HttpError::Status(status).into()),
        }
        let filled = read_body(&mut body, out).await?;
        self.bytes.fetch_add(filled as u64, Ordering::Relaxed);
        Ok((filled, Response::from_parts(head, ())))
    }
}

/// Reads a whole body into `out`, and refuses a longer one.
async fn read_body(body: &mut Incoming, out: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(io::Error::other)?;
        let Some(data) = frame.data_ref() else { continue };
        out.get_mut(filled..filled + data.len()).ok_or(HttpError::TooLong)?.copy_from_slice(data);
        filled += data.len();
    }
    Ok(filled)
}

/// Returns whether equal tags may name different bytes. `If-Match` never matches such a tag (RFC
/// 9110, section 13.1.1).
fn is_weak(etag: &HeaderValue) -> bool {
    etag.as_bytes().starts_with(b"W/")
}

/// Returns the length of the object: the number behind the slash in `bytes 0-1023/5000`.
fn total_len(head: &Response<()>) -> Result<u64, HttpError> {
    let range = head.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    range.and_then(|range| range.rsplit_once('/')?.1.parse().ok()).ok_or(HttpError::NoLength)
}

impl AsyncReadAt for HttpObject {
    async fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.prefix.get(offset..)).unwrap_or_default();
        let n = rest.len().min(out.len());
        if n > 0 {
            out[..n].copy_from_slice(&rest[..n]);
            return Ok(n);
        }
        if out.is_empty() || offset >= self.len {
            return Ok(0);
        }
        Ok(self.fetch(out, offset).await?.0)
    }

    async fn size(&self) -> io::Result<u64> {
        Ok(self.len)
    }
}
