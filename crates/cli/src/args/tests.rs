use std::path::PathBuf;

use super::*;

fn parsed(line: &str) -> Result<Action> {
    parse(line.split_whitespace().map(OsString::from))
}

fn encrypt(line: &str) -> FileArgs {
    match parsed(line) {
        Ok(Action::Encrypt(args)) => args,
        other => panic!("{line}: {other:?}"),
    }
}

fn decrypt(line: &str) -> FileArgs {
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
    assert_eq!(decrypt("-d -i k encrypt").input, Some("encrypt".into()));
    assert_eq!(encrypt("-r age1x decrypt").input, Some("decrypt".into()));
    assert_eq!(encrypt("-p keygen").input, Some("keygen".into()));
    assert_eq!(encrypt("-p bench").input, Some("bench".into()));
    assert_eq!(decrypt("-d -i k bench").input, Some("bench".into()));
    assert!(matches!(parsed("bench"), Ok(Action::Bench(_))));
    assert_eq!(encrypt("./bench -p").input, Some("./bench".into()));
    assert_eq!(encrypt("encrypt -p encrypt").input, Some("encrypt".into()));
    assert!(encrypt("encrypt -i key").encrypt, "the subcommand is as explicit as -e");
    assert_eq!(encrypt("-o decrypt -p").output, Some("decrypt".into()));
}

#[test]
fn flags_in_any_order_and_repeated() {
    let args = encrypt("in -r a -R f --recipient=b -a -o out -r c");
    assert_eq!(args.recipients, ["a", "b", "c"]);
    assert_eq!(args.recipients_files, [PathBuf::from("f")]);
    assert_eq!(args.input, Some("in".into()));
    assert!(args.armor);
    assert_eq!(encrypt("-p -").input, None);
    assert_eq!(encrypt("-p").input, None);
}

#[test]
fn threads_and_ranges() {
    assert_eq!(encrypt("-p -t 3 in").threads().get(), 3);
    assert_eq!(decrypt("-d -threads=7 in").threads().get(), 7);
    assert!(decrypt("-d in").threads().get() >= 1);
    assert_eq!(decrypt("-d --range 5:7 in").range, Some(PlaintextRange::From(5, Some(7))));
    assert_eq!(decrypt("decrypt --range=-7 in").range, Some(PlaintextRange::Last(7)));
    assert_eq!(decrypt("-d -range -7 in").range, Some(PlaintextRange::Last(7)));
}

#[test]
fn identities_keep_their_order() {
    let file = |name: &str| IdentitySource::File(name.into());
    let plugin = |name: &str| IdentitySource::Plugin(name.into());
    let args = decrypt("-d -j agent -i a -identity b --j=card -i c in");
    assert_eq!(args.identities, [plugin("agent"), file("a"), file("b"), plugin("card"), file("c")]);
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
