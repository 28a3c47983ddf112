//! `sealane split --sheet`: shares on paper.

use crate::support::Dir;

/// Splits the key into sheets. Returns the page.
fn sheets(dir: &Dir, args: &[&str]) -> String {
    let split = ["split", "-k", "2", "-n", "3", "--sheet", "sheets.html"];
    let run = dir.run(split.iter().chain(args).chain(&["key.txt"])).ok();
    let messages = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(messages.contains("print the file, then destroy it") && messages.lines().count() == 1, "{messages}");
    String::from_utf8(dir.read("sheets.html")).unwrap()
}

/// Returns each text between `from` and `to`.
fn between<'p>(page: &'p str, from: &str, to: &str) -> Vec<&'p str> {
    page.split(from).skip(1).map(|rest| rest.split(to).next().unwrap()).collect()
}

#[test]
fn each_share_has_a_page_with_all_that_restores_the_secret() {
    let dir = Dir::with_key();
    let page = sheets(&dir, &[]);
    assert_eq!(dir.mode("sheets.html"), 0o600);
    assert_eq!(dir.names(), ["key.pub", "key.txt", "sheets.html"]);
    for what in ["<section>", "<svg ", "Any 2 of the 3 shares restore the secret", "sealane combine -o restored.txt"] {
        assert_eq!(page.matches(what).count(), 3, "{what}");
    }
    let public = String::from_utf8(dir.read("key.pub")).unwrap();
    assert_eq!(page.matches(public.trim()).count(), 3);
    assert!(page.contains("<h1>Share 1 of 3</h1>") && page.contains("<h1>Share 3 of 3</h1>"));
    // The text of any two pages restores the key.
    let texts = between(&page, "<p class=\"text\">", "</p>");
    assert_eq!(texts.len(), 3);
    for pair in [[0, 1], [2, 0]] {
        let typed = pair.map(|at| texts[at]).join("\n\n");
        assert_eq!(dir.run_with(typed.as_bytes(), ["combine", "-"]).ok().stdout, dir.read("key.txt"));
    }
    // No page loads or runs anything.
    assert!(
        page.contains("default-src 'none'")
            && !page.contains("http:")
            && !page.contains("https:")
            && !page.contains("<script")
    );
}

#[test]
fn words_are_numbered() {
    let dir = Dir::with_key();
    let page = sheets(&dir, &["--words"]);
    assert!(!page.contains("reveal nothing") && page.contains("but 1 can show whether a guess at it is right"));
    let lists = between(&page, "<ol class=\"words\">", "</ol>");
    assert_eq!(lists.len(), 3);
    assert!(page.contains("sealane combine --identity -o restored.txt") && page.contains("SLIP-39"));
    let words: Vec<_> = lists[1..].iter().map(|list| between(list, "<li>", "</li>").join(" ")).collect();
    assert_eq!(words[0].split(' ').count(), 33);
    let restored = dir.run_with(words.join("\n").as_bytes(), ["combine", "--identity", "-"]).ok().stdout;
    let key = String::from_utf8(dir.read("key.txt")).unwrap();
    assert!(String::from_utf8(restored).unwrap().ends_with(&key[key.find("AGE-SECRET").unwrap()..]));
}

#[test]
fn a_post_quantum_key_on_sheets() {
    let dir = Dir::new();
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    let public = dir.run(["keygen", "-y", "pq.txt"]).text().trim().to_owned();
    for form in ["--text", "--words"] {
        dir.run(["split", form, "-k", "2", "-n", "3", "--sheet", "s.html", "pq.txt"]).ok();
        let page = String::from_utf8(dir.read("s.html")).unwrap();
        std::fs::remove_file(dir.path("s.html")).unwrap();
        // The public key would fill the page.
        let shown = format!("<code>{} … {}</code>", &public[..24], &public[public.len() - 24..]);
        assert_eq!((page.matches(&shown).count(), page.contains(&public)), (3, false), "{form}");
        // The sheet says how to restore the key.
        let command = between(&page, "Run <code>sealane ", " -o restored.txt</code>")[0];
        let shares = if form == "--words" {
            let lists = between(&page, "<ol class=\"words\">", "</ol>");
            lists[1..].iter().map(|list| between(list, "<li>", "</li>").join(" ")).collect::<Vec<_>>().join("\n")
        } else {
            between(&page, "<p class=\"text\">", "</p>")[1..].join("\n\n")
        };
        let run = dir.run_with(shares.as_bytes(), command.split(' ').chain(["-o", "restored.txt", "-"]));
        run.quiet();
        assert_eq!(dir.run(["keygen", "-y", "restored.txt"]).text().trim(), public, "{form}");
        std::fs::remove_file(dir.path("restored.txt")).unwrap();
    }
}

#[test]
fn wrong_arguments() {
    let dir = Dir::with_key();
    let existing =
        dir.run(["split", "-k", "2", "-n", "3", "--sheet", "key.pub", "key.txt"]).fails("\"key.pub\" exists");
    assert!(String::from_utf8_lossy(&existing.stderr).contains("hint: give another name"));
    let split = |args: &[&str]| dir.run(["split", "-k", "2", "-n", "3"].iter().chain(args).chain(&["key.txt"]));
    for form in ["--binary", "--ssss", "--vault"] {
        split(&[form, "--sheet", "s.html"]).misused("--sheet is for shares in text form or in words");
    }
    split(&["--sheet", "s.html", "-o", "shares"]).misused("--sheet");
    dir.write("long", vec![b'x'; 3000]);
    dir.run(["split", "-k", "2", "-n", "3", "--sheet", "s.html", "long"]).fails("is longer than");
    dir.run(["split", "-k", "4", "-n", "3", "--sheet", "s.html", "key.txt"])
        .misused("-k is the number of shares that are needed");
    assert!(!dir.exists("s.html"));
    dir.write("s.html", "old");
    split(&["--sheet", "s.html"]).fails("\"s.html\"");
    assert_eq!(dir.read("s.html"), b"old");
}

#[test]
fn every_secret_of_text_fits_on_sheets() {
    let dir = Dir::new();
    dir.write("long", vec![b'x'; 2048]);
    dir.run(["split", "-k", "2", "-n", "2", "--sheet", "s.html", "long"]).ok();
    let page = String::from_utf8(dir.read("s.html")).unwrap();
    let texts = between(&page, "<p class=\"text\">", "</p>").join("\n\n");
    assert_eq!(dir.run_with(texts.as_bytes(), ["combine", "-"]).ok().stdout, vec![b'x'; 2048]);
}
