//! Access to written files, and to secrets in memory.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown, symlink};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{XattrFlags, getxattr, setxattr};

use crate::support::{Dir, SEALANE, bytes, can_check, finish};

const ACCESS: &str = "system.posix_acl_access";
const DEFAULT: &str = "system.posix_acl_default";

/// Returns an access list: the owner, the user 12345, the group, the maximum for groups and users
/// of the list, and others.
fn list(user: u16, group: u16, most: u16) -> Vec<u8> {
    const NOBODY: u32 = u32::MAX;
    let entries: [(u16, u16, u32); 5] =
        [(1, 6, NOBODY), (2, user, 12345), (4, group, NOBODY), (0x10, most, NOBODY), (0x20, 0, NOBODY)];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, may, id) in entries {
        bytes.extend_from_slice(&tag.to_le_bytes());
        bytes.extend_from_slice(&may.to_le_bytes());
        bytes.extend_from_slice(&id.to_le_bytes());
    }
    bytes
}

fn set(dir: &Dir, path: &str, name: &str, list: &[u8]) {
    setxattr(dir.path(path), name, list, XattrFlags::empty()).expect("a file system with access lists");
}

fn get(dir: &Dir, path: &str) -> Option<Vec<u8>> {
    let mut list = [0; 1024];
    getxattr(dir.path(path), ACCESS, &mut list[..]).ok().map(|len| list[..len].to_vec())
}

#[test]
fn an_access_list_is_kept() {
    let dir = Dir::with_key();
    dir.write("in", "secret");
    dir.write("out", "old");
    // The group has no rights, although the mode seems to give it some.
    let old = list(6, 0, 6);
    set(&dir, "out", ACCESS, &old);
    assert_eq!(dir.mode("out"), 0o660);
    dir.run(["-R", "key.pub", "-o", "out", "in"]).quiet();
    assert_eq!((get(&dir, "out"), dir.mode("out")), (Some(old.clone()), 0o660));
    dir.run(["rekey", "--add", "-i", "key.txt", "-R", "key.pub", "out"]).ok();
    assert_eq!((get(&dir, "out"), dir.mode("out")), (Some(old), 0o660));
}

#[test]
fn the_list_of_a_directory_gives_nobody_more_than_the_old_file_did() {
    let dir = Dir::with_key();
    dir.write("in", "secret");
    dir.write("out", "old");
    dir.set_mode("out", 0o640);
    set(&dir, ".", DEFAULT, &list(6, 6, 6));
    dir.run(["-R", "key.pub", "-o", "out", "in"]).quiet();
    assert_eq!((get(&dir, "out"), dir.mode("out")), (None, 0o640));
}

#[test]
fn a_mode_that_is_changed_during_the_work_stays() {
    let dir = Dir::with_key();
    dir.write("out", "old");
    dir.set_mode("out", 0o644);
    let mut child = dir.command(["-R", "key.pub", "-o", "out"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&bytes(8 << 20)).unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !dir.names().iter().any(|name| name.starts_with(".sealane-")) {
        assert!(Instant::now() < deadline, "there is no temporary file");
        std::thread::sleep(Duration::from_millis(5));
    }
    dir.set_mode("out", 0o600);
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(dir.read("out").starts_with(b"age-encryption.org/v1\n"));
    assert_eq!(dir.mode("out"), 0o600);
}

#[test]
fn a_replaced_file_does_not_run_with_the_rights_of_its_new_owner() {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    if !can_check(is_root, "only root can make files of other users") {
        return;
    }
    let dir = Dir::with_key();
    dir.set_mode(".", 0o755);
    dir.write("in", "secret");
    dir.set_mode("in", 0o644);
    dir.set_mode("key.pub", 0o644);
    let program = copy_command(&dir);
    fs::create_dir(dir.path("folder")).unwrap();
    lchown(dir.path("folder"), Some(65534), Some(65534)).unwrap();
    dir.write("folder/out", "old");
    dir.set_mode("folder/out", 0o6777);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", &program]);
    command.args(["-R", "key.pub", "-o", "folder/out", "in"]).current_dir(dir.root());
    finish(command).ok();
    let metadata = fs::metadata(dir.path("folder/out")).unwrap();
    assert_eq!((metadata.uid(), metadata.gid(), metadata.mode() & 0o7777), (65534, 65534, 0o707));
}

/// In a folder such as /tmp, another user could otherwise choose the file that is overwritten, or
/// read the result.
#[test]
fn planted_links_and_files_are_refused() {
    const OTHER: Option<u32> = Some(12345);
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    if !can_check(is_root, "only root can make files of other users") {
        return;
    }
    let dir = Dir::with_key();
    fs::create_dir(dir.path("shared")).unwrap();
    dir.write("in", "secret");
    dir.write("precious", "precious");
    for name in ["shared/file", "shared/own"] {
        dir.write(name, "old");
        dir.set_mode(name, 0o666);
    }
    assert!(Command::new("mkfifo").arg(dir.path("shared/fifo")).status().unwrap().success());
    symlink("../precious", dir.path("shared/link")).unwrap();
    symlink("shared/link", dir.path("chain")).unwrap();
    symlink("../new", dir.path("shared/dangling")).unwrap();
    UnixListener::bind(dir.path("shared/socket")).unwrap();
    for name in ["file", "fifo", "socket", "link", "dangling"] {
        lchown(dir.path("shared").join(name), OTHER, OTHER).unwrap();
    }
    dir.set_mode("shared", 0o1777);
    for (name, kind) in [("file", "file"), ("fifo", "file"), ("socket", "file"), ("link", "link"), ("dangling", "link")]
    {
        let output = format!("shared/{name}");
        dir.run(["-R", "key.pub", "-o", &output, "in"]).fails(&format!("\"{output}\" is another user's {kind}"));
    }
    dir.run(["-R", "key.pub", "-o", "chain", "in"]).fails("\"shared/link\" is another user's link");
    assert_eq!((dir.read("precious"), dir.read("shared/file")), (b"precious".to_vec(), b"old".to_vec()));
    assert!(!dir.exists("new"));
    // The user's own file, and files in a folder of their owner.
    dir.run(["-R", "key.pub", "-o", "shared/own", "in"]).quiet();
    lchown(dir.path("shared"), OTHER, OTHER).unwrap();
    for output in ["shared/file", "chain"] {
        dir.run(["-R", "key.pub", "-o", output, "in"]).quiet();
    }
    assert!(dir.read("precious").starts_with(b"age-encryption.org/v1\n"));
}

/// Copies the command into the directory, and returns the copy's path. Another process writes the
/// copy. If this one did, a process that another test starts meanwhile could hold the copy open, so
/// that it could not be run.
fn copy_command(dir: &Dir) -> String {
    let copy = dir.path("sealane");
    let mut command = Command::new("cp");
    command.arg(SEALANE).arg(&copy);
    finish(command).quiet();
    dir.set_mode("sealane", 0o755);
    copy.display().to_string()
}

/// The memory of a protected process belongs to root, which /proc shows.
#[test]
fn other_processes_of_the_user_cannot_read_the_memory() {
    let dir = Dir::with_key();
    let recipient = String::from_utf8(dir.read("key.pub")).unwrap();
    // Root can read everything, so a test that runs as root starts the command as another user, who
    // must be able to start it.
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    fs::set_permissions(dir.root(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = copy_command(&dir);
    let as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let mut words: Vec<_> = if is_root { as_nobody.to_vec() } else { Vec::new() };
    words.extend([program.as_str(), "-r", recipient.trim()]);
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let process = format!("/proc/{}", child.id());
    let deadline = Instant::now() + Duration::from_secs(30);
    let runs = || fs::read_to_string(format!("{process}/cmdline")).unwrap().starts_with(&program);
    while !runs() || fs::metadata(format!("{process}/environ")).unwrap().uid() != 0 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended too soon");
        assert!(Instant::now() < deadline, "its memory can be read");
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_folder_that_may_be_written_and_not_read() {
    let dir = Dir::with_key();
    dir.set_mode(".", 0o755);
    dir.set_mode("key.txt", 0o644);
    dir.write("in", "content");
    let program = copy_command(&dir);
    fs::create_dir(dir.path("drop")).unwrap();
    // Root can read every folder.
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    if is_root {
        std::os::unix::fs::chown(dir.path("drop"), Some(65534), Some(65534)).unwrap();
    }
    dir.set_mode("drop", 0o300);
    let as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    for args in [
        &["-R", "key.pub", "-o", "drop", "in"][..],
        &["-d", "-i", "key.txt", "-o", "drop", "in.age"],
        &["rekey", "-i", "key.txt", "-R", "key.pub", "drop/in.age"],
    ] {
        let words = as_nobody.iter().copied().filter(|_| is_root).chain([program.as_str()]).chain(args.iter().copied());
        let words: Vec<_> = words.collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(dir.root()).stdin(Stdio::null());
        finish(command).ok();
        if args[0] == "-R" {
            fs::copy(dir.path("drop/in.age"), dir.path("in.age")).unwrap();
            dir.set_mode("in.age", 0o644);
        }
    }
    dir.set_mode("drop", 0o700);
    assert_eq!(dir.read("drop/in"), b"content");
    // The header was replaced, and no kept header is left.
    assert!(dir.read("drop/in.age") != dir.read("in.age"));
    assert_eq!(dir.run(["-d", "-i", "key.txt", "drop/in.age"]).quiet().stdout, b"content");
    assert_eq!(fs::read_dir(dir.path("drop")).unwrap().count(), 2);
}
