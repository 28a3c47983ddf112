//! Many small files, processed by the libraries. They show the fixed cost of a file.

use std::io::{Read as _, Write as _};
use std::time::Instant;

use anyhow::{Error, Result, ensure};
use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::{Decryptor, Encryptor, Identity, Recipient, x25519};

use crate::process::Usage;
use crate::report::{Report, SMALL_FILES};

/// Seals and opens this number of files of 1 KiB with both libraries.
pub(crate) fn run(count: usize, rounds: usize, report: &mut Report) -> Result<()> {
    let identity = x25519::Identity::generate()?;
    let recipient = identity.to_public();
    // The same key for both libraries.
    let age_identity: age::x25519::Identity = identity.to_text().expose_secret().parse().map_err(Error::msg)?;
    let age_recipient = age_identity.to_public();
    let plaintext = [7; 1024];
    let with_sealane = || -> Result<()> {
        let mut sealed = Vec::new();
        let mut opened = Vec::new();
        for _ in 0..count {
            sealed.clear();
            opened.clear();
            let encryptor = Encryptor::with_recipients([&recipient as &dyn Recipient])?;
            let mut writer = encryptor.wrap_output(&mut sealed)?;
            writer.write_all(&plaintext)?;
            writer.finish()?;
            Decryptor::new(&sealed[..])?.decrypt([&identity as &dyn Identity])?.read_to_end(&mut opened)?;
            ensure!(opened == plaintext);
        }
        Ok(())
    };
    let with_age = || -> Result<()> {
        let mut sealed = Vec::new();
        let mut opened = Vec::new();
        for _ in 0..count {
            sealed.clear();
            opened.clear();
            let encryptor = age::Encryptor::with_recipients(std::iter::once(&age_recipient as &dyn age::Recipient))?;
            let mut writer = encryptor.wrap_output(&mut sealed)?;
            writer.write_all(&plaintext)?;
            writer.finish()?;
            let decryptor = age::Decryptor::new(&sealed[..])?;
            decryptor.decrypt(std::iter::once(&age_identity as &dyn age::Identity))?.read_to_end(&mut opened)?;
            ensure!(opened == plaintext);
        }
        Ok(())
    };
    for round in 0..rounds {
        let rows: [(&'static str, &dyn Fn() -> Result<()>); 2] =
            [("sealane-age", &with_sealane), ("age's crate", &with_age)];
        for i in 0..2 {
            let (name, run) = rows[(i + round) % 2];
            let start = Instant::now();
            run()?;
            let wall = start.elapsed().as_secs_f64();
            if round > 0 || rounds == 1 {
                report.add(SMALL_FILES, name, Usage { wall, cpu: wall, memory: 0.0 });
            }
        }
    }
    Ok(())
}
