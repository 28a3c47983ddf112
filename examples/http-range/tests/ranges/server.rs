//! A server of one object that answers requests for ranges, as object stores do.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The path of the object.
const PATH: &str = "/bucket/object.age";

/// An object and its version.
#[derive(Clone)]
pub(crate) struct Object {
    pub(crate) content: Vec<u8>,
    pub(crate) version: u32,
    /// Whether the server tells only weak tags, which `If-Match` never matches.
    pub(crate) has_weak_tag: bool,
}

/// A server that runs until its runtime ends.
pub(crate) struct Server {
    address: SocketAddr,
    pub(crate) object: Arc<Mutex<Object>>,
}

impl Server {
    pub(crate) async fn start(content: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let object = Arc::new(Mutex::new(Object { content, version: 1, has_weak_tag: false }));
        let served = Arc::clone(&object);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&served)));
            }
        });
        Self { address, object }
    }

    /// Returns the address of the object.
    pub(crate) fn uri(&self) -> hyper::Uri {
        self.uri_of(PATH)
    }

    /// Returns the address of a path.
    pub(crate) fn uri_of(&self, path: &str) -> hyper::Uri {
        format!("http://{}{path}", self.address).parse().unwrap()
    }
}

/// Answers the requests of one connection.
async fn serve(stream: TcpStream, object: Arc<Mutex<Object>>) {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut is_found, mut range, mut version, mut line) = (false, None, None, String::new());
        loop {
            line.clear();
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                return;
            }
            is_found |= line.starts_with(&format!("GET {PATH} "));
            let field = line.trim_end().to_ascii_lowercase();
            match field.split_once(": ") {
                _ if field.is_empty() => break,
                Some(("range", value)) => range = value.strip_prefix("bytes=").and_then(parse_range),
                Some(("if-match", value)) => version = Some(value.trim_matches('"').parse().unwrap_or(0)),
                _ => {}
            }
        }
        let object = object.lock().unwrap().clone();
        let not_found = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
        let response = if is_found { answer(&object, range, version) } else { not_found.to_vec() };
        if stream.write_all(&response).await.is_err() {
            return;
        }
    }
}

fn parse_range(range: &str) -> Option<(usize, usize)> {
    let (first, last) = range.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

fn answer(object: &Object, range: Option<(usize, usize)>, version: Option<u32>) -> Vec<u8> {
    let len = object.content.len();
    if version.is_some_and(|version| version != object.version || object.has_weak_tag) {
        return b"HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n\r\n".to_vec();
    }
    let Some((first, last)) = range else {
        return b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".to_vec();
    };
    if first >= len {
        return format!(
            "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */{len}\r\nContent-Length: 0\r\n\r\n"
        )
        .into_bytes();
    }
    let body = &object.content[first..len.min(last + 1)];
    let last = first + body.len() - 1;
    let mut response = format!(
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {first}-{last}/{len}\r\nContent-Length: {}\r\n\
         ETag: {}\"{}\"\r\n\r\n",
        body.len(),
        if object.has_weak_tag { "W/" } else { "" },
        object.version
    )
    .into_bytes();
    response.extend_from_slice(body);
    response
}
