//! `control NAME` makes one of the errors that `cargo xtask sanitize` must report. The chore
//! compiles this program with the same flags as the tests.

use std::hint::black_box;
use std::mem::MaybeUninit;

fn main() {
    let name = std::env::args().nth(1).expect("the name of an error");
    let bytes = black_box(vec![1_u8; 16]);
    match name.as_str() {
        // Reads past the end of allocated memory.
        "heap" => {
            // SAFETY: none, on purpose.
            black_box(unsafe { *bytes.as_ptr().add(black_box(16)) });
        }
        // Writes past the end of a local array.
        "stack" => {
            let mut array = black_box([1_u8; 16]);
            // SAFETY: none, on purpose.
            unsafe { *array.as_mut_ptr().add(black_box(16)) = 2 };
            black_box(array);
        }
        // Reads memory that was freed.
        "freed" => {
            let pointer = bytes.as_ptr();
            drop(bytes);
            // SAFETY: none, on purpose.
            black_box(unsafe { *black_box(pointer) });
        }
        // Branches on memory that was never written.
        "uninitialised" => {
            let byte = black_box(Box::new(MaybeUninit::<u8>::uninit()));
            // SAFETY: none, on purpose.
            if unsafe { byte.assume_init_read() } == black_box(3) {
                println!("three");
            }
        }
        "none" => {}
        _ => panic!("no such error: {name}"),
    }
    println!("{name}: done");
}
