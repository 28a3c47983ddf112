//! A Delta table whose files and log are sealed: `cargo run --manifest-path
//! examples/delta/Cargo.toml`.

use std::error::Error;
use std::ops::Range;
use std::sync::Arc;

use deltalake_core::DeltaTable;
use deltalake_core::arrow::array::{Int64Array, RecordBatch, StringArray};
use deltalake_core::arrow::util::pretty::pretty_format_batches;
use deltalake_core::datafusion::prelude::SessionContext;
use deltalake_core::logstore::{StorageConfig, default_logstore};
use deltalake_core::protocol::SaveMode;
use sealane_object_store::Keys;
use sealane_object_store::object_store_013::SealedStore;
use sealane_object_store::object_store_013::object_store::memory::InMemory;
use sealane_object_store::object_store_013::object_store::path::Path;
use sealane_object_store::object_store_013::object_store::prefix::PrefixStore;
use sealane_object_store::object_store_013::object_store::{ObjectStore, ObjectStoreExt as _};
use sealane_object_store::sealane_age::x25519::Identity;
use url::Url;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // A bucket, here in memory.
    let bucket = Arc::new(InMemory::new());
    let identity = Identity::generate()?;
    let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);

    // Creates a table, and appends to it.
    let table = sealed_table(bucket.clone(), keys.clone())?;
    let table = table.write([orders(0..1000)?]).await?;
    table.write([orders(1000..3000)?]).with_save_mode(SaveMode::Append).await?;

    // Another program reads it.
    let mut table = sealed_table(bucket.clone(), keys)?;
    table.load().await?;
    assert_eq!(table.version(), Some(1));
    let rows = query(&table).await?;
    println!("{}", pretty_format_batches(&rows)?);
    assert_eq!(column(&rows, 1), [1500, 1500]);
    assert_eq!(column(&rows, 2), [2998, 2999]);

    // An earlier version of it.
    table.load_version(0).await?;
    assert_eq!(column(&query(&table).await?, 1), [500, 500]);

    // The log and the data are sealed.
    for folder in ["orders/_delta_log", "orders"] {
        let objects = bucket.list_with_delimiter(Some(&Path::from(folder))).await?.objects;
        assert!(objects.len() >= 2, "one for each version");
        for object in objects {
            assert_eq!(bucket.get_range(&object.location, 0..22).await?, "age-encryption.org/v1\n");
            println!("sealed: {}, {} bytes", object.location, object.size);
        }
    }

    // Another key opens nothing.
    let mut stranger = sealed_table(bucket, Keys::new().with_identity(Identity::generate()?))?;
    println!("with another key: {}", stranger.load().await.expect_err("the files are sealed"));
    Ok(())
}

/// Returns the table `orders` of a bucket. It may not exist yet.
fn sealed_table(bucket: Arc<InMemory>, keys: Keys) -> Result<DeltaTable, Box<dyn Error>> {
    let store: Arc<dyn ObjectStore> = Arc::new(SealedStore::new(bucket, keys)?);
    let folder = Arc::new(PrefixStore::new(store.clone(), "orders"));
    let url = Url::parse("age://lake/orders/")?;
    Ok(DeltaTable::new(default_logstore(folder, store, &url, &StorageConfig::default())))
}

/// Returns orders with these numbers.
fn orders(ids: Range<i64>) -> Result<RecordBatch, Box<dyn Error>> {
    let kinds = StringArray::from_iter_values(ids.clone().map(|id| if id % 2 == 0 { "even" } else { "odd" }));
    let ids = Int64Array::from_iter_values(ids);
    Ok(RecordBatch::try_from_iter([("id", Arc::new(ids) as _), ("kind", Arc::new(kinds) as _)])?)
}

/// Returns the count and the largest number of each kind.
async fn query(table: &DeltaTable) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    let context = SessionContext::new();
    context.register_table("orders", table.table_provider().await?)?;
    let query = "SELECT kind, count(*) AS orders, max(id) AS last FROM orders GROUP BY kind ORDER BY kind";
    Ok(context.sql(query).await?.collect().await?)
}

/// Returns the numbers of a column.
fn column(rows: &[RecordBatch], index: usize) -> Vec<i64> {
    let arrays = rows.iter().map(|batch| batch.column(index).as_any().downcast_ref::<Int64Array>());
    arrays.flat_map(|array| array.expect("numbers of 64 bits").values().to_vec()).collect()
}

#[cfg(test)]
mod tests;
