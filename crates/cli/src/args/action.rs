//! The actions that a command line can request.

use super::bench::BenchArgs;
use super::contribute::ContributeArgs;
use super::decrypt::DecryptArgs;
use super::encrypt::EncryptArgs;
use super::inspect::InspectArgs;
use super::keygen::KeygenArgs;
use super::rekey::RekeyArgs;
use super::shares::{CombineArgs, ShareAction, SplitArgs};
use super::small::{CompletionsArgs, CpuArgs, ManArgs};
use super::verify::VerifyArgs;

/// The action that the command line requests.
#[derive(Debug)]
pub(crate) enum Action {
    Encrypt(EncryptArgs),
    Decrypt(DecryptArgs),
    Verify(VerifyArgs),
    Rekey(RekeyArgs),
    Contribute(ContributeArgs),
    Inspect(InspectArgs),
    Keygen(KeygenArgs),
    Split(SplitArgs),
    Combine(CombineArgs),
    Share(ShareAction),
    Cpu(CpuArgs),
    Bench(BenchArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    /// Print this text: help, or the version.
    Print(String),
}
