//! Completions and the manual.

use std::collections::BTreeSet;

use crate::support::{Dir, finish};

#[test]
fn completions_for_every_shell() {
    let dir = Dir::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = dir.run(["completions", shell]).quiet();
        let script = String::from_utf8(script.stdout).unwrap();
        for word in ["sealane", "keygen", "recipients-file", "reissue", "range"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    dir.run(["completions"]).misused("");
    dir.run(["completions", "tcsh"]).misused("tcsh");
}

/// bash accepts the script, and completes with it.
#[test]
fn bash_completes() {
    let dir = Dir::new();
    dir.write("script", dir.run(["completions", "bash"]).quiet().stdout);
    let ask = |line: &str, words: &str, index: usize| {
        let mut bash = std::process::Command::new("bash");
        let script = format!(
            "source ./script; COMP_WORDS=({words}); COMP_CWORD={index}; COMP_LINE='{line}'; \
             _sealane sealane \"${{COMP_WORDS[$COMP_CWORD]}}\" ''; echo \"${{COMPREPLY[@]}}\""
        );
        bash.args(["--norc", "-c", &script]).current_dir(dir.root());
        finish(bash).text()
    };
    assert!(ask("sealane key", "sealane key", 1).contains("keygen"));
    assert!(ask("sealane share re", "sealane share re", 2).contains("reissue"));
    assert!(ask("sealane decrypt --r", "sealane decrypt --r", 2).contains("--range"));
    assert!(ask("sealane help co", "sealane help co", 2).contains("contribute"));
}

/// Each page has the sections of man-pages(7).
#[test]
fn a_manual_page_for_every_command() {
    let dir = Dir::new();
    let page = dir.run(["man"]).text();
    assert!(page.contains(".TH sealane 1") && page.contains("recipients\\-file"), "{page}");
    dir.run(["man", "-o", "man/man1"]).quiet();
    let whole = std::fs::read_to_string(dir.path("man/man1/sealane.1")).unwrap();
    assert_eq!(whole, page);
    let written = std::fs::read_dir(dir.path("man/man1")).unwrap();
    let written = written.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<BTreeSet<_>>();
    // The page of `sealane` names the others: `\fBsealane\-keygen\fR(1)`.
    let words = whole.split_whitespace().map(|word| word.replace("\\-", "-").replace("\\fB", "").replace("\\fR", ""));
    let named = words
        .filter_map(|word| Some(word.split_once("(1)")?.0.to_owned() + ".1"))
        .filter(|it| it.starts_with("sealane-"));
    assert_eq!(written, named.chain(["sealane.1".to_owned()]).collect());
    for command in written.iter().map(|file| file.trim_start_matches("sealane").trim_end_matches(".1")) {
        let page = String::from_utf8(dir.read(&format!("man/man1/sealane{command}.1"))).unwrap();
        let sections: Vec<_> = page
            .lines()
            .filter_map(|line| line.strip_prefix(".SH "))
            .map(|title| title.trim_matches('"'))
            .filter(|title| !matches!(*title, "NOTES" | "SUBCOMMANDS"))
            .collect();
        let expected =
            ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"];
        assert_eq!(sections, expected, "{command}");
        assert!(page.contains("AGE_PASSPHRASE_FD") && page.contains("age(1)"), "{command}");
        assert_eq!(page.matches("SEALANE_CPU_CLASS").count(), 1, "{command}");
        assert!(page.lines().any(|line| line.starts_with(".TH ") && line.contains("\"sealane ")), "{page}");
        // The name of an option is on the line after `.TP`, and its text follows.
        let lines: Vec<_> = page.lines().collect();
        for i in (0..lines.len()).filter(|i| lines[*i] == ".TP") {
            assert!(lines.get(i + 2).is_some_and(|text| !text.is_empty()), "{}", lines[i + 1]);
        }
        if command.is_empty() {
            assert!(page.contains("sealane\\-share\\-reissue(1)") && page.contains("sealane keygen \\-o"), "{page}");
        }
    }
    assert_eq!(dir.run(["man", "-o", "-"]).text(), page);
    assert_eq!(dir.run(["encrypt", "-V"]).text(), dir.run(["-V"]).text());
    dir.write("file", "");
    dir.run(["man", "-o", "file/man1"]).fails("cannot write the manual");
    dir.sh("ulimit -f 1; exec \"$SEALANE\" man -o small").fails("cannot write the manual");
    assert_eq!(std::fs::read_dir(dir.path("small")).unwrap().count(), 0);
}
