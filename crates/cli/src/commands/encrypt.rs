//! `sealane encrypt`, which is what age does without `-d`.

use std::io::{Read as _, Write as _};

use age::Recipient;
use sealane_age::Encryptor;
use sealane_age::armor::{ArmoredWriter, Format};
use zeroize::Zeroizing;

use super::check_same;
use crate::args::FileArgs;
use crate::error::{Error, Result};
use crate::failure::{encrypt_error, read_error};
use crate::identities::Identities;
use crate::input::Input;
use crate::output::{Content, Output};
use crate::passphrase::Passphrases;
use crate::progress::Progress;
use crate::recipients::Recipients;
use crate::scrypt;
use crate::stdin::StdinUse;

/// How much is read at a time: what the engine takes at a time.
const READ: usize = 256 << 10;

/// Encrypts.
pub(crate) fn run(args: &FileArgs) -> Result<()> {
    let backend = crate::backend()?;
    let stdin = StdinUse::default();
    let input = Input::open(args.input.as_deref(), &stdin)?;
    let content = if args.armor { Content::Text } else { Content::Binary };
    let mut output = Output::prepare(args.output.as_deref(), content, input.is_terminal)?;
    check_same(args, &input, &output)?;
    let quiet = output.is_terminal() || input.is_terminal;

    // Everything that can be wrong with recipients is found here, and nothing has been written yet.
    let encryptor = encryptor(args, &stdin)?.with_backend(backend);
    let (name, mut reader) = (input.name, input.reader);
    let mut progress = Progress::new(input.count, input.len, quiet);
    let format = if args.armor { Format::Armored } else { Format::Binary };
    let write_failed = |error| Error::from_io("cannot write", error);
    let mut writer = encryptor.wrap_output(ArmoredWriter::with_format(&mut output, format)).map_err(write_failed)?;
    let mut buffer = Zeroizing::new(vec![0; READ]);
    loop {
        let n = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(read_error(error, &name)),
        };
        writer.write_all(&buffer[..n]).map_err(write_failed)?;
        progress.tick();
    }
    drop(progress);
    writer.finish().and_then(ArmoredWriter::finish).map_err(write_failed)?;
    output.finish()
}

fn encryptor(args: &FileArgs, stdin: &StdinUse) -> Result<Encryptor> {
    let passphrases = Passphrases::new(stdin);
    let recipients: Vec<Box<dyn Recipient>> = if args.passphrase {
        vec![Box::new(scrypt::recipient(passphrases.to_encrypt()?.secret())?)]
    } else {
        let mut recipients = Recipients::default();
        for recipient in &args.recipients {
            recipients.add_argument(recipient)?;
        }
        for path in &args.recipients_files {
            recipients.add_file(path, stdin)?;
        }
        recipients.add_identities(Identities::load(&args.identities, stdin, &passphrases)?)?;
        recipients.build()?
    };
    Encryptor::with_recipients(recipients.iter().map(|recipient| &**recipient)).map_err(encrypt_error)
}
