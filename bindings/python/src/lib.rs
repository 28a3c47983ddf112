//! The native part of the Python package `sealane`. The package itself is in `python/sealane`, and
//! documents the classes and functions of this crate.

mod aead;
mod age;
mod buffer;
mod error;
mod lengths;
mod many;
mod shares;

use pyo3::prelude::*;

/// The native part of the package.
#[pymodule(gil_used = false)]
mod _sealane {
    #[pymodule_export]
    use crate::aead::{ChaCha20Poly1305, XChaCha20Poly1305};
    #[pymodule_export]
    use crate::age::bytes::{dearmor_prefix, decrypt, encrypt};
    #[pymodule_export]
    use crate::age::chunk_file::ChunkFile;
    #[pymodule_export]
    use crate::age::contribute::parts_of;
    #[pymodule_export]
    use crate::age::file::{decrypt_file, encrypt_file};
    #[pymodule_export]
    use crate::age::identity::{Identity, parse as parse_identities};
    #[pymodule_export]
    use crate::age::part::Part;
    #[pymodule_export]
    use crate::age::payload::{PayloadKey, Preamble};
    #[pymodule_export]
    use crate::age::reader::Reader;
    #[pymodule_export]
    use crate::age::recipient::{Recipient, parse as parse_recipients};
    #[pymodule_export]
    use crate::age::rekey::rekey_header;
    #[pymodule_export]
    use crate::age::sealer::Sealer;
    #[pymodule_export]
    use crate::age::stream::{decrypt_stream, encrypt_stream};
    #[pymodule_export]
    use crate::shares::{combine, refresh, reissue, split};
}
