//! Exchanges shares, both ways, with ssss, the Python package shamir-mnemonic, and Vault's Go
//! package.
//!
//! `xtask/interop` prepares the programs and runs these tests. SSSS_SPLIT and SSSS_COMBINE
//! name ssss, SLIP39_PYTHON names a Python interpreter with shamir-mnemonic, and VAULT_SHAMIR the
//! program in tests/vault. A missing program is a failure.

use std::io::Write;
use std::process::{Command, Stdio};

use sealane_shares::slip39::{self, Group, Mnemonic};
use sealane_shares::ssss::{self, Options, SsssShare};
use sealane_shares::vault::{self, VaultShare};

fn program(variable: &str) -> Command {
    let path = std::env::var_os(variable);
    Command::new(path.unwrap_or_else(|| panic!("{variable} is not set: run `xtask/interop`")))
}

/// Returns what a program prints on both streams for this input.
fn run(command: &mut Command, input: &str) -> String {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let errors = text(output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    text(output.stdout) + &errors
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Returns a secret with zeros at both ends, where they are easily lost.
fn secret(length: usize) -> Vec<u8> {
    let mut secret: Vec<u8> = (0..length).map(|at| (at * 151 + 77) as u8).collect();
    if length > 2 {
        secret[0] = 0;
        secret[length - 1] = 0;
    }
    secret
}

#[test]
fn ssss_in_every_field() {
    for length in 1..=ssss::MAX_SECRET_BYTES {
        let secret = secret(length);
        let diffusion = length % 3 != 0;
        let flags: &[&str] = if diffusion { &[] } else { &["-D"] };
        let (threshold, count) = (2 + length % 4, 5 + length % 7);

        let level = (length * 8).to_string();
        let mut split = program("SSSS_SPLIT");
        let split = split.args(["-x", "-Q", "-s", &level, "-t", &threshold.to_string(), "-n", &count.to_string()]);
        let lines = run(split.args(flags), &hex(&secret));
        let foreign_shares: Vec<SsssShare> = lines
            .lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
            .map(|line| SsssShare::parse(line).unwrap())
            .collect();
        assert_eq!(foreign_shares.len(), count, "{lines}");
        assert_eq!(ssss::combine(&foreign_shares, threshold, diffusion).unwrap()[..], secret[..], "{length} bytes");
        let last = &foreign_shares[count - threshold..];
        assert_eq!(ssss::combine(last, threshold, diffusion).unwrap()[..], secret[..], "{length} bytes");

        let token = (length % 2 == 0).then_some("token");
        let shares =
            ssss::split(&secret, threshold, count, Options::default().with_diffusion(diffusion).with_token(token))
                .unwrap();
        let input: String =
            shares[count - threshold..].iter().map(|share| format!("{}\n", &*share.to_line(count))).collect();
        let mut combine = program("SSSS_COMBINE");
        let combine = combine.args(["-x", "-Q", "-t", &threshold.to_string()]).args(flags);
        let output = run(combine, &input);
        let found = output.lines().any(|line| line.trim_end().ends_with(&hex(&secret)));
        assert!(found, "{length} bytes: {output}");
    }
}

#[test]
fn slip39_both_ways() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/slip39.py");
    let shapes: [(usize, &[(usize, usize)]); 5] = [
        (1, &[(1, 1)]),
        (1, &[(2, 3)]),
        (1, &[(16, 16)]),
        (2, &[(1, 1), (3, 5), (2, 2)]),
        (3, &[(2, 3), (2, 3), (3, 3)]),
    ];
    for (at, (group_threshold, groups)) in shapes.into_iter().enumerate() {
        for (length, passphrase, extendable) in [(16, "", true), (32, "TREZOR", false), (64, "pass word ~!", true)] {
            let secret = secret(length);
            let exponent = at as u8 % 2;
            let list: Vec<String> = groups.iter().map(|(k, n)| format!("{k}/{n}")).collect();
            let mut split = program("SLIP39_PYTHON");
            let split = split.args([script, "split", &group_threshold.to_string(), &list.join(","), &hex(&secret)]);
            let lines = run(split.args([passphrase, &extendable.to_string(), &exponent.to_string()]), "");
            let mnemonics: Vec<Mnemonic> =
                lines.lines().filter(|line| *line != "-").map(|line| Mnemonic::parse(line).unwrap()).collect();
            let recovered = slip39::combine(&mnemonics, passphrase.as_bytes()).unwrap();
            assert_eq!(recovered.secret[..], secret[..]);
            assert_eq!(mnemonics[0].extendable(), extendable);

            let described: Vec<Group> = groups.iter().map(|&(threshold, count)| Group::new(threshold, count)).collect();
            let options = slip39::Options::default().with_extendable(extendable).with_iteration_exponent(exponent);
            let shares =
                slip39::split_groups(&secret, passphrase.as_bytes(), group_threshold, &described, options).unwrap();
            // The package accepts neither more groups nor more members than needed.
            let input: String = shares
                .iter()
                .zip(groups)
                .rev()
                .take(group_threshold)
                .flat_map(|(members, &(threshold, count))| &members[count - threshold..])
                .map(|mnemonic| format!("{}\n", &*mnemonic.to_words()))
                .collect();
            let output = run(program("SLIP39_PYTHON").args([script, "combine", passphrase]), &input);
            assert_eq!(unhex(output.trim()), secret);
        }
    }
}

#[test]
fn vault_both_ways() {
    for (length, threshold, count) in [(1, 2, 2), (16, 3, 5), (32, 5, 5), (33, 2, 255), (1000, 10, 20)] {
        let secret = secret(length);
        let arguments = ["split", &count.to_string(), &threshold.to_string(), &hex(&secret)];
        let lines = run(program("VAULT_SHAMIR").args(arguments), "");
        let foreign_shares: Vec<VaultShare> = lines.lines().map(|line| VaultShare::parse(line).unwrap()).collect();
        assert_eq!(foreign_shares.len(), count);
        assert_eq!(vault::combine(&foreign_shares, Some(threshold)).unwrap()[..], secret[..]);
        assert_eq!(vault::combine(&foreign_shares[..threshold], None).unwrap()[..], secret[..]);

        let shares = vault::split(&secret, threshold, count).unwrap();
        let hexes: Vec<String> = shares[count - threshold..].iter().map(|share| share.to_hex().to_string()).collect();
        let output = run(program("VAULT_SHAMIR").arg("combine").args(&hexes), "");
        assert_eq!(unhex(output.trim()), secret);
    }
}
