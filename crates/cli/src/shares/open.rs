//! Opens shares in any form.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use sealane_shares::slip39::Mnemonic;
use sealane_shares::{MAGIC, ShareReader, WipedVec};
use zeroize::Zeroizing;

use super::failure::{LeftOut, share_error};
use super::named_share::{NamedShare, Source};
use super::pasted::{self, Notes, PUBLIC_KEY_NOTE};
use super::place::{Place, STANDARD_INPUT, TERMINAL, Unreadable};
use crate::error::{Error, Result};
use crate::io::progress::{Progress, Shown, Watched};
use crate::io::stdin::StdinUse;
#[cfg(unix)]
use crate::io::stdin::open as stdin_file;
use crate::io::text::decode;
use crate::os::file_id::FileId;
use crate::os::ready::Ready;
use crate::os::typed::Typed;

/// The longest input that is kept in memory because it cannot be read twice, in bytes.
const MAX_IN_MEMORY: u64 = 64 << 20;
/// The longest text file, in bytes.
const MAX_TEXT: u64 = 4 << 20;

/// A line and its place.
pub(crate) type Named = (Place, Zeroizing<String>);

/// A file that is read, and its description for messages.
pub(crate) type Known = (Option<FileId>, String);

/// A mnemonic of SLIP-39.
pub(crate) struct NamedWords {
    pub(crate) place: Place,
    pub(crate) mnemonic: Mnemonic,
    /// The comments in its file.
    pub(crate) notes: Rc<Notes>,
}

/// The shares of a command line.
#[derive(Default)]
pub(crate) struct Shares {
    /// Shares in Sealane's own format.
    pub(crate) own: Vec<NamedShare>,
    /// Shares in words.
    pub(crate) words: Vec<NamedWords>,
    pub(crate) unreadable: Vec<Unreadable>,
    /// The input files, which the output must not overwrite.
    pub(crate) ids: Vec<Known>,
    /// Counts the bytes of files that have been read.
    progress: Progress,
    /// The length in bytes of the files that `progress` counts.
    len: u64,
}

impl Shares {
    /// Opens all shares in `paths`. A text file may have several. Errors are in `unreadable`.
    pub(crate) fn open(paths: &[PathBuf], stdin: &StdinUse) -> Self {
        let mut shares = Self::default();
        for path in paths {
            let place = shares.place(path);
            if let Err(error) = shares.add(path, &place, stdin) {
                shares.unreadable.push(Unreadable { place, beside: false, is_share: false, error });
            }
        }
        shares
    }

    /// Adds the only share on a line that the user typed. A line with no share or with several is
    /// an error. Each line counts as a separate source.
    pub(crate) fn add_typed(&mut self, line: &str) -> Result<()> {
        let (own, words) = (self.own.len(), self.words.len());
        self.add_text(line, &Place { file: own + words, name: TERMINAL.to_owned(), line: None }, None);
        let added = self.own.len() + self.words.len() - own - words;
        match (added, self.unreadable.drain(..).find(|unreadable| !unreadable.beside)) {
            (1, None) => {
                let own = self.own[own..].iter_mut().map(|share| &mut share.place);
                let words = self.words[words..].iter_mut().map(|words| &mut words.place);
                own.chain(words).for_each(|place| place.line = Some(place.file + 1));
                return Ok(());
            }
            (0, Some(unreadable)) => return Err(unreadable.error),
            _ => {}
        }
        self.own.truncate(own);
        self.words.truncate(words);
        Err(Error::new("the line has more than one share"))
    }

    /// Opens shares that must all be in Sealane's own format and have intact headers. `chosen` is
    /// the identifier of a set, or its first digits. `what` names the work in messages, as in
    /// "refreshed".
    pub(crate) fn open_own(paths: &[PathBuf], chosen: Option<&str>, what: &str) -> Result<Self> {
        let mut shares = Self::open(paths, &StdinUse::default());
        let (incidental, bad): (Vec<_>, Vec<_>) = shares.unreadable.drain(..).partition(|unreadable| unreadable.beside);
        if let Some(bad) = bad.into_iter().next() {
            return Err(bad.error);
        }
        LeftOut::of(&incidental).say();
        shares.choose(chosen)?;
        if let Some(words) = shares.words.first() {
            return Err(Error::new(format!("{} is a share in words (SLIP-39), which cannot be {what}", words.place))
                .hint("combine them, and split the secret again"));
        }
        Ok(shares)
    }

    /// Keeps only the shares of the set whose identifier begins with the hexadecimal digits in
    /// `chosen`. For words, `chosen` is the whole identifier. It is an error if no share of those
    /// that were read is left.
    pub(crate) fn choose(&mut self, chosen: Option<&str>) -> Result<()> {
        let Some(chosen) = chosen else { return Ok(()) };
        let digits = chosen.to_ascii_lowercase();
        let mut known: Vec<String> = self.own.iter().map(|share| share.header.set().short()).collect();
        known.extend(self.words.iter().map(|words| set_of_words(&words.mnemonic)));
        self.own.retain(|share| share.header.set().to_string().starts_with(&digits));
        self.words.retain(|words| set_of_words(&words.mnemonic) == digits);
        if !known.is_empty() && self.own.is_empty() && self.words.is_empty() {
            known.sort();
            known.dedup();
            return Err(Error::new(format!("none of the shares is of set {chosen:?}"))
                .hint(format!("the shares are of these sets: {}", known.join(", "))));
        }
        Ok(())
    }

    /// Returns a comment with the public key that all files of shares in Sealane's own format
    /// state. One holder alone must not choose the comment in the new shares of all. Binary shares
    /// state none.
    pub(crate) fn common_comment(&self) -> Option<String> {
        let mut stated = self.own.iter().map(|share| &share.notes.public_keys);
        let first = stated.next()?;
        match first.as_slice() {
            [key] if stated.all(|keys| keys == first) => Some(format!("{PUBLIC_KEY_NOTE}{key}")),
            _ => None,
        }
    }

    /// Returns the places of the shares in Sealane's own format.
    pub(crate) fn places(&self) -> Vec<Place> {
        self.own.iter().map(|share| share.place.clone()).collect()
    }

    /// Shows how much of the files has been read.
    pub(crate) fn show_progress(&self) -> Shown {
        self.progress.show(Some(self.len).filter(|&len| len > 0), false)
    }

    /// Returns readers of the shares in Sealane's own format, at their starts.
    pub(crate) fn readers(&mut self) -> Result<Vec<ShareReader<&mut Source>>> {
        self.progress.reset();
        self.own.iter_mut().map(NamedShare::reader).collect()
    }

    /// Returns the place of a whole file, before it is opened.
    fn place(&self, path: &Path) -> Place {
        let is_stdin = path == Path::new("-");
        let name = if is_stdin { STANDARD_INPUT.to_owned() } else { path.display().to_string() };
        Place { file: self.ids.len(), name, line: None }
    }

    fn add(&mut self, path: &Path, place: &Place, stdin: &StdinUse) -> Result<()> {
        let id = self.ids.len();
        self.ids.push((None, format!("the share {place}")));
        let mut file = open(path, place, stdin)?;
        let failed = |error: io::Error| Error::io(format!("cannot read {place}"), &error);
        let metadata = file.metadata().map_err(failed)?;
        self.ids[id].0 = FileId::new(&metadata, Some(path));
        let path = (path != Path::new("-")).then(|| path.to_owned());
        // A file with two names counts as one source.
        let same = self.ids.iter().position(|(other, _)| other.is_some() && *other == self.ids[id].0);
        let place = Place { file: same.unwrap_or(id), ..place.clone() };

        let at_start = metadata.is_file() && file.stream_position().is_ok_and(|position| position == 0);
        let mut start = Vec::with_capacity(MAGIC.len());
        let mut input = Typed::new(Ready(&mut file));
        (&mut input).take(MAGIC.len() as u64).read_to_end(&mut start).map_err(failed)?;
        if start != MAGIC {
            if metadata.is_file() && metadata.len() > MAX_TEXT {
                return Err(too_long_for_text(&place));
            }
            let bytes = read_up_to(&start, &mut input, MAX_TEXT, &place)?.ok_or_else(|| too_long_for_text(&place))?;
            let text = decode(&bytes).ok_or_else(|| not_a_share(&place, 0))?;
            self.add_text(&text, &place, path.as_deref());
            return Ok(());
        }
        let source = if at_start {
            file.rewind().map_err(failed)?;
            self.len += metadata.len();
            Source::File(Watched::new(file, &self.progress))
        } else {
            let bytes = read_up_to(&start, &mut input, MAX_IN_MEMORY, &place)?.ok_or_else(|| {
                Error::new(format!("{place} is longer than {} MiB and cannot be read twice", MAX_IN_MEMORY >> 20))
                    .hint("give large shares as files, not as pipes")
            })?;
            Source::Memory(Cursor::new(bytes))
        };
        if let Err(error) = self.add_own(place.clone(), path, Rc::default(), source) {
            self.unreadable.push(Unreadable { place, beside: false, is_share: true, error });
        }
        Ok(())
    }

    fn add_own(&mut self, place: Place, path: Option<PathBuf>, notes: Rc<Notes>, source: Source) -> Result<()> {
        self.own.push(NamedShare::new(place, path, notes, source)?);
        Ok(())
    }

    fn add_text(&mut self, text: &str, place: &Place, path: Option<&Path>) {
        let found = pasted::find(text);
        let several = found.is_several();
        let at = |line: usize| place.at(several.then_some(line));
        let notes = Rc::new(found.notes);
        let any = !found.shares.is_empty() || !found.words.is_empty();
        for (line, share) in found.shares {
            let added = share.map_err(|error| share_error(&error, &at(line))).and_then(|share| {
                let source = Source::Text(Cursor::new(Zeroizing::new(share.as_bytes().to_vec())));
                self.add_own(at(line), path.map(Path::to_owned), notes.clone(), source)
            });
            let unreadable = |error| Unreadable { place: at(line), beside: false, is_share: true, error };
            self.unreadable.extend(added.err().map(unreadable));
        }
        for (line, words) in found.words {
            let place = at(line);
            match words {
                Ok(mnemonic) => self.words.push(NamedWords { place, mnemonic, notes: notes.clone() }),
                Err(error) => {
                    let error = Error::new(format!("{place}: {error}")).hint("compare each word with the original");
                    self.unreadable.push(Unreadable { place, beside: false, is_share: true, error });
                }
            }
        }
        if let Some(&line) = found.other.first() {
            let error = not_a_share(&at(line), found.other.len() - 1);
            self.unreadable.push(Unreadable { place: at(line), beside: any, is_share: false, error });
        } else if !any {
            let error = not_a_share(place, 0);
            self.unreadable.push(Unreadable { place: place.clone(), beside: false, is_share: false, error });
        }
    }
}

/// Returns the name of a mnemonic's set.
pub(crate) fn set_of_words(mnemonic: &Mnemonic) -> String {
    format!("{:04x}", mnemonic.identifier())
}

/// Reads the shares of other programs in `paths`, one per line. Returns them with their places, and
/// the files. `ssss` is as for [`pasted::plain_lines`].
pub(crate) fn open_lines(paths: &[PathBuf], ssss: bool, stdin: &StdinUse) -> Result<(Vec<Named>, Vec<Known>)> {
    let (mut all, mut ids) = (Vec::new(), Vec::new());
    for path in paths {
        let is_stdin = path == Path::new("-");
        let name = if is_stdin { STANDARD_INPUT.to_owned() } else { path.display().to_string() };
        let place = Place { file: ids.len(), name, line: None };
        let mut file = open(path, &place, stdin)?;
        let metadata = file.metadata().map_err(|error| Error::io(format!("cannot read {place}"), &error))?;
        ids.push((FileId::new(&metadata, Some(path)), format!("the share {place}")));
        let bytes = read_up_to(&[], Typed::new(Ready(&mut file)), MAX_TEXT, &place)?.ok_or_else(|| {
            Error::new(format!("{place} is longer than {} MiB, the limit of text", MAX_TEXT >> 20))
                .hint("copy the shares to a file that has only their lines")
        })?;
        let text = decode(&bytes).ok_or_else(|| Error::new(format!("{place} is not text")))?;
        let lines = pasted::plain_lines(&text, ssss);
        if lines.is_empty() {
            let is_empty = pasted::clean(&text).trim().is_empty();
            let what = if is_empty { "is empty" } else { "has only comments, which begin with #, and no share" };
            return Err(Error::new(format!("{place} {what}")));
        }
        let several = lines.len() > 1;
        all.extend(lines.into_iter().map(|(line, text)| (place.at(several.then_some(line)), text)));
    }
    Ok((all, ids))
}

/// Explains a line that is not a share. `more` is the number of further such lines in the file.
fn not_a_share(place: &Place, more: usize) -> Error {
    let more = match more {
        0 => String::new(),
        1 => ", nor is another line".to_owned(),
        more => format!(", nor are {more} other lines"),
    };
    Error::new(format!("{place} is not a share{more}")).hint(
        "a share begins with SEALANE-SHARE-1, is at least 20 words, or is a binary file from sealane split, whose beginning \
         may be damaged; sealane combine takes those of other programs with --ssss and --vault",
    )
}

/// Explains an input that is not a binary share, and is not searched for shares in text.
fn too_long_for_text(place: &Place) -> Error {
    Error::new(format!(
        "{place} does not begin as a binary share, and is longer than {} MiB, the limit of text",
        MAX_TEXT >> 20
    ))
    .hint(
        "if it is a text with shares, copy them to a separate file; if it is a binary share, its beginning is damaged",
    )
}

fn open(path: &Path, place: &Place, stdin: &StdinUse) -> Result<File> {
    if path == Path::new("-") {
        stdin.claim("the shares")?;
        return stdin_file().map_err(|error| Error::io(format!("cannot read {place}"), &error));
    }
    let failed = |error: io::Error| Error::io(format!("cannot open {place}"), &error);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(Error::new(format!("{place} is a folder")).hint("give the files in it: DIR/*"));
    }
    Ok(file)
}

#[cfg(windows)]
fn stdin_file() -> io::Result<File> {
    use std::os::windows::io::AsHandle as _;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// Returns `start` and the rest of `file`, or `None` if they have more than `limit` bytes.
fn read_up_to(start: &[u8], mut file: impl Read, limit: u64, name: &Place) -> Result<Option<Zeroizing<Vec<u8>>>> {
    let failed = |error: io::Error| Error::io(format!("cannot read {name}"), &error);
    let mut bytes = WipedVec::default();
    bytes.write_all(start).map_err(failed)?;
    let mut piece = Zeroizing::new(vec![0; 64 << 10]);
    let mut len = start.len() as u64;
    loop {
        let n = match file.read(&mut piece) {
            Ok(0) => return Ok(Some(bytes.into_inner())),
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        len += n as u64;
        if len > limit {
            return Ok(None);
        }
        bytes.write_all(&piece[..n]).map_err(failed)?;
    }
}
