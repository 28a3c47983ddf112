#[derive(clap::Args)] pub(crate) struct Options {} pub(crate) fn run(_: &Options) -> anyhow::Result<()> { Ok(()) }
