//! Prints a range of a sealed file: `http-range URL IDENTITY START END > OUTPUT`.

use std::env;
use std::error::Error;
use std::io::Write as _;

use http_range::HttpObject;
use sealane_age::{Identity, LockedFile, x25519};

const USAGE: &str = "usage: http-range URL AGE-SECRET-KEY-1... START END";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [url, identity, start, end] = arguments.as_slice() else { return Err(USAGE.into()) };
    let identity: x25519::Identity = identity.parse()?;

    let object = HttpObject::open(url.parse()?).await?;
    let reader = LockedFile::read_async(&object).await?.unlock([&identity as &dyn Identity])?;
    let plaintext = reader.read_async(start.parse()?..end.parse()?).await?;

    std::io::stdout().write_all(&plaintext)?;
    eprintln!("{} requests, {} bytes", object.requests(), object.bytes());
    Ok(())
}
