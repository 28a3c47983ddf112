//! A user's debug build has its dependencies unoptimised too. The test of this crate runs every
//! operation of `sealane` in such a build, and checks that it fits the stack of a thread.
