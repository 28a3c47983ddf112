//! Tests that the program runs, that docs/datafusion.md has copies of it and of the program in
//! `examples/delta`, and that a query over a damaged object fails.

use std::sync::Arc;

use datafusion::arrow::array::{Int64Array, RecordBatch};
use datafusion::error::DataFusionError;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use sealane_object_store::object_store_013::SealedStore;
use sealane_object_store::object_store_013::object_store::memory::InMemory;
use sealane_object_store::object_store_013::object_store::path::Path;
use sealane_object_store::object_store_013::object_store::{ObjectStore as _, ObjectStoreExt as _};
use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::{DEFAULT_HEADER_LEN, Keys, SealedError};
use url::Url;

/// Returns a session whose sealed store is on this bucket.
fn session(bucket: &Arc<InMemory>, keys: &Keys) -> SessionContext {
    let context = SessionContext::new();
    let store = SealedStore::new(bucket.clone(), keys.clone()).unwrap();
    context.register_object_store(&Url::parse("age://lake/").unwrap(), Arc::new(store));
    context
}

async fn query(bucket: &Arc<InMemory>, keys: &Keys, sql: &str) -> Result<Vec<RecordBatch>, DataFusionError> {
    let context = session(bucket, keys);
    context.register_parquet("orders", "age://lake/orders/", ParquetReadOptions::default()).await?;
    context.sql(sql).await?.collect().await
}

fn number(rows: &[RecordBatch]) -> i64 {
    rows[0].column(0).as_any().downcast_ref::<Int64Array>().unwrap().value(0)
}

/// One bit of a sealed Parquet file is changed, in each of its parts, or the file is cut off. No
/// query may return rows that it would not return otherwise.
#[tokio::test]
async fn a_query_over_a_damaged_object_fails() {
    let bucket = Arc::new(InMemory::new());
    let identity = Identity::generate().unwrap();
    let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
    // The numbers are not compressed, so that the file has many chunks.
    let written = session(&bucket, &keys)
        .sql(
            "COPY (SELECT value AS id, value * 48271 % 2147483647 AS kind FROM range(0, 100000)) TO \
             'age://lake/orders/part.parquet' STORED AS PARQUET \
             OPTIONS ('format.compression' 'uncompressed', 'format.dictionary_enabled' 'false')",
        )
        .await
        .unwrap();
    written.collect().await.unwrap();
    let path = Path::from("orders/part.parquet");
    let sealed = bucket.get(&path).await.unwrap().bytes().await.unwrap().to_vec();
    assert!(sealed.len() > 16 << 16, "{} bytes", sealed.len());
    const SUM: &str = "SELECT CAST(sum(id) + sum(kind % 2) AS BIGINT) FROM orders";
    let expected = number(&query(&bucket, &keys, SUM).await.unwrap());

    let chunk = DEFAULT_HEADER_LEN + 16 + 3 * ((1 << 16) + 16);
    let changed_at = |at: usize| {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        changed
    };
    let cases = [
        ("the header", changed_at(DEFAULT_HEADER_LEN - 100)),
        ("a chunk", changed_at(chunk)),
        ("the tag of a chunk", changed_at(chunk - 1)),
        ("the last chunk", changed_at(sealed.len() - 20)),
        ("the end, cut off", sealed[..sealed.len() - 1].to_vec()),
        ("all but three chunks, cut off", sealed[..chunk].to_vec()),
        ("a byte after the end", [&sealed[..], &[0]].concat()),
    ];
    for (part, damaged) in cases {
        bucket.put(&path, damaged.into()).await.unwrap();
        let error = query(&bucket, &keys, SUM).await.expect_err(part);
        assert!(SealedError::of(&error).is_some() || error.to_string().contains("sealed error"), "{part}: {error}");
    }

    bucket.put(&path, sealed.into()).await.unwrap();
    assert_eq!(number(&query(&bucket, &keys, SUM).await.unwrap()), expected);
    // Another key gives an error too.
    let stranger = Keys::new().with_identity(Identity::generate().unwrap());
    let error = query(&bucket, &stranger, SUM).await.expect_err("another key");
    assert!(error.to_string().contains("none of the identities"), "{error}");
    assert_eq!(bucket.list_with_delimiter(None).await.unwrap().common_prefixes, [Path::from("orders")]);
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
