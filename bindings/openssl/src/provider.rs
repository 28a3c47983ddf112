//! The state of a loaded provider, and its configuration.

use sealane::Backend;

use crate::core::Core;
use crate::usage::Usage;

/// A loaded provider.
pub(crate) struct Provider {
    pub(crate) core: Core,
    pub(crate) backend: Backend,
    pub(crate) usage: Usage,
}

impl Provider {
    /// Reads the configuration.
    pub(crate) fn new(core: Core) -> Result<Self, (Core, String)> {
        match Self::configuration(&core) {
            Ok((backend, usage)) => Ok(Self { core, backend, usage }),
            Err(text) => Err((core, text)),
        }
    }

    fn configuration(core: &Core) -> Result<(Backend, Usage), String> {
        let backend = match core.configured(c"backend")? {
            Some(name) => Backend::by_name(&name).map_err(|error| format!("backend = {name}: {error}"))?,
            None => Backend::detect(),
        };
        Ok((backend, Usage::new(core.configured(c"statistics")?.as_deref())?))
    }
}
