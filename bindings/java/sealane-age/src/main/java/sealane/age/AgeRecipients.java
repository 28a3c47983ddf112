package sealane.age;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The recipients of files. One object serves any number of files and threads. */
public final class AgeRecipients implements AutoCloseable {
    /** The scrypt work factor for new files: about a second and 256 MiB of memory. */
    public static final int DEFAULT_WORK_FACTOR = 18;

    private final Handle handle;

    private AgeRecipients(Handle handle) {
        this.handle = handle;
    }

    /**
     * Returns recipients, each of whom can open the files.
     *
     * @param lines one recipient on each line, such as {@code age1…} or {@code age1pq1…}, or an ssh
     *     public key, {@code ssh-ed25519 …} or {@code ssh-rsa …}
     * @return the recipients
     * @throws AgeException if a line is not a recipient, or is an ssh key of another type
     */
    public static AgeRecipients of(String lines) throws AgeException {
        return new Builder().add(lines).build();
    }

    /**
     * Returns a passphrase as the recipient.
     *
     * @param passphrase the passphrase, which is copied
     * @return the recipient
     * @throws AgeException if the passphrase is empty, or after an error in the library itself
     */
    public static AgeRecipients ofPassphrase(char[] passphrase) throws AgeException {
        return new Builder().passphrase(passphrase, DEFAULT_WORK_FACTOR).build();
    }

    /**
     * Returns the header and the nonce of a new file, and writes the number of its sealing key to
     * {@code key}.
     */
    byte[] start(long[] key) throws AgeException {
        return handle.use(number -> Native.start(number, key));
    }

    /** Wipes and frees the recipients. */
    @Override
    public void close() {
        handle.close();
    }

    /** Collects recipients. */
    public static final class Builder {
        private byte[] lines = new byte[0];
        private byte[] passphrase;
        private int workFactor;
        private int required;
        private String label = "";

        /** Creates a builder without recipients. */
        public Builder() {}

        /**
         * Adds recipients.
         *
         * @param recipients one on each line; empty lines and lines that begin with # are skipped
         * @return this
         */
        public Builder add(String recipients) {
            lines = Secrets.append(lines, recipients.getBytes(StandardCharsets.UTF_8));
            return this;
        }

        /**
         * Sets a passphrase, which must be the only recipient.
         *
         * @param passphrase the passphrase, which is copied
         * @param workFactor the base-2 logarithm of scrypt's N, from 1 to 22
         * @return this
         */
        public Builder passphrase(char[] passphrase, int workFactor) {
            Secrets.wipe(this.passphrase);
            this.passphrase = Secrets.utf8(passphrase);
            this.workFactor = workFactor;
            return this;
        }

        /**
         * Requires several of the recipients together to open files, instead of any one. Only
         * Sealane opens such files.
         *
         * @param required the number of recipients needed to open a file, at least 2
         * @param label a note that holders see, up to 100 bytes of UTF-8, or an empty text
         * @return this
         */
        public Builder require(int required, String label) {
            if (required < 2) {
                throw new IllegalArgumentException("at least 2 recipients are required together");
            }
            this.required = required;
            this.label = Objects.requireNonNull(label);
            return this;
        }

        /**
         * Returns the recipients. The builder is empty afterwards.
         *
         * @return the recipients
         * @throws AgeException if a text is not a recipient or is an ssh key of another type than
         *     ssh-ed25519 and ssh-rsa, the passphrase is empty, the label or the work factor is not
         *     allowed, there are too few recipients for {@link #require}, or one of them would hold
         *     two shares
         */
        public AgeRecipients build() throws AgeException {
            Native.require();
            try {
                long number = Native.recipientsNew(
                        lines, passphrase, workFactor, required, label.getBytes(StandardCharsets.UTF_8));
                return new AgeRecipients(new Handle(number, Native::recipientsFree));
            } finally {
                Secrets.wipe(passphrase);
                lines = new byte[0];
                passphrase = null;
                required = 0;
                label = "";
            }
        }
    }
}
