//! The backend and the class of CPUs that the environment names.

use sealane::{Backend, BackendError};
use sealane_simd::CpuClass;

use crate::error::{Error, Result};

/// Forces the class of CPUs that `SEALANE_CPU_CLASS` names, if it is set.
fn force_cpu_class() -> Result<()> {
    let Some(name) = std::env::var_os("SEALANE_CPU_CLASS").filter(|name| !name.is_empty()) else { return Ok(()) };
    let class = CpuClass::ALL.into_iter().find(|class| name == class.name());
    if class.is_none() {
        let known = CpuClass::ALL.map(CpuClass::name).join(", ");
        return Err(Error::new("SEALANE_CPU_CLASS: unknown class").hint(format!("known classes: {known}")));
    }
    CpuClass::force(class);
    Ok(())
}

/// Returns the backend that `SEALANE_BACKEND` names, or the best one. Before that, forces the class
/// of CPUs in `SEALANE_CPU_CLASS`.
pub(crate) fn chosen() -> Result<Backend> {
    force_cpu_class()?;
    Backend::from_env().map_err(|error| {
        let available: Vec<_> = Backend::available().map(Backend::name).collect();
        // The library's error also lists backends that this CPU lacks.
        let reason = match error {
            BackendError::Unknown(_) => "no such backend".to_owned(),
            error => error.to_string(),
        };
        Error::new(format!("SEALANE_BACKEND: {reason}")).hint(format!("available here: {}", available.join(", ")))
    })
}
