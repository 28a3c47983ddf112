//! Closes files.

use std::fs::File;
use std::io;

/// Closes a file that was written to. Returns errors of earlier writes that no call has reported:
/// network file systems report them only now, and `File` ignores them when it is dropped.
#[cfg(unix)]
pub(super) fn close(file: File) -> io::Result<()> {
    match nix::unistd::close(file) {
        // After EINTR, the descriptor is closed too.
        Ok(()) | Err(nix::errno::Errno::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
pub(super) fn close(file: File) -> io::Result<()> {
    file.sync_data()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::Path;
    use std::process::Command;
    use std::{env, fs};

    use crate::folder::{OpenError, SealError, open, seal};
    use crate::{Identity, Recipient, Threads, x25519};

    /// The environment variable that holds the file whose closing fails, within the test's folder.
    const FAILS: &str = "SEALANE_TEST_CLOSE";

    /// The test starts itself under a program that lets the closing of one file fail.
    #[test]
    fn an_error_of_closing_a_file_is_reported() {
        if let Some(fails) = env::var_os(FAILS) {
            return seal_and_open(Path::new(&fails));
        }
        let has_strace = Command::new("strace").arg("true").output().is_ok_and(|run| run.status.success());
        assert!(has_strace || env::var_os("SEALANE_ALL_CHECKS").is_none(), "strace does not work");
        for name in ["sealed/note.age", "sealed/sealane-manifest.age", "opened/note"].iter().filter(|_| has_strace) {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().canonicalize().unwrap().join(name);
            let mut command = Command::new("strace");
            command.args(["-f", "-o", "/dev/null", "-e", "trace=close", "-e", "inject=close:error=EDQUOT", "-P"]);
            command.arg(&path).arg(env::current_exe().unwrap());
            command.args(["--exact", "folder::close::tests::an_error_of_closing_a_file_is_reported"]);
            let run = command.env(FAILS, &path).output().unwrap();
            assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stdout));
            assert!(String::from_utf8_lossy(&run.stdout).contains("1 passed"), "the test has another name");
        }
    }

    fn seal_and_open(fails: &Path) {
        let place = fails.parent().and_then(Path::parent).unwrap();
        let [folder, sealed, opened] = ["folder", "sealed", "opened"].map(|name| place.join(name));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("note"), "attack at dawn").unwrap();
        let identity = x25519::Identity::generate().unwrap();
        let recipient = identity.to_public();
        let recipients = [&recipient as &(dyn Recipient + Sync)];
        let failed = match seal(&folder, &sealed, &recipients, Threads::ONE) {
            Ok(_) => match open(&sealed, &opened, &[&identity as &(dyn Identity + Sync)], Threads::ONE) {
                Err(OpenError::Io { path, error }) => (path, error),
                other => panic!("{other:?}"),
            },
            Err(SealError::Io { path, error }) => (path, error),
            other => panic!("{other:?}"),
        };
        assert_eq!((failed.0.as_path(), failed.1.kind()), (fails, std::io::ErrorKind::QuotaExceeded));
    }
}
