//! An output that is also an input, under any name.

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
            // The error comes before any question.
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
fn an_identity_or_recipients_file_is_never_the_output() {
    let dir = Dir::with_key();
    let (key, public) = (dir.read("key.txt"), dir.read("key.pub"));
    fs::hard_link(dir.path("key.txt"), dir.path("key-hard")).unwrap();
    symlink("key.pub", dir.path("pub-soft")).unwrap();
    dir.encrypt(b"x", "x.age");
    dir.run(["-d", "-i", "key.txt", "-o", "key.txt", "x.age"]).fails(WHAT);
    dir.run(["-d", "-i", "key.txt", "-o", "key-hard", "x.age"]).fails(WHAT);
    dir.run(["-R", "key.pub", "-o", "pub-soft", "x.age"]).fails(WHAT);
    dir.run(["-e", "-i", "key-hard", "-o", "key.txt", "x.age"]).fails(WHAT);
    // The same applies to standard input.
    dir.sh("exec \"$SEALANE\" -d -i - -o key.txt x.age < key.txt").fails(WHAT);
    dir.sh("exec \"$SEALANE\" -e -i - -o key.txt x.age < key-hard").fails(WHAT);
    dir.sh("exec \"$SEALANE\" -R - -o key.pub x.age < key.pub").fails(WHAT);
    assert_eq!((dir.read("key.txt"), dir.read("key.pub")), (key, public));
}

#[test]
fn redirections_to_an_input_are_recognised() {
    let dir = Dir::with_key();
    dir.write("in", "precious");
    dir.sh("exec \"$SEALANE\" -R key.pub < in -o in").fails(WHAT);
    dir.sh("exec \"$SEALANE\" -R key.pub in >> in").fails(WHAT);
    dir.sh("exec \"$SEALANE\" -R key.pub < in >> in").fails(WHAT);
    assert_eq!(dir.read("in"), b"precious");
    // Using the same device twice does no harm.
    dir.run(["-R", "key.pub", "-o", "/dev/null", "/dev/null"]).quiet();
}

#[test]
fn other_commands_refuse_an_output_that_is_an_input() {
    let dir = Dir::with_key();
    dir.keygen("b");
    dir.run_with(b"secret", ["-k", "2", "-R", "key.pub", "-R", "b.pub", "-o", "shared"]).quiet();
    dir.run(["contribute", "-y", "-i", "b.txt", "-o", "part", "shared"]).quiet();
    dir.encrypt(b"secret", "x");
    for name in ["x", "shared", "part", "key.txt", "b.pub"] {
        fs::hard_link(dir.path(name), dir.path(&format!("{name}-hard"))).unwrap();
        symlink(name, dir.path(&format!("{name}-soft"))).unwrap();
    }
    let all = || dir.names().into_iter().map(|name| (dir.read(&name), name)).collect::<Vec<_>>();
    let before = all();
    let refuse = |target: &str, args: &[&str]| {
        for link in ["", "-hard", "-soft"] {
            dir.run(["-o", &format!("{target}{link}")].iter().chain(args)).fails(WHAT);
        }
    };
    for target in ["x", "key.txt"] {
        refuse(target, &["-d", "--range", "2:", "-i", "key.txt", "x"]);
    }
    for target in ["shared", "part", "key.txt"] {
        refuse(target, &["-d", "-i", "key.txt", "--part", "part", "shared"]);
    }
    let subcommand = |name: &str, target: &str, args: &[&str]| {
        for link in ["", "-hard", "-soft"] {
            dir.run([&[name, "-o", &format!("{target}{link}")], args].concat()).fails(WHAT);
        }
    };
    for target in ["x", "key.txt", "b.pub"] {
        subcommand("rekey", target, &["-i", "key.txt", "-R", "b.pub", "x"]);
    }
    for target in ["b.pub", "key.txt", "shared"] {
        subcommand("contribute", target, &["-y", "-i", "key.txt", "-R", "b.pub", "shared"]);
    }
    // The file to change must not be its own identity file or recipients file.
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "key.txt-hard"]).fails(WHAT);
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "b.pub-soft"]).fails(WHAT);
    // Salvage, and contribute without a recipient, refuse any output that exists already.
    for target in ["shared", "shared-hard", "shared-soft", "key.txt"] {
        dir.run(["contribute", "-y", "-i", "key.txt", "-o", target, "shared"]).fails("a secret never replaces a file");
    }
    for target in ["x", "x-hard", "x-soft", "key.txt"] {
        dir.run(["-d", "--salvage", "-i", "key.txt", "-o", target, "x"]).fails("it exists");
    }
    assert!(all() == before);
}
