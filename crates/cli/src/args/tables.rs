//! Tables that the help and the manual have: environment variables, exit statuses and files.

/// Environment variables with their effects.
pub(crate) const ENVIRONMENT: &[(&str, &str)] = &[
    ("AGE_PASSPHRASE", "the passphrase, instead of a question at the terminal"),
    ("AGE_PASSPHRASE_FD", "the number of a file descriptor to read the passphrase from"),
    ("AGE_PASSPHRASE_WORK_FACTOR", "the work factor for new passphrase files, 1 to 30 (default: 18)"),
    ("AGE_PASSPHRASE_MAX_WORK_FACTOR", "the largest work factor to accept, 1 to 30 (default: 22)"),
    ("PINENTRY_PROGRAM", "the pinentry program that asks for passphrases"),
    ("SEALANE_BACKEND", "the backend for encryption and decryption (see sealane cpu)"),
    ("SEALANE_IDENTITY", "the identity file for commands that open files, without -i and -j"),
    ("SEALANE_CPU_CLASS", "the class of CPUs to tune for: one-cycle, half-width or two-cycles"),
    ("TMPDIR", "the folder for temporary files"),
    ("XDG_CONFIG_HOME", "the folder of sealane/identity.txt, instead of ~/.config"),
];

/// Exit statuses with their meanings.
pub(crate) const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "complete success"),
    ("1", "a failure: the file, the key or the system"),
    ("2", "an error in the command line"),
];

/// Files that the command writes or reads.
pub(crate) const FILES: &[(&str, &str)] = &[
    (
        "age-plugin-NAME",
        "a plugin, looked for in PATH, for recipients and identities that begin with age1NAME1 and AGE-PLUGIN-NAME-",
    ),
    ("~/.config/sealane/identity.txt", "the identity file if there is no -i, -j or SEALANE_IDENTITY"),
    ("DIR/sealane-manifest.age", "the encrypted list of the files in an encrypted folder"),
    ("DIR/.sealane-resume", "the finished work of an interrupted run, for --resume"),
    ("OUTPUT.missing.json", "the ranges that --salvage did not find"),
    (".NAME.sealane-old-header", "the old header of the file NAME while sealane rekey replaces it"),
    (".sealane-*.tmp", "an unfinished result"),
];

/// Returns a list with a title.
pub(super) fn table(title: &str, rows: &[(&str, &str)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let rows: String = rows.iter().map(|(name, what)| format!("  {name:<width$}  {what}\n")).collect();
    format!("{title}:\n{rows}")
}
