//! Limits of the forms of shares.

use crate::support::Dir;

#[test]
fn a_file_that_is_too_long_for_a_form() {
    let dir = Dir::new();
    dir.write("big", vec![7; 65_537]);
    for (form, hint) in [("--vault", "any size"), ("--words", "1,024 bytes"), ("--ssss", "128 bytes")] {
        let run = dir.run(["split", form, "-k", "2", "-n", "3", "big"]).fails("is longer than 65536 bytes");
        let err = String::from_utf8(run.stderr).unwrap();
        assert!(err.contains(hint), "{err}");
    }
    dir.write("big", vec![7; 65_536]);
    dir.run(["split", "--vault", "-k", "2", "-n", "3", "big"]).ok();
}

/// The formats themselves allow some of these numbers.
#[test]
fn a_share_that_is_the_secret_and_more_shares_than_combine_takes_are_not_made() {
    let dir = Dir::new();
    dir.write("secret", [7; 32]);
    for (form, threshold, count, error) in [
        ("--words", "1", "1", "each share would be the secret itself"),
        ("--words", "1", "2", "each share would be the secret itself"),
        ("--words", "2", "17", "at most 16 shares"),
        ("--words", "3", "2", "3 shares would be needed, but there are only 2"),
        ("--ssss", "2", "256", "at most 255 shares"),
        ("--ssss", "300", "400", "at most 255 shares"),
    ] {
        dir.run(["split", form, "-k", threshold, "-n", count, "-o", "out", "secret"]).misused(error);
    }
    dir.run(["split", "--ssss", "-k", "2", "-n", "255", "-o", "out", "secret"]).ok();
}
