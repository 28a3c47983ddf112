//! The choice of a backend.

use sealane::gf2n::ClmulFamily;
use sealane::{
    AesFamily, Backend, BackendError, BackendOf, BackendStatus, BackendStatusOf, ChaCha20Poly1305, ChaChaFamily,
    Family, Gf8Family, Poly1305,
};

use crate::common::backends;

/// Returns the name for the ChaCha family in `SEALANE_BACKEND`, whose list also names backends of
/// other families.
fn forced() -> Option<String> {
    let names = std::env::var("SEALANE_BACKEND").ok()?;
    names.split(',').map(str::trim).rfind(|name| ChaChaFamily::NAMES.contains(name)).map(str::to_owned)
}

#[test]
fn a_forced_run_uses_only_its_backend() {
    match forced() {
        Some(name) => {
            assert_eq!(backends().iter().map(|backend| backend.name()).collect::<Vec<_>>(), [name]);
        }
        None => {
            assert_eq!(backends(), Backend::available().collect::<Vec<_>>());
            assert_eq!(backends().last(), Some(&Backend::detect()));
        }
    }
}

/// A name that no family knows would choose no backend, and all tests would pass without it.
#[test]
fn a_forced_backend_exists_in_some_family() {
    let families = [ChaChaFamily::NAMES, AesFamily::NAMES, ClmulFamily::NAMES, Gf8Family::NAMES];
    for name in std::env::var("SEALANE_BACKEND").iter().flat_map(|names| names.split(',')) {
        assert!(families.iter().any(|names| names.contains(&name.trim())), "no family has a backend {name}");
    }
}

/// Returns the widest backend of a family on this CPU, which detection must choose.
fn widest<F: Family>() -> &'static str {
    let chosen = BackendOf::<F>::detect().name();
    let widest = BackendStatusOf::<F>::all().rfind(|status| status.supported());
    assert_eq!(widest.map(BackendStatusOf::name), Some(chosen));
    chosen
}

/// `SEALANE_TEST_DETECTS` lists the backends that detection must choose on a known CPU, for ChaCha,
/// Haraka, GF(2^n) and GF(2^8) in this order.
#[test]
fn detection_chooses_the_widest_backend_of_each_family() {
    let chosen = [widest::<ChaChaFamily>(), widest::<AesFamily>(), widest::<ClmulFamily>(), widest::<Gf8Family>()];
    if let Ok(expected) = std::env::var("SEALANE_TEST_DETECTS") {
        assert_eq!(chosen.join(","), expected);
    }
}

#[cfg(feature = "std")]
#[test]
fn from_env_agrees() {
    let backend = Backend::from_env().unwrap();
    match forced() {
        Some(name) => assert_eq!(backend.name(), name),
        None => assert_eq!(backend, Backend::detect()),
    }
}

#[test]
fn a_missing_backend_is_an_error_that_names_it() {
    for status in BackendStatus::all() {
        let found = Backend::by_name(status.name());
        assert_eq!(status.name().parse::<Backend>(), found);
        if status.supported() {
            let self_test = status.self_test().unwrap();
            assert!(self_test.passed() && self_test.results().all(|(_, passed)| passed), "{}", status.name());
            let backend = found.unwrap();
            assert_eq!((backend.name(), backend.to_string()), (status.name(), status.name().to_string()));
        } else {
            assert_eq!(found, Err(BackendError::Unavailable(status.name())));
            assert!(found.unwrap_err().to_string().contains(status.name()));
        }
    }
    for unknown in ["", "AVX2", "avx2 ", "sse9", "scalar\0"] {
        let error = Backend::by_name(unknown).unwrap_err();
        assert!(matches!(error, BackendError::Unknown(_)));
        assert!(error.to_string().contains("scalar"), "{error}");
    }
}

#[test]
fn a_forced_backend_is_kept() {
    for backend in backends() {
        let cipher = ChaCha20Poly1305::with_backend(&[0; 32], backend);
        assert_eq!(cipher.backend(), backend);
        assert_eq!(cipher.clone().backend(), backend);
        assert_eq!(cipher.sealer(&[0; 12], b"").backend(), backend);
        let opener = cipher.opener(&[0; 12], b"");
        assert_eq!(opener.backend(), backend);
        assert_eq!(Poly1305::with_backend(&[0; 32], backend).backend(), backend);
    }
}

#[test]
fn names_and_statuses_agree() {
    for status in BackendStatus::all() {
        match Backend::by_name(status.name()) {
            Ok(backend) => assert!(status.supported() && backend.name() == status.name()),
            Err(error) => {
                assert_eq!(error, BackendError::Unavailable(status.name()));
                assert!(!status.supported() && status.self_test().is_none());
            }
        }
    }
    assert_eq!("mmx".parse::<Backend>(), Err(BackendError::Unknown(ChaChaFamily::NAMES)));
    assert_eq!(Backend::available().next_back(), Some(Backend::detect()));
}

#[cfg(feature = "std")]
#[test]
fn a_list_of_names_chooses_the_last_of_the_familys() {
    Backend::check_lists_of_names();
}
