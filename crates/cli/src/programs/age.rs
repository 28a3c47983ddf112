//! The program `age`.

use std::ffi::OsString;
use std::path::PathBuf;

use super::flags::{Flag, switch, value};
use super::{Stop, parse};
use crate::args::{
    AgeArgs, ArmorArgs, IdentityArgs, IdentitySource, KeyArgs, OpeningArgs, OutputArgs, RecipientArgs, SealingArgs,
};

const USAGE: &str = "\
Usage:
    age [--encrypt] (-r RECIPIENT | -R PATH)... [--armor] [-o OUTPUT] [INPUT]
    age [--encrypt] --passphrase [--armor] [-o OUTPUT] [INPUT]
    age --decrypt [-i PATH]... [-o OUTPUT] [INPUT]

Options:
    -e, --encrypt               Encrypt INPUT to OUTPUT (the default).
    -d, --decrypt               Decrypt INPUT to OUTPUT.
    -o, --output OUTPUT         Write to the file OUTPUT, replacing it on success.
    -a, --armor                 Encrypt to text (armor).
    -p, --passphrase            Encrypt with a passphrase.
    -r, --recipient RECIPIENT   Encrypt to RECIPIENT: age1..., ssh-ed25519 ..., ssh-rsa ... (repeatable).
    -R, --recipients-file PATH  Encrypt to the recipients listed in the file PATH (repeatable).
    -i, --identity PATH         Use the identity file PATH; with -e, encrypt to its recipients (repeatable).
    -j PLUGIN                   Use the plugin age-plugin-PLUGIN without an identity file (repeatable).
    --version                   Print the version.

INPUT is standard input and OUTPUT standard output if they are left out or \"-\". Flags come before INPUT.
This is sealane under the name of age; sealane itself does more: sealane --help.
";

const FLAGS: &[Flag] = &[
    switch(&["version"]),
    switch(&["d", "decrypt"]),
    switch(&["e", "encrypt"]),
    switch(&["p", "passphrase"]),
    switch(&["a", "armor"]),
    value(&["o", "output"]),
    value(&["r", "recipient"]),
    value(&["R", "recipients-file"]),
    value(&["i", "identity"]),
    value(&["j"]),
];

/// Runs `age`.
pub(super) fn run(args: Vec<OsString>) -> Result<(), Stop> {
    if args.is_empty() {
        return Err(Stop::Usage { fault: None, usage: USAGE, status: 1 });
    }
    let flags = parse(args, FLAGS, USAGE)?;
    let text = |value: &OsString| value.to_string_lossy().into_owned();
    let identity = |(name, value): (&str, &OsString)| match name {
        "i" => Some(IdentitySource::File(value.into())),
        "j" => Some(IdentitySource::Plugin(text(value))),
        _ => None,
    };
    let recipients = RecipientArgs {
        recipients: flags.all("r").map(text).collect(),
        recipients_files: flags.all("R").map(PathBuf::from).collect(),
        passphrase: flags.is_set("p"),
        ..RecipientArgs::default()
    };
    let sealing = SealingArgs {
        output: OutputArgs { output: flags.last("o").map(PathBuf::from) },
        armor: ArmorArgs { armor: flags.is_set("a") },
        recipients,
    };
    let identities = IdentityArgs { given: flags.in_order().filter_map(identity).collect(), default: None };
    let keys = KeyArgs { identities, ..KeyArgs::default() };
    let opening = OpeningArgs { keys, ..OpeningArgs::default() };
    let args = AgeArgs { encrypt: flags.is_set("e"), decrypt: flags.is_set("d"), sealing, opening };
    Ok(crate::commands::run(args.action_of_age(flags.rest)?)?)
}
