//! Writes keys to new files or to standard output.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use super::output::{Temporary, print, warn_if_others_read};
use crate::error::{Error, Result, quoted};
use crate::os::dir::sync_parent;
use crate::os::disk;

/// Writes secret keys to the new file `output`, or to standard output.
pub(crate) fn write_secret(output: Option<&Path>, text: &[u8]) -> Result<()> {
    write(output, text, true, None)
}

/// Writes `text` to the new file `output`, or to standard output. If `is_secret` is set, warns if
/// others can read the file behind standard output. `public` is the public key to show on standard
/// error as well.
pub(crate) fn write(output: Option<&Path>, text: &[u8], is_secret: bool, public: Option<&str>) -> Result<()> {
    if let Some(path) = output {
        write_new(path, text, is_secret)?;
    } else {
        if is_secret {
            warn_if_others_read("the secret key");
        }
        print(text)?;
    }
    // On a terminal, the comment in the printed file already shows the public key.
    if let Some(public) = public.filter(|_| output.is_some() || !io::stdout().is_terminal()) {
        let _ = writeln!(io::stderr().lock(), "Public key: {public}");
    }
    Ok(())
}

/// Explains that the output `path` exists. `is_secret` says whether the output is a secret key.
pub(crate) fn exists(path: &Path, is_secret: bool) -> Error {
    let path = quoted(path);
    if is_secret {
        Error::new(format!("{path} exists, and keys are never overwritten"))
            .hint("give -o another name; without its key, a file cannot be decrypted")
    } else {
        Error::new(format!("{path} exists, and may be a key, so it is not overwritten")).hint("give -o another name")
    }
}

/// Writes a new file, readable by its owner only. It appears when it is complete.
fn write_new(path: &Path, text: &[u8], is_secret: bool) -> Result<()> {
    let cannot = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(path, is_secret),
        _ => Error::cannot_write(path, &error),
    };
    let temporary = Temporary::private_beside(path).map_err(cannot)?;
    let mut file = temporary.file();
    file.write_all(text).and_then(|()| disk::sync(file)).map_err(cannot)?;
    temporary.persist(path, false).map_err(cannot)?;
    // Also write the name to the disk.
    sync_parent(path);
    Ok(())
}
