//! The program of `seal_and_open`, without these calls.

fn main() -> std::io::Result<()> {
    let message = std::fs::read("/dev/null")?;
    println!("{} bytes", message.len());
    Ok(())
}
