//! Results that an earlier run has not left like this.

use std::fs::{self, File, FileTimes};

use crate::folder::with_photos;
use crate::folder_resume::{ENCRYPT, resume};

#[test]
fn a_result_that_cannot_be_complete_is_noticed() {
    let dir = with_photos();
    for (armor, name) in [
        (None, "photos/a.jpg.age"),
        (Some("-a"), "photos/a.jpg.age"),
        (None, "photos/2020/may/nothing.age"),
        (None, "sealane-manifest.age"),
        (Some("-a"), "sealane-manifest.age"),
    ] {
        let args: Vec<_> = ENCRYPT.into_iter().chain(armor).collect();
        dir.run(&args).quiet();
        let path = dir.path("sealed").join(name);
        let whole = fs::read(&path).unwrap();
        let time = path.metadata().unwrap().modified().unwrap();
        let mut longer = whole.clone();
        longer.push(b'x');
        // The last line of armor may lack its end.
        let cut = if armor.is_some() { 2 } else { 1 };
        for content in [&whole[..0], &whole[..whole.len() - cut], &longer, b"hello", &whole] {
            // A manifest can have any length.
            if name == "sealane-manifest.age" && armor.is_none() && content.len().abs_diff(whole.len()) == 1 {
                continue;
            }
            fs::write(&path, content).unwrap();
            File::options().write(true).open(&path).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
            let run = resume(&dir, &args);
            if content == whole {
                run.ok();
            } else {
                run.fails("its inputs or results have changed since");
                assert_eq!(fs::read(&path).unwrap(), content);
            }
        }
        // The other form was not asked for.
        let other: Vec<_> = if armor.is_some() { ENCRYPT.to_vec() } else { args.into_iter().chain(["-a"]).collect() };
        resume(&dir, &other).fails("its inputs or results have changed since");
        fs::remove_dir_all(dir.path("sealed")).unwrap();
    }
}
