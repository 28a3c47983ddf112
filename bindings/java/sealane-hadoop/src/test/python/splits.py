"""Reads encrypted files in splits with Spark, and compares them with plain ones: splits.py DIRECTORY

It also reads and writes tables of text files with Hive's classes, which Spark contains. Run it with
spark-submit, the properties from docs/spark.md, and an empty directory."""

import os
import sys
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

directory = Path(sys.argv[1]).resolve()
spark = (
    SparkSession.builder.config("spark.sql.warehouse.dir", str(directory / "warehouse"))
    # Hive's splits have the size of a block, which the instance of the file system in Spark's cache
    # does not learn from here.
    .config("spark.hadoop.fs.local.block.size", "500000")
    .config("spark.hadoop.fs.file.impl.disable.cache", "true")
    .config("spark.hadoop.javax.jdo.option.ConnectionURL", "jdbc:derby:memory:metastore;create=true")
    .enableHiveSupport()
    .getOrCreate()
)
SCHEMA = "id LONG, name STRING, square LONG"
rows = spark.range(150_000).selectExpr("id", "concat('name ', id % 977) AS name", "id * id AS square")


def written(name, **options):
    """Writes the rows as one CSV file. Returns its path."""
    rows.coalesce(1).write.options(**options).csv(str(directory / name))
    [path] = (directory / name).glob("part-*")
    return path


def reasons(error):
    """Returns the messages of an error and of its causes in Java."""
    found, cause = [str(error)], getattr(error, "_origin", None)
    while cause is not None:
        found.append(str(cause.toString()))
        cause = cause.getCause()
    return "\n".join(found)


def same(one, other):
    return one.exceptAll(other).isEmpty() and other.exceptAll(one).isEmpty()


plain, sealed = written("plain"), written("sealed", compression="sealane.hadoop.AgeCodec")
assert sealed.read_bytes().startswith(b"age-encryption.org/v1\n")
assert sealed.name.endswith(".csv.age")

spark.conf.set("spark.sql.files.maxPartitionBytes", 500_000)
plain_table, sealed_table = (spark.read.schema(SCHEMA).csv(str(path)) for path in (plain, sealed))
splits = [table.rdd.getNumPartitions() for table in (plain_table, sealed_table)]
assert splits[0] == splits[1] > 5, splits
assert sealed_table.count() == 150_000
assert same(plain_table, sealed_table)
# Compares lines in file order, also through Hadoop's MapReduce interface.
context = spark.sparkContext
assert context.textFile(str(plain), 7).collect() == context.textFile(str(sealed), 7).collect()
json = directory / "json"
rows.write.option("compression", "sealane.hadoop.AgeCodec").json(str(json))
assert same(spark.read.schema(SCHEMA).json(str(json)), plain_table)

# The file system: Parquet and ORC, whose statistics need reads at any position.
for kind in ("parquet", "orc"):
    path = f"age-file://{directory}/{kind}"
    rows.write.format(kind).save(path)
    files = list((directory / kind).glob("part-*"))
    assert files, kind
    for file in files:
        assert file.read_bytes().startswith(b"age-encryption.org/v1\n"), file
    table = spark.read.format(kind).load(path)
    assert same(table, plain_table)
    assert table.where("square = 1000000").count() == 1

# Files get the keys of their own job, not those of an earlier job of this process.
age = spark._jvm.sealane.age
pair = age.AgeKeyPair.generate(getattr(age, "AgeKeyPair$Kind").valueOf("X25519"))
few = rows.limit(10).coalesce(1)
encryption = {"parquet.encryption.footer.key": "footer", "parquet.encryption.column.keys": "squares:square"}
few.write.options(**encryption).parquet(str(directory / "first"))
theirs = {
    "sealane.age.recipients": pair.recipient(),
    "sealane.age.identities.secret": pair.identity(),
    "sealane.age.kms.recipients.footer": pair.recipient(),
    "sealane.age.kms.recipients.squares": pair.recipient(),
}
for path, options in ((f"age-file://{directory}/theirs", theirs), (str(directory / "modular"), theirs | encryption)):
    few.write.options(**options).parquet(path)
    assert spark.read.options(**theirs).parquet(path).count() == 10
    try:
        spark.read.schema(SCHEMA).parquet(path).collect()
    except (PySparkException, Py4JJavaError) as error:
        assert "none of the identities can open the file" in reasons(error), reasons(error)
    else:
        sys.exit(f"another job's keys open {path}")

# The properties of a table go before those of the job, so a metastore chooses the recipients.
for name, value in encryption.items():
    spark.conf.set(name, value)
named = {"footer.key": pair.recipient(), "column.keys": f"{pair.recipient()}:square"}
named = {f"parquet.encryption.{name}": value for name, value in named.items()}
for table, chosen in (("named", named), ("given", theirs)):
    options = ", ".join(f"'{name}' '{value}'" for name, value in chosen.items() if not name.endswith(".secret"))
    spark.sql(f"CREATE TABLE {table} ({SCHEMA}) USING parquet OPTIONS ({options}) LOCATION '{directory / table}'")
    few.write.insertInto(table)
    assert spark.read.options(**theirs).parquet(str(directory / table)).count() == 10
    try:
        spark.read.schema(SCHEMA).parquet(str(directory / table)).collect()
    except (PySparkException, Py4JJavaError) as error:
        assert "none of the identities can open the file" in reasons(error), reasons(error)
    else:
        sys.exit(f"the job's keys open the table {table}")
for name in encryption:
    spark.conf.unset(name)

# Hive's tables of text files are read and written with Hive's classes, not Spark's.
FORMAT = "ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE"
spark.sql(f"CREATE EXTERNAL TABLE read ({SCHEMA.replace('LONG', 'BIGINT')}) {FORMAT} LOCATION '{sealed.parent}'")
assert spark.table("read").rdd.getNumPartitions() > 5
assert spark.sql("SELECT count(*), sum(id) FROM read").first() == (150_000, 150_000 * 149_999 // 2)
assert same(spark.table("read"), plain_table)
spark.sql("SET hive.exec.compress.output=true")
spark.sql("SET mapreduce.output.fileoutputformat.compress.codec=sealane.hadoop.AgeCodec")
spark.sql(f"CREATE TABLE written {FORMAT} LOCATION '{directory / 'written'}' AS SELECT * FROM read")
parts = list((directory / "written").glob("part-*"))
assert len(parts) > 5, parts
for file in parts:
    assert file.name.endswith(".age") and file.read_bytes().startswith(b"age-encryption.org/v1\n"), file
assert same(spark.table("written"), plain_table)

# A changed file and a truncated one fail, and the error names the chunk. Hadoop's own checksums
# would detect both first, so they are removed.
for checksum in sealed.parent.glob(".*.crc"):
    checksum.unlink()
file = sealed.read_bytes()
changed = bytearray(file)
changed[2_000_000] ^= 1
# The payload follows the last line of the header and a nonce of 16 bytes.
payload = file.index(b"\n", file.index(b"\n--- ") + 1) + 17
last = (len(file) - payload - 1) // 65552
for damaged, message in (
    (changed, "chunk 30 (plaintext from byte 1966080) is corrupt"),
    (file[:-1], f"the file is cut short or corrupt in its last chunk (plaintext from byte {last * 65536})"),
    (file[: payload + 30 * 65552], "the file is cut short: chunk 30 (plaintext from byte 1966080) is missing"),
):
    sealed.write_bytes(damaged)
    try:
        spark.read.schema(SCHEMA).csv(str(sealed)).count()
    except (PySparkException, Py4JJavaError) as error:
        assert message in reasons(error), reasons(error)
    else:
        sys.exit(f"a damaged file was read: {message}")

# Spark shows no secrets.
shown = spark.sparkContext._jsc.sc().conf().toDebugString().splitlines()
secrets = [line for line in shown if "sealane.age.identities" in line]
assert secrets == ["spark.hadoop.sealane.age.identities.secret=*********(redacted)"], secrets
print("Spark reads encrypted files in", splits[1], "splits")
