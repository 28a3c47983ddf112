//! The operations that are measured as whole processes.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::process::{self, Usage};
use crate::tools::Tools;

/// One operation, and the programs that perform it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) rows: &'static [Row],
    /// The expected content, if the output is a file.
    output: Output,
}

enum Output {
    None,
    Plaintext,
    Sealed,
    Folder,
}

/// The number of files in the folder, and the size of each in bytes.
const FOLDER: (usize, usize) = (2000, 1024);

/// A program and its shell command. In the command, `$S` is sealane, `$A` age, `$R` rage, `$P` the
/// file, `$E` the encrypted file, `$O` the output, `$T` a file of 100 bytes, and `$F` a folder of
/// small files.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    script: &'static str,
}

const fn row(name: &'static str, script: &'static str) -> Row {
    Row { name, script }
}

/// Returns the command for a program that encrypts one file in a process.
macro_rules! each_file_by {
    ($program:literal) => {
        concat!(
            "mkdir -p $O/folder; taskset -pc 0 $$ >/dev/null; ",
            "for f in $F/*; do ",
            $program,
            " -R key.pub -o $O/folder/${f##*/}.age $f; done"
        )
    };
}

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "encrypt",
        output: Output::Sealed,
        rows: &[
            row("sealane", "exec $S -R key.pub -o $O $P"),
            row("age", "exec $A -R key.pub -o $O $P"),
            row("rage", "exec $R -R key.pub -o $O $P"),
            row("cp", "exec cp $P $O"),
        ],
    },
    Case {
        name: "decrypt",
        output: Output::Plaintext,
        rows: &[
            row("sealane", "exec $S -d -i key.txt -o $O $E"),
            row("age", "exec $A -d -i key.txt -o $O $E"),
            row("rage", "exec $R -d -i key.txt -o $O $E"),
            row("cp", "exec cp $P $O"),
        ],
    },
    Case {
        name: "pipe",
        output: Output::None,
        rows: &[
            row("sealane", "cat $P | $S -R key.pub | $S -d -i key.txt > /dev/null"),
            row("age", "cat $P | $A -R key.pub | $A -d -i key.txt > /dev/null"),
            row("rage", "cat $P | $R -R key.pub | $R -d -i key.txt > /dev/null"),
        ],
    },
    Case {
        name: "encrypt on one core",
        output: Output::Sealed,
        rows: &[
            row("sealane", "exec taskset -c 0 $S -R key.pub -o $O $P"),
            row("age", "exec taskset -c 0 $A -R key.pub -o $O $P"),
            row("rage", "exec taskset -c 0 $R -R key.pub -o $O $P"),
        ],
    },
    Case {
        name: "decrypt on one core",
        output: Output::Plaintext,
        rows: &[
            row("sealane", "exec taskset -c 0 $S -d -i key.txt -o $O $E"),
            row("age", "exec taskset -c 0 $A -d -i key.txt -o $O $E"),
            row("rage", "exec taskset -c 0 $R -d -i key.txt -o $O $E"),
        ],
    },
    Case {
        name: "folder",
        output: Output::Folder,
        rows: &[
            row("sealane", "exec $S encrypt -R key.pub -o $O $F"),
            row("sealane, one core", "exec taskset -c 0 $S encrypt -R key.pub -o $O $F"),
            row("cp", "mkdir $O; exec cp -r $F $O"),
        ],
    },
    Case {
        name: "folder on one core",
        output: Output::Folder,
        rows: &[
            row("sealane", "exec taskset -c 0 $S encrypt -R key.pub -o $O $F"),
            row("age", each_file_by!("$A")),
            row("rage", each_file_by!("$R")),
        ],
    },
    Case {
        name: "start",
        output: Output::None,
        rows: &[
            row("sealane", "exec $S -R key.pub $T"),
            row("age", "exec $A -R key.pub $T"),
            row("rage", "exec $R -R key.pub $T"),
            row("true", "exec true"),
        ],
    },
];

/// The directory with the files.
pub(crate) struct Place {
    directory: TempDir,
    variables: Vec<(&'static str, String)>,
    size: u64,
}

impl Place {
    pub(crate) fn new(directory: &Path, size: u64, tools: &Tools) -> Result<Self> {
        let directory = TempDir::with_prefix_in("sealane-bench-", directory)?;
        let path = |name: &str| directory.path().join(name);
        // Incompressible bytes.
        io::copy(&mut File::open("/dev/urandom")?.take(size), &mut File::create(path("plain"))?)?;
        fs::write(path("small"), [b'x'; 100])?;
        fs::create_dir(path("folder"))?;
        for number in 0..FOLDER.0 {
            fs::write(path("folder").join(number.to_string()), vec![b'x'; FOLDER.1])?;
        }
        let text = |path: &Path| path.display().to_string();
        let variables = vec![
            ("S", text(&tools.sealane)),
            ("A", text(&tools.age)),
            ("R", text(&tools.rage)),
            ("P", text(&path("plain"))),
            ("E", text(&path("sealed"))),
            ("O", text(&path("result"))),
            ("T", text(&path("small"))),
            ("F", text(&path("folder"))),
        ];
        let made = Command::new(&tools.age_keygen).args(["-o", "key.txt"]).current_dir(directory.path()).output();
        ensure!(made.context("age-keygen does not start")?.status.success(), "age-keygen makes no key");
        let public = Command::new(&tools.age_keygen).args(["-y", "key.txt"]).current_dir(directory.path()).output()?;
        fs::write(path("key.pub"), public.stdout)?;
        let sealed = Command::new(&tools.age)
            .args(["-R", "key.pub", "-o", "sealed", "plain"])
            .current_dir(directory.path())
            .status()?;
        ensure!(sealed.success(), "age does not seal the file");
        Ok(Self { directory, variables, size })
    }

    /// Runs the command of `row` once, and checks the length of its output.
    pub(crate) fn run(&self, case: &Case, row: &Row) -> Result<Usage> {
        let mut script = format!("cd '{}'\n", self.directory.path().display());
        for (name, value) in &self.variables {
            script += &format!("{name}='{value}'\n");
        }
        script += row.script;
        let usage = process::run(&["sh".to_owned(), "-ec".to_owned(), script])?;
        let result = self.directory.path().join("result");
        match case.output {
            Output::None => return Ok(usage),
            Output::Folder => {
                let files = fs::read_dir(result.join("folder"))?.count();
                ensure!(files == FOLDER.0, "{files} files were written");
                fs::remove_dir_all(result)?;
                return Ok(usage);
            }
            Output::Sealed => ensure!(fs::metadata(&result)?.len() >= self.size, "the result is too short"),
            Output::Plaintext => ensure!(fs::metadata(&result)?.len() == self.size, "the result has another length"),
        }
        fs::remove_file(result)?;
        Ok(usage)
    }
}
