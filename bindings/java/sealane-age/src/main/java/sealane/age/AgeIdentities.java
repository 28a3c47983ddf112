package sealane.age;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The identities that open files. One object serves any number of files and threads. */
public final class AgeIdentities implements AutoCloseable {
    /** The largest scrypt work factor that is accepted: 4 GiB of memory and half a minute. */
    public static final int MAX_WORK_FACTOR = 22;

    private final Handle handle;

    private AgeIdentities(Handle handle) {
        this.handle = handle;
    }

    /**
     * Returns identities.
     *
     * @param lines one identity on each line, {@code AGE-SECRET-KEY-1…} or {@code
     *     AGE-SECRET-KEY-PQ-1…}, as in a file of age-keygen
     * @return the identities
     * @throws AgeException if a line is not an identity
     */
    public static AgeIdentities of(String lines) throws AgeException {
        return new Builder().add(lines.toCharArray()).build();
    }

    /**
     * Returns a passphrase as the identity.
     *
     * @param passphrase the passphrase, which is copied
     * @return the identity
     * @throws AgeException after an error in the library itself
     */
    public static AgeIdentities ofPassphrase(char[] passphrase) throws AgeException {
        return new Builder().passphrase(passphrase, MAX_WORK_FACTOR).build();
    }

    /**
     * Returns the parts that these identities contribute to a file for several holders. Show each
     * holder the label and the share set id, and nothing else about the file, before the holder
     * sends the part.
     *
     * @param file the file, or its beginning with the whole header
     * @return the parts; an empty list if no identity holds a share
     * @throws AgeException if the header is malformed, or a share is invalid
     */
    public List<AgePart> contribute(byte[] file) throws AgeException {
        byte[] lines = handle.use(number -> Native.contribute(number, file));
        List<AgePart> parts = new ArrayList<>();
        for (String line : new String(lines, StandardCharsets.UTF_8).split("\n")) {
            String[] field = line.split("\t", -1);
            if (field.length == 6) {
                parts.add(new AgePart(
                        field[0],
                        Integer.parseInt(field[1]),
                        Integer.parseInt(field[2]),
                        Integer.parseInt(field[3]),
                        field[4],
                        field[5]));
            }
        }
        Secrets.wipe(lines);
        return parts;
    }

    long unlock(byte[] start) throws AgeException {
        return handle.use(number -> Native.unlock(number, start));
    }

    /** Wipes and frees the identities. */
    @Override
    public void close() {
        handle.close();
    }

    /** Collects identities. */
    public static final class Builder {
        private byte[] lines = new byte[0];
        private byte[] passphrase;
        private int maxWorkFactor;
        private byte[] parts = new byte[0];
        private final List<byte[]> sshKeys = new ArrayList<>();
        private final List<byte[]> sshPassphrases = new ArrayList<>();

        /** Creates a builder without identities. */
        public Builder() {}

        /**
         * Adds identities.
         *
         * @param identities one on each line; empty lines and lines that begin with # are skipped.
         *     They are copied.
         * @return this
         */
        public Builder add(char[] identities) {
            lines = Secrets.append(lines, Secrets.utf8(identities));
            return this;
        }

        /**
         * Sets a passphrase.
         *
         * @param passphrase the passphrase, which is copied
         * @param maxWorkFactor the largest scrypt work factor to accept, from 1 to 22
         * @return this
         */
        public Builder passphrase(char[] passphrase, int maxWorkFactor) {
            Secrets.wipe(this.passphrase);
            this.passphrase = Secrets.utf8(passphrase);
            this.maxWorkFactor = maxWorkFactor;
            return this;
        }

        /**
         * Adds an ssh private key, of type ssh-ed25519 or ssh-rsa.
         *
         * @param file the text of the file that ssh-keygen writes, which is copied
         * @param passphrase the passphrase of the key, which is copied, or null if the key is not
         *     encrypted
         * @return this
         */
        public Builder ssh(char[] file, char[] passphrase) {
            sshKeys.add(Secrets.utf8(file));
            sshPassphrases.add(passphrase == null ? null : Secrets.utf8(passphrase));
            return this;
        }

        /**
         * Adds parts that holders have contributed: see {@link AgeIdentities#contribute}.
         *
         * @param texts one part on each line, which are copied
         * @return this
         */
        public Builder parts(char[] texts) {
            parts = Secrets.append(parts, Secrets.utf8(texts));
            return this;
        }

        /**
         * Returns the identities. The builder is empty afterwards.
         *
         * @return the identities
         * @throws AgeException if a text is not an identity or a part, an ssh key cannot be
         *     decrypted with its passphrase, or the work factor is not allowed
         */
        public AgeIdentities build() throws AgeException {
            Native.require();
            try {
                long number = Native.identitiesNew(lines, passphrase, maxWorkFactor, parts);
                Handle handle = new Handle(number, Native::identitiesFree);
                try {
                    for (int i = 0; i < sshKeys.size(); i++) {
                        Native.identitiesAddSsh(number, sshKeys.get(i), sshPassphrases.get(i));
                    }
                } catch (AgeException e) {
                    handle.close();
                    throw e;
                }
                return new AgeIdentities(handle);
            } finally {
                Secrets.wipe(lines);
                Secrets.wipe(passphrase);
                Secrets.wipe(parts);
                lines = new byte[0];
                passphrase = null;
                parts = new byte[0];
                sshKeys.forEach(Secrets::wipe);
                sshPassphrases.forEach(Secrets::wipe);
                sshKeys.clear();
                sshPassphrases.clear();
            }
        }
    }
}
