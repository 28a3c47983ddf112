//! `sealane decrypt`, which is `age -d`.

use std::io::{BufRead as _, Read, Write as _};

use age::Identity;
use sealane_age::armor::ArmoredReader;
use sealane_age::{DecryptError, Decryptor, StreamReader};

use super::check_same;
use crate::args::FileArgs;
use crate::error::{Error, Result};
use crate::failure::{decrypt_error, payload_error};
use crate::identities::Identities;
use crate::input::Input;
use crate::output::{Content, Output};
use crate::passphrase::Passphrases;
use crate::progress::Progress;
use crate::scrypt::PassphraseIdentity;
use crate::stdin::StdinUse;

/// Decrypts.
pub(crate) fn run(args: &FileArgs) -> Result<()> {
    let backend = crate::backend()?;
    let stdin = StdinUse::default();
    let mut input = Input::open(args.input.as_deref(), &stdin)?;
    let mut output = Output::prepare(args.output.as_deref(), Content::Plaintext, input.is_terminal)?;
    check_same(args, &input, &output)?;
    let quiet = output.is_terminal() || input.is_terminal;
    let passphrases = Passphrases::new(&stdin);
    let identities = Identities::load(&args.identities, &stdin, &passphrases)?;
    if input.is_terminal {
        input.take_pasted_armor()?;
    }
    input.refuse_mangled()?;

    // Whatever is wrong with the header or the identities is found here, and nothing has been written yet.
    let reader = ArmoredReader::new(input.reader);
    let decryptor = Decryptor::new(reader).map_err(decrypt_error)?.with_backend(backend);
    let mut reader = open(decryptor, args, identities, passphrases, &input.name)?;

    let progress = Progress::new(input.count, input.len, quiet);
    let copied = copy(&mut reader, &mut output, progress, &input.name);
    drop(reader);
    match copied {
        Ok(()) => output.finish(),
        Err(error) => {
            output.abandon();
            Err(error)
        }
    }
}

fn open<R: Read>(
    decryptor: Decryptor<R>,
    args: &FileArgs,
    identities: Identities,
    passphrases: Passphrases,
    name: &str,
) -> Result<StreamReader<R>> {
    let with_passphrase = decryptor.is_scrypt();
    if args.identities.is_empty() {
        if !with_passphrase {
            return Err(Error::new("the file is not encrypted with a passphrase: it takes an identity to open it")
                .hint("give the private key of one of its recipients with -i, or a plugin with -j"));
        }
        let identity = PassphraseIdentity::new(name, passphrases);
        // How hard the passphrase may be is the identity's business.
        return decryptor.with_max_work_factor(u8::MAX).decrypt([&identity as &dyn Identity]).map_err(decrypt_error);
    }
    // A passphrase file with -i: only a plugin could open it; an encrypted identity file must not be asked for in vain.
    let identities = identities.into_openers(with_passphrase);
    decryptor.decrypt(identities.iter().map(|identity| &**identity)).map_err(|error| match error {
        DecryptError::NoMatch if with_passphrase => {
            Error::new("the file is encrypted with a passphrase, and identities were given")
                .hint("leave -i and -j out to open it with its passphrase")
        }
        error => decrypt_error(error),
    })
}

/// Copies what is authenticated, as it is authenticated.
fn copy<R: Read>(reader: &mut StreamReader<R>, output: &mut Output, mut progress: Progress, name: &str) -> Result<()> {
    loop {
        let plaintext = match reader.fill_buf() {
            Ok([]) => return Ok(()),
            Ok(plaintext) => plaintext,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(payload_error(error, name)),
        };
        let n = plaintext.len();
        output.write_all(plaintext).map_err(|error| Error::from_io("cannot write", error))?;
        reader.consume(n);
        progress.tick();
    }
}
