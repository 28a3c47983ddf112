//! Prints a range of a sealed file: `http-range URL IDENTITY_FILE START END > OUTPUT`.

use std::env;
use std::error::Error;
use std::fs;
use std::io::Write as _;

use http_range::HttpObject;
use sealane_age::key_file::{AnyIdentity, parse_identities};
use sealane_age::{Identity, LockedFile};
use zeroize::Zeroizing;

const USAGE: &str = "usage: http-range URL IDENTITY_FILE START END";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [url, key_file, start, end] = arguments.as_slice() else { return Err(USAGE.into()) };
    // A path, because other users of the machine can read the arguments of a program.
    let identities = parse_identities(&Zeroizing::new(fs::read(key_file)?))?;
    let identities: Result<Vec<_>, _> = identities.into_iter().map(AnyIdentity::into_identity).collect();
    let identities = identities.map_err(|_| "the identity file has an identity of a plugin")?;

    let object = HttpObject::open(url.parse()?).await?;
    let identities = identities.iter().map(|identity| &**identity as &dyn Identity);
    let reader = LockedFile::read_async(&object).await?.unlock(identities)?;
    let plaintext = reader.read_async(start.parse()?..end.parse()?).await?;

    let mut output = std::io::stdout().lock();
    output.write_all(&plaintext)?;
    // Without this, an error in the bytes behind the last newline would be ignored.
    output.flush()?;
    eprintln!("{} requests, {} bytes", object.requests(), object.bytes());
    Ok(())
}
