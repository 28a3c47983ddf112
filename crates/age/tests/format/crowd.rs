//! Headers with very many stanzas are opened or rejected quickly, and in little memory.

use std::cell::Cell;
use std::io::{self, Read};
use std::mem::size_of;
use std::rc::Rc;
use std::time::{Duration, Instant};

use sealane_age::header::{Header, HeaderError, LineFault, MAX_ARGUMENTS, MAX_HEADER_BYTES, MAX_STANZAS};
use sealane_age::{
    DecryptError, Decryptor, EncryptError, Encryptor, FileKey, Identity, Recipient, Stanza, WrapError, Wrapped,
};

use crate::support::{backend, drain, identity, one_line};

/// The limit is long because emulators run this too. It notices only time that is quadratic in the
/// number of bytes.
const LIMIT: Duration = Duration::from_secs(60);

/// The most that a reader reads after the byte that shows an error, in bytes.
const READ_AHEAD: usize = 4096;

/// Many stanzas that match no identity of this test, and one for [`identity`].
struct Crowd {
    stanza: fn() -> Stanza,
    count: usize,
    /// Whether the stanza for [`identity`] comes before the others.
    identity_first: bool,
}

impl Recipient for Crowd {
    fn wrap_file_key(&self, key: &FileKey) -> Result<Wrapped, WrapError> {
        let mut wrapped = identity().to_public().wrap_file_key(key)?;
        let place = if self.identity_first { wrapped.stanzas.len() } else { 0 };
        wrapped.stanzas.splice(place..place, (0..self.count).map(|_| (self.stanza)()));
        Ok(wrapped)
    }
}

fn short() -> Stanza {
    Stanza { tag: "a".into(), args: vec![], body: vec![] }
}

/// Returns a stanza of a type that an identity has to try.
fn x25519() -> Stanza {
    let share = "CJM36AHmTbdHSuOQL+NESqyVQE75f2e610iRdLPEN20";
    Stanza { tag: "X25519".into(), args: vec![share.into()], body: vec![7; 32] }
}

/// Returns the memory that a header takes, in bytes.
fn memory(header: &Header) -> usize {
    let text = |text: &String| size_of::<String>() + text.capacity();
    let stanza = |s: &Stanza| {
        // The vector has room for arguments that are not there.
        let spare = (s.args.capacity() - s.args.len()) * size_of::<String>();
        size_of::<Stanza>() + s.tag.capacity() + s.args.iter().map(text).sum::<usize>() + spare + s.body.capacity()
    };
    header.stanzas().iter().map(stanza).sum()
}

/// Returns a stanza of the length of one for a post-quantum recipient.
fn post_quantum() -> Stanza {
    let share = "Sealane/".repeat(186) + "AAAAAA";
    Stanza { tag: "mlkem768x25519".into(), args: vec![share], body: vec![7; 32] }
}

/// Returns a stanza with as many arguments as are allowed.
fn arguments() -> Stanza {
    Stanza { tag: "a".into(), args: vec!["a".into(); MAX_ARGUMENTS], body: vec![] }
}

fn opens_quickly(stanza: fn() -> Stanza, count: usize, identity_first: bool) {
    let crowd = Crowd { stanza, count, identity_first };
    let encryptor = Encryptor::with_recipients([&crowd as &dyn Recipient]).unwrap().with_backend(backend());
    let file = encryptor.encrypt_to_vec(b"for one of many").unwrap();

    let start = Instant::now();
    let decryptor = Decryptor::new(&file[..]).unwrap();
    assert_eq!(decryptor.header().stanzas().len(), count + 1);
    let (memory, len) = (memory(decryptor.header()), decryptor.header().encode().len());
    assert!(len <= MAX_HEADER_BYTES && memory < 30 * len, "{memory} bytes of memory for {len} of the file");
    let (opened, error) = drain(&mut decryptor.decrypt([identity() as &dyn Identity]).unwrap());
    assert!(error.is_none() && opened == b"for one of many");
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());

    let stranger = sealane_age::x25519::Identity::generate().unwrap();
    let error = sealane_age::decrypt([&stranger as &dyn Identity], &file).unwrap_err();
    assert!(matches!(error, DecryptError::NoMatch));
    assert!(start.elapsed() < 2 * LIMIT, "{:?}", start.elapsed());
}

/// The headers have as many stanzas as are allowed.
#[test]
fn a_thousand_stanzas_are_opened() {
    for identity_first in [true, false] {
        opens_quickly(short, MAX_STANZAS - 1, identity_first);
    }
}

#[test]
fn a_thousand_stanzas_that_have_to_be_tried_are_opened() {
    opens_quickly(x25519, MAX_STANZAS - 1, false);
}

#[test]
fn a_thousand_post_quantum_stanzas_are_opened() {
    opens_quickly(post_quantum, MAX_STANZAS - 1, false);
}

#[test]
fn stanzas_have_at_most_128_arguments() {
    opens_quickly(arguments, MAX_STANZAS - 1, false);
    let mut stanza = arguments();
    assert!(stanza.is_well_formed());
    stanza.args.push("a".into());
    assert!(!stanza.is_well_formed());
    let file_key = FileKey::new(Box::new([7; 16]));
    assert_eq!(Header::new(vec![stanza], &file_key), Err(HeaderError::InvalidStanza));
    let text = String::from_utf8(Header::new(vec![arguments()], &file_key).unwrap().encode()).unwrap();
    let error = Header::parse(text.replacen(" a", " a a", 1).as_bytes()).unwrap_err();
    assert_eq!(error, HeaderError::Malformed { line: 2, fault: LineFault::TooManyArguments });
}

/// Writers and readers accept 1,024 stanzas and refuse 1,025.
#[test]
fn one_stanza_more_than_a_header_may_have() {
    let crowd = |count| Crowd { stanza: short, count, identity_first: false };
    let largest = crowd(MAX_STANZAS - 1);
    let encryptor = Encryptor::with_recipients([&largest as &dyn Recipient]).unwrap();
    let text = String::from_utf8(encryptor.header().encode()).unwrap();
    assert_eq!(Header::parse(text.as_bytes()).unwrap().0.stanzas().len(), 1024);
    let more = text.replacen("-> a\n\n", "-> a\n\n-> a\n\n", 1);
    assert_eq!(Header::parse(more.as_bytes()).unwrap_err(), HeaderError::TooManyStanzas);
    let larger = crowd(MAX_STANZAS);
    let error = Encryptor::with_recipients([&larger as &dyn Recipient]).unwrap_err();
    assert!(matches!(error, EncryptError::Header(HeaderError::TooManyStanzas)), "{error:?}");
    one_line(&error);
}

/// Counts the bytes that are read.
struct Counted<R>(R, Rc<Cell<usize>>);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(out)?;
        self.1.set(self.1.get() + n);
        Ok(n)
    }
}

#[test]
fn more_than_a_header_may_have_is_refused_before_it_is_read() {
    let stanza = "-> X25519 CJM36AHmTbdHSuOQL+NESqyVQE75f2e610iRdLPEN20\nC3ZAeY64NXS4QFrksLm3EGz+uPRyI0eQsWw7LWbbYig\n";
    let long = ["-> a\n".to_owned(), format!("{}\n", "A".repeat(64)).repeat(40_000)].concat();
    let end = "--- fgMiVLJHMlg9fW7CVG/hPS5EAU4Zeg19LyCP7SoH5nA\n";
    let short = "-> a\n\n";
    for (stanzas, most, expected) in [
        (stanza.repeat(100_000), (MAX_STANZAS + 1) * stanza.len(), HeaderError::TooManyStanzas),
        (short.repeat(400_000), (MAX_STANZAS + 1) * short.len(), HeaderError::TooManyStanzas),
        (long, MAX_HEADER_BYTES, HeaderError::TooLong),
    ] {
        let file = ["age-encryption.org/v1\n", &stanzas, end, &"x".repeat(32)].concat();
        assert!(file.len() > MAX_HEADER_BYTES);
        let start = Instant::now();
        let read = Rc::new(Cell::new(0));
        match Decryptor::new(Counted(file.as_bytes(), read.clone())).unwrap_err() {
            DecryptError::Header(error) => assert_eq!(error, expected),
            error => panic!("{error:?}"),
        }
        one_line(&expected);
        assert!(read.get() <= most + READ_AHEAD, "{} of {most}", read.get());
        let error = sealane_age::decrypt([identity() as &dyn Identity], file.as_bytes()).unwrap_err();
        assert!(matches!(error, DecryptError::Header(found) if found == expected));
        assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    }
}

/// A header with few stanzas that is too long in bytes.
#[test]
fn a_header_that_would_be_too_long_is_not_made() {
    let long = || Stanza { tag: "a".into(), args: vec![], body: vec![7; 2 << 10] };
    let crowd = Crowd { stanza: long, count: 1000, identity_first: false };
    let error = Encryptor::with_recipients([&crowd as &dyn Recipient]).unwrap_err();
    assert!(matches!(error, EncryptError::Header(HeaderError::TooLong)), "{error:?}");
    one_line(&error);
}

#[test]
fn recipients_are_not_asked_when_there_have_been_too_many() {
    let recipient = identity().to_public();
    let error = Encryptor::with_recipients(std::iter::repeat(&recipient as &dyn Recipient)).unwrap_err();
    assert!(matches!(error, EncryptError::Header(HeaderError::TooManyStanzas)), "{error:?}");
}
