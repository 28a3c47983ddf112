//! Times queries over sealed Parquet files, and over plain files with the same content: `cargo run
//! --release --bin scan [ROWS [FOLDER]]`.
//!
//! Prints a table in Markdown. Both stores are on the local disk, in FOLDER if it is given, and the
//! kernel caches their files in memory. After one untimed query each, plain and sealed files take
//! turns. The table has the medians.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use futures_util::TryStreamExt as _;
use sealane_object_store::Keys;
use sealane_object_store::object_store_013::SealedStore;
use sealane_object_store::object_store_013::object_store::buffered::BufWriter;
use sealane_object_store::object_store_013::object_store::local::LocalFileSystem;
use sealane_object_store::object_store_013::object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};
use sealane_object_store::sealane_age::x25519::Identity;
use tokio::io::AsyncWriteExt as _;
use url::Url;

/// The number of rows in the table. A row takes 36 bytes in an uncompressed file.
const ROWS: u64 = 14_000_000;
const ROUNDS: usize = 9;

/// The query that generates the table: ascending numbers, columns with few and with many distinct
/// numbers, and texts.
const TABLE: &str = "SELECT value AS id, value % 97 AS kind, (value * 7919) % 1000003 * 0.000001 AS price, \
    (value * 104729) % 999983 * 0.001 AS weight, (value * 2654435761) % 1000000007 AS account, \
    'customer ' || CAST(value % 5003 AS VARCHAR) AS customer FROM range(0, {rows})";

/// The names and texts of the queries. No result depends on the order of rows.
const QUERIES: [(&str, &str); 5] = [
    ("all columns", "SELECT * FROM orders"),
    (
        "all columns, aggregated",
        "SELECT sum(id), sum(kind), max(price), max(weight), sum(account), max(customer) FROM orders",
    ),
    ("one column, aggregated", "SELECT sum(account) FROM orders"),
    ("filter: one row in 100, anywhere", "SELECT sum(account), max(weight) FROM orders WHERE price < 0.01"),
    (
        "filter: one row in 100, together",
        "SELECT sum(account), max(weight) FROM orders WHERE id BETWEEN {from} AND {to}",
    ),
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rows = arguments.next().map_or(Ok(ROWS), |rows| rows.parse())?;
    let folder = match arguments.next() {
        Some(parent) => tempfile::tempdir_in(parent)?,
        None => tempfile::tempdir()?,
    };
    measure(rows, ROUNDS, folder.path()).await
}

/// Writes the tables below a folder, queries them, and prints the table of times.
async fn measure(rows: u64, rounds: usize, folder: &Path) -> Result<(), Box<dyn Error>> {
    let plain_files = Arc::new(LocalFileSystem::new_with_prefix(new_folder(folder, "plain")?)?);
    let sealed_files = Arc::new(LocalFileSystem::new_with_prefix(new_folder(folder, "sealed")?)?);
    let identity = Identity::generate()?;
    let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
    let sealed_files = Arc::new(SealedStore::new(sealed_files, keys)?);

    println!("| compression | query | plain, ms | sealed, ms | time, × plain |\n|---|---|---:|---:|---:|");
    for compression in ["zstd(3)", "snappy", "uncompressed"] {
        let name = compression.split('(').next().unwrap_or(compression);
        let plain = context("plain", plain_files.clone())?;
        let table = TABLE.replace("{rows}", &rows.to_string());
        let write = format!(
            "COPY ({table}) TO 'plain://lake/{name}/' STORED AS PARQUET OPTIONS ('format.compression' '{compression}')"
        );
        plain.sql(&write).await?.collect().await?;
        // The sealed files have the same content.
        let written: Vec<_> = plain_files.list(Some(&name.into())).try_collect().await?;
        for object in &written {
            seal(&plain_files, &sealed_files, object).await?;
        }
        let bytes: u64 = written.iter().map(|object| object.size).sum();
        eprintln!("{compression}: {} files of {} MB together", written.len(), bytes / 1_000_000);

        let sealed = context("age", sealed_files.clone())?;
        for (scheme, context) in [("plain", &plain), ("age", &sealed)] {
            let url = format!("{scheme}://lake/{name}/");
            context.register_parquet("orders", url, ParquetReadOptions::default()).await?;
        }
        for (what, query) in QUERIES {
            let query = query.replace("{from}", &(rows / 2).to_string());
            let query = query.replace("{to}", &(rows / 2 + rows / 100).to_string());
            let [plain, sealed] = medians([&plain, &sealed], &query, rounds).await?;
            let ratio = sealed.as_secs_f64() / plain.as_secs_f64();
            println!("| {compression} | {what} | {:.1} | {:.1} | {ratio:.2} |", millis(plain), millis(sealed));
        }
    }
    Ok(())
}

fn new_folder(parent: &Path, name: &str) -> std::io::Result<PathBuf> {
    let path = parent.join(name);
    std::fs::create_dir(&path)?;
    Ok(path)
}

/// Returns a context in which `SCHEME://lake/` is this store.
fn context(scheme: &str, store: Arc<dyn ObjectStore>) -> Result<SessionContext, Box<dyn Error>> {
    let context = SessionContext::new();
    context.register_object_store(&Url::parse(&format!("{scheme}://lake/"))?, store);
    Ok(context)
}

/// Writes the contents of a plain object to the sealed store, under the same path.
async fn seal(from: &LocalFileSystem, to: &Arc<SealedStore>, object: &ObjectMeta) -> Result<(), Box<dyn Error>> {
    let mut writer = BufWriter::new(to.clone(), object.location.clone());
    let mut contents = from.get(&object.location).await?.into_stream();
    while let Some(bytes) = contents.try_next().await? {
        writer.write_all(&bytes).await?;
    }
    writer.shutdown().await?;
    Ok(())
}

/// Returns each context's median time for the query. The contexts take turns.
async fn medians(contexts: [&SessionContext; 2], query: &str, rounds: usize) -> Result<[Duration; 2], Box<dyn Error>> {
    // Reads the files into memory, and compares the results.
    let (plain, _) = answer(contexts[0], query).await?;
    let (sealed, _) = answer(contexts[1], query).await?;
    assert_eq!(plain, sealed, "{query}");
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (times, context) in times.iter_mut().zip(contexts) {
            times.push(answer(context, query).await?.1);
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[rounds / 2]
    }))
}

/// Executes a query. Returns the number of rows, the row as text if there is only one, and the time
/// without planning.
async fn answer(context: &SessionContext, query: &str) -> Result<((usize, String), Duration), Box<dyn Error>> {
    let plan = context.sql(query).await?.create_physical_plan().await?;
    let start = Instant::now();
    let mut batches = execute_stream(plan, context.task_ctx())?;
    let (mut rows, mut row) = (0, String::new());
    while let Some(batch) = batches.try_next().await? {
        rows += batch.num_rows();
        if batch.num_rows() == 1 {
            row = pretty_format_batches(&[batch])?.to_string();
        }
    }
    Ok(((rows, row), start.elapsed()))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Tests that all queries have the same results over sealed and plain files.
#[test]
fn a_short_table_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(measure(2_000, 1, folder.path())).unwrap();
}
