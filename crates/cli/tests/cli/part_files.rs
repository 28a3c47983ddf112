//! Files with contributed parts: converted ones, wrong ones, and what they replace.

use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::threshold::Part;

use crate::threshold::dir;

#[test]
fn an_encrypted_part_may_be_converted_as_text() {
    let (dir, data) = dir();
    dir.run(["contribute", "-y", "-i", "b.txt", "-o", "part-b", "x"]).quiet();
    let armored = dir.run(["contribute", "-y", "-i", "c.txt", "-a", "-R", "a.pub", "x"]).quiet().stdout;
    let binary = dir.run(["contribute", "-y", "-i", "c.txt", "-R", "a.pub", "x"]).quiet().stdout;
    let text = format!("\u{feff}{}", String::from_utf8(armored).unwrap().replace('\n', "\r\n"));
    let utf16 = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    for part in [text.as_bytes(), &utf16(u16::to_le_bytes), &utf16(u16::to_be_bytes)] {
        dir.write("sent", part);
        assert!(dir.run(["-d", "--part", "sent", "--part", "part-b", "-i", "a.txt", "x"]).quiet().stdout == data);
    }
    // Binary data cannot be restored.
    dir.write("sent", ["\u{feff}".as_bytes(), &binary].concat());
    dir.run(["-d", "--part", "sent", "-i", "a.txt", "x"]).fails("\"sent\" is an age file that was damaged in transfer");
}

#[test]
fn only_an_encrypted_part_replaces_a_file() {
    let (dir, _) = dir();
    dir.write("part", "precious");
    let contribute = ["contribute", "-y", "-i", "d.txt", "-o", "part"];
    dir.run(contribute.iter().chain(&["x"])).fails("\"part\" exists, and a secret never replaces a file");
    assert_eq!(dir.read("part"), b"precious");
    dir.run(contribute.iter().chain(&["-R", "a.pub", "x"])).quiet();
    assert!(dir.run(["-d", "-i", "a.txt", "part"]).quiet().stdout.starts_with(b"# part 4 of 5"));
}

#[test]
fn the_file_of_a_wrong_part_is_named() {
    let (dir, data) = dir();
    let contributed = dir.run(["contribute", "-y", "-i", "b.txt", "-o", "right", "x"]).quiet();
    assert!(contributed.stdout.is_empty());
    let text = String::from_utf8(dir.read("right")).unwrap();
    let right: Part = text.lines().last().unwrap().parse().unwrap();
    let mut bytes = *right.to_bytes();
    bytes[35] ^= 1;
    let wrong = Part::try_from(&bytes[..]).unwrap();
    dir.write("wrong", wrong.to_text().expose_secret());
    let parts = ["-d", "--part", "right", "--part", "wrong", "-i", "a.txt"];
    // The wrong part has the same number as the right one.
    dir.run(parts.iter().chain(&["x"])).fails("\"wrong\": the part that says it is part 2 is wrong");
    assert!(dir.run(parts.iter().chain(&["-i", "c.txt", "x"])).quiet().stdout == data);
}
