//! Tests that the program runs, that docs/datafusion.md has copies of it and of the program in
//! `examples/delta`, and that sealed tables of real data give the same results as their source, in
//! memory and on S3, and errors if an object is damaged.

use std::sync::Arc;

use datafusion::arrow::array::{Int64Array, RecordBatch};
use datafusion::error::DataFusionError;
use datafusion::prelude::{CsvReadOptions, ParquetReadOptions, SessionContext};
use object_store::aws::AmazonS3Builder;
use sealane_object_store::object_store_013::SealedStore;
use sealane_object_store::object_store_013::object_store::memory::InMemory;
use sealane_object_store::object_store_013::object_store::path::Path;
use sealane_object_store::object_store_013::object_store::{ObjectStore, ObjectStoreExt as _};
use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::{DEFAULT_HEADER_BYTES, Keys, SealedError};
use url::Url;

type Bucket = Arc<dyn ObjectStore>;

/// Returns a session whose sealed store is on this bucket.
fn session(bucket: &Bucket, keys: &Keys) -> SessionContext {
    let context = SessionContext::new();
    let store = SealedStore::new(bucket.clone(), keys.clone()).unwrap();
    context.register_object_store(&Url::parse("age://lake/").unwrap(), Arc::new(store));
    context
}

async fn query(bucket: &Bucket, keys: &Keys, sql: &str) -> Result<Vec<RecordBatch>, DataFusionError> {
    let context = session(bucket, keys);
    context.register_parquet("flights", "age://lake/flights/", ParquetReadOptions::default()).await?;
    context.sql(sql).await?.collect().await
}

/// Returns all numbers, row by row.
fn numbers(batches: &[RecordBatch]) -> Vec<Vec<i64>> {
    let column = |batch: &RecordBatch, i: usize| batch.column(i).as_any().downcast_ref::<Int64Array>().unwrap().clone();
    let row = |batch: &RecordBatch, row: usize| (0..batch.num_columns()).map(|i| column(batch, i).value(row)).collect();
    batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|i| row(batch, i)).collect::<Vec<_>>()).collect()
}

/// Writes all flights that left New York in 2013 to a sealed table, and queries them. Then one bit
/// of the sealed file is changed, in each of its parts, or the file is cut off. No query may return
/// rows that it would not return otherwise.
async fn sealed_flights(bucket: Bucket) {
    let identity = Identity::generate().unwrap();
    let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
    let context = session(&bucket, &keys);
    let source = std::env::var("SEALANE_FLIGHTS").expect("examples/datafusion/test sets SEALANE_FLIGHTS");
    // All columns are text, because numbers that are not known are `NA`.
    let options = CsvReadOptions::new().schema_infer_max_records(0);
    context.register_csv("source", source, options).await.unwrap();
    // The values are not compressed, so that the file has many chunks, and is uploaded in parts.
    let written = context
        .sql(
            "COPY (SELECT carrier, origin, dest, TRY_CAST(air_time AS BIGINT) AS air_time, \
             TRY_CAST(arr_delay AS BIGINT) AS arr_delay, CAST(distance AS BIGINT) AS distance FROM source) \
             TO 'age://lake/flights/2013.parquet' STORED AS PARQUET \
             OPTIONS ('format.compression' 'uncompressed', 'format.dictionary_enabled' 'false')",
        )
        .await
        .unwrap();
    written.collect().await.unwrap();
    let path = Path::from("flights/2013.parquet");
    let sealed = bucket.get(&path).await.unwrap().bytes().await.unwrap().to_vec();
    assert!(sealed.starts_with(b"age-encryption.org/v1\n"));
    assert!(sealed.len() > 10 << 20, "{} bytes", sealed.len());

    const TOTALS: &str = "SELECT count(*), count(air_time), sum(air_time), sum(distance) FROM flights \
                          GROUP BY origin ORDER BY origin";
    let totals = numbers(&query(&bucket, &keys, TOTALS).await.unwrap());
    let expected = [
        // EWR, JFK and LGA.
        [120_835, 117_127, 17_955_572, 127_691_515],
        [111_279, 109_079, 19_454_136, 140_906_931],
        [104_662, 101_140, 11_916_902, 81_619_161],
    ];
    assert_eq!(totals, expected);

    // Reads each chunk.
    const ALL: &str = "SELECT * FROM flights";
    let chunk = DEFAULT_HEADER_BYTES + 16 + 3 * ((1 << 16) + 16);
    let changed_at = |at: usize| {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        changed
    };
    let cases = [
        ("the header", changed_at(DEFAULT_HEADER_BYTES - 100)),
        ("a chunk", changed_at(chunk)),
        ("the tag of a chunk", changed_at(chunk - 1)),
        ("the last chunk", changed_at(sealed.len() - 20)),
        ("the end, cut off", sealed[..sealed.len() - 1].to_vec()),
        ("all but three chunks, cut off", sealed[..chunk].to_vec()),
        ("a byte after the end", [&sealed[..], &[0]].concat()),
    ];
    for (part, damaged) in cases {
        bucket.put(&path, damaged.into()).await.unwrap();
        let error = query(&bucket, &keys, ALL).await.expect_err(part);
        assert!(SealedError::of(&error).is_some() || error.to_string().contains("sealed error"), "{part}: {error}");
    }

    bucket.put(&path, sealed.into()).await.unwrap();
    let rows = query(&bucket, &keys, ALL).await.unwrap();
    assert_eq!(rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 336_776);
    // Another key gives an error too.
    let stranger = Keys::new().with_identity(Identity::generate().unwrap());
    let error = query(&bucket, &stranger, TOTALS).await.expect_err("another key");
    assert!(error.to_string().contains("none of the identities"), "{error}");
    assert_eq!(bucket.list_with_delimiter(None).await.unwrap().common_prefixes, [Path::from("flights")]);
}

#[tokio::test]
#[ignore = "needs the flights: examples/datafusion/test downloads them"]
async fn sealed_flights_in_memory() {
    sealed_flights(Arc::new(InMemory::new())).await;
}

#[tokio::test]
#[ignore = "needs the flights and an S3 server: examples/datafusion/test starts one"]
async fn sealed_flights_on_s3() {
    let address = std::env::var("SEALANE_S3").expect("examples/datafusion/test sets SEALANE_S3");
    let builder = AmazonS3Builder::from_env().with_bucket_name("lake");
    sealed_flights(Arc::new(builder.with_endpoint(address).with_allow_http(true).build().unwrap())).await;
}

#[test]
fn the_program_runs() {
    super::main().unwrap();
}

#[test]
fn the_page_has_the_programs() {
    let page = include_str!("../../../docs/datafusion.md");
    let programs = [("datafusion", include_str!("main.rs")), ("delta", include_str!("../../delta/src/main.rs"))];
    for (name, program) in programs {
        let (_, code) = program.split_once("\n\n").unwrap();
        let (code, _) = code.split_once("\n#[cfg(test)]").unwrap();
        let copy = format!("copy examples/{name}/src/main.rs to docs/datafusion.md");
        assert!(page.contains(&format!("```rust\n{code}```\n")), "{copy}");
    }
}

#[test]
fn the_page_has_the_dependencies() {
    let page = include_str!("../../../docs/datafusion.md");
    let blocks: Vec<_> = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let [main, delta] = blocks[..] else { panic!("{} blocks", blocks.len()) };
    let manifests = [(main, include_str!("../Cargo.toml")), (delta, include_str!("../../delta/Cargo.toml"))];
    for (block, manifest) in manifests {
        // The measurement, not the program of the page, needs `io-util`.
        let manifest = manifest.replace("../../crates", "../sealane/crates").replace("\"io-util\", ", "");
        for line in block.lines().filter(|line| line.contains(" = ")) {
            assert!(manifest.lines().any(|other| other == line), "{line}");
        }
    }
    assert!(main.contains("\ndatafusion = ") && delta.contains("deltalake-core = "));
}
