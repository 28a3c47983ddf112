//! Parts: the texts that holders contribute in order to open a file together.

use core::fmt::Write as _;

use jni_sys::{JNIEnv, jbyteArray, jclass, jlong};
use sealane_age::Decryptor;
use sealane_age::armor::ArmoredReader;
use sealane_age::secrecy::ExposeSecret as _;
use sealane_age::threshold::Part;
use zeroize::Zeroizing;

use super::keys::Identities;
use super::machine::{bytes, new_array, object, run};

/// Returns a line for each part: the text, the threshold, the number of holders, the number of this
/// holder, the label, and the share set id, separated by tabs. No label has a tab.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_sealane_age_Native_contribute(
    env: *mut JNIEnv,
    _class: jclass,
    identities: jlong,
    file: jbyteArray,
) -> jbyteArray {
    let body = |env: &_| {
        // SAFETY: the rules in `mod.rs`.
        let identities: &Identities = unsafe { object(identities) };
        let header = Decryptor::read_header(ArmoredReader::new(&bytes(env, file)?[..]))?;
        let found = Part::of(&header, identities.each())?;
        // Each line is shorter than 256 bytes, so the text is never moved, which would leave a copy
        // behind.
        let mut lines = Zeroizing::new(String::with_capacity(256 * found.len()));
        for (description, part) in found {
            let text = part.to_text();
            let label = description.label.as_ref().map_or("", |label| label.as_str());
            let (text, threshold, count) = (text.expose_secret(), description.threshold, description.count);
            let (point, set) = (description.point, description.set);
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{text}\t{threshold}\t{count}\t{point}\t{label}\t{set}");
        }
        new_array(env, lines.as_bytes())
    };
    // SAFETY: the rules in `mod.rs`.
    unsafe { run(env, core::ptr::null_mut(), body) }
}
