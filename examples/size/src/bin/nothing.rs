//! The program `seal_and_open` without sealing and opening: the baseline for its size.

fn main() -> std::io::Result<()> {
    let message = std::fs::read("/dev/null")?;
    println!("{} bytes", message.len());
    Ok(())
}
