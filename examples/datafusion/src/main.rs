//! Writes sealed Parquet files, and queries them with SQL: `cargo run`
//!
//! docs/datafusion.md explains each step.

use std::error::Error;
use std::sync::Arc;

use datafusion::arrow::array::{Float64Array, Int64Array};
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use sealane_object_store::Keys;
use sealane_object_store::object_store_013::SealedStore;
use sealane_object_store::object_store_013::object_store::local::LocalFileSystem;
use sealane_object_store::object_store_013::object_store::path::Path;
use sealane_object_store::object_store_013::object_store::{ObjectStore as _, ObjectStoreExt as _};
use sealane_object_store::sealane_age::x25519::Identity;
use url::Url;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // A bucket, in place of which a folder is enough here.
    let folder = tempfile::tempdir()?;
    let bucket = Arc::new(LocalFileSystem::new_with_prefix(folder.path())?);

    // The sealed store, under an address of its own.
    let identity = Identity::generate()?;
    let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
    let sealed = Arc::new(SealedStore::new(bucket.clone(), keys)?);
    let context = SessionContext::new();
    context.register_object_store(&Url::parse("age://lake/")?, sealed);

    // Writes sealed Parquet.
    let written = context
        .sql(
            "COPY (SELECT value AS id, value % 7 AS kind, value * 0.5 AS amount FROM range(0, 200000)) \
             TO 'age://lake/orders/' STORED AS PARQUET",
        )
        .await?;
    written.collect().await?;

    // Reads it.
    context.register_parquet("orders", "age://lake/orders/", ParquetReadOptions::default()).await?;
    let query = "SELECT kind, count(*) AS orders, sum(amount) AS amount FROM orders WHERE id < 140000 \
                 GROUP BY kind ORDER BY kind";
    let rows = context.sql(query).await?.collect().await?;
    println!("{}", datafusion::arrow::util::pretty::pretty_format_batches(&rows)?);

    let counts = rows[0].column(1).as_any().downcast_ref::<Int64Array>().ok_or("not a count")?;
    let amounts = rows[0].column(2).as_any().downcast_ref::<Float64Array>().ok_or("not a sum")?;
    assert_eq!(counts.values()[..], [20_000; 7]);
    assert_eq!(amounts.value(0), (0..20_000).map(|i| f64::from(i * 7) * 0.5).sum::<f64>());

    // The bucket has sealed files only.
    let objects = bucket.list_with_delimiter(Some(&Path::from("orders"))).await?.objects;
    assert!(!objects.is_empty());
    for object in objects {
        let start = bucket.get_range(&object.location, 0..22).await?;
        assert_eq!(start, "age-encryption.org/v1\n");
        println!("sealed: {}, {} bytes", object.location, object.size);
    }

    // Another key opens nothing.
    let stranger = Keys::new().with_identity(Identity::generate()?);
    let context = SessionContext::new();
    context.register_object_store(&Url::parse("age://lake/")?, Arc::new(SealedStore::new(bucket, stranger)?));
    let refused = context.register_parquet("orders", "age://lake/orders/", ParquetReadOptions::default()).await;
    println!("with another key: {}", refused.expect_err("the files are sealed"));
    Ok(())
}

#[cfg(test)]
mod tests;
