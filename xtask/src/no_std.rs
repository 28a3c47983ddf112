pub(crate) fn run() -> anyhow::Result<()> { Ok(()) }
