//! age files with a known file key: every part is valid until it is changed on purpose.

use arbitrary::Arbitrary;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use hkdf::Hkdf;
use sealane::ChaCha20Poly1305;
use sealane_age::header::Header;
use sealane_age::{FileKey, Identity, Stanza, UnwrapError};
use sha2::Sha256;

use crate::Bytes;

/// The plaintext of a full chunk.
pub const CHUNK: usize = 64 << 10;
/// A full chunk and its tag.
pub const SEALED_CHUNK: usize = CHUNK + 16;
const FILE_KEY: [u8; 16] = [0x42; 16];

/// The identity for these files: stanzas of the type `fuzz` give the file key, stanzas of the type
/// `fails` give an error.
pub struct Key;

impl Identity for Key {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        match stanzas.iter().map(|stanza| stanza.tag.as_str()).find(|tag| ["fuzz", "fails"].contains(tag)) {
            Some("fuzz") => Ok(Some(file_key())),
            Some(_) => Err(UnwrapError::Authentication),
            None => Ok(None),
        }
    }
}

/// Returns the file key of all files.
pub fn file_key() -> FileKey {
    FileKey::new(Box::new(FILE_KEY))
}

/// A file before it is changed.
#[derive(Arbitrary, Debug)]
pub struct Plan {
    before: Vec<AnyStanza>,
    after: Vec<AnyStanza>,
    nonce: [u8; 16],
    chunks: Vec<Chunk>,
}

/// A stanza of a type that `Key` does not know.
#[derive(Arbitrary, Debug)]
pub struct AnyStanza {
    tag: Tag,
    arguments: Vec<Bytes<50>>,
    body: Bytes<120>,
}

#[derive(Arbitrary, Debug)]
enum Tag {
    X25519,
    Scrypt,
    SshEd25519,
    Fails,
    Grease,
    Other(Bytes<10>),
}

/// A chunk that is valid by itself, but not always in the right position.
#[derive(Arbitrary, Debug)]
struct Chunk {
    length: Length,
    fill: u8,
    /// A chunk number that does not fit the position.
    number: Option<u8>,
    /// Whether the last-chunk flag does not fit the position.
    other_mark: bool,
}

#[derive(Arbitrary, Debug)]
enum Length {
    Full,
    Short(u16),
    /// This many bytes shorter than a full chunk.
    Almost(u8),
}

impl AnyStanza {
    /// Returns the stanza. The format may forbid it.
    pub fn stanza(&self) -> Stanza {
        let word = |bytes: &[u8]| bytes.iter().map(|byte| char::from(b'!' + byte % 94)).collect();
        let tag = match &self.tag {
            Tag::X25519 => "X25519".into(),
            Tag::Scrypt => "scrypt".into(),
            Tag::SshEd25519 => "ssh-ed25519".into(),
            Tag::Fails => "fails".into(),
            Tag::Grease => "x-grease".into(),
            Tag::Other(bytes) => word(&bytes.0),
        };
        let args = self.arguments.iter().take(5).map(|bytes| word(&bytes.0)).collect();
        Stanza { tag, args, body: self.body.0.clone() }
    }
}

impl Chunk {
    fn length(&self) -> usize {
        match self.length {
            Length::Full => CHUNK,
            Length::Short(length) => length.into(),
            Length::Almost(less) => CHUNK - usize::from(less),
        }
    }

    /// Returns the number in the chunk's nonce. The chunk is in this place of the file.
    fn number(&self, place: usize) -> u8 {
        self.number.unwrap_or(place as u8)
    }
}

impl Plan {
    /// Returns whether a chunk of the file is authentic at this position of the plaintext, and has
    /// this plaintext.
    pub fn has_chunk(&self, position: u64, plaintext: &[u8]) -> bool {
        let is_same = |(place, chunk): (usize, &Chunk)| {
            u64::from(chunk.number(place)) * CHUNK as u64 == position
                && chunk.length() == plaintext.len()
                && plaintext.iter().all(|byte| *byte == chunk.fill)
        };
        self.chunks().iter().enumerate().any(is_same)
    }

    /// The buffer of a reader holds four chunks.
    fn chunks(&self) -> &[Chunk] {
        &self.chunks[..self.chunks.len().min(6)]
    }

    /// Returns the file and the position of its payload. `None` if the format forbids one of the
    /// stanzas.
    pub fn file(&self) -> Option<(Vec<u8>, usize)> {
        let stanzas = |list: &[AnyStanza]| list.iter().take(4).map(AnyStanza::stanza).collect::<Vec<_>>();
        let mut all = stanzas(&self.before);
        all.push(Stanza { tag: "fuzz".into(), args: Vec::new(), body: Vec::new() });
        all.extend(stanzas(&self.after));
        let mut file = Header::new(all, &file_key()).ok()?.encode();
        file.extend_from_slice(&self.nonce);
        let payload = file.len();
        self.seal(&mut file);
        Some((file, payload))
    }

    fn seal(&self, file: &mut Vec<u8>) {
        let mut key = [0; 32];
        let hkdf = Hkdf::<Sha256>::new(Some(&self.nonce), &FILE_KEY);
        hkdf.expand(b"payload", &mut key).expect("32 bytes are not too many for HKDF");
        let cipher = ChaCha20Poly1305::new(&key);
        let chunks = self.chunks();
        for (place, chunk) in chunks.iter().enumerate() {
            let mut nonce = [0; 12];
            nonce[10] = chunk.number(place);
            nonce[11] = u8::from((place + 1 == chunks.len()) != chunk.other_mark);
            let start = file.len();
            file.resize(start + chunk.length(), chunk.fill);
            let tag = cipher.seal_in_place(&nonce, b"", &mut file[start..]);
            file.extend_from_slice(&tag);
        }
    }
}

/// Returns the file in armor, with these line ends.
pub fn armored(file: &[u8], line_end: &str) -> Vec<u8> {
    let mut text = format!("-----BEGIN AGE ENCRYPTED FILE-----{line_end}");
    for line in file.chunks(48) {
        BASE64_STANDARD.encode_string(line, &mut text);
        text.push_str(line_end);
    }
    text.push_str("-----END AGE ENCRYPTED FILE-----");
    text.push_str(line_end);
    text.into_bytes()
}
