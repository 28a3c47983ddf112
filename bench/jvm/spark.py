"""Times scans of one plain and of one sealed file of CSV by Spark: spark.py DIRECTORY [SCANS]

The first run writes the files, 2 GiB of rows each. The scans are interleaved, after one of each
to warm up. `./spark` runs it.
"""

import random
import statistics
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

LENGTH = 2 << 30
SCHEMA = "id LONG, name STRING, price DOUBLE, note STRING"


def write_plain(path):
    """Writes rows with numbers and texts. They repeat after 16 MiB."""
    choose = random.Random(1)
    rows, length = [], 0
    while length < 16 << 20:
        name = "".join(choose.choices("abcdefghijklmnopqrstuvwxyz", k=12))
        row = f"{choose.randrange(10**12)},{name},{choose.random() * 1000:.2f},the note of {name}\n"
        rows.append(row)
        length += len(row)
    block = "".join(rows).encode()
    with open(path, "wb") as file:
        for _ in range(LENGTH // len(block)):
            file.write(block)


def write_sealed(spark, plain, path):
    """Encrypts a file by the codec."""
    java = spark.sparkContext._jvm
    codec = java.sealane.hadoop.AgeCodec()
    codec.setConf(spark.sparkContext._jsc.hadoopConfiguration())
    source = java.java.io.FileInputStream(str(plain))
    target = codec.createOutputStream(java.java.io.FileOutputStream(str(path)))
    java.org.apache.hadoop.io.IOUtils.copyBytes(source, target, 1 << 16, True)


def csv(spark, path):
    return spark.read.schema(SCHEMA).csv(str(path))


SCANS = {
    "CSV, all columns": lambda spark, path: csv(spark, path).selectExpr(
        "sum(id)", "sum(length(name))", "sum(price)", "sum(length(note))"
    ),
    "lines": lambda spark, path: spark.read.text(str(path)).selectExpr("count(1)", "sum(length(value))"),
}


def main():
    directory = Path(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    spark = SparkSession.builder.getOrCreate()
    plain, sealed = directory / "plain.csv", directory / "sealed.csv.age"
    if not sealed.exists():
        write_plain(plain)
        write_sealed(spark, plain, sealed)
        print(f"wrote {plain.stat().st_size:,} and {sealed.stat().st_size:,} bytes")
        return
    splits = [csv(spark, path).rdd.getNumPartitions() for path in (plain, sealed)]
    print(f"splits: {splits[0]} plain, {splits[1]} sealed")
    for name, scan in SCANS.items():
        times, results = {plain: [], sealed: []}, set()
        for _ in range(rounds + 1):
            for path, taken in times.items():
                start = time.perf_counter()
                results.add(str(scan(spark, path).collect()))
                taken.append(time.perf_counter() - start)
        # Both files have the same rows. Only the order of additions of fractions differs.
        assert len({result.split(".")[0] for result in results}) == 1, results
        one, other = (statistics.median(taken[1:]) for taken in times.values())
        print(f"{name}: plain {one:.2f} s, sealed {other:.2f} s, ratio {other / one:.3f}", flush=True)


main()
