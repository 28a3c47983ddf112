package sealane.age;

import java.util.Objects;
import sealane.jca.SealaneProvider;

/**
 * The functions of the native library. Numbers stand for objects of the library, which {@link
 * Handle} owns. Chunks are accessed in critical sections, which block the garbage collector, so
 * each call processes only one chunk.
 */
final class Native {
    /** The reason why the library cannot be called, or null. */
    private static final String PROBLEM = problem();

    private Native() {}

    /** Only classes of the class loader of sealane.jca, which loads the library, can call it. */
    private static String problem() {
        if (SealaneProvider.class.getClassLoader() != Native.class.getClassLoader()) {
            return "the jars of sealane-jca and sealane-age have different class loaders, so sealane-age cannot call"
                    + " the native library: put both jars in the same place";
        }
        String problem = SealaneProvider.problem().orElse(null);
        if (problem != null) {
            return problem;
        }
        try {
            preambleLength(new byte[0]);
            return null;
        } catch (UnsatisfiedLinkError e) {
            return "the native library is not loaded for sealane-age: if sealane.jca.library names it, only one class"
                    + " loader can load it, so put the jars where all applications share them";
        } catch (AgeException | RuntimeException e) {
            return "sealane-age cannot call the native library: " + e.getMessage();
        }
    }

    /** Fails if the library cannot be called. Called before anything else. */
    static void require() {
        if (PROBLEM != null) {
            throw new UnsupportedOperationException(PROBLEM);
        }
    }

    static int seal(
            long key, long number, boolean isLast, byte[] in, int inOff, int len, byte[] out, int outOff)
            throws AgeException {
        Objects.checkFromIndexSize(inOff, len, in.length);
        Objects.checkFromIndexSize(outOff, len + AgeKey.TAG_BYTES, out.length);
        checkChunk(in, len, AgeKey.CHUNK_BYTES, out);
        return sealChunk(key, number, isLast, in, inOff, len, out, outOff, len + AgeKey.TAG_BYTES);
    }

    static int open(
            long key, long number, boolean isLast, byte[] in, int inOff, int len, byte[] out, int outOff)
            throws AgeException {
        Objects.checkFromIndexSize(inOff, len, in.length);
        int outLen = Math.max(0, len - AgeKey.TAG_BYTES);
        Objects.checkFromIndexSize(outOff, outLen, out.length);
        checkChunk(in, len, AgeKey.SEALED_CHUNK_BYTES, out);
        return openChunk(key, number, isLast, in, inOff, len, out, outOff, outLen);
    }

    private static void checkChunk(byte[] in, int len, int max, byte[] out) {
        if (len > max) {
            throw new IllegalArgumentException("longer than a chunk");
        }
        if (in == out) {
            throw new IllegalArgumentException("input and output are the same array");
        }
    }

    static native byte[] keygen(int kind) throws AgeException;

    static native byte[] recipient(byte[] identity) throws AgeException;

    static native long recipientsNew(byte[] lines, byte[] passphrase, int workFactor, int required, byte[] label)
            throws AgeException;

    static native void recipientsFree(long recipients);

    static native long identitiesNew(byte[] lines, byte[] passphrase, int maxWorkFactor, byte[] parts)
            throws AgeException;

    static native void identitiesAddSsh(long identities, byte[] file, byte[] passphrase) throws AgeException;

    static native void identitiesFree(long identities);

    static native byte[] contribute(long identities, byte[] file) throws AgeException;

    static native byte[] start(long recipients, long[] key) throws AgeException;

    private static native int sealChunk(
            long key,
            long number,
            boolean isLast,
            byte[] in,
            int inOff,
            int len,
            byte[] out,
            int outOff,
            int outLen)
            throws AgeException;

    static native void sealingKeyFree(long key);

    static native int preambleLength(byte[] start) throws AgeException;

    static native long unlock(long identities, byte[] start) throws AgeException;

    private static native int openChunk(
            long key,
            long number,
            boolean isLast,
            byte[] in,
            int inOff,
            int len,
            byte[] out,
            int outOff,
            int outLen)
            throws AgeException;

    static native void payloadKeyFree(long key);

    static native long armorNew() throws AgeException;

    static native int armorDecode(long decoder, byte[] piece, boolean ended, byte[] out, int outLen)
            throws AgeException;

    static native void armorFree(long decoder);
}
