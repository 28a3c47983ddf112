//! Tests of other keys, damage, concurrent commits and checkpoints. The tests of
//! `examples/datafusion` compare this program with its copy in docs/datafusion.md.

use deltalake_core::DeltaTableError;
use deltalake_core::kernel::transaction::{CommitConflictError, TransactionError};
use deltalake_core::protocol::checkpoints::create_checkpoint;

use super::*;

/// A bucket with the table `orders`, which has the orders 0 to 9.
struct Lake {
    bucket: Arc<InMemory>,
    keys: Keys,
}

impl Lake {
    async fn new() -> Self {
        let identity = Identity::generate().unwrap();
        let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
        let lake = Self { bucket: Arc::new(InMemory::new()), keys };
        let table = sealed_table(lake.bucket.clone(), lake.keys.clone()).unwrap();
        table.write([orders(0..10).unwrap()]).await.unwrap();
        lake
    }

    /// Returns the newest version, as loaded by a program that has not read the table before.
    async fn table(&self) -> DeltaTable {
        let mut table = sealed_table(self.bucket.clone(), self.keys.clone()).unwrap();
        table.load().await.unwrap();
        table
    }

    /// Returns the number of orders.
    async fn count(&self) -> i64 {
        column(&query(&self.table().await).await.unwrap(), 1).iter().sum()
    }

    /// Returns the paths of the objects in a folder.
    async fn objects(&self, folder: &str) -> Vec<Path> {
        let listed = self.bucket.list_with_delimiter(Some(&Path::from(folder))).await.unwrap();
        listed.objects.into_iter().map(|object| object.location).collect()
    }

    /// Returns the sealed bytes of an object.
    async fn sealed(&self, path: &Path) -> Vec<u8> {
        self.bucket.get(path).await.unwrap().bytes().await.unwrap().to_vec()
    }
}

#[tokio::test]
async fn another_key_reads_and_writes_nothing() {
    let lake = Lake::new().await;
    let stranger = Identity::generate().unwrap();
    let keys = Keys::new().with_recipient(stranger.to_public()).with_identity(stranger);
    let mut table = sealed_table(lake.bucket.clone(), keys.clone()).unwrap();
    let error = table.load().await.unwrap_err().to_string();
    assert!(error.contains("none of the identities can open"), "{error}");
    let table = sealed_table(lake.bucket.clone(), keys).unwrap();
    table.write([orders(10..20).unwrap()]).with_save_mode(SaveMode::Append).await.unwrap_err();
    assert_eq!((lake.table().await.version(), lake.count().await), (Some(0), 10));
}

#[tokio::test]
async fn errors_name_the_damaged_object() {
    let lake = Lake::new().await;
    for folder in ["orders/_delta_log", "orders"] {
        let path = lake.objects(folder).await.remove(0);
        let intact = lake.sealed(&path).await;
        let mut changed = intact.clone();
        // The payload starts at 4096, after header and nonce.
        changed[4106] ^= 1;
        for damaged in [&changed[..], &intact[..intact.len() - 1]] {
            lake.bucket.put(&path, damaged.to_vec().into()).await.unwrap();
            let mut table = sealed_table(lake.bucket.clone(), lake.keys.clone()).unwrap();
            let error: Box<dyn Error> = match table.load().await {
                Err(error) => error.into(),
                Ok(()) => query(&table).await.unwrap_err(),
            };
            let error = error.to_string();
            assert!(error.contains(&format!("{path}: the object is damaged")), "{error}");
        }
        lake.bucket.put(&path, intact.into()).await.unwrap();
        assert_eq!(lake.count().await, 10);
    }
}

/// Each append gets a version of its own, because the log refuses to replace an entry.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_appends_all_succeed() {
    let lake = Lake::new().await;
    let mut writers = Vec::new();
    for i in 1..=6 {
        // All of them start from version 0.
        let write = lake.table().await.write([orders(i * 10..i * 10 + 10).unwrap()]);
        writers.push(tokio::spawn(write.with_save_mode(SaveMode::Append).into_future()));
    }
    let mut versions = Vec::new();
    for writer in writers {
        versions.push(writer.await.unwrap().unwrap().version().unwrap());
    }
    versions.sort();
    assert_eq!(versions, [1, 2, 3, 4, 5, 6]);
    assert_eq!(lake.objects("orders/_delta_log").await.len(), 7);
    assert_eq!(lake.count().await, 70);
}

#[tokio::test]
async fn conflicting_commits_are_refused() {
    let lake = Lake::new().await;
    let (one, other) = (lake.table().await, lake.table().await);
    one.write([orders(10..30).unwrap()]).with_save_mode(SaveMode::Overwrite).await.unwrap();
    // `other` has read files that are replaced by now.
    let refused = other.write([orders(30..70).unwrap()]).with_save_mode(SaveMode::Overwrite).await.unwrap_err();
    let DeltaTableError::Transaction { source: TransactionError::CommitConflict(conflict) } = refused else {
        panic!("{refused:?}")
    };
    assert!(matches!(conflict, CommitConflictError::ConcurrentDeleteRead), "{conflict}");
    assert_eq!((lake.table().await.version(), lake.count().await), (Some(1), 20));
}

#[tokio::test]
async fn checkpoints_are_sealed_and_read() {
    let lake = Lake::new().await;
    let table = lake.table().await.write([orders(10..20).unwrap()]).with_save_mode(SaveMode::Append).await.unwrap();
    create_checkpoint(&table, None).await.unwrap();
    let mut checkpoints = 0;
    for path in lake.objects("orders/_delta_log").await {
        assert!(lake.sealed(&path).await.starts_with(b"age-encryption.org/v1\n"), "{path}");
        checkpoints += usize::from(path.as_ref().ends_with(".checkpoint.parquet"));
        // The checkpoint replaces the log entries, so they are deleted.
        if path.extension() == Some("json") {
            lake.bucket.delete(&path).await.unwrap();
        }
    }
    assert_eq!(checkpoints, 1);
    assert_eq!((lake.table().await.version(), lake.count().await), (Some(1), 20));
}

#[test]
fn the_program_runs() {
    main().unwrap();
}
