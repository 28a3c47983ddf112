//! A share in Sealane's own format, and the place where it was found.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::rc::Rc;

use sealane_shares::{Header, ShareError, ShareReader};
use zeroize::Zeroizing;

use super::failure::share_error;
use super::form::Form;
use super::pasted::Notes;
use super::place::Place;
use crate::error::Result;
use crate::io::progress::Watched;

/// The bytes of a share, which can be read again.
pub(crate) enum Source {
    File(Watched<File>),
    /// The contents of an input that cannot be read twice.
    Memory(Cursor<Zeroizing<Vec<u8>>>),
    /// A share in text form, decoded.
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

/// A share in Sealane's own format, which can be read again.
pub(crate) struct NamedShare {
    pub(crate) place: Place,
    /// The file of the share, if it has one.
    pub(crate) path: Option<PathBuf>,
    pub(crate) form: Form,
    pub(crate) header: Header,
    /// The comments in its file.
    pub(crate) notes: Rc<Notes>,
    source: Source,
}

impl NamedShare {
    /// Reads the header of the share.
    pub(super) fn new(place: Place, path: Option<PathBuf>, notes: Rc<Notes>, mut source: Source) -> Result<Self> {
        let form = if matches!(source, Source::Text(_)) { Form::Text } else { Form::Binary };
        let header = ShareReader::new(&mut source).map(|reader| reader.header().clone());
        let header = header.map_err(|error| share_error(&error, &place))?;
        Ok(Self { place, path, form, header, notes, source })
    }

    /// Returns a reader of the share, at its start. It is an error if the header has changed.
    pub(crate) fn reader(&mut self) -> Result<ShareReader<&mut Source>> {
        let rewound = self.source.rewind().map_err(ShareError::Io);
        let reader = rewound
            .and_then(|()| ShareReader::new(&mut self.source))
            .and_then(|reader| if *reader.header() == self.header { Ok(reader) } else { Err(ShareError::Changed) });
        let reader = reader.map_err(|error| share_error(&error, &self.place))?;
        Ok(reader.from_source(self.place.file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All headers are valid, and each has other parameters.
    #[test]
    fn a_header_that_changes_before_the_share_is_read_is_named() {
        let share = |threshold, count| sealane_shares::split(b"secret", threshold, count).unwrap().remove(0);
        let source =
            |share: &sealane_shares::Share| Source::Memory(Cursor::new(Zeroizing::new(share.as_bytes().to_vec())));
        let place = Place { file: 0, name: "a".to_owned(), line: None };
        let first = share(2, 3);
        let mut named = NamedShare::new(place, None, Rc::default(), source(&first)).unwrap();
        for other in [share(2, 3), share(2, 4), share(3, 3)] {
            named.source = source(&other);
            let Err(error) = named.reader() else { panic!("it was read") };
            assert_eq!(error.to_string(), "\"a\": the share has changed while it was used");
        }
        named.source = source(&first);
        assert!(named.reader().is_ok());
    }
}
