//! Prints the versions of OpenSSL that cargo has fetched, each with the folder of its source.
#![forbid(unsafe_code)]

fn main() {
    let sources = [
        (openssl_src_3::version(), openssl_src_3::source_dir()),
        (openssl_src_4::version(), openssl_src_4::source_dir()),
    ];
    for (version, folder) in sources {
        // The version of the crate ends with that of OpenSSL: 400.0.2+4.0.3.
        let (_, version) = version.split_once('+').expect("a version of OpenSSL");
        println!("{version} {}", folder.display());
    }
}
