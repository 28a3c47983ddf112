package sealane.age;

import java.io.IOException;
import java.util.OptionalLong;

/** An error about a file or a key. I/O errors are other exceptions. */
public final class AgeException extends IOException {
    private static final long serialVersionUID = 1;
    private static final Reason[] REASONS = Reason.values();

    /** The kind of an error. */
    public enum Reason {
        /** The file was changed, is damaged, or is cut short. */
        NOT_AUTHENTIC,
        /** The file is not an age file, or its header or its armor is malformed. */
        MALFORMED,
        /** No identity opens the file, or the passphrase is wrong. */
        NO_MATCH,
        /**
         * The file needs several holders together, and too few are available. A part that is wrong
         * or of another file does not count.
         */
        TOO_FEW_SHARES,
        /**
         * A text is not a recipient, an identity, a part or a label, a passphrase to encrypt with
         * is empty, or an ssh key cannot be decrypted with its passphrase.
         */
        INVALID_KEY,
        /**
         * There are no recipients, or they cannot be combined, or a scrypt work factor is not from
         * 1 to 22.
         */
        INVALID_RECIPIENTS,
        /** The file asks for more scrypt work than is allowed. */
        EXCESSIVE_WORK,
        /** The system has not enough memory, or its random number generator failed. */
        SYSTEM,
        /** There is an error in the library itself. */
        INTERNAL
    }

    /** The kind of the error. */
    private final Reason reason;

    /** The number of the damaged or missing chunk, or -1. */
    private final long chunk;

    /** Called by the native library. */
    AgeException(int reason, String message, long chunk) {
        super(message);
        this.reason = REASONS[reason];
        this.chunk = chunk;
    }

    /**
     * Creates an exception that is not about a chunk.
     *
     * @param reason the kind of the error
     * @param message the description
     */
    public AgeException(Reason reason, String message) {
        super(message);
        this.reason = reason;
        this.chunk = -1;
    }

    /**
     * Returns the kind of the error.
     *
     * @return the kind
     */
    public Reason reason() {
        return reason;
    }

    /**
     * Returns the number of the damaged chunk, or of the missing one if the file ends before it.
     * Chunk n holds the 64 KiB of plaintext from byte n * 65536 on.
     *
     * @return the number, or empty if the error is not about a chunk
     */
    public OptionalLong chunk() {
        return chunk < 0 ? OptionalLong.empty() : OptionalLong.of(chunk);
    }
}
