package sealane.hadoop;

/**
 * The properties in Hadoop's configuration that set the keys. Spark passes on properties that begin
 * with {@code spark.hadoop.}, without this prefix.
 *
 * <p>Secrets are read with {@code Configuration.getPassword}, so that they can be in Hadoop's
 * credential providers instead. Their names end with {@code secret}: Spark and Hadoop redact the
 * values of such properties in logs and on pages, except that MapReduce redacts only what {@code
 * mapreduce.job.redacted-properties} names.
 */
public final class AgeProperties {
    /** The prefix of all these properties. */
    static final String PREFIX = "sealane.age.";

    /** Identities that open files, one on each line. */
    public static final String IDENTITIES = "sealane.age.identities.secret";

    /** A passphrase that opens files, and encrypts them if there are no recipients. */
    public static final String PASSPHRASE = "sealane.age.passphrase.secret";

    /** Parts that holders have contributed to files for several holders, one on each line. */
    public static final String PARTS = "sealane.age.parts.secret";

    /** The recipients of new files, separated by line breaks or commas. */
    public static final String RECIPIENTS = "sealane.age.recipients";

    /**
     * The number of recipients needed to open a new file, or to unwrap a new key of Parquet. If it
     * is not set, any one is enough.
     */
    public static final String REQUIRED = "sealane.age.recipients.required";

    /** A note for the holders of new files that several must open together. */
    public static final String LABEL = "sealane.age.recipients.label";

    /** The scrypt work factor of new files with a passphrase. */
    public static final String WORK_FACTOR = "sealane.age.work.factor";

    /** The largest scrypt work factor of files that are opened. */
    public static final String MAX_WORK_FACTOR = "sealane.age.work.factor.max";

    /** The prefix of the properties that set the recipients of a Parquet master key. */
    public static final String MASTER_KEY_RECIPIENTS = "sealane.age.kms.recipients.";

    private AgeProperties() {}
}
