//! The main input of a command: a file or standard input that is encrypted, opened, described or
//! split.

use std::fs::{File, Metadata};
use std::io::{self, BufRead as _, Cursor, IsTerminal as _, Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::{Error, Result, quoted};
use crate::io::progress::{Progress, Watched};
use crate::io::stdin::{self, Stdin, StdinUse};
use crate::os::file_id::FileId;
use crate::os::ready::Ready;
use crate::os::typed::Typed;
use sealane_age::ReadAt;
use zeroize::Zeroizing;

/// The beginning of an armored file.
pub(crate) const ARMOR_START: &str = "-----BEGIN AGE ENCRYPTED FILE";
const ARMOR_END: &[u8] = b"-----END AGE ENCRYPTED FILE-----";

/// An open input.
pub(crate) struct Input {
    /// The bytes.
    pub(crate) reader: Box<dyn Read>,
    /// The same bytes with random access, if the input is a named regular file that is read from
    /// its start and is not empty. It shares its position with `reader`.
    pub(crate) file: Option<Watched<PatchedFile>>,
    /// Counts the bytes that are read through `reader` and `file`.
    pub(crate) progress: Progress,
    /// The length in bytes, if it is known in advance.
    pub(crate) len: Option<u64>,
    /// The file id, if the file has one.
    pub(crate) id: Option<FileId>,
    /// The name for messages: the quoted path, or a description such as "standard input".
    pub(crate) name: String,
    /// Whether the input is standard input, and comes from a terminal.
    pub(crate) is_terminal: bool,
}

impl Input {
    /// Opens `path`. `None` and "-" are standard input.
    pub(crate) fn open(path: Option<&Path>, stdin: &StdinUse) -> Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else { return Self::stdin(stdin) };
        let name = quoted(path);
        let failed = |error: io::Error| {
            let explained = Error::io(format!("cannot open {name}"), &error);
            if error.kind() == io::ErrorKind::NotFound {
                explained.hint("is the name of the file right?")
            } else {
                explained
            }
        };
        Self::of_file(File::open(path).map_err(failed)?, path)
    }

    /// Returns the open file `file`, which the user named `path`, as an input. Refuses a directory.
    pub(crate) fn of_file(mut file: File, path: &Path) -> Result<Self> {
        let name = quoted(path);
        let failed = |error: io::Error| Error::io(format!("cannot open {name}"), &error);
        // A device of Windows, such as NUL, has no metadata.
        let metadata = match file.metadata() {
            Err(error) if cfg!(unix) => return Err(failed(error)),
            metadata => metadata.ok(),
        };
        let metadata = metadata.as_ref();
        if metadata.is_some_and(Metadata::is_dir) {
            return Err(Error::new(format!("{name} is a directory")).hint("make an archive of it first (tar)"));
        }
        let (len, progress) = (metadata.and_then(len), Progress::default());
        // A name such as /dev/stdin opens a file that may be partly read already, so the remaining
        // length is unknown.
        let from_start = len.is_some() && file.stream_position().is_ok_and(|position| position == 0);
        let again = if from_start { file.try_clone().ok() } else { None };
        let reader: Box<dyn Read> = if file.is_terminal() {
            Box::new(Watched::new(Typed::new(Ready(file)), &progress))
        } else {
            Box::new(Watched::new(file, &progress))
        };
        Ok(Self {
            len: len.filter(|_| from_start),
            id: metadata.and_then(|metadata| FileId::new(metadata, Some(path))),
            file: again.map(|file| Watched::new(PatchedFile::from(file), &progress)),
            reader,
            progress,
            name,
            is_terminal: false,
        })
    }

    /// Replaces the first bytes of the file with `start` for every later read, and starts to read
    /// again from the beginning. Fails if the input has no random access.
    pub(crate) fn replace_start(&mut self, start: Vec<u8>) -> Result<()> {
        let cannot = |error: io::Error| Error::io(format!("cannot read {}", self.name), &error);
        let file = self.file.take().ok_or_else(|| cannot(io::ErrorKind::NotSeekable.into()))?;
        let mut file = file.get_ref().try_clone().map_err(cannot)?;
        file.start = start;
        file.rewind().map_err(cannot)?;
        self.reader = Box::new(Watched::new(file.try_clone().map_err(cannot)?, &self.progress));
        self.file = Some(Watched::new(file, &self.progress));
        Ok(())
    }

    /// Returns an input with bytes that the command generated. Messages call it `name`.
    pub(crate) fn of_bytes(bytes: Zeroizing<String>, name: &str) -> Self {
        let (progress, len) = (Progress::default(), Some(bytes.len() as u64));
        let reader = Box::new(Watched::new(Cursor::new(SecretText(bytes)), &progress));
        Self { reader, file: None, progress, len, id: None, name: name.to_owned(), is_terminal: false }
    }

    fn stdin(stdin_use: &StdinUse) -> Result<Self> {
        stdin_use.claim("the input")?;
        let name = "standard input".to_owned();
        let is_terminal = io::stdin().is_terminal();
        let file = stdin::open().map_err(|error| Error::io(format!("cannot read {name}"), &error))?;
        #[cfg(unix)]
        crate::os::pipe::enlarge(&file);
        // Part of a file on standard input may have been read already, so the remaining length is
        // unknown.
        let id = metadata(&file).and_then(|metadata| FileId::new(&metadata, None));
        let progress = Progress::default();
        let reader = Box::new(Watched::new(Typed::new(Ready(file)), &progress));
        Ok(Self { reader, file: None, progress, len: None, id, name, is_terminal })
    }

    /// Reads the armored text that the user pastes at the terminal, up to its END line.
    pub(crate) fn take_pasted_armor(&mut self) -> Result<()> {
        let mut lines = io::BufReader::new(std::mem::replace(&mut self.reader, Box::new(io::empty())));
        let mut text = Vec::new();
        loop {
            let start = text.len();
            let n = lines
                .read_until(b'\n', &mut text)
                .map_err(|error| Error::io(format!("cannot read {}", self.name), &error))?;
            if n == 0 || text[start..].trim_ascii() == ARMOR_END {
                break;
            }
        }
        self.reader = Box::new(Cursor::new(text));
        Ok(())
    }

    /// Refuses an encrypted file whose encoding or line ends were converted, as PowerShell does.
    /// Any other input is still read from its start.
    pub(crate) fn refuse_mangled(&mut self) -> Result<()> {
        let mut start = Vec::new();
        let prefix = (&mut self.reader).take(64).read_to_end(&mut start);
        prefix.map_err(|error| Error::io(format!("cannot read {}", self.name), &error))?;
        refuse_mangled(&start, &self.name, "encrypt again with -o FILE")?;
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(start).chain(rest));
        Ok(())
    }
}

/// A file whose first bytes are replaced in memory. The file itself does not change.
pub(crate) struct PatchedFile {
    file: File,
    /// The bytes that replace the start of the file.
    start: Vec<u8>,
}

impl PatchedFile {
    /// Returns a second handle. Both share one position.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { file: self.file.try_clone()?, start: self.start.clone() })
    }

    /// Copies the bytes of `start` from `offset` on. Returns their number, which is 0 after the end
    /// of `start`.
    fn read_start(&self, out: &mut [u8], offset: u64) -> usize {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.start.get(offset..)).unwrap_or_default();
        let n = rest.len().min(out.len());
        out[..n].copy_from_slice(&rest[..n]);
        n
    }
}

impl From<File> for PatchedFile {
    fn from(file: File) -> Self {
        Self { file, start: Vec::new() }
    }
}

impl Read for PatchedFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if !self.start.is_empty() {
            let position = self.file.stream_position()?;
            let n = self.read_start(out, position);
            if n > 0 {
                self.file.seek(SeekFrom::Start(position + n as u64))?;
                return Ok(n);
            }
        }
        self.file.read(out)
    }
}

impl Seek for PatchedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl ReadAt for PatchedFile {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        match self.read_start(out, offset) {
            0 => self.file.read_at(out, offset),
            n => Ok(n),
        }
    }

    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }
}

/// Text that is wiped when it is dropped.
struct SecretText(Zeroizing<String>);

impl AsRef<[u8]> for SecretText {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

fn len(metadata: &Metadata) -> Option<u64> {
    // Files in /proc have content although their length is given as 0, so 0 means unknown.
    (metadata.is_file() && metadata.len() > 0).then_some(metadata.len())
}

/// Returns the metadata of the file behind standard input.
#[cfg(unix)]
fn metadata(stdin: &Stdin) -> Option<Metadata> {
    stdin.metadata().ok()
}

#[cfg(not(unix))]
fn metadata(_stdin: &Stdin) -> Option<Metadata> {
    None
}

/// Returns the file id of standard input. It is `None` on Windows, and for a pipe or a terminal.
pub(crate) fn stdin_id() -> Option<FileId> {
    metadata(&stdin::open().ok()?).and_then(|metadata| FileId::new(&metadata, None))
}

/// The start of an encrypted file without armor.
pub(crate) const BINARY_START: &[u8; 19] = b"age-encryption.org/";

/// More bytes than the start of an encrypted file has.
pub(crate) const ENCRYPTED_START_BYTES: u64 = 64;

/// Returns whether `contents` begin as an encrypted file does, binary or armored.
pub(crate) fn begins_as_encrypted(contents: &[u8]) -> bool {
    const STARTS: [&[u8]; 2] = [BINARY_START, ARMOR_START.as_bytes()];
    STARTS.iter().any(|start| contents.trim_ascii_start().starts_with(start))
}

/// Refuses an encrypted file whose encoding or line ends were converted. `start` is its beginning,
/// and `again` says how to make it again.
pub(crate) fn refuse_mangled(start: &[u8], name: &str, again: &str) -> Result<()> {
    mangled(start).map_or(Ok(()), |how| {
        Err(Error::new(format!("{name} is an age file that was damaged in transfer: {how}"))
            .hint(format!("a program such as PowerShell (with >) converted the file as text; {again}")))
    })
}

/// Returns how an age file that begins with `start` was damaged in transfer, or `None` if `start`
/// does not show that.
fn mangled(start: &[u8]) -> Option<&'static str> {
    const INTRO: &[u8] = b"age-encryption.org/v1";
    let utf16 = |text: &[u8], low: usize| {
        text.chunks_exact(2).zip(INTRO).take(10).filter(|(pair, c)| pair[low] == **c && pair[1 - low] == 0).count()
            == 10
    };
    if start.starts_with(INTRO) && start.get(INTRO.len()) == Some(&b'\r') {
        return Some("its line ends are CR LF");
    }
    match start {
        [0xff, 0xfe, text @ ..] if utf16(text, 0) || text.starts_with(b"-\0-\0-\0") => {
            Some("it was converted to UTF-16")
        }
        [0xfe, 0xff, text @ ..] if utf16(text, 1) || text.starts_with(b"\0-\0-\0-") => {
            Some("it was converted to UTF-16")
        }
        [0xef, 0xbb, 0xbf, text @ ..] if text.starts_with(INTRO) || text.starts_with(b"-----BEGIN AGE") => {
            Some("it has a byte order mark in front")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_replaced_start_is_read_in_order_and_at_any_place() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"torn and the rest").unwrap();
        file.rewind().unwrap();
        let mut input = Input::of_file(file, Path::new("x")).unwrap();
        input.replace_start(b"WHOLE".to_vec()).unwrap();
        assert_eq!(io::read_to_string(input.reader).unwrap(), "WHOLEand the rest");
        let mut file = input.file.unwrap();
        file.seek(SeekFrom::Start(3)).unwrap();
        assert_eq!(io::read_to_string(&mut file).unwrap(), "LEand the rest");
        let mut out = [0; 4];
        assert_eq!((file.read_at(&mut out, 3).unwrap(), &out[..2]), (2, &b"LE"[..]));
        assert_eq!((file.read_at(&mut out, 5).unwrap(), &out), (4, b"and "));
        assert_eq!(file.size().unwrap(), 17);
    }

    #[test]
    fn the_length_of_a_partly_read_file_is_unknown() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"read before the rest").unwrap();
        file.rewind().unwrap();
        assert_eq!(Input::of_file(file.try_clone().unwrap(), Path::new("x")).unwrap().len, Some(20));
        file.seek(SeekFrom::Start(12)).unwrap();
        let input = Input::of_file(file, Path::new("x")).unwrap();
        assert!(input.len.is_none() && input.file.is_none());
        assert_eq!(io::read_to_string(input.reader).unwrap(), "the rest");
    }

    #[test]
    fn powershell_is_recognised() {
        let text = "age-encryption.org/v1\n-> X25519 x\n";
        let utf16 = |big: bool| -> Vec<u8> {
            let all = std::iter::once('\u{feff}').chain(text.chars());
            all.flat_map(|c| if big { (c as u16).to_be_bytes() } else { (c as u16).to_le_bytes() }).collect()
        };
        assert!(mangled(text.as_bytes()).is_none());
        assert!(mangled(b"").is_none());
        assert!(mangled(b"\xff\xfe").is_none());
        assert!(mangled(&utf16(false)).is_some());
        assert!(mangled(&utf16(true)).is_some());
        assert!(mangled(text.replace('\n', "\r\n").as_bytes()).is_some());
        assert!(mangled("\u{feff}-----BEGIN AGE ENCRYPTED FILE-----".as_bytes()).is_some());
    }
}
