//! Reads the CCTV vectors in `vectors/age/testdata`.

use std::io::Read;
use std::path::{Path, PathBuf};

/// One vector.
pub(crate) struct Vector {
    pub(crate) name: String,
    pub(crate) expect: String,
    pub(crate) payload: Option<String>,
    pub(crate) identities: Vec<String>,
    pub(crate) passphrases: Vec<String>,
    pub(crate) file_key: Option<Vec<u8>>,
    pub(crate) armored: bool,
    pub(crate) file: Vec<u8>,
}

/// Returns all vectors, sorted by name.
pub(crate) fn all() -> Vec<Vector> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/age/testdata");
    let entries = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Vector {
    let bytes = std::fs::read(path).unwrap();
    let split = bytes.windows(2).position(|w| w == b"\n\n").expect("an empty line after the keys");
    let mut vector = Vector {
        name: path.file_name().unwrap().to_str().unwrap().to_owned(),
        expect: String::new(),
        payload: None,
        identities: Vec::new(),
        passphrases: Vec::new(),
        file_key: None,
        armored: false,
        file: bytes[split + 2..].to_vec(),
    };
    for line in std::str::from_utf8(&bytes[..split]).unwrap().lines() {
        let (key, value) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
        match key {
            "expect" => vector.expect = value.to_owned(),
            "payload" => vector.payload = Some(value.to_owned()),
            "identity" => vector.identities.push(value.to_owned()),
            "passphrase" => vector.passphrases.push(value.to_owned()),
            "file key" => vector.file_key = Some(unhex(value)),
            "armored" => vector.armored = value == "yes",
            "compressed" => {
                assert_eq!(value, "zlib");
                let mut file = Vec::new();
                flate2::read::ZlibDecoder::new(&bytes[split + 2..]).read_to_end(&mut file).unwrap();
                vector.file = file;
            }
            "comment" => {}
            other => panic!("{}: unknown key {other:?}", vector.name),
        }
    }
    vector
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).map(|h| u8::from_str_radix(std::str::from_utf8(h).unwrap(), 16).unwrap()).collect()
}
