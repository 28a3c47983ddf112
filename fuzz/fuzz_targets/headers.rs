//! The headers of age files, armor, the texts of keys, and the manifests of folders: any input is
//! parsed or refused, and the parsed form is written again unchanged.
//!
//! Input that starts with a NUL byte describes stanzas, to write and parse. Other input is a file.
#![no_main]

use std::io::{Read, Write};

use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use sealane_age::armor::{ArmoredReader, ArmoredWriter};
use sealane_age::folder::Manifest;
use sealane_age::header::{Header, HeaderError, HeaderPrefix, MAX_STANZAS};
use sealane_age::key_file::{parse_identities, parse_recipients, parse_ssh_identity};
use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::threshold::{self, Label, Part};
use sealane_age::{DecryptError, Decryptor, Stanza, mlkem768x25519, x25519};
use sealane_fuzz::age_file::{AnyStanza, armored, file_key};
use sealane_fuzz::{Cuts, reached};

#[derive(Arbitrary, Debug)]
struct Case {
    stanzas: Vec<AnyStanza>,
    /// The tag and the arguments of one more stanza. They may be invalid.
    words: Vec<String>,
    rest: Vec<u8>,
    writes: Cuts,
}

fuzz_target!(|data: &[u8]| match data {
    [0, rest @ ..] => {
        if let Ok(case) = Case::arbitrary_take_rest(Unstructured::new(rest)) {
            written(case);
        }
    }
    _ => {
        header(data);
        armor(data);
        keys(data);
        manifest(data);
    }
});

fn written(case: Case) {
    let mut stanzas: Vec<Stanza> = case.stanzas.iter().take(6).map(AnyStanza::stanza).collect();
    if let Some((tag, args)) = case.words.split_first() {
        stanzas.push(Stanza { tag: tag.clone(), args: args.to_vec(), body: Vec::new() });
    }
    let Ok(header) = Header::new(stanzas, &file_key()) else { return };
    let mut file = header.encode();
    let length = file.len();
    file.extend_from_slice(&case.rest);
    assert_eq!(Header::parse(&file), Ok((header, length)));
    self::header(&file);

    let mut writer = ArmoredWriter::new(Vec::new());
    let text = case.writes.pieces(&mut file).into_iter().try_for_each(|piece| writer.write_all(piece));
    let text = text.and_then(|()| writer.finish()).expect("memory takes all");
    assert!(text == armored(&file, "\n"));
    assert_eq!(decoded(&text), Some(file));
    reached!("a written header");
}

/// Texts of keys: the parsed key is written again unchanged, except for the case of letters.
fn keys(text: &[u8]) {
    // Any text is parsed as a list of keys, or refused.
    if parse_identities(text).is_ok() {
        reached!("identities");
    }
    if parse_recipients(text).is_ok() {
        reached!("recipients");
    }
    if parse_ssh_identity(text, None).is_ok() {
        reached!("an ssh identity");
    }
    let Ok(text) = std::str::from_utf8(text) else { return };
    if let Ok(part) = text.parse::<Part>() {
        reached!("a part");
        assert!(part.to_text().expose_secret().eq_ignore_ascii_case(text));
    }
    if let Ok(identity) = text.parse::<mlkem768x25519::Identity>() {
        assert!(identity.to_text().expose_secret().eq_ignore_ascii_case(text));
    }
    if let Ok(recipient) = text.parse::<mlkem768x25519::Recipient>() {
        assert!(recipient.to_string().eq_ignore_ascii_case(text));
    }
    if let Ok(identity) = text.parse::<x25519::Identity>() {
        assert!(identity.to_text().expose_secret().eq_ignore_ascii_case(text));
    }
    if let Ok(recipient) = text.parse::<x25519::Recipient>() {
        assert!(recipient.to_string().eq_ignore_ascii_case(text));
    }
}

/// A manifest that was read is written and read again unchanged. JSON has several forms of a text,
/// so the written form may differ, and may be too long.
fn manifest(text: &[u8]) {
    let Ok(manifest) = Manifest::read(text) else { return };
    let mut written = Vec::new();
    if Manifest::write(&mut written, manifest.entries()).is_ok() {
        assert_eq!(Manifest::read(&*written).expect("it was written"), manifest);
        reached!("a manifest");
    }
}

/// Reads the header from memory and from a stream: the results are the same, and the parsed header
/// can be written again.
fn header(bytes: &[u8]) {
    let read = Decryptor::new(bytes);
    match (Header::parse_prefix(bytes), Header::parse(bytes)) {
        (Ok(HeaderPrefix::Complete { header, len }), Ok(parsed)) => {
            assert_eq!(header.encoded_len(), len);
            assert_eq!((header, len), parsed);
        }
        (Ok(HeaderPrefix::Incomplete { at_least }), Err(_)) => assert!(at_least > bytes.len()),
        (Err(error), Err(parsed)) => assert_eq!(error, parsed),
        (prefix, parsed) => panic!("{prefix:?}, {parsed:?}"),
    }
    match (Header::parse(bytes), read) {
        (Ok((header, length)), Ok(decryptor)) => {
            reached!("a header");
            share_sets(&header);
            assert!(header.encode() == bytes[..length]);
            assert_eq!(*decryptor.header(), header);
        }
        (Ok((header, length)), Err(error)) => {
            assert!(header.encode() == bytes[..length]);
            // The payload's nonce is missing.
            assert!(bytes.len() < length + 16 && matches!(error, DecryptError::Header(HeaderError::Truncated)));
        }
        (Err(error), Err(DecryptError::Header(read))) => assert_eq!(error, read),
        (parsed, read) => panic!("{parsed:?}, {read:?}"),
    }
}

/// Shares are parsed or refused. The header has a stanza for each share that its sets declare, and
/// inner stanzas count towards the limit.
fn share_sets(header: &Header) {
    let Ok(sets) = threshold::describe(header) else { return };
    let (mut shares, mut inner) = (0, 0);
    for set in &sets {
        reached!("a share set");
        assert!(2 <= set.threshold && set.threshold <= set.count && set.types.len() >= usize::from(set.count));
        let label = set.label.as_ref().map(|label| label.as_str());
        assert!(label.is_none_or(|label| label.parse::<Label>().is_ok()));
        shares += usize::from(set.count);
        inner += set.types.len();
    }
    let stanzas = header.stanzas().iter().filter(|stanza| stanza.tag == threshold::TYPE);
    // Stanzas of other versions are ignored.
    assert!(shares <= stanzas.count() && header.stanzas().len() + inner <= MAX_STANZAS);
}

fn armor(text: &[u8]) {
    let is_armored = ArmoredReader::new(text).is_armored();
    if matches!(is_armored, Ok(false)) {
        assert_eq!(decoded(text).as_deref(), Some(text));
        return;
    }
    let Some(bytes) = decoded(text) else { return };
    reached!("armored text");
    let canonical = armored(&bytes, "\n");
    assert_eq!(decoded(&canonical), Some(bytes));
    // Only the white space around the text and the kind of line ending may differ.
    let lines = |text: &[u8]| String::from_utf8_lossy(text).trim().replace("\r\n", "\n");
    assert_eq!(lines(text), lines(&canonical));
}

/// Decodes the text, in one call and in small pieces.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    let result = ArmoredReader::new(text).read_to_end(&mut whole);
    let mut reader = ArmoredReader::new(text);
    let (mut pieces, mut buffer) = (Vec::new(), [0; 7]);
    let by_pieces = loop {
        match reader.read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(bytes) => pieces.extend_from_slice(&buffer[..bytes]),
            Err(error) => break Err(error),
        }
    };
    assert_eq!((result.is_ok(), &whole), (by_pieces.is_ok(), &pieces));
    result.is_ok().then_some(whole)
}
