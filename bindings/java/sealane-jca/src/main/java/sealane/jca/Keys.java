package sealane.jca;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** Keys as bytes. */
final class Keys {
    private Keys() {}

    /** Returns a copy of the 32 bytes of a key, which the caller wipes. */
    static byte[] encoded(Key key) throws InvalidKeyException {
        if (key == null) {
            throw new InvalidKeyException("There is no key");
        }
        if (!"RAW".equals(key.getFormat())) {
            throw new InvalidKeyException("The format of the key must be RAW");
        }
        byte[] bytes;
        try {
            bytes = key.getEncoded();
        } catch (IllegalStateException e) {
            throw new InvalidKeyException("The key has been destroyed", e);
        }
        if (bytes == null || bytes.length != Variant.KEY_BYTES) {
            wipe(bytes);
            throw new InvalidKeyException("The key must have 256 bits");
        }
        return bytes;
    }

    /** Wipes an array that may be null. */
    static void wipe(byte[] bytes) {
        if (bytes != null) {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /** A key that can be destroyed. */
    static final class Raw implements SecretKey {
        private static final long serialVersionUID = 1;

        private final String algorithm;
        private final transient byte[] bytes;
        private transient boolean destroyed;

        /** The hash code, or null before the first call. */
        private transient Integer hash;

        /** Keeps the array. */
        Raw(String algorithm, byte[] bytes) {
            this.algorithm = algorithm;
            this.bytes = bytes;
        }

        @Override
        public String getAlgorithm() {
            return algorithm;
        }

        @Override
        public String getFormat() {
            return "RAW";
        }

        @Override
        public synchronized byte[] getEncoded() {
            if (destroyed) {
                throw new IllegalStateException("The key has been destroyed");
            }
            return bytes.clone();
        }

        @Override
        public synchronized void destroy() {
            Arrays.fill(bytes, (byte) 0);
            destroyed = true;
        }

        @Override
        public synchronized boolean isDestroyed() {
            return destroyed;
        }

        /** Compares with secret keys of any class, as {@link SecretKeySpec} does. */
        @Override
        public boolean equals(Object other) {
            if (this == other) {
                return true;
            }
            if (!(other instanceof SecretKey key) || !algorithm.equalsIgnoreCase(key.getAlgorithm())) {
                return false;
            }
            byte[] mine = isDestroyed() || key.isDestroyed() ? null : getEncoded();
            byte[] theirs = mine == null ? null : key.getEncoded();
            try {
                return theirs != null && MessageDigest.isEqual(mine, theirs);
            } finally {
                wipe(mine);
                wipe(theirs);
            }
        }

        /**
         * Returns the hash code of an equal {@link SecretKeySpec}. It is computed once, because
         * each such object leaves a copy of the key, and because it must not change when the key is
         * destroyed.
         */
        @Override
        public synchronized int hashCode() {
            if (hash == null) {
                hash = new SecretKeySpec(bytes, algorithm).hashCode();
            }
            return hash;
        }

        /** Serializes the key as the JDK serializes its own keys. */
        private Object writeReplace() {
            byte[] copy = getEncoded();
            try {
                return new SecretKeySpec(copy, algorithm);
            } finally {
                wipe(copy);
            }
        }
    }
}
