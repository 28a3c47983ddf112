"""Times Spark's scans of a plain and a sealed CSV file: spark.py DIRECTORY [csv|lines [ROUNDS]]

The first run writes the files, with 2 GiB of rows each. The scans of the two files take turns, and
the first scan of each is not counted. `./spark` runs this program.
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
        for _ in range(-(-LENGTH // len(block))):
            file.write(block)


def write_sealed(spark, plain, path):
    """Encrypts a file with the codec."""
    java = spark.sparkContext._jvm
    codec = java.sealane.hadoop.AgeCodec()
    codec.setConf(spark.sparkContext._jsc.hadoopConfiguration())
    source = java.java.io.FileInputStream(str(plain))
    target = codec.createOutputStream(java.java.io.FileOutputStream(str(path)))
    java.org.apache.hadoop.io.IOUtils.copyBytes(source, target, 1 << 16, True)


def csv(spark, path):
    return spark.read.schema(SCHEMA).csv(str(path))


SCANS = {
    "csv": lambda spark, path: csv(spark, path).selectExpr(
        "max(id)", "sum(length(name))", "max(price)", "sum(length(note))"
    ),
    "lines": lambda spark, path: spark.read.text(str(path)).selectExpr("count(1)", "sum(length(value))"),
}


def main():
    directory = Path(sys.argv[1])
    names = sys.argv[2:3] or list(SCANS)
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    spark = SparkSession.builder.getOrCreate()
    plain, sealed = directory / "plain.csv", directory / "sealed.csv.age"
    if not sealed.exists():
        write_plain(plain)
        write_sealed(spark, plain, sealed)
        print(f"wrote {plain.stat().st_size:,} and {sealed.stat().st_size:,} bytes")
        return
    splits = [csv(spark, path).rdd.getNumPartitions() for path in (plain, sealed)]
    print(f"splits: {splits[0]} plain, {splits[1]} sealed")
    for name in names:
        times, results = {plain: [], sealed: []}, set()
        for _ in range(rounds + 1):
            for path, taken in times.items():
                start = time.perf_counter()
                results.add(str(SCANS[name](spark, path).collect()))
                taken.append(time.perf_counter() - start)
        assert len(results) == 1, results
        one, other = (statistics.median(taken[1:]) for taken in times.values())
        print(f"{name}: plain {one:.2f} s, sealed {other:.2f} s, ratio {other / one:.3f}", flush=True)


main()
