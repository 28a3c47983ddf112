package sealane.hadoop;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import sealane.age.AgeException;
import sealane.age.AgeIdentities;
import sealane.age.AgeKey;
import sealane.age.AgeRecipients;

/**
 * The keys from a configuration. File keys are cached, so that a process unwraps each only once
 * even if it reads many splits of a file. Each unwrapping with a passphrase takes a second and much
 * memory.
 */
final class Keys {
    /** The largest number of files whose keys are kept. */
    private static final int KEPT_KEYS = 1000;

    private static final int DIGEST_KEY_BYTES = 32;

    /** The properties with secrets that open files. */
    static final String[] OPENING = {
        AgeProperties.IDENTITIES, AgeProperties.PASSPHRASE, AgeProperties.PARTS
    };

    private static final Map<ByteBuffer, CompletableFuture<AgeKey>> KEPT =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<ByteBuffer, CompletableFuture<AgeKey>> eldest) {
                    // The key is freed after garbage collection, when no reader of the file uses it
                    // any more.
                    return size() > KEPT_KEYS;
                }
            };

    /**
     * The key of the digests of secrets. Without it, a digest in a dump of the heap would allow
     * fast guesses of a passphrase. A direct buffer is outside the heap.
     */
    static final ByteBuffer DIGEST_KEY = digestKey();

    /** The number of keys that have been unwrapped, for tests. */
    private static int unwrapped;

    private Keys() {}

    /**
     * Returns the secret in a property, or null if the property is unset or empty. Anyone can open
     * files with an empty passphrase.
     */
    private static char[] secret(Configuration conf, String property) throws IOException {
        char[] secret = conf.getPassword(property);
        return secret == null || secret.length == 0 ? null : secret;
    }

    /** Returns the recipients of new files. */
    static AgeRecipients recipients(Configuration conf) throws IOException {
        String lines = recipientLines(conf, AgeProperties.RECIPIENTS);
        AgeRecipients.Builder builder = new AgeRecipients.Builder();
        // All numbers are read before the passphrase. An exception after that would leave copies of
        // it.
        int workFactor = conf.getInt(AgeProperties.WORK_FACTOR, AgeRecipients.DEFAULT_WORK_FACTOR);
        require(conf, builder);
        if (lines.isBlank()) {
            char[] passphrase = secret(conf, AgeProperties.PASSPHRASE);
            if (passphrase == null) {
                throw new IOException("nobody could read the file: set " + AgeProperties.RECIPIENTS);
            }
            builder.passphrase(passphrase, workFactor);
            Arrays.fill(passphrase, '\0');
        } else {
            builder.add(lines);
        }
        return builder.build();
    }

    /** Sets the number of recipients that are needed together, if the configuration has one. */
    static void require(Configuration conf, AgeRecipients.Builder builder) {
        int required = conf.getInt(AgeProperties.REQUIRED, 0);
        if (required != 0) {
            builder.require(required, conf.get(AgeProperties.LABEL, ""));
        }
    }

    /**
     * Returns the recipients in a property, one on each line without spaces around it. A comment
     * goes to the end of its line, so a comma does not end it.
     */
    static String recipientLines(Configuration conf, String property) {
        return conf.get(property, "").lines()
                .flatMap(line ->
                        Arrays.stream(line.split(",")).map(String::strip).takeWhile(piece -> !piece.startsWith("#")))
                .collect(Collectors.joining("\n"));
    }

    /** Removes spaces before lines, which a value in an XML file may have. */
    private static void unindent(char[] lines) {
        int kept = 0;
        boolean isStart = true;
        for (char c : lines) {
            if (!isStart || !Character.isWhitespace(c)) {
                lines[kept++] = c;
                isStart = c == '\n' || c == '\r';
            }
        }
        Arrays.fill(lines, kept, lines.length, '\n');
    }

    /** Returns whether identities, a passphrase or parts are set. */
    static boolean hasIdentities(Configuration conf) throws IOException {
        for (String property : OPENING) {
            char[] secret = secret(conf, property);
            if (secret != null) {
                Arrays.fill(secret, '\0');
                return true;
            }
        }
        return false;
    }

    /** Returns the identities that open files. */
    static AgeIdentities identities(Configuration conf) throws IOException {
        AgeIdentities.Builder builder = new AgeIdentities.Builder();
        int maxWorkFactor = conf.getInt(AgeProperties.MAX_WORK_FACTOR, AgeIdentities.MAX_WORK_FACTOR);
        char[] identities = null;
        char[] passphrase = null;
        char[] parts = null;
        try {
            // All are read before the builder copies them. An exception after that would leave its
            // copies.
            identities = secret(conf, AgeProperties.IDENTITIES);
            passphrase = secret(conf, AgeProperties.PASSPHRASE);
            parts = secret(conf, AgeProperties.PARTS);
            if (identities == null && passphrase == null && parts == null) {
                throw new IOException("there are no keys to open files with: set " + AgeProperties.IDENTITIES);
            }
            if (identities != null) {
                unindent(identities);
                builder.add(identities);
            }
            if (passphrase != null) {
                builder.passphrase(passphrase, maxWorkFactor);
            }
            if (parts != null) {
                builder.parts(parts);
            }
        } finally {
            wipe(identities);
            wipe(passphrase);
            wipe(parts);
        }
        return builder.build();
    }

    private static void wipe(char[] secret) {
        if (secret != null) {
            Arrays.fill(secret, '\0');
        }
    }

    /** Returns the key of the file with these first bytes, the header and the nonce. */
    static AgeKey key(Configuration conf, byte[] preamble) throws IOException {
        ByteBuffer name = name(conf, preamble);
        CompletableFuture<AgeKey> mine = new CompletableFuture<>();
        CompletableFuture<AgeKey> kept;
        synchronized (KEPT) {
            kept = KEPT.putIfAbsent(name, mine);
        }
        if (kept == null) {
            try (AgeIdentities identities = identities(conf)) {
                mine.complete(AgeKey.unlock(identities, preamble, preamble.length));
                synchronized (KEPT) {
                    unwrapped++;
                }
            } catch (IOException | RuntimeException | Error e) {
                synchronized (KEPT) {
                    KEPT.remove(name);
                }
                mine.completeExceptionally(e);
                throw e;
            }
            kept = mine;
        }
        try {
            return kept.get();
        } catch (ExecutionException e) {
            // A new exception, because that of the other thread has its stack.
            Throwable cause = e.getCause();
            IOException failure = cause instanceof AgeException age
                    ? new AgeException(age.reason(), age.getMessage())
                    : new IOException(cause.getMessage());
            failure.initCause(cause);
            throw failure;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException failure =
                    new InterruptedIOException("interrupted while the key of the file was unwrapped");
            failure.initCause(e);
            throw failure;
        }
    }

    static int unwrapped() {
        synchronized (KEPT) {
            return unwrapped;
        }
    }

    private static ByteBuffer digestKey() {
        // The seed of the system. Other random bytes could follow from what the generator keeps.
        byte[] random = systemRandom().generateSeed(DIGEST_KEY_BYTES);
        ByteBuffer key = ByteBuffer.allocateDirect(random.length).put(0, random);
        Arrays.fill(random, (byte) 0);
        return key;
    }

    private static SecureRandom systemRandom() {
        try {
            // The default generator takes seeds from /dev/random, which may wait on old kernels.
            return SecureRandom.getInstance("NativePRNGNonBlocking");
        } catch (NoSuchAlgorithmException e) {
            return new SecureRandom();
        }
    }

    /**
     * Returns a cache key derived from a file's header and the secrets, so that only someone with
     * the same secrets gets a cached key.
     */
    static ByteBuffer name(Configuration conf, byte[] preamble) throws IOException {
        return ByteBuffer.wrap(finish(digest(conf), preamble));
    }

    /**
     * Returns a digest of the secrets, which is different in each process. The caller {@link
     * #finish}es it.
     */
    static MessageDigest digest(Configuration conf) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        try {
            update(digest, conf);
        } catch (IOException | RuntimeException e) {
            digest.reset();
            throw e;
        }
        return digest;
    }

    private static void update(MessageDigest digest, Configuration conf) throws IOException {
        byte[] key = new byte[DIGEST_KEY_BYTES];
        DIGEST_KEY.get(0, key);
        digest.update(key);
        Arrays.fill(key, (byte) 0);
        for (String property : OPENING) {
            char[] secret = secret(conf, property);
            // The lengths separate the fields unambiguously.
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(secret == null ? -1 : secret.length).flip());
            if (secret != null) {
                // UTF-16 has a known length. An encoder to UTF-8 that grows leaves a copy.
                byte[] bytes = new byte[Character.BYTES * secret.length];
                ByteBuffer.wrap(bytes).asCharBuffer().put(secret);
                digest.update(bytes);
                Arrays.fill(bytes, (byte) 0);
                Arrays.fill(secret, '\0');
            }
        }
        digest.update((byte) conf.getInt(AgeProperties.MAX_WORK_FACTOR, AgeIdentities.MAX_WORK_FACTOR));
    }

    /** Returns the digest after these last bytes. Only {@code reset} clears the digest's buffer. */
    static byte[] finish(MessageDigest digest, byte[] last) {
        byte[] result = digest.digest(last);
        digest.reset();
        return result;
    }

    /** A source of the first bytes of a file. */
    interface Start {
        /** Returns the first bytes, fewer if the file ends earlier. */
        byte[] read(int length) throws IOException;
    }

    /** The length of the first read. Most headers fit. */
    private static final int FIRST_READ = 1024;

    /** Returns the header and the nonce of a binary file. */
    static byte[] preamble(Start start) throws IOException {
        int wanted = FIRST_READ;
        while (true) {
            byte[] bytes = start.read(wanted);
            int length = AgeKey.preambleLength(bytes, bytes.length);
            if (length > 0) {
                return Arrays.copyOf(bytes, length);
            }
            if (bytes.length < wanted) {
                throw new AgeException(AgeException.Reason.MALFORMED, "the file ends in its header");
            }
            wanted = Math.max(-length, 2 * wanted);
        }
    }
}
