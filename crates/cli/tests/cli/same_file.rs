//! An output that is also an input, whatever it is called.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::Dir;

const WHAT: &str = "the output is the same file as";

#[test]
fn the_input_is_never_the_output() {
    let dir = Dir::with_key();
    dir.write("in", "precious");
    fs::create_dir(dir.path("sub")).unwrap();
    fs::hard_link(dir.path("in"), dir.path("hard")).unwrap();
    symlink("in", dir.path("soft")).unwrap();
    symlink("../soft", dir.path("sub/chain")).unwrap();
    for output in ["in", "./in", "sub/../in", "hard", "soft", "sub/chain", dir.path("in").to_str().unwrap()] {
        for input in ["in", "hard", "soft"] {
            dir.run(["-R", "key.pub", "-o", output, input]).fails(WHAT);
            // Before any question is asked, too.
            dir.without_terminal(["-p", "-o", output, input])
                .output()
                .map(|out| {
                    assert!(String::from_utf8_lossy(&out.stderr).contains(WHAT), "{:?}", out);
                })
                .unwrap();
            dir.run(["-d", "-i", "key.txt", "-o", output, input]).fails(WHAT);
        }
    }
    assert_eq!(dir.read("in"), b"precious");
    assert_eq!(dir.names(), ["hard", "in", "key.pub", "key.txt", "soft", "sub"]);
}

#[test]
fn nor_are_identities_and_recipients() {
    let dir = Dir::with_key();
    let (key, public) = (dir.read("key.txt"), dir.read("key.pub"));
    fs::hard_link(dir.path("key.txt"), dir.path("key-hard")).unwrap();
    symlink("key.pub", dir.path("pub-soft")).unwrap();
    dir.encrypt(b"x", "x.age");
    dir.run(["-d", "-i", "key.txt", "-o", "key.txt", "x.age"]).fails(WHAT);
    dir.run(["-d", "-i", "key.txt", "-o", "key-hard", "x.age"]).fails(WHAT);
    dir.run(["-R", "key.pub", "-o", "pub-soft", "x.age"]).fails(WHAT);
    dir.run(["-e", "-i", "key-hard", "-o", "key.txt", "x.age"]).fails(WHAT);
    // As standard input, too.
    dir.sh("exec \"$SEALANE\" -d -i - -o key.txt x.age < key.txt").fails(WHAT);
    dir.sh("exec \"$SEALANE\" -e -i - -o key.txt x.age < key-hard").fails(WHAT);
    dir.sh("exec \"$SEALANE\" -R - -o key.pub x.age < key.pub").fails(WHAT);
    assert_eq!((dir.read("key.txt"), dir.read("key.pub")), (key, public));
}

#[test]
fn redirections_are_seen_through() {
    let dir = Dir::with_key();
    dir.write("in", "precious");
    dir.sh("exec \"$SEALANE\" -R key.pub < in -o in").fails(WHAT);
    dir.sh("exec \"$SEALANE\" -R key.pub in >> in").fails(WHAT);
    dir.sh("exec \"$SEALANE\" -R key.pub < in >> in").fails(WHAT);
    assert_eq!(dir.read("in"), b"precious");
    // The same device twice is nobody's loss.
    dir.run(["-R", "key.pub", "-o", "/dev/null", "/dev/null"]).quiet();
}
