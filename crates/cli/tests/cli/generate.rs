//! Completions and the manual.

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

/// The script is one that bash takes, and it completes.
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
}

#[test]
fn a_manual_page_for_every_word() {
    let dir = Dir::new();
    let page = dir.run(["man"]).text();
    assert!(page.contains(".TH sealane 1") && page.contains("recipients\\-file"), "{page}");
    dir.run(["man", "-o", "man/man1"]).quiet();
    for word in
        ["", "-encrypt", "-decrypt", "-inspect", "-keygen", "-split", "-combine", "-share", "-share-refresh", "-bench"]
    {
        let page = String::from_utf8(dir.read(&format!("man/man1/sealane{word}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{word}");
    }
    dir.write("file", "");
    dir.run(["man", "-o", "file/man1"]).fails("cannot write the manual");
}
