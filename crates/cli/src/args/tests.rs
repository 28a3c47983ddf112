use std::path::{Path, PathBuf};

use super::*;

fn parsed(line: &str) -> Result<Action> {
    parse(line.split_whitespace().map(OsString::from))
}

fn encrypt(line: &str) -> EncryptArgs {
    match parsed(line) {
        Ok(Action::Encrypt(args)) => args,
        other => panic!("{line}: {other:?}"),
    }
}

fn decrypt(line: &str) -> DecryptArgs {
    match parsed(line) {
        Ok(Action::Decrypt(args)) => args,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn the_definitions_are_consistent() {
    whole_command().debug_assert();
    completion_command().debug_assert();
    for subcommand in SUBCOMMANDS {
        subcommand.command().debug_assert();
        assert_eq!(subcommand.command().get_name(), subcommand.name);
        assert!(subcommand.command().get_about().unwrap().to_string().len() <= 65, "{}", subcommand.name);
    }
}

#[test]
fn a_subcommand_counts_only_as_the_first_argument() {
    assert_eq!(decrypt("-d -i k encrypt").opening.inputs.file(), Some(Path::new("encrypt")));
    assert_eq!(encrypt("-r age1x decrypt").inputs.file(), Some(Path::new("decrypt")));
    assert_eq!(encrypt("-p keygen").inputs.file(), Some(Path::new("keygen")));
    assert_eq!(encrypt("-p bench").inputs.file(), Some(Path::new("bench")));
    assert_eq!(decrypt("-d -i k bench").opening.inputs.file(), Some(Path::new("bench")));
    assert!(matches!(parsed("bench"), Ok(Action::Bench(_))));
    assert_eq!(encrypt("./bench -p").inputs.file(), Some(Path::new("./bench")));
    assert_eq!(encrypt("encrypt -p encrypt").inputs.file(), Some(Path::new("encrypt")));
    assert_eq!(encrypt("encrypt -i key").identities.given.len(), 1, "the subcommand is as explicit as -e");
    assert_eq!(encrypt("-o decrypt -p").sealing.output.path(), Some(Path::new("decrypt")));
}

#[test]
fn flags_in_any_order_and_repeated() {
    let args = encrypt("in -r a -R f --recipient=b -a -o out -r c");
    assert_eq!(args.sealing.recipients.recipients, ["a", "b", "c"]);
    assert_eq!(args.sealing.recipients.recipients_files, [PathBuf::from("f")]);
    assert_eq!(args.inputs.file(), Some(Path::new("in")));
    assert!(args.sealing.armor.armor);
    assert_eq!(encrypt("-p -").inputs.file(), None);
    assert_eq!(encrypt("-p").inputs.file(), None);
}

#[test]
fn threads_and_ranges() {
    assert_eq!(encrypt("-p -t 3 in").threads.threads().get(), 3);
    assert_eq!(decrypt("-d -threads=7 in").opening.threads.threads().get(), 7);
    assert!(decrypt("-d in").opening.threads.threads().get() >= 1);
    assert_eq!(decrypt("-d --range 5:7 in").opening.decryption.range, Some(PlaintextRange::From(5, Some(7))));
    assert_eq!(decrypt("decrypt --range=-7 in").opening.decryption.range, Some(PlaintextRange::Last(7)));
    assert_eq!(decrypt("-d -range -7 in").opening.decryption.range, Some(PlaintextRange::Last(7)));
}

#[test]
fn identities_keep_their_order() {
    let file = |name: &str| IdentitySource::File(name.into());
    let plugin = |name: &str| IdentitySource::Plugin(name.into());
    let args = decrypt("-d -j agent -i a -identity b --j=card -i c in");
    assert_eq!(args.opening.keys.identities.given, [plugin("agent"), file("a"), file("b"), plugin("card"), file("c")]);
}

#[test]
fn command_lines_that_age_refuses() {
    for line in [
        "-d -e in",
        "-d -a in",
        "-d -p in",
        "-d -r age1x in",
        "-d -R f in",
        "-i key in",
        "-j plugin in",
        "in",
        "-a in",
        "-p -r age1x in",
        "-p -R f in",
        "-e -p -i key in",
        "-e -p -j x in",
        "-r age1x in1 in2",
        "decrypt -e in",
        "encrypt -d in",
        "encrypt -e -r age1x in",
        "decrypt -r age1x in",
        "--unknown",
        "-r",
        "cpu x",
        "inspect a -",
        "completions",
        "completions tcsh",
        "man x",
        "-r age1x --range 1:2 in",
        "-d --range 1 in",
        "-d --range in",
        "-d -t 0 in",
        "-d -t x in",
        "bench x",
        "bench -p",
        "bench --sizes 0",
        "bench --time-per-cell 0",
        "",
    ] {
        let error = parsed(line).expect_err(line);
        assert!(format!("{error:?}").contains("Usage"), "{line}: {error:?}");
        assert!(format!("{error:?}").contains("hint: Some"), "{line}: {error:?}");
    }
}

#[test]
fn help_and_version_are_printed() {
    for line in
        ["--help", "-h", "-help", "help", "help encrypt", "decrypt --help", "help bench", "--version", "-version"]
    {
        assert!(matches!(parsed(line), Ok(Action::Print(_))), "{line}");
    }
}
