//! Opening shares in whatever form they come.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use sealane_shares::{Header, MAGIC, Share, ShareError, ShareReader, WipedVec, has_prefix};
use zeroize::Zeroizing;

use crate::error::{Error, Result, quoted};
use crate::progress::{Progress, Shown, Watched};
use crate::same_file::FileId;
use crate::shares::share_error;
use crate::stdin::StdinUse;

/// What cannot be read twice is kept in memory, up to this many bytes.
const MAX_IN_MEMORY: u64 = 64 << 20;
/// A file with text is not longer than this in bytes.
const MAX_TEXT: u64 = 4 << 20;

/// The form that a share came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Our own, as a file.
    Binary,
    /// Our own, as a line.
    Text,
}

/// A line with its name, quoted.
pub(crate) type Named = (String, Zeroizing<String>);

/// A file that is read, with what it is to a person.
pub(crate) type Known = (Option<FileId>, String);

/// A share's bytes, which can be read again.
pub(crate) enum Source {
    File(Watched<File>),
    /// What cannot be read twice.
    Memory(Cursor<Zeroizing<Vec<u8>>>),
    /// What was a line of text.
    Text(Cursor<Zeroizing<Vec<u8>>>),
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(out),
            Self::Memory(bytes) | Self::Text(bytes) => bytes.read(out),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Memory(bytes) | Self::Text(bytes) => bytes.seek(to),
        }
    }
}

/// One of our own shares, which can be read again and again.
pub(crate) struct NamedShare {
    /// What a person knows it as, quoted.
    pub(crate) name: String,
    /// The file that it is in, if it is in one.
    pub(crate) path: Option<PathBuf>,
    pub(crate) form: Form,
    pub(crate) header: Header,
    /// What its file says of the public key.
    pub(crate) comments: Vec<String>,
    source: Source,
}

/// The shares of a command line.
pub(crate) struct Shares {
    /// Shares of our own.
    pub(crate) own: Vec<NamedShare>,
    /// SLIP-39 mnemonics, with their names.
    pub(crate) words: Vec<Named>,
    /// What is no share, or damaged so that it cannot be told which.
    pub(crate) unreadable: Vec<Error>,
    /// The files, for the refusal to write to one of them.
    pub(crate) ids: Vec<Known>,
    /// How many bytes of files have been read.
    progress: Progress,
    /// The length of the files in bytes.
    len: u64,
}

impl Shares {
    /// Opens all shares that are in `paths`; a file of text may have several.
    pub(crate) fn open(paths: &[PathBuf], stdin: &StdinUse) -> Result<Self> {
        let (own, words, unreadable, ids) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut shares = Self { own, words, unreadable, ids, progress: Progress::default(), len: 0 };
        for path in paths {
            if let Err(error) = shares.add(path, stdin) {
                shares.unreadable.push(error);
            }
        }
        if let ([own, ..], [(words, _), ..]) = (shares.own.as_slice(), shares.words.as_slice()) {
            return Err(Error::new(format!("{} and {words} are shares of different kinds", own.name))
                .hint("shares in words (SLIP-39) combine only with one another"));
        }
        Ok(shares)
    }

    /// The shares where each must be one of our own, and whole at its beginning.
    pub(crate) fn open_own(paths: &[PathBuf], what: &str) -> Result<Self> {
        let mut shares = Self::open(paths, &StdinUse::default())?;
        if let Some(error) = shares.unreadable.drain(..).next() {
            return Err(error);
        }
        match shares.words.first() {
            Some((name, _)) => Err(Error::new(format!("{name} is a share in words (SLIP-39), which cannot be {what}"))
                .hint("combine them, and split the secret anew")),
            None => Ok(shares),
        }
    }

    /// What the files say of the public key, if they agree.
    pub(crate) fn common_comment(&self) -> Option<String> {
        let mut comments: Vec<_> = self.own.iter().flat_map(|share| &share.comments).collect();
        comments.sort();
        comments.dedup();
        if let [comment] = comments.as_slice() { Some((*comment).clone()) } else { None }
    }

    /// A bar for how much of the files has been read.
    pub(crate) fn show_progress(&self) -> Shown {
        self.progress.show(Some(self.len).filter(|&len| len > 0), false)
    }

    /// Readers of our own shares, at their beginnings.
    pub(crate) fn readers(&mut self) -> Result<Vec<ShareReader<&mut Source>>> {
        self.progress.reset();
        self.own.iter_mut().map(NamedShare::reader).collect()
    }

    fn add(&mut self, path: &Path, stdin: &StdinUse) -> Result<()> {
        let (mut file, name) = open(path, stdin)?;
        let failed = |error: io::Error| Error::io(format!("cannot read {name}"), &error);
        let metadata = file.metadata().map_err(failed)?;
        self.ids.push((FileId::new(&metadata, Some(path)), format!("the share {name}")));
        let path = (path != Path::new("-")).then(|| path.to_owned());

        let at_start = metadata.is_file() && file.stream_position().is_ok_and(|position| position == 0);
        let mut start = Vec::with_capacity(MAGIC.len());
        (&mut file).take(MAGIC.len() as u64).read_to_end(&mut start).map_err(failed)?;
        if start != MAGIC {
            if metadata.is_file() && metadata.len() > MAX_TEXT {
                return Err(not_a_share(&name));
            }
            let bytes = read_up_to(&start, &mut file, MAX_TEXT, &name)?;
            if bytes.contains(&0) {
                return Err(not_a_share(&name));
            }
            // A line that is not UTF-8 is not a share; the others may be.
            let text = Zeroizing::new(String::from_utf8_lossy(&bytes).into_owned());
            self.add_text(text.trim_start_matches('\u{feff}'), &name, path.as_deref());
            return Ok(());
        }
        let source = if at_start {
            file.rewind().map_err(failed)?;
            self.len += metadata.len();
            Source::File(Watched::new(file, &self.progress))
        } else {
            let bytes = read_up_to(&start, &mut file, MAX_IN_MEMORY, &name)?;
            Source::Memory(Cursor::new(bytes))
        };
        self.add_own(name, path, Vec::new(), source);
        Ok(())
    }

    fn add_own(&mut self, name: String, path: Option<PathBuf>, comments: Vec<String>, mut source: Source) {
        let form = if matches!(source, Source::Text(_)) { Form::Text } else { Form::Binary };
        match ShareReader::new(&mut source).map(|reader| reader.header().clone()) {
            Ok(header) => self.own.push(NamedShare { name, path, form, header, comments, source }),
            Err(error) => self.unreadable.push(share_error(&error, &name)),
        }
    }

    fn add_text(&mut self, text: &str, name: &str, path: Option<&Path>) {
        let mut any = false;
        let comments: Vec<_> = comments(text).collect();
        for (name, line) in lines(text, name) {
            any = true;
            if has_prefix(line) {
                match Share::from_text(line) {
                    Ok(share) => {
                        let source = Source::Text(Cursor::new(Zeroizing::new(share.as_bytes().to_vec())));
                        self.add_own(name, path.map(Path::to_owned), comments.clone(), source);
                    }
                    Err(error) => self.unreadable.push(share_error(&error, &name)),
                }
            } else if line.split_whitespace().nth(MIN_WORDS - 1).is_some() {
                self.words.push((name, Zeroizing::new(line.to_owned())));
            } else {
                self.unreadable.push(not_a_share(&name));
            }
        }
        if !any {
            self.unreadable.push(not_a_share(name));
        }
    }
}

impl NamedShare {
    fn reader(&mut self) -> Result<ShareReader<&mut Source>> {
        let rewound = self.source.rewind().map_err(ShareError::Io);
        let reader = rewound.and_then(|()| ShareReader::new(&mut self.source));
        reader.map_err(|error| share_error(&error, &self.name))
    }
}

/// All lines of text in `paths` that are not comments, with their names: shares of other programs.
pub(crate) fn open_lines(paths: &[PathBuf], stdin: &StdinUse) -> Result<(Vec<Named>, Vec<Known>)> {
    let (mut all, mut ids) = (Vec::new(), Vec::new());
    for path in paths {
        let (mut file, name) = open(path, stdin)?;
        let metadata = file.metadata().map_err(|error| Error::io(format!("cannot read {name}"), &error))?;
        ids.push((FileId::new(&metadata, Some(path)), format!("the share {name}")));
        let bytes = read_up_to(&[], &mut file, MAX_TEXT, &name)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| Error::new(format!("{name} is not text")))?;
        all.extend(lines(text, &name).map(|(name, line)| (name, Zeroizing::new(line.to_owned()))));
    }
    Ok((all, ids))
}

/// The shortest mnemonic of SLIP-39.
const MIN_WORDS: usize = 20;

fn not_a_share(name: &str) -> Error {
    Error::new(format!("{name} is not a share")).hint(
        "a share begins with SEALANE-SHARE-1, is at least 20 words, or is a binary file from sealane split, whose beginning \
         may be damaged; --ssss and --vault take those of other programs",
    )
}

/// The public keys that comments tell: nothing else of a comment is passed on.
fn comments(text: &str) -> impl Iterator<Item = String> {
    let keys = text.lines().filter_map(|line| line.trim().strip_prefix("# public key: "));
    let is_key =
        |key: &&str| key.starts_with("age1") && key.len() < 100 && key.bytes().all(|b| b.is_ascii_alphanumeric());
    keys.filter(is_key).map(|key| format!("public key: {key}"))
}

/// Lines that are not empty and no comments, with their names.
fn lines<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = (String, &'t str)> {
    let wanted = |line: &str| !line.is_empty() && !line.starts_with('#');
    let several = text.lines().filter(|line| wanted(line.trim())).count() > 1;
    let named = move |(i, line): (usize, &'t str)| {
        let name = if several { format!("{name}, line {}", i + 1) } else { name.to_owned() };
        (name, line.trim())
    };
    text.lines().enumerate().map(named).filter(move |(_, line)| wanted(line))
}

fn open(path: &Path, stdin: &StdinUse) -> Result<(File, String)> {
    if path == Path::new("-") {
        stdin.claim("the shares")?;
        let name = "standard input".to_owned();
        return stdin_file()
            .map(|file| (file, name.clone()))
            .map_err(|error| Error::io(format!("cannot read {name}"), &error));
    }
    let name = quoted(path);
    let failed = |error: io::Error| Error::io(format!("cannot open {name}"), &error);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(Error::new(format!("{name} is a folder")).hint("give the files in it: DIR/*"));
    }
    Ok((file, name))
}

#[cfg(unix)]
fn stdin_file() -> io::Result<File> {
    use std::os::fd::AsFd as _;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn stdin_file() -> io::Result<File> {
    use std::os::windows::io::AsHandle as _;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// `start`, and the rest of `file`, at most `limit` bytes of it.
fn read_up_to(start: &[u8], file: &mut File, limit: u64, name: &str) -> Result<Zeroizing<Vec<u8>>> {
    let failed = |error: io::Error| Error::io(format!("cannot read {name}"), &error);
    let mut bytes = WipedVec::default();
    bytes.write_all(start).map_err(failed)?;
    let mut piece = Zeroizing::new(vec![0; 64 << 10]);
    let mut rest = 0;
    loop {
        let n = match file.read(&mut piece) {
            Ok(0) => return Ok(bytes.into_inner()),
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        rest += n as u64;
        if rest > limit {
            return Err(Error::new(format!("{name} is longer than {} MiB and cannot be read twice", limit >> 20))
                .hint("give large shares as files, not as pipes"));
        }
        bytes.write_all(&piece[..n]).map_err(failed)?;
    }
}
