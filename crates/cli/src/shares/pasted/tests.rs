//! Changes that people and programs make to shares.

use sealane_shares::slip39;
use sealane_shares::split;

use super::*;

fn one_share(text: &str) -> Option<Share> {
    let mut found = find(text).shares;
    assert!(found.len() <= 1, "{text}");
    found.pop().and_then(|(_, share)| share.ok())
}

fn wrapped(text: &str, width: usize, ending: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(width).map(|line| line.iter().collect::<String>() + ending).collect()
}

#[test]
fn a_share_in_any_shape() {
    let share = &split(&[0x42; 190], 2, 3).unwrap()[1];
    let line = &**share.to_text().unwrap();
    let quoted = |text: &str| text.lines().map(|line| format!("> > {line}\n")).collect::<String>();
    let mail = |text: &str| {
        format!(
            "Dear all,\n\nhere it is (keep it):\n\n{text}\n\nthanks\nSally\n-- \nSeaside Cafe, 7 Lane\nphone 0 555 7\n"
        )
    };
    let shapes = [
        format!("  \t{line}  \r\n"),
        format!("\u{feff}{line}"),
        format!("`{line}`"),
        format!("\"{line}\","),
        format!("My share: {line}. Keep it!"),
        line.to_lowercase(),
        line.to_lowercase().replacen("sealane-share", "Sealane-Share", 1),
        line.replacen("SEALANE-SHARE-1", "SEALANE SHARE 1 ", 1),
        line.replacen('-', "\u{2011}", 2),
        line.replacen('-', "\u{2013}", 1),
        wrapped(line, 72, "\n"),
        wrapped(line, 72, "\r\n"),
        wrapped(line, 72, "\r\r\n"),
        wrapped(line, 72, "\r"),
        wrapped(line, 75, "=\n"),
        wrapped(line, 60, "=20\n"),
        wrapped(line, 76, "\n\n"),
        // The break is in the middle of the prefix.
        wrapped(line, 8, "\n"),
        wrapped(line, 10, "\n"),
        wrapped(line, 4, " "),
        wrapped(line, 5, "\u{a0}"),
        wrapped(line, 5, "\u{2009}"),
        wrapped(line, 1, "\u{200b}"),
        wrapped(line, 40, "\u{ad}\n"),
        quoted(&wrapped(line, 72, "\n")),
        wrapped(line, 72, "\n").lines().map(|line| format!("| {line} |\n")).collect(),
        wrapped(line, 72, "\n").lines().map(|line| format!("    {line}    \u{a0}\n")).collect(),
        format!("# share 2 of 3\n# public key: age1abc\n{line}\n# end\n"),
    ];
    for shape in &shapes {
        assert!(one_share(shape).as_ref() == Some(share), "{shape}");
        let mail = mail(shape.trim_start_matches('\u{feff}'));
        assert!(one_share(&mail).as_ref() == Some(share), "{mail}");
        assert!(one_share(&quoted(&mail)).as_ref() == Some(share), "{mail}");
    }
}

#[test]
fn several_shares_in_one_text() {
    let shares = split(b"attack at dawn", 3, 5).unwrap();
    let lines: Vec<String> = shares.iter().map(|share| share.to_text().unwrap().to_string()).collect();
    for text in [
        lines.join("\n"),
        lines.join(" "),
        lines.join("\n\n"),
        lines.iter().map(|line| wrapped(line, 50, "\n")).collect(),
        lines.iter().map(|line| format!("Share:\n> {}see above\n", wrapped(line, 50, "\n> "))).collect(),
    ] {
        let found: Vec<Share> = find(&text).shares.into_iter().map(|(_, share)| share.unwrap()).collect();
        assert!(found == shares, "{text}");
    }
    let found = find(&format!("\n{}\n\n{}", wrapped(&lines[0], 70, "\n"), lines[1]));
    let at: Vec<usize> = found.shares.iter().map(|(line, _)| *line).collect();
    let second = 2 + lines[0].len().div_ceil(70) + 2;
    assert_eq!(at, [2, second]);
    assert!(found.other.is_empty());
}

#[test]
fn a_typing_error_is_shown_where_it_is() {
    let share = &split(b"attack at dawn", 2, 3).unwrap()[0];
    let line = share.to_text().unwrap();
    for (at, wrong) in [(20, 'O'), (90, 'O'), (150, '?')] {
        let mut characters: Vec<char> = line.chars().collect();
        characters[at] = wrong;
        let text: String = characters.into_iter().collect();
        let error = find(&wrapped(&text, 60, "\n")).shares.remove(0).1.unwrap_err().to_string();
        assert!(error.contains(&format!("character {}", at + 1)), "{error}");
    }
    // An explanation is not a share.
    let found = find("a share begins with SEALANE-SHARE-1, and is long\n");
    assert!(found.shares.is_empty() && found.other == [1]);
}

#[test]
fn words_in_any_shape() {
    // The mnemonics of longer secrets have lines that are long enough to be mnemonics.
    for secret in [&[7; 32][..], &[9; 16], &[1; 64], &[2; 66], &[3; 78]] {
        let made = slip39::split(secret, b"", 2, 3).unwrap();
        let all: Vec<String> = made.iter().map(|words| words.to_words().to_string()).collect();
        let list: Vec<&str> = all[1].split(' ').collect();
        let numbered = |separator: &str| {
            list.iter().enumerate().map(|(at, word)| format!("{}{separator}{word}\n", at + 1)).collect::<String>()
        };
        let rows = |width: usize| list.chunks(width).map(|row| row.join(" ") + "\n").collect::<String>();
        // The words are in columns, but numbered.
        let height = list.len().div_ceil(3);
        let columns: String = (0..height)
            .map(|row| {
                let cells = (row..list.len()).step_by(height);
                cells.map(|at| format!("{:>2}. {:<10}", at + 1, list[at])).collect::<String>() + "\n"
            })
            .collect();
        let shapes = [
            all[1].clone(),
            all[1].to_uppercase(),
            all[1].replace(' ', ", "),
            all[1].replace(' ', "\u{a0}"),
            rows(1),
            rows(1).replace('\n', "\r\n\r\n"),
            rows(8),
            rows(20),
            rows(24),
            rows(30),
            rows(20).replace('\n', "\n\n"),
            numbered(". ").lines().collect::<Vec<_>>().chunks(20).map(|row| row.join(" ") + "\n").collect(),
            rows(7).lines().map(|line| format!("> {line}\n")).collect(),
            numbered(". "),
            numbered(") "),
            numbered("."),
            numbered(" "),
            numbered(":\n"),
            numbered("\t"),
            columns,
            list.iter().map(|word| word[..4].to_owned() + "\n").collect(),
            list.iter().map(|word| word[..4].to_uppercase() + " ").collect(),
            list.iter().map(|word| word[..word.len().min(5)].to_owned() + " ").collect(),
            format!("# share 2 of 3\n{}\n", all[1]),
        ];
        for shape in &shapes {
            for text in [shape.clone(), format!("Dear Bob,\n\nyours is this:\n\n{shape}\n\nRegards,\nAlice\n")] {
                let found = find(&text);
                let words: Vec<_> = found.words.iter().map(|(_, words)| words.as_ref().unwrap().to_words()).collect();
                assert!(words.len() == 1 && *words[0] == all[1], "{text}");
            }
        }
        // Several shares in one text. The numbers count the words of all shares, in lines of their
        // own, per share, with an empty line between shares, and in columns.
        let words: Vec<&str> = all.iter().flat_map(|words| words.split(' ')).collect();
        let numbered: Vec<String> =
            words.iter().enumerate().map(|(at, word)| format!("{}. {word}\n", at + 1)).collect();
        let per_share =
            |separator: &str| numbered.chunks(list.len()).map(<[_]>::concat).collect::<Vec<_>>().join(separator);
        let columns = (0..list.len()).map(|row| {
            numbered.iter().skip(row).step_by(list.len()).map(|cell| cell.replace('\n', "  ")).collect::<String>()
                + "\n"
        });
        for text in [
            per_share(""),
            per_share("\n"),
            numbered.chunks(4).map(|row| row.concat().replace('\n', " ") + "\n").collect(),
            numbered.chunks(list.len()).map(|row| row.concat().replace('\n', " ") + "\n").collect(),
            columns.collect(),
            all.join("\n"),
            all.join("\n\n"),
            all.iter().map(|words| wrapped_words(words, 11)).collect(),
            all.iter().map(|words| wrapped_words(words, 11) + "\n").collect(),
            all.iter().map(|words| wrapped_words(words, 1)).collect(),
            all.iter().map(|words| wrapped_words(words, 20)).collect(),
            all.iter().map(|words| wrapped_words(words, 20) + "\n").collect(),
            all.iter().map(|words| wrapped_words(words, 25)).collect(),
            all.iter().map(|words| format!("# a share\n{}", wrapped_words(words, 7))).collect(),
        ] {
            let found: Vec<_> = find(&text).words.into_iter().map(|(_, words)| words.unwrap().to_words()).collect();
            assert!(found.iter().map(|words| words.as_str()).eq(all.iter().map(String::as_str)), "{text}");
        }
    }
}

fn wrapped_words(words: &str, width: usize) -> String {
    words.split(' ').collect::<Vec<_>>().chunks(width).map(|row| row.join(" ") + "\n").collect()
}

#[test]
fn a_wrong_word_is_shown_where_it_is() {
    let made = slip39::split(&[7; 32], b"", 2, 2).unwrap();
    let words = made[0].to_words();
    let mut list: Vec<&str> = words.split(' ').collect();
    list[11] = "wibble";
    for width in [33, 8, 1] {
        let found = find(&wrapped_words(&list.join(" "), width)).words;
        let [(1, Err(Slip39Error::UnknownWord { position: 12 }))] = found[..] else { panic!("{width}: {found:?}") };
    }
    // A number for each word shows that all are one mnemonic.
    let numbered = |row: &[&str], first: usize| -> String {
        row.iter().enumerate().map(|(at, word)| format!("{} {word} ", first + at)).collect()
    };
    let made = slip39::split(&[1; 64], b"", 2, 2).unwrap();
    let words = made[0].to_words();
    let mut list: Vec<&str> = words.split(' ').collect();
    list[11] = "wibble";
    for separator in ["\n", "\n\n"] {
        let (first, second) = list.split_at(30);
        let found = find(&[numbered(first, 1), numbered(second, 31)].join(separator)).words;
        let [(1, Err(Slip39Error::UnknownWord { position: 12 }))] = found[..] else { panic!("{found:?}") };
    }
    // Some words were lost.
    let found = find(&wrapped_words(&list[..10].join(" "), 1)).words;
    assert!(matches!(found[..], [(1, Err(Slip39Error::WordCount(10)))]), "{found:?}");
}

#[test]
fn text_without_shares() {
    for (text, other) in [
        ("", &[][..]),
        ("no share\n", &[1]),
        ("\n\n# comment\n", &[]),
        ("one\n\ntwo\n", &[1, 3]),
        // Words of the list, but too few for a mnemonic.
        ("academic\nacid\nacne\n", &[1, 2, 3]),
        ("---\n***\n", &[]),
    ] {
        let found = find(text);
        assert!(found.shares.is_empty() && found.words.is_empty(), "{text}");
        assert_eq!(found.other, other, "{text}");
    }
}

#[test]
fn notes() {
    let text =
        "# share 1\n> # public key: age1abc\n# public key: age1def\n# public key: evil; rm\n# with a passphrase\n";
    let notes = find(text).notes;
    assert_eq!(notes, Notes { public_keys: vec!["age1abc".into(), "age1def".into()], passphrase: true });
    assert_eq!(find("public key: age1abc\nwith a passphrase").notes, Notes::default());
}

#[test]
fn lines_of_other_programs() {
    let lines = |text: &str, joined: bool| -> Vec<(usize, String)> {
        plain_lines(text, joined).into_iter().map(|(at, line)| (at, line.to_string())).collect()
    };
    let text = "# two\n> 1-0a1b\n> 2c3d\n\n 2-ffff 0000\u{a0}\r\n";
    assert_eq!(lines(text, true), [(2, "1-0a1b2c3d".into()), (5, "2-ffff0000".into())]);
    assert_eq!(lines("abcd==\nef01\n", false), [(1, "abcd".into()), (2, "ef01".into())]);
}

#[test]
fn hostile_text_does_not_take_long() {
    let start = std::time::Instant::now();
    let share = &split(&[0x42; 1900], 2, 3).unwrap()[1];
    let line = share.to_text().unwrap().replace('Q', "P");
    let texts = [
        "SEALANE-SHARE-1q".repeat(25_000),
        "SEALANE-SHARE-1q\n".repeat(25_000),
        format!("SEALANE-SHARE-1{}", "q".repeat(1_000_000)),
        wrapped(&line, 1, "\n").repeat(100),
        wrapped(&line, 2, " ").repeat(100),
        "academic acid ".repeat(100_000),
        "1 academic\n".repeat(100_000),
        "academic\n".repeat(100_000),
        "q".repeat(1_000_000),
        // Words of many lengths that could be several mnemonics.
        format!("# end\n{}", "acid acid acid acid acid acid acid acid\n".repeat(255)).repeat(150),
        (0..50_000).map(|at| format!("# public key: age1{at}\n")).collect(),
    ];
    std::thread::scope(|scope| {
        for text in &texts {
            scope.spawn(|| find(text));
        }
    });
    plain_lines(&format!("1-\n{}", "a\n".repeat(200_000)), true);
    // The limit allows for a debug build on a busy machine, and fails for quadratic time.
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
