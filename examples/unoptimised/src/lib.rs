//! A user's debug build compiles the dependencies without optimisation too. The test of this crate
//! runs every operation of `sealane` in such a build, and checks that half of the stack of a thread
//! is enough for it.
