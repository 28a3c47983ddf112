package sealane.jca;

/** The numbers that {@link Native} and the native library agree on. */
final class Protocol {
    /**
     * The maximum input of one call, not counting the key and the tag. The native library refuses
     * more. A message of this length without associated data is processed in one call.
     */
    static final int CALL_BYTES = 64 * 1024;

    /**
     * The length of the key and the nonce field, which precede the associated data in {@code head}.
     */
    static final int HEAD_BYTES = 56;

    /** The offset of the nonce in {@code head}. */
    static final int NONCE_OFFSET = 32;

    /** Success. All other results are failures. */
    static final int OK = 0;

    static final int NOT_AUTHENTIC = 1;
    static final int TOO_LONG = 2;
    static final int OUT_OF_MEMORY = 3;

    /** An error in the native library or in {@link Native}. */
    static final int INTERNAL = 4;

    /** An operation of a context: encrypts a message. */
    static final int SEAL = 0;

    /** An operation of a context: authenticates a ciphertext, then decrypts it. */
    static final int OPEN = 1;

    /** An operation of a context: computes a Poly1305 tag. */
    static final int MAC = 2;

    private Protocol() {}

    /** Throws the exception of a failure that is not about authentication. */
    static void check(int status) {
        switch (status) {
            case OK -> {}
            case TOO_LONG ->
                    throw new java.security.ProviderException(
                            new java.security.KeyException(
                                    "The key stream is exhausted: initialize with another nonce"));
            case OUT_OF_MEMORY -> throw new OutOfMemoryError("native memory");
            default -> throw new java.security.ProviderException("Internal error " + status);
        }
    }
}
