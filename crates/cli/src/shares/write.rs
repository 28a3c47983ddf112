//! Writes shares in Sealane's own format as files.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sealane_shares::{Header, Share, WipedVec};
use zeroize::Zeroizing;

use super::form::Form;
use super::new_files::NewFiles;
use crate::error::{Error, Result};
use crate::io::output::keep_retry;

/// The destination of a share while it is created.
pub(crate) enum Sink<'a> {
    /// A file in binary form. It is written in large pieces and not buffered, because a buffer
    /// would keep data that is not wiped.
    File(&'a File, &'a Path),
    /// The binary form of a share that becomes a line of text.
    Memory(WipedVec),
}

impl Write for Sink<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file, path) => {
                file.write(data).map_err(|error| keep_retry(error, |error| Error::cannot_write(path, &error)))
            }
            Self::Memory(bytes) => bytes.write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(..) | Self::Memory(_) => Ok(()),
        }
    }
}

/// Files for new shares, which appear when all are complete.
pub(crate) struct NewShares {
    files: NewFiles,
    headers: Vec<Header>,
    forms: Vec<Form>,
    /// Comments for shares in text form, without `#`.
    comments: Vec<String>,
}

impl NewShares {
    /// Creates files in `directory` for shares with these headers. `stem` names the secret.
    pub(crate) fn create(directory: &Path, stem: &str, shares: Vec<(Header, Form)>) -> Result<Self> {
        let names: Vec<_> = shares.iter().map(|(header, form)| file_name(stem, header, *form)).collect();
        let files = NewFiles::create(directory, &names)?;
        let (headers, forms) = shares.into_iter().unzip();
        Ok(Self { files, headers, forms, comments: Vec::new() })
    }

    /// Adds comments to shares in text form.
    pub(crate) fn with_comments(mut self, comments: Vec<String>) -> Self {
        self.comments = comments;
        self
    }

    /// Returns the destinations of the shares.
    pub(crate) fn sinks(&self) -> Vec<Sink<'_>> {
        let sink = |((file, path), form)| match form {
            Form::Binary => Sink::File(file, path),
            Form::Text => Sink::Memory(WipedVec::with_capacity(4096)),
        };
        self.files.files().zip(self.forms.iter().copied()).map(sink).collect()
    }

    /// Writes the complete shares in text form from their destinations to their files.
    pub(crate) fn complete(&self, sinks: Vec<Sink<'_>>) -> Result<()> {
        for ((sink, (mut file, path)), header) in sinks.into_iter().zip(self.files.files()).zip(&self.headers) {
            let Sink::Memory(bytes) = sink else { continue };
            let mut comments = heading(header);
            self.comments.iter().for_each(|comment| comments.extend(["# ", comment, "\n"]));
            let line = text_of(bytes)?;
            let written = file.write_all(comments.as_bytes()).and_then(|()| file.write_all(line.as_bytes()));
            let written = written.and_then(|()| file.write_all(b"\n"));
            written.map_err(|error| Error::cannot_write(path, &error))?;
        }
        Ok(())
    }

    /// Completes the files, and returns their paths.
    pub(crate) fn finish(self) -> Result<Vec<PathBuf>> {
        self.files.finish()
    }
}

/// Converts a share in binary form to a line.
pub(crate) fn text_of(bytes: WipedVec) -> Result<Zeroizing<String>> {
    let text = Share::from_vec(bytes.into_inner()).and_then(|share| share.to_text());
    text.map_err(|error| {
        Error::new(format!("the secret is too long for shares in text form: {error}")).hint("--binary has no limit")
    })
}

fn heading(header: &Header) -> String {
    let (index, count, threshold) = (header.index(), header.count(), header.threshold());
    format!(
        "# share {index} of {count}, set {}: any {threshold} of them restore the secret (sealane combine)\n",
        header.set().short()
    )
}

/// Returns a name such as `key.txt.5f0c91d2.2of5-need3.share.txt`.
fn file_name(stem: &str, header: &Header, form: Form) -> String {
    let (index, count, threshold) = (header.index(), header.count(), header.threshold());
    let width = count.to_string().len();
    let ending = match form {
        Form::Binary => "share",
        Form::Text => "share.txt",
    };
    format!("{stem}.{}.{index:0width$}of{count}-need{threshold}.{ending}", header.set().short())
}

/// Returns the name of the secret, from the name of a share's file, or "secret" if it is not there.
pub(crate) fn stem_of(path: Option<&Path>, header: &Header) -> String {
    let name = path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let mark = format!(".{}.", header.set().short());
    let stem = name.as_deref().and_then(|name| name.rsplit_once(&mark)).map(|(stem, _)| stem.to_owned());
    stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| "secret".to_owned())
}
