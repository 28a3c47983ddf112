//! The known answers that a backend must give before it is used.

#[test]
fn every_backend_gives_the_known_answers() {
    sealane::check_every_level();
}
