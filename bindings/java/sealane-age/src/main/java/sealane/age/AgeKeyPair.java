package sealane.age;

import java.nio.charset.StandardCharsets;

/**
 * An identity and its recipient. {@link #toString} shows the recipient only.
 *
 * @param recipient the public key
 * @param identity the private key, which is secret
 */
public record AgeKeyPair(String recipient, String identity) {
    /** The kind of a key. */
    public enum Kind {
        /** {@code age1…}, which every implementation of age supports. */
        X25519,
        /** {@code age1pq1…}, which is post-quantum. */
        MLKEM768_X25519
    }

    /**
     * Returns a new identity and its recipient.
     *
     * @param kind the kind of the key
     * @return both
     * @throws AgeException if the system's random number generator fails
     */
    public static AgeKeyPair generate(Kind kind) throws AgeException {
        Native.require();
        byte[] identity = Native.keygen(kind.ordinal());
        try {
            return of(new String(identity, StandardCharsets.US_ASCII));
        } finally {
            Secrets.wipe(identity);
        }
    }

    /**
     * Returns an identity with its recipient.
     *
     * @param identity the text of one identity
     * @return both
     * @throws AgeException if the text is not exactly one identity
     */
    public static AgeKeyPair of(String identity) throws AgeException {
        Native.require();
        byte[] text = identity.getBytes(StandardCharsets.UTF_8);
        try {
            return new AgeKeyPair(new String(Native.recipient(text), StandardCharsets.US_ASCII), identity);
        } finally {
            Secrets.wipe(text);
        }
    }

    @Override
    public String toString() {
        return recipient;
    }
}
