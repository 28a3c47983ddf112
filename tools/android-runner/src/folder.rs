//! A folder on the device, and the program in it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::adb::Adb;
use crate::output::{self, Marker};
use crate::script::quote;

/// A folder on the device. Dropping this value removes the folder, and ends a program that still
/// runs in it.
pub(crate) struct Folder<'a> {
    adb: &'a Adb,
    path: String,
}

impl<'a> Folder<'a> {
    /// Creates the folder.
    pub(crate) fn make(adb: &'a Adb, path: String) -> Result<Self> {
        let folder = Self { adb, path };
        let path = folder.quoted("");
        // The environment may hold secrets, and `adb push` copies the file with the owner's
        // permissions.
        adb.shell(&format!("mkdir -p {path} && chmod 700 {path}"))?;
        Ok(folder)
    }

    fn quoted(&self, name: &str) -> String {
        String::from_utf8_lossy(&quote(format!("{}{name}", self.path))).into_owned()
    }

    /// Copies a local file to `name` in the folder.
    pub(crate) fn push(&self, file: &Path, name: &str) -> Result<()> {
        self.adb.push(file, &format!("{}/{name}", self.path))
    }

    /// Creates the file `name` with this content in the folder.
    pub(crate) fn write(&self, content: &[u8], name: &str) -> Result<()> {
        let path = std::env::temp_dir().join(format!("{}-{name}", self.path.replace('/', "_")));
        let mut options = std::fs::File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut file = options.open(&path).with_context(|| format!("cannot create {}", path.display()))?;
        let local = TemporaryFile(path);
        file.write_all(content).with_context(|| format!("cannot write {}", local.0.display()))?;
        self.push(&local.0, name)
    }

    /// Runs the script `run` and returns its program's exit status.
    pub(crate) fn run(&self, marker: Marker) -> Result<u8> {
        // `exec` replaces the device's shell, so the script leads the process group, and `drop` can
        // end the group.
        let command = format!("exec sh {}", self.quoted("/run"));
        let (copied, end) =
            self.adb.stream(&command, move |from| output::copy(from, std::io::stdout().lock(), &marker))?;
        let status = copied.context("cannot pass on the program's output")?;
        status
            .with_context(|| format!("the program's exit status did not come (adb: {end}): is the device still there?"))
    }
}

impl Drop for Folder<'_> {
    fn drop(&mut self) {
        let (folder, program, pids) = (self.quoted(""), self.quoted("/program"), self.quoted("/pids"));
        // Without its file, the program cannot start any more. A program that has started has
        // written its process id.
        let end = format!("for pid in $(cat {pids} 2>/dev/null); do kill -9 -$pid $pid 2>/dev/null; done");
        let removal = format!("rm -f {program}; {end}; rm -rf {folder}");
        if let Err(error) = self.adb.shell_at_the_end(&removal) {
            eprintln!("android-runner: {} may still be on the device: {error:#}", self.path);
        }
    }
}

/// A file that is removed when this is dropped.
struct TemporaryFile(PathBuf);

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
