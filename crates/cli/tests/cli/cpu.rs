//! `sealane cpu`, and the choice of the backend.

use crate::support::{Dir, backends, finish};

fn json(dir: &Dir, backend: Option<&str>) -> serde_json::Value {
    let mut command = dir.command(["cpu", "--json"]);
    match backend {
        Some(backend) => command.env("SEALANE_BACKEND", backend),
        None => command.env_remove("SEALANE_BACKEND"),
    };
    serde_json::from_slice(&finish(command).quiet().stdout).unwrap()
}

/// Returns the backend of a primitive.
fn of_primitive(report: &serde_json::Value, name: &str) -> serde_json::Value {
    let mut primitives = report["primitives"].as_array().unwrap().iter();
    primitives.find(|primitive| primitive["name"] == name).unwrap()["backend"].clone()
}

#[test]
fn every_backend_is_listed_and_can_be_forced() {
    let dir = Dir::with_key();
    let report = json(&dir, None);
    let backends = backends(&report, "chacha20");
    assert_eq!(backends[0]["name"], "scalar");
    let mut usable = Vec::new();
    for backend in backends {
        let name = backend["name"].as_str().unwrap();
        if backend["supported"] == true {
            let passed = serde_json::json!({ "chacha20": true, "poly1305": true, "xchacha20poly1305": true });
            assert_eq!(backend["self_test"], passed, "{name}");
            usable.push(name);
        } else {
            assert!(backend["self_test"].is_null());
            let mut command = dir.command(["-R", "key.pub", "-o", "out", "key.pub"]);
            command.env("SEALANE_BACKEND", name);
            let out = finish(command).fails("SEALANE_BACKEND").stderr;
            assert!(String::from_utf8_lossy(&out).contains("available here: scalar"));
            assert!(!dir.exists("out"));
        }
    }
    // The widest backend is used, and every backend opens what each of the others sealed.
    let primitives = |report: &serde_json::Value, backend: &str| {
        ["chacha20", "poly1305", "xchacha20poly1305"].iter().all(|name| of_primitive(report, name) == backend)
    };
    assert!(primitives(&report, usable.last().unwrap()));
    assert_eq!(report["forced"], false);
    let data = crate::support::bytes(200_000);
    for sealer in &usable {
        let forced = json(&dir, Some(sealer));
        assert!(primitives(&forced, sealer));
        assert_eq!(forced["forced"], true);
        let mut command = dir.command(["-R", "key.pub", "-o", "out"]);
        command.env("SEALANE_BACKEND", sealer);
        crate::support::feed(command, &data).quiet();
        for opener in &usable {
            let mut command = dir.command(["-d", "-i", "key.txt", "out"]);
            command.env("SEALANE_BACKEND", opener);
            assert!(finish(command).quiet().stdout == data, "{sealer} {opener}");
        }
    }
}

#[test]
fn other_families_are_listed_too() {
    let report = json(&Dir::new(), None);
    let usable = |primitive| backends(&report, primitive).iter().filter(|backend| backend["supported"] == true);
    for primitive in ["haraka256", "haraka512", "haraka-s", "gf2n", "shamir", "gf8"] {
        assert!(usable(primitive).all(|backend| backend["self_test"][primitive] == true), "{report}");
        assert_eq!(of_primitive(&report, primitive), usable(primitive).next_back().unwrap()["name"], "{primitive}");
    }
    // Kernels that are tested only when they are first used.
    for kernels in ["batch", "pieces"] {
        assert!(usable(kernels).all(|backend| backend["self_test"][kernels] == true), "{report}");
        assert_eq!(usable(kernels).count(), usable("chacha20").count());
    }
}

#[test]
fn the_report_is_readable() {
    let dir = Dir::new();
    let mut command = dir.command(["cpu"]);
    command.env_remove("SEALANE_BACKEND");
    let text = finish(command).text();
    assert!(
        text.contains(
            "supported  self-test of chacha20, poly1305, xchacha20poly1305\nscalar          yes        passed\n"
        ),
        "{text}"
    );
    assert!(text.contains("chacha20poly1305"), "{text}");
    assert!(!text.contains("FAILED"), "{text}");
}

#[test]
fn an_unknown_backend_is_an_error() {
    let dir = Dir::with_key();
    for args in [vec!["cpu"], vec!["-R", "key.pub", "-o", "out", "key.pub"], vec!["-d", "-i", "key.txt", "key.pub"]] {
        let mut command = dir.command(&args);
        command.env("SEALANE_BACKEND", "mmx");
        let err = String::from_utf8(finish(command).fails("SEALANE_BACKEND: no such backend").stderr).unwrap();
        assert_eq!(err.matches("scalar").count(), 1, "{err}");
    }
}

#[test]
fn each_class_of_cpus_may_be_forced() {
    let dir = Dir::new();
    for class in ["one-cycle", "half-width", "two-cycles"] {
        let mut command = dir.command(["cpu"]);
        command.env("SEALANE_CPU_CLASS", class);
        let text = finish(command).text();
        assert!(text.lines().any(|line| line == format!("class     {class}")), "{text}");
    }
    let mut command = dir.command(["cpu"]);
    command.env("SEALANE_CPU_CLASS", "half");
    finish(command)
        .fails("SEALANE_CPU_CLASS: unknown class\nsealane: hint: known classes: one-cycle, half-width, two-cycles");
}
