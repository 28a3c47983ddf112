//! docs/backends.md: backends, primitives, and where each is executed.

use std::fmt::Write as _;

use super::{LIST, List};

/// The document.
pub(super) fn markdown(list: &List) -> String {
    let mut text = format!(
        "# Where each backend is executed\n\n\
         Made by `cargo xtask coverage --write` from `{LIST}`. The runs of the tests print which backends they exercised, and fail\n\
         where one of this list was not, or where detection chose another one than it should. CI has them all. What the tests\n\
         compare is in [verification.md](verification.md).\n\n\
         | place | | command |\n|---|---|---|\n"
    );
    for (number, place) in (1..).zip(&list.place) {
        writeln!(text, "| {number} | {} | `cargo xtask {}` |", place.what, place.chore).expect("a string takes all");
    }
    for family in &list.family {
        write!(text, "\n## {}\n\n| backend |", family.title).expect("a string takes all");
        for primitive in family.primitives() {
            write!(text, " {} |", primitive.name).expect("a string takes all");
        }
        text.push_str(&format!("\n|---|{}\n", "---|".repeat(family.primitives().count())));
        for (backend, places) in &family.backends {
            let mut numbers = Vec::new();
            for (number, place) in (1..).zip(&list.place) {
                if places.contains(&place.name) {
                    numbers.push(i32::to_string(&number));
                }
            }
            let cell = format!(" {} |", numbers.join(", "));
            text.push_str(&format!("| `{backend}` |{}\n", cell.repeat(family.primitives().count())));
        }
    }
    text
}
