/**
 * Files in the age format for Hadoop, Spark and Hive.
 *
 * <p>{@link sealane.hadoop.AgeCodec} reads and writes text, CSV and JSON, and reads one file in
 * several splits. {@link sealane.hadoop.AgeFileSystem} serves files of any kind, such as Parquet
 * and ORC. {@link sealane.hadoop.AgeKmsClient} wraps the keys of Parquet's own encryption. {@link
 * sealane.hadoop.AgeProperties} has the names of the properties that set the keys.
 */
package sealane.hadoop;
