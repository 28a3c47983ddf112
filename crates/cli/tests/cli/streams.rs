//! Standard input and output that are closed.

use crate::support::Dir;

#[test]
fn a_closed_standard_output_is_not_a_place_to_write_to() {
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "x.age");
    for args in ["-d -i key.txt x.age", "-d -i key.txt -o - x.age", "-R key.pub x.age", "-a -R key.pub x.age"] {
        dir.sh(&format!("exec \"$SEALANE\" {args} >&-")).fails("standard output is closed");
    }
    for args in ["keygen", "keygen -y key.txt", "cpu", "cpu --json", "--help", "--version"] {
        dir.sh(&format!("exec \"$SEALANE\" {args} >&-")).fails("standard output is closed");
    }
    // Who wants nothing gets it, and a file needs no standard output.
    dir.sh("exec \"$SEALANE\" -d -i key.txt x.age > /dev/null").quiet();
    dir.sh("exec \"$SEALANE\" -d -i key.txt -o out x.age >&-").quiet();
    dir.sh("exec \"$SEALANE\" keygen -o new.txt >&-").ok();
    assert_eq!(dir.read("out"), b"secret");
}

#[test]
fn a_closed_standard_input_is_not_an_empty_file() {
    let dir = Dir::with_key();
    dir.encrypt(b"secret", "x.age");
    for args in ["-R key.pub -o new", "-d -i key.txt -o new", "-d -i - -o new x.age", "-R - -o new x.age", "keygen -y"]
    {
        dir.sh(&format!("exec \"$SEALANE\" {args} <&-")).fails("standard input is closed");
    }
    dir.sh("AGE_PASSPHRASE_FD=0 exec \"$SEALANE\" -p -o new x.age <&-").fails("standard input is closed");
    assert!(!dir.exists("new"));
    dir.sh("exec \"$SEALANE\" -R key.pub -o empty < /dev/null").quiet();
    assert_eq!(dir.sh("exec \"$SEALANE\" -d -i key.txt empty <&-").quiet().stdout, b"");
}
