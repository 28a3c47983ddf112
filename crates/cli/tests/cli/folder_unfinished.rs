//! Unfinished files of other runs, and files that only look like them.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::files::{can_mount, unshare};
use crate::folder_resume::{DECRYPT, WITH_LATE, interrupted, resume};
use crate::io_errors::can_trace;
use crate::plugin::{RECIPIENT, with_plugin};
use crate::support::{Dir, SEALANE, bytes, finish};

const CHUNKS: usize = 4 << 20;

/// Starts an encryption into the folder `sealed` that waits for the end of its input, and returns
/// it when its unfinished file is there.
fn unfinished(dir: &Dir) -> Child {
    let mut command = dir.command(["-R", "key.pub", "-o", "sealed/copy.age"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(&bytes(CHUNKS)).unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while fs::read_dir(dir.path("sealed")).unwrap().count() == 0 {
        assert!(Instant::now() < deadline, "no unfinished file");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn a_run_does_not_remove_the_unfinished_file_of_another() {
    let dir = Dir::with_key();
    for folder in ["sealed", "source"] {
        fs::create_dir(dir.path(folder)).unwrap();
    }
    dir.write("source/a", "content");
    let mut child = unfinished(&dir);
    // The file that is being written would be missing in the manifest.
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "source"]).fails("\"sealed\" is not empty");
    dir.run(["encrypt", "--no-manifest", "-R", "key.pub", "-o", "sealed", "source"]).quiet();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(dir.run(["-d", "-i", "key.txt", "sealed/copy.age"]).quiet().stdout == bytes(CHUNKS));
    // A run that was killed leaves its file, which the next one removes.
    fs::remove_dir_all(dir.path("sealed")).unwrap();
    fs::create_dir(dir.path("sealed")).unwrap();
    let mut child = unfinished(&dir);
    child.kill().unwrap();
    child.wait().unwrap();
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "source"]).quiet();
    dir.run(["verify", "-i", "key.txt", "sealed"]).quiet();
}

#[test]
fn a_folder_that_is_a_link_to_nothing_is_named() {
    let dir = Dir::with_key();
    symlink("nowhere", dir.path("sealed")).unwrap();
    let args = ["encrypt", "-R", "key.pub", "-o", "sealed", "key.pub", "key.txt"];
    dir.run(args).fails("\"sealed\" is a link to nothing");
    fs::remove_file(dir.path("sealed")).unwrap();
    dir.run(args).quiet();
}

#[test]
fn files_of_the_user_are_not_taken_for_unfinished_ones() {
    let dir = Dir::with_key();
    for folder in ["sealed", "source"] {
        fs::create_dir(dir.path(folder)).unwrap();
    }
    dir.write("sealed/.sealane-precious.tmp", "precious");
    dir.write("source/a", "content");
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "source"]).fails("\"sealed\" is not empty");
    assert_eq!(dir.read("sealed/.sealane-precious.tmp"), b"precious");
    fs::remove_dir_all(dir.path("sealed")).unwrap();

    // Results of a decryption are not unfinished files, even under such names.
    let names = ["source/.sealane-work.tmp", "source/.sealane-0123456789abcdef.tmp"];
    names.iter().for_each(|name| dir.write(name, "old"));
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "source"]).quiet();
    let sealed = dir.read("sealed/source/a.age");
    dir.write("sealed/source/a.age", "damaged");
    let decrypt = ["decrypt", "--resume", "-i", "key.txt", "-o", "open", "sealed"];
    assert!(dir.run(decrypt).err().contains("1 of 3 files was not decrypted"));
    names.iter().for_each(|name| dir.write(&format!("open/{name}"), "edited"));
    dir.write("sealed/source/a.age", sealed);
    let errors = dir.run(decrypt).err();
    for name in names {
        assert!(errors.contains(&format!("\"open/{name}\" exists with another content")), "{errors}");
        assert_eq!(dir.read(&format!("open/{name}")), b"edited");
    }
    assert_eq!(dir.read("open/source/a"), b"content");
}

/// A run that is killed may not have synced its results.
#[test]
fn results_of_the_interrupted_run_on_another_file_system_are_synced() {
    if !can_mount() || !can_trace() {
        return;
    }
    let dir = Dir::with_key();
    fs::create_dir(dir.path("photos")).unwrap();
    dir.write("photos/a", "first");
    symlink("/proc/self/mem", dir.path("late")).unwrap();
    let script = "mkdir -p sealed/photos && mount -t tmpfs none sealed/photos && \
        run='encrypt --no-manifest -R key.pub -o sealed photos late' && ! \"$SEALANE\" $run && \
        rm late && echo late > late && strace -f -o trace -e trace=syncfs \"$SEALANE\" $run --resume && \
        ls sealed/photos && grep -c 'syncfs(' trace";
    let mut command = unshare(&["sh", "-c", script]);
    command.current_dir(dir.root()).env("SEALANE", SEALANE);
    let run = finish(command);
    assert!(run.err().contains("1 of 2 files was not encrypted"), "{}", run.err());
    assert_eq!(run.text(), "a.age\n2\n");
}

/// Some file systems give a file its name in two steps, and a run can be killed between them.
#[test]
fn a_journal_with_its_first_name_is_resumed() {
    let dir = interrupted();
    let [journal, first, other] =
        ["sealed/.sealane-resume", "sealed/.sealane-0123456789abcdef.tmp", "mine"].map(|name| dir.path(name));
    fs::hard_link(&journal, &first).unwrap();
    // A name that no run gave.
    fs::hard_link(&journal, &other).unwrap();
    resume(&dir, &WITH_LATE).fails("has another hard link");
    fs::remove_file(&other).unwrap();
    fs::hard_link(&journal, &first).unwrap();
    resume(&dir, &WITH_LATE).quiet();
    assert!(!journal.exists() && !first.exists());
    dir.run(DECRYPT).quiet();
}

/// The result could have parts of the old content and of the new one.
#[test]
fn a_file_that_changes_while_it_is_read_is_an_error() {
    let dir = with_plugin();
    fs::create_dir(dir.path("photos")).unwrap();
    ["a", "b"].iter().for_each(|name| dir.write(&format!("photos/{name}"), "content"));
    // The plugin runs after a file was opened.
    let plugin = String::from_utf8(dir.read("bin/age-plugin-test")).unwrap();
    let change = format!("\necho more >> '{}'\n", dir.path("photos/a").display());
    dir.write("bin/age-plugin-test", plugin.replacen('\n', &change, 1));
    let args = ["encrypt", "-t", "1", "--resume", "-r", RECIPIENT, "-o", "sealed", "photos"];
    let error = crate::plugin::run(&dir, &args).err();
    assert!(error.contains("\"photos/a\" changed while it was read"), "{error}");
    assert!(error.contains("1 of 2 files was not encrypted"), "{error}");
    assert!(!dir.exists("sealed/photos/a.age") && dir.exists("sealed/photos/b.age"));
    dir.write("bin/age-plugin-test", plugin);
    crate::plugin::run(&dir, &args).quiet();
    crate::plugin::run(&dir, &["verify", "-i", "identity", "sealed"]).quiet();
}
