use std::path::Path;

use super::super::usable::is_windows_name;
use super::*;

fn name(text: &str) -> Name {
    Name::new(Path::new(text)).unwrap()
}

fn read(text: &str) -> Result<Manifest, ManifestError> {
    Manifest::read(text.as_bytes())
}

#[test]
fn written_manifests_can_be_read() {
    let attributes = serde_json::from_str(r#"{"mode":420,"modified":[1,2]}"#).unwrap();
    let entries = [
        Entry::File { name: name("a/b"), size: 3, id: Id([7; 32]), attributes },
        Entry::Directory { name: name("a"), attributes: Attributes::default() },
        Entry::Link { name: name("l"), target: "../x".into() },
    ];
    let mut text = Vec::new();
    Manifest::write(&mut text, entries).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(
        text,
        "{\"sealane-manifest\":1}\n\
         {\"type\":\"file\",\"name\":\"a/b\",\"size\":3,\"id\":\"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc\",\"mode\":420,\"modified\":[1,2]}\n\
         {\"type\":\"directory\",\"name\":\"a\"}\n\
         {\"type\":\"link\",\"name\":\"l\",\"target\":\"../x\"}\n"
    );
    let manifest = read(&text).unwrap();
    assert_eq!(manifest.files[&name("a/b")], Known { size: 3, id: Id([7; 32]), attributes });
    assert_eq!(manifest.links[&name("l")], Path::new("../x"));
    assert!(manifest.directories.contains_key(&name("a")));
}

#[test]
fn a_changed_manifest_never_causes_a_panic() {
    let text = "{\"sealane-manifest\":1}\n\
        {\"type\":\"file\",\"name\":{\"base64\":\"YS//Cg==\"},\"size\":3,\"id\":\"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc\",\"mode\":420,\"modified\":[-1,2]}\n\
        {\"type\":\"link\",\"name\":\"l/m\",\"target\":\"../x\"}\n";
    assert!(read(text).is_ok());
    for at in 0..text.len() {
        let _ = read(&text[..at]);
        for byte in [0, b'"', b'{', b'}', b'.', b'/', b'9', b'-', b'\n', 0xff] {
            let mut changed = text.as_bytes().to_vec();
            changed[at] = byte;
            let _ = Manifest::read(&changed[..]);
            changed.insert(at, byte);
            let _ = Manifest::read(&changed[..]);
        }
    }
}

/// The work for a name grows with the square of its components.
#[test]
fn names_that_are_too_long_are_malformed() {
    let deep = vec!["a"; 100_000].join("/");
    for name in [deep, "n".repeat(5000)] {
        let line = format!("{{\"type\":\"directory\",\"name\":\"{name}\"}}\n");
        let error = read(&format!("{{\"sealane-manifest\":1}}\n{line}")).unwrap_err().to_string();
        assert!(error.contains("malformed: a name has more than") && error.len() < 200, "{error}");
        let entry = Entry::Directory { name: self::name(&name), attributes: Attributes::default() };
        let error = Manifest::write(io::sink(), [entry]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidFilename);
    }
}

#[test]
fn entries_that_cannot_be_read_are_refused_by_the_writer() {
    let directory = |text| Entry::Directory { name: name(text), attributes: Attributes::default() };
    let link = |text, target: &str| Entry::Link { name: name(text), target: target.into() };
    let long = "x".repeat(1 << 20);
    for (entries, reason) in [
        ([directory("a"), directory("a")], "\"a\" is listed twice"),
        ([directory("a"), link("a", "x")], "\"a\" is listed twice"),
        ([directory("a/b"), link("a", "x")], "\"a\" is listed as a file or a link, but contains entries"),
        ([directory("a"), link("b", &long)], "an entry is longer than 1 MiB"),
    ] {
        let error = Manifest::write(io::sink(), entries).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (io::ErrorKind::InvalidInput, reason));
    }
    // The longest line, which ends with `"}` and a line feed.
    let start = "{\"type\":\"link\",\"name\":\"b\",\"target\":\"".len();
    let mut text = Vec::new();
    Manifest::write(&mut text, [link("b", &long[start + 3..])]).unwrap();
    assert_eq!(Manifest::read(&text[..]).unwrap().links.len(), 1);
    // Spaces fill the longest line, and an entry follows on the same line.
    let entry = &text[text.iter().position(|&byte| byte == b'\n').unwrap() + 1..];
    let (last, entry) = entry.split_last().unwrap();
    assert_eq!((*last, entry.len() as u64), (b'\n', MAX_LINE - 1));
    let next = "{\"type\":\"directory\",\"name\":\"a\"}\n";
    let read = |between: &[u8]| {
        let text = [b"{\"sealane-manifest\":1}\n", entry, between, next.as_bytes()].concat();
        Manifest::read(&text[..])
    };
    assert_eq!(read(b"\n").unwrap().directories.len(), 1);
    assert!(read(b" ").unwrap_err().to_string().contains("malformed: a line is too long"));
}

#[test]
fn only_folders_contain_entries() {
    let line = |kind: &str, name: &str| match kind {
        "file" => {
            let id = "A".repeat(43);
            format!("{{\"type\":\"file\",\"name\":\"{name}\",\"size\":1,\"id\":\"{id}\"}}\n")
        }
        "link" => format!("{{\"type\":\"link\",\"name\":\"{name}\",\"target\":\"x\"}}\n"),
        kind => format!("{{\"type\":\"{kind}\",\"name\":\"{name}\"}}\n"),
    };
    let read = |lines: &[String]| read(&format!("{{\"sealane-manifest\":1}}\n{}", lines.concat()));
    let others = ["a!", "a.age", "a/b c", "ab", "b/a/b"].map(|name| line("file", name)).concat();
    for below in ["file", "link", "directory"] {
        for name in ["a/b", "a/b/c"] {
            for above in ["file", "link"] {
                let mut lines = [line(above, "a"), others.replace("a/b c", "c"), line(below, name)];
                for _ in 0..2 {
                    let error = read(&lines).unwrap_err().to_string();
                    assert!(error.ends_with("\"a\" is listed as a file or a link, but contains entries"), "{error}");
                    lines.reverse();
                }
            }
            assert!(read(&[line("directory", "a"), others.clone(), line(below, name)]).is_ok());
            // The folder need not be listed.
            assert!(read(&[line(below, name), others.clone()]).is_ok());
        }
    }
}

#[test]
fn other_text_is_not_a_manifest() {
    let head = "{\"sealane-manifest\":1}\n";
    for (lines, why) in [
        ("", "malformed"),
        ("{}\n", "malformed"),
        ("{\"sealane-manifest\":2}\n", "version 2"),
        ("{\"sealane-manifest\":1}\n{\"type\":\"device\",\"name\":\"a\"}\n", "malformed"),
        ("{\"sealane-manifest\":1}\n{\"type\":\"\\u001b[2J\",\"name\":\"a\"}\n", "`\u{fffd}[2J`"),
        ("{\"sealane-manifest\":1}\n{\"type\":\"directory\",\"name\":\"../a\"}\n", "not a name within a folder"),
        ("{\"sealane-manifest\":1}\n{\"type\":\"directory\",\"name\":\"/a\"}\n", "not a name within a folder"),
        ("{\"sealane-manifest\":1}\n{\"type\":\"file\",\"name\":\"a\",\"size\":1,\"id\":\"AAAA\"}\n", "32 bytes"),
    ] {
        assert!(read(lines).unwrap_err().to_string().contains(why), "{lines}");
    }
    let twice = format!(
        "{head}{{\"type\":\"directory\",\"name\":\"a\"}}\n{{\"type\":\"link\",\"name\":\"a\",\"target\":\"b\"}}\n"
    );
    assert!(read(&twice).unwrap_err().to_string().contains("twice"));
    assert_eq!(read(head).unwrap(), Manifest::default());
}

#[test]
fn unusable_names_do_not_hide_other_entries() {
    let head = "{\"sealane-manifest\":1}\n";
    let directory = |name: &str| format!("{{\"type\":\"directory\",\"name\":{name}}}\n");
    let read = |names: &[&str]| {
        let lines: String = names.iter().map(|name| directory(name)).collect();
        Manifest::read_with(format!("{head}{lines}").as_bytes(), Some(is_windows_name))
    };
    // The last two names differ only in bytes that are not UTF-8.
    let names = [
        "\"a\"",
        "\"a/10:30\"",
        "\"aux/b/c.\"",
        "\"aux/b/_\"",
        "\"x\\\\..\\\\y\"",
        "{\"base64\":\"YS//Cg==\"}",
        "{\"base64\":\"YS/+Cg==\"}",
    ];
    let manifest = read(&names).unwrap();
    assert_eq!(manifest.directories.keys().collect::<Vec<_>>(), [&name("a")]);
    let unusable: Vec<_> = manifest.unusable.iter().map(|(text, usable)| (&text[..], usable.clone())).collect();
    assert_eq!(
        unusable,
        [
            (&b"a/10:30"[..], name("a/_")),
            (b"a/\xfe\n", name("a/_")),
            (b"a/\xff\n", name("a/_")),
            (b"aux/b/_", name("_/b/_")),
            (b"aux/b/c.", name("_/b/_")),
            (b"x\\..\\y", name("_"))
        ]
    );
    let faults: Vec<_> = manifest.unusable_faults().collect();
    assert!(
        matches!(&faults[0], (at, FileFault::UnusableName { name }) if *at == self::name("a/_") && name == "a/10:30")
    );
    assert!(matches!(&faults[1].1, FileFault::UnusableName { name } if name == "a/\u{fffd}\n"));
    assert_eq!((faults.len(), manifest.entries().count()), (6, 1));
    // The other rules hold for such names too.
    let long = format!("\"aux/{}\"", "n".repeat(Name::MAX_BYTES));
    for (names, why) in [
        (&["\"../aux\""][..], "not a name within a folder"),
        (&["\"/aux\""], "not a name within a folder"),
        (&["\"aux/../b\""], "not a name within a folder"),
        (&["\"aux\"", "\"aux\""], "twice"),
        (&["{\"base64\":\"/w==\"}", "{\"base64\":\"/w==\"}"], "twice"),
        (&["\"aux\\u0000\""], "not a name within a folder"),
        (&["\"b\",\"mode\":1,\"mode\":2"], "duplicate field"),
        (&["\"b\",\"name\":\"aux\""], "duplicate field"),
        (&[&long], "a name has more than"),
        (&["\"aux\",\"mode\":-1"], "invalid value"),
    ] {
        let error = read(names).unwrap_err().to_string();
        assert!(error.contains(why), "{names:?}: {error}");
    }
    // Without a rule, all names can exist.
    #[cfg(unix)]
    {
        let lines: String = names.iter().map(|name| directory(name)).collect();
        let manifest = Manifest::read(format!("{head}{lines}").as_bytes()).unwrap();
        assert_eq!((manifest.directories.len(), manifest.unusable.len()), (names.len(), 0));
    }
}
