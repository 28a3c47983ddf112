//! Reading and writing that fail in the middle.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::files::{can_mount, unshare};
use crate::support::{Dir, SEALANE, bytes, can_check, finish};

const CHUNK: usize = 65_536;

/// Limits files to 25 KiB. To the command, this is like a full disk.
const LIMIT: &str = "ulimit -f 50; exec \"$SEALANE\"";

#[test]
fn a_disk_that_is_full_leaves_nothing_new() {
    let dir = Dir::with_key();
    dir.keygen("b");
    let data = bytes(40 * CHUNK);
    dir.write("in", &data);
    dir.encrypt(&data, "x");
    dir.run_with(&data, ["-a", "-R", "key.pub", "-o", "armored"]).quiet();
    dir.write("old", "old");
    let names = dir.names();
    let (sealed, armored) = (dir.read("x"), dir.read("armored"));
    for args in [
        "-R key.pub -t 3 -o old in",
        "-R key.pub -t 3 -o new in",
        "-a -R key.pub -o new in",
        "-d -i key.txt -t 1 -o new x",
        "-d -i key.txt -t 3 -o new x",
        "-d -i key.txt -t 3 -o old x",
        "-d -i key.txt -t 3 -o new armored",
        "-d -i key.txt --range 5: -o new x",
        "-d -i key.txt --range 5:100000 -o old x",
        "-d -i key.txt --salvage -o new x",
        // The new header does not fit, so the whole file is copied.
        "rekey -i key.txt -R key.pub -R b.pub x",
        "rekey -i key.txt -R b.pub armored",
        "rekey -i key.txt -R b.pub -o new x",
    ] {
        dir.sh(&format!("{LIMIT} {args}")).fails("File too large");
        assert_eq!((dir.names(), dir.read("old")), (names.clone(), b"old".to_vec()), "{args}");
        assert!(dir.read("x") == sealed && dir.read("armored") == armored, "{args}");
    }
    for args in [
        "-d -i key.txt -o /dev/full x",
        "-d -i key.txt --range 5: -o /dev/full x",
        "rekey -i key.txt -R b.pub -o /dev/full x",
    ] {
        dir.sh(&format!("exec \"$SEALANE\" {args}")).fails("cannot write to \"/dev/full\": No space left");
    }
    dir.sh("exec \"$SEALANE\" -d -i key.txt --range 5: x > /dev/full")
        .fails("cannot write to standard output: No space left");
}

/// Returns whether strace works.
pub(crate) fn can_trace() -> bool {
    let has_strace = Command::new("strace").arg("true").output().is_ok_and(|run| run.status.success());
    can_check(has_strace, "strace does not work")
}

/// Network file systems report some errors of writing only when the file is closed.
#[test]
fn an_error_of_closing_the_output_is_reported() {
    if !can_trace() {
        return;
    }
    let dir = Dir::with_key();
    dir.write("in", "content");
    dir.encrypt(b"secret", "x");
    dir.write("secret", [7; 32]);
    for args in [
        "-R key.pub in",
        "-d -i key.txt x",
        "inspect x",
        "-d -i key.txt -o /dev/stdout x",
        "split -k 2 -n 3 -o - secret",
        "split --words -k 2 -n 3 -o - secret",
    ] {
        let inject = "-o trace -P \"$PWD/out\" -e trace=close -e inject=close:error=EDQUOT";
        let run = dir.sh(&format!("exec strace -f {inject} \"$SEALANE\" {args} > out"));
        let what = if args.contains("-o /dev/stdout") { "\"/dev/stdout\"" } else { "standard output" };
        run.fails(&format!("cannot write to {what}: Disk quota exceeded"));
    }
    let run = dir
        .sh("exec 3> out; exec strace -f -o trace -P \"$PWD/out\" -e trace=close -e inject=close:error=EDQUOT \
         \"$SEALANE\" -d -i key.txt -o /dev/fd/3 x");
    run.fails("cannot write to \"/dev/fd/3\": Disk quota exceeded");
}

/// File systems in user space report them in the same way, and not when the file system is synced.
#[test]
fn an_error_of_closing_a_result_in_a_folder_is_reported() {
    if !can_trace() {
        return;
    }
    let dir = Dir::with_key();
    fs::create_dir(dir.path("photos")).unwrap();
    dir.write("photos/a", "content");
    dir.run(["-R", "key.pub", "-o", "good", "photos"]).quiet();
    for (args, results) in [
        ("-t 1 -R key.pub -o new photos", ["new/photos/a.age", "new/sealane-manifest.age"]),
        ("-d -t 1 -i key.txt -o new good", ["new/photos/a", "new/photos/a"]),
    ] {
        // The loader of programs accepts no such errors, so they begin with the file of the key.
        dir.sh(&format!("exec strace -f -o trace -e trace=openat,close \"$SEALANE\" {args}")).quiet();
        fs::remove_dir_all(dir.path("new")).unwrap();
        let trace = String::from_utf8(dir.read("trace")).unwrap();
        let first =
            trace.lines().take_while(|line| !line.contains("\"key.")).filter(|line| line.contains("close(")).count()
                + 1;
        let inject = format!("-o trace -e trace=close -e inject=close:error=EDQUOT:when={first}+");
        dir.sh(&format!("exec strace -f {inject} \"$SEALANE\" {args}")).fails("Disk quota exceeded");
        assert!(results.iter().all(|name| !dir.exists(name)), "{args}");
        let _ = fs::remove_dir_all(dir.path("new"));
    }
}

/// FAT has no hard links, and some systems cannot rename without replacing there.
#[test]
fn shares_are_written_to_file_systems_without_links() {
    if !can_trace() {
        return;
    }
    let dir = Dir::new();
    dir.write("secret", [7; 32]);
    let inject = "-e inject=renameat2:error=EINVAL -e inject=linkat:error=EPERM";
    dir.sh(&format!(
        "exec strace -f -o trace -e trace=renameat2,linkat {inject} \"$SEALANE\" split -k 2 -n 5 -o shares secret"
    ))
    .ok();
    let shares = fs::read_dir(dir.path("shares")).unwrap().count();
    assert_eq!(shares, 5);
    assert!(String::from_utf8(dir.read("trace")).unwrap().contains("INJECTED"));
}

/// On FAT, all files have one owner, who need not be the user, and one mode.
#[test]
fn a_file_is_replaced_where_modes_cannot_be_set() {
    if !can_trace() {
        return;
    }
    let dir = Dir::with_key();
    dir.write("in", "new");
    dir.write("out", "old");
    let fault = "-e trace=fchmod -e inject=fchmod:error=EPERM";
    let encrypt = format!("exec strace -f -o trace {fault} \"$SEALANE\" -R key.pub -o out in");
    dir.set_mode("out", 0o640);
    dir.sh(&encrypt).fails("Operation not permitted");
    assert_eq!(dir.read("out"), b"old");
    dir.set_mode("out", 0o600);
    dir.sh(&encrypt).quiet();
    assert!(dir.read("out").starts_with(b"age-encryption.org/v1\n"));
}

#[test]
fn a_key_appears_when_it_is_complete() {
    if !can_trace() {
        return;
    }
    let dir = Dir::new();
    let kill = "-e trace=fsync -e inject=fsync:signal=KILL";
    let run = dir.sh(&format!("exec strace -f -o /dev/null {kill} \"$SEALANE\" keygen -o key.txt"));
    assert!(!run.status.success() && !dir.exists("key.txt"));
    assert!(dir.names().iter().any(|name| name.starts_with(".sealane-")), "killed too early");
}

#[test]
fn salvage_fails_if_its_list_cannot_be_written() {
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "x");
    dir.write("left.missing.json", "mine");
    let names = dir.names();
    dir.run(["-d", "--salvage", "-i", "key.txt", "-o", "left", "x"]).fails("cannot make \"left.missing.json\"");
    assert_eq!((dir.names(), dir.read("left.missing.json")), (names, b"mine".to_vec()));
}

#[test]
fn what_was_salvaged_stays_if_its_list_cannot_be_written() {
    if !can_mount() {
        return;
    }
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "x");
    // The disk has room for one file.
    let script = "mkdir small && mount -t tmpfs -o size=4k none small && \
        ! \"$SEALANE\" -d --salvage -i key.txt -o small/left x && cat small/left*";
    let mut command = unshare(&["sh", "-c", script]);
    command.current_dir(dir.root()).env("SEALANE", SEALANE);
    let run = finish(command);
    let error = run.err();
    assert!(error.contains("cannot write to \"small/left.missing.json\": No space left on device"), "{error}");
    assert!(error.contains("the result is complete: it is in \"small/left.sealane-"), "{error}");
    assert_eq!(run.text(), "secret");
}

/// A failing disk may not return the data again.
#[test]
fn what_was_salvaged_stays_if_it_cannot_get_its_name() {
    if !can_trace() {
        return;
    }
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "x");
    for (rename, what, list) in [(1, "left.missing.json", None), (2, "left", Some("left.missing.json"))] {
        let fail = format!("-e trace=renameat2 -e inject=renameat2:error=EIO:when={rename}");
        let salvage = "$SEALANE\" -d --salvage -i key.txt -o left x";
        let run = dir.sh(&format!("exec strace -f -o /dev/null {fail} \"{salvage}"));
        let error = String::from_utf8(run.fails(&format!("cannot make \"{what}\"")).stderr).unwrap();
        let kept: Vec<_> = dir.names().into_iter().filter(|name| name.contains(".sealane-")).collect();
        assert_eq!(kept.len(), if list.is_some() { 1 } else { 2 }, "{kept:?}");
        assert!(kept.iter().all(|name| name.starts_with("left.")), "no unfinished file: {kept:?}");
        assert!(kept.iter().any(|name| dir.read(name) == b"secret"), "{kept:?}");
        for name in kept.iter().map(String::as_str).chain(list) {
            assert!(error.contains(name), "{error}");
            fs::remove_file(dir.path(name)).unwrap();
        }
        assert!(!dir.exists("left"));
    }
}

/// Starts the command with a connection as standard input, and returns it with the other end.
/// Dropping that end resets the connection, because it has unread data (RFC 1122, 4.2.2.13).
fn on_connection(dir: &Dir, args: &[&str]) -> (Child, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    server.write_all(b"x").unwrap();
    // The bytes must have arrived before the end is dropped.
    client.peek(&mut [0]).unwrap();
    let mut command = dir.command(args);
    let child = command.stdin(OwnedFd::from(server)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    (child, client)
}

#[test]
fn input_that_breaks_in_the_middle() {
    let dir = Dir::with_key();
    let data = bytes(5 * CHUNK);
    dir.encrypt(&data, "x");
    let file = dir.read("x");
    let payload = file.len() - 5 * (CHUNK + 16);
    let message = "cannot read standard input: Connection reset by peer";
    // The authentic part comes out first, and then the error.
    for threads in ["1", "3"] {
        let (mut child, mut connection) = on_connection(&dir, &["-d", "-i", "key.txt", "-t", threads]);
        connection.write_all(&file[..payload + 3 * (CHUNK + 16) + 100]).unwrap();
        let mut out = vec![0; 3 * CHUNK];
        child.stdout.as_mut().unwrap().read_exact(&mut out).unwrap();
        drop(connection);
        let rest = child.wait_with_output().unwrap();
        assert!(out == data[..3 * CHUNK] && rest.stdout.is_empty());
        assert_eq!(rest.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&rest.stderr).contains(message), "{rest:?}");
    }
    // A target stays unchanged, and nothing is left beside it.
    dir.write("old", "old");
    let names = dir.names();
    for args in [
        &["-d", "-i", "key.txt", "-o", "old"][..],
        &["-d", "-i", "key.txt", "--range", "5:", "-o", "old"],
        &["-R", "key.pub", "-o", "old"],
        &["-a", "-R", "key.pub", "-o", "new"],
        &["inspect"],
    ] {
        let (child, mut connection) = on_connection(&dir, args);
        connection.write_all(&file[..file.len() - 100]).unwrap();
        drop(connection);
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(1), "{args:?}");
        assert!(String::from_utf8_lossy(&out.stderr).contains("Connection reset by peer"), "{args:?}: {out:?}");
        assert_eq!((dir.names(), dir.read("old")), (names.clone(), b"old".to_vec()), "{args:?}");
    }
}

/// The memory of a process is a file that cannot be read from its beginning.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_cannot_be_read() {
    let dir = Dir::with_key();
    let names = dir.names();
    for args in
        [&["-R", "key.pub", "-o", "out", "/proc/self/mem"][..], &["-d", "-i", "key.txt", "-o", "out", "/proc/self/mem"]]
    {
        dir.run(args).fails("cannot read \"/proc/self/mem\": Input/output error");
    }
    dir.run(["inspect", "/proc/self/mem"]).fails("cannot read \"/proc/self/mem\": Input/output error");
    dir.run(["-d", "-i", "/proc/self/mem", "-o", "out", "key.pub"]).fails("identity file \"/proc/self/mem\"");
    dir.run(["-R", "/proc/self/mem", "-o", "out", "key.pub"]).fails("recipients file \"/proc/self/mem\"");
    assert_eq!(dir.names(), names);
}

#[test]
fn a_file_that_becomes_shorter_while_it_is_read() {
    let dir = Dir::with_key();
    // A hole takes no disk space, and no time to make.
    for attempt in 0.. {
        File::create(dir.path("in")).unwrap().set_len(1 << 30).unwrap();
        dir.write("out", "old");
        let mut child = dir.command(["-R", "key.pub", "-o", "out", "in"]).stderr(Stdio::piped()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while !dir.names().iter().any(|name| name.starts_with(".sealane-")) && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "no temporary file");
            std::thread::sleep(Duration::from_millis(1));
        }
        fs::OpenOptions::new().write(true).open(dir.path("in")).unwrap().set_len(3 << 20).unwrap();
        let out = child.wait_with_output().unwrap();
        if out.status.success() && attempt < 5 {
            // The test process was paused for so long that the command encrypted the whole
            // gibibyte.
            continue;
        }
        assert_eq!(out.status.code(), Some(1), "{out:?}");
        assert!(
            String::from_utf8_lossy(&out.stderr).contains("cannot read \"in\": the file became shorter"),
            "{out:?}"
        );
        assert_eq!(
            (dir.names(), dir.read("out")),
            (["in", "key.pub", "key.txt", "out"].map(String::from).to_vec(), b"old".to_vec())
        );
        return;
    }
}
