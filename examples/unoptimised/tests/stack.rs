//! Unoptimised code has large stack frames: a frame has a place for every value of every function
//! that is inlined into its function. A test's thread has a stack of 2 MiB.

use std::thread;

use sealane_workloads::{Operation, WORKLOADS};

/// Half of the stack of a thread. The other half is left to the caller.
const STACK_BYTES: usize = 1 << 20;

#[test]
fn half_of_the_stack_of_a_thread_is_enough() {
    let mut backends = Vec::new();
    for workload in WORKLOADS {
        for operation in workload.operations {
            for &backend in workload.family.backends() {
                let sizes = runs(operation, backend);
                if workload.family.available().contains(&backend) {
                    assert_eq!(sizes, operation.sizes.len(), "{} on {backend}", operation.name);
                    backends.push(backend);
                } else {
                    assert_eq!(sizes, 0, "{} on {backend}, which the CPU does not have", operation.name);
                }
            }
        }
    }
    assert!(backends.contains(&"scalar"), "portable code runs everywhere");
    #[cfg(target_arch = "x86_64")]
    assert!(!is_x86_feature_detected!("avx2") || backends.contains(&"avx2"), "the CPU has AVX2");
    backends.sort_unstable();
    backends.dedup();
    println!("on {}", backends.join(", "));
}

/// Runs the operation at all its sizes, and returns the number of sizes at which the backend can be
/// used. A stack overflow ends the program with the name of the thread.
fn runs(operation: &'static Operation, backend: &'static str) -> usize {
    let work = move || {
        let can_run = |&&size: &&usize| {
            let mut secrets = |bytes: &mut [u8]| bytes.fill(0x42);
            (operation.prepare)(backend, size, &mut secrets).map(|mut run| run()).is_ok()
        };
        operation.sizes.iter().filter(can_run).count()
    };
    let name = format!("{} on {backend}", operation.name);
    thread::Builder::new().name(name).stack_size(STACK_BYTES).spawn(work).expect("a thread").join().expect("no panic")
}
