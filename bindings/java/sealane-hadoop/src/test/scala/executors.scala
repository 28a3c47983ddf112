// Reads one encrypted file in splits with two executors, each in a virtual machine of its own, and
// compares it with the plain one. Give it to spark-shell with the master local-cluster[2,1,1024],
// the properties from docs/spark.md, and an empty directory in the property spark.sealane.directory.
// It prints "passed" at its end: the shell itself continues after code that does not compile.

/** The executor and the process of a task, its lines, and how many keys the process unwrapped. */
case class Task(executor: String, process: Long, lines: Seq[String], unwrapped: Int)

def task(lines: Iterator[String]): Iterator[Task] = {
  val read = lines.toList
  // The classes of spark.jars are in the loader of the thread's context.
  val keys = Class.forName("sealane.hadoop.Keys", true, Thread.currentThread.getContextClassLoader)
  val unwrapped = keys.getDeclaredMethod("unwrapped")
  unwrapped.setAccessible(true)
  val count = unwrapped.invoke(null).asInstanceOf[Int]
  Iterator(Task(org.apache.spark.SparkEnv.get.executorId, ProcessHandle.current.pid, read, count))
}

def check(condition: Boolean, message: => Any): Unit = if (!condition) throw new AssertionError(message.toString)

def run(): Unit = {
  val directory = spark.conf.get("spark.sealane.directory")
  // Spark starts tasks as soon as one executor is there.
  val deadline = System.nanoTime + 60_000_000_000L
  while (sc.statusTracker.getExecutorInfos.length < 3) { // The driver is one of them.
    check(System.nanoTime < deadline, "two executors have not started")
    Thread.sleep(100)
  }

  val rows = spark.range(150000).selectExpr("id", "concat('name ', id % 977) AS name", "id * id AS square")
  rows.coalesce(1).write.csv(directory + "/plain")
  rows.coalesce(1).write.option("compression", "sealane.hadoop.AgeCodec").csv(directory + "/sealed")
  val files = new java.io.File(directory, "sealed").listFiles.filter(_.getName.startsWith("part-"))
  check(files.length == 1 && files(0).getName.endsWith(".csv.age"), files.toSeq)

  val plain = sc.textFile(directory + "/plain", 8).collect
  val tasks = sc.textFile(files(0).getPath, 8).mapPartitions(task).collect
  check(plain.length == 150000 && tasks.flatMap(_.lines).sameElements(plain), "the lines differ")
  check(tasks.length >= 8 && tasks.forall(_.lines.nonEmpty), tasks.map(_.lines.length).toSeq)
  val executors = tasks.groupBy(_.executor)
  check(executors.size == 2, executors.keySet)
  check(tasks.map(_.process).toSet.size == 2, tasks.map(_.process).toSet)
  check(!tasks.map(_.process).contains(ProcessHandle.current.pid), "the driver read a split")
  // Each process unwraps the key of the file once.
  check(tasks.forall(_.unwrapped == 1), tasks.map(_.unwrapped).toSeq)

  spark.conf.set("spark.sql.shuffle.partitions", 4)
  spark.conf.set("spark.sql.files.maxPartitionBytes", 500000)
  val Seq(plainTable, sealedTable) =
    Seq("/plain", "/sealed").map(name => spark.read.schema("id LONG, name STRING, square LONG").csv(directory + name))
  check(sealedTable.rdd.getNumPartitions > 5, sealedTable.rdd.getNumPartitions)
  check(sealedTable.count == 150000 && sealedTable.exceptAll(plainTable).isEmpty, "the tables differ")

  // The file system, which each executor opens with the keys of the configuration.
  val path = "age-file://" + directory + "/parquet"
  rows.repartition(4).write.parquet(path)
  val parquet = spark.read.parquet(path)
  check(parquet.count == 150000 && parquet.exceptAll(plainTable).isEmpty, "Parquet differs")
  val summary = executors.map { case (executor, read) => executor + " read " + read.length }
  println("executors: " + summary.toSeq.sorted.mkString(", ") + " splits")
  println("passed")
}

try {
  run()
} catch {
  case failure: Throwable =>
    failure.printStackTrace()
    System.exit(1)
}
System.exit(0)
