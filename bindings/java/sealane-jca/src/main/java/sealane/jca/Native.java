package sealane.jca;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The functions of the native library, called through the Java Native Interface. Java 22 and later
 * use another class with the same name and methods, in {@code META-INF/versions/22}.
 *
 * <p>Every method checks offsets and lengths, because the native code relies on them. Arrays are
 * accessed in critical sections, which block the collector, so no call has more than {@link
 * Protocol#CALL_BYTES} bytes. Buffers are direct. Offsets in them are absolute. Input and output
 * are the same memory or do not overlap.
 *
 * <p>{@code head} holds a key of 32 bytes, a nonce in a field of 24 bytes, and then the associated
 * data. The first argument of most methods is the ordinal of a {@link Variant}.
 */
final class Native {
    private Native() {}

    /** Loads the library. Must be called before the other methods. */
    static void load(Path file) {
        System.load(file.toString());
    }

    /** Returns the name of the interface to the library. */
    static String kind() {
        return "JNI";
    }

    static int seal(int aead, byte[] head, int aadLen, byte[] in, int inOff, int len, byte[] out, int outOff) {
        Objects.checkFromIndexSize(Protocol.HEAD_BYTES, aadLen, head.length);
        Objects.checkFromIndexSize(inOff, len, in.length);
        Objects.checkFromIndexSize(outOff, len + Variant.TAG_BYTES, out.length);
        return sealArrays(aead, head, aadLen, in, inOff, len, out, outOff);
    }

    static int seal(
            int aead, byte[] head, int aadLen, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff) {
        Objects.checkFromIndexSize(Protocol.HEAD_BYTES, aadLen, head.length);
        checkDirect(in, inOff, len);
        checkDirect(out, outOff, len + Variant.TAG_BYTES);
        return sealBuffers(aead, head, aadLen, in, inOff, len, out, outOff);
    }

    /** {@code len} does not count the tag, which follows the ciphertext. */
    static int open(int aead, byte[] head, int aadLen, byte[] in, int inOff, int len, byte[] out, int outOff) {
        Objects.checkFromIndexSize(Protocol.HEAD_BYTES, aadLen, head.length);
        Objects.checkFromIndexSize(inOff, len + Variant.TAG_BYTES, in.length);
        Objects.checkFromIndexSize(outOff, len, out.length);
        return openArrays(aead, head, aadLen, in, inOff, len, out, outOff);
    }

    static int open(
            int aead, byte[] head, int aadLen, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff) {
        Objects.checkFromIndexSize(Protocol.HEAD_BYTES, aadLen, head.length);
        checkDirect(in, inOff, len + Variant.TAG_BYTES);
        checkDirect(out, outOff, len);
        return openBuffers(aead, head, aadLen, in, inOff, len, out, outOff);
    }

    /** {@code position} is the first byte of the key stream to use. */
    static int xor(int cipher, byte[] head, long position, byte[] in, int inOff, int len, byte[] out, int outOff) {
        Objects.checkFromIndexSize(0, Protocol.HEAD_BYTES, head.length);
        Objects.checkFromIndexSize(inOff, len, in.length);
        Objects.checkFromIndexSize(outOff, len, out.length);
        return xorArrays(cipher, head, position, in, inOff, len, out, outOff);
    }

    static int xor(
            int cipher, byte[] head, long position, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff) {
        Objects.checkFromIndexSize(0, Protocol.HEAD_BYTES, head.length);
        checkDirect(in, inOff, len);
        checkDirect(out, outOff, len);
        return xorBuffers(cipher, head, position, in, inOff, len, out, outOff);
    }

    static int mac(byte[] head, byte[] in, int inOff, int len, byte[] tag) {
        Objects.checkFromIndexSize(0, Protocol.HEAD_BYTES, head.length);
        Objects.checkFromIndexSize(inOff, len, in.length);
        Objects.checkFromIndexSize(0, Variant.TAG_BYTES, tag.length);
        return macArray(head, in, inOff, len, tag);
    }

    /** Returns a context, or 0 after an error. */
    static long newContext(int operation, int aead, byte[] head, int aadLen) {
        Objects.checkFromIndexSize(Protocol.HEAD_BYTES, aadLen, head.length);
        return contextNew(operation, aead, head, aadLen);
    }

    static int associate(long context, byte[] in, int inOff, int len) {
        Objects.checkFromIndexSize(inOff, len, in.length);
        return contextAssociate(context, in, inOff, len);
    }

    static int start(long context) {
        return contextStart(context);
    }

    static int transform(long context, byte[] in, int inOff, int len, byte[] out, int outOff) {
        Objects.checkFromIndexSize(inOff, len, in.length);
        Objects.checkFromIndexSize(outOff, len, out.length);
        return contextTransformArrays(context, in, inOff, len, out, outOff);
    }

    static int transform(long context, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff) {
        checkDirect(in, inOff, len);
        checkDirect(out, outOff, len);
        return contextTransformBuffers(context, in, inOff, len, out, outOff);
    }

    static int authenticate(long context, byte[] in, int inOff, int len) {
        Objects.checkFromIndexSize(inOff, len, in.length);
        return contextAuthenticateArray(context, in, inOff, len);
    }

    static int authenticate(long context, ByteBuffer in, int inOff, int len) {
        checkDirect(in, inOff, len);
        return contextAuthenticateBuffer(context, in, inOff, len);
    }

    static int tag(long context, byte[] tag) {
        Objects.checkFromIndexSize(0, Variant.TAG_BYTES, tag.length);
        return contextTag(context, tag);
    }

    static int verify(long context, byte[] tag) {
        Objects.checkFromIndexSize(0, Variant.TAG_BYTES, tag.length);
        return contextVerify(context, tag);
    }

    static void free(long context) {
        contextFree(context);
    }

    /** Returns the address of the byte at index 0. */
    static long address(ByteBuffer direct) {
        return bufferAddress(direct);
    }

    /**
     * Returns whether a direct buffer is known to be a mapped file. Before Java 22, no public
     * method tells.
     */
    static boolean isMapped(ByteBuffer direct) {
        return false;
    }

    private static void checkDirect(ByteBuffer buffer, int offset, int len) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("the buffer is not direct");
        }
        Objects.checkFromIndexSize(offset, len, buffer.limit());
        if (len > 0) {
            // Throws an exception if the memory was freed before the call, as Java 21's arenas can
            // do. The Java Native Interface does not notice an arena that another thread closes
            // during it.
            buffer.get(offset);
        }
    }

    private static native int sealArrays(
            int aead, byte[] head, int aadLen, byte[] in, int inOff, int len, byte[] out, int outOff);

    private static native int sealBuffers(
            int aead, byte[] head, int aadLen, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff);

    private static native int openArrays(
            int aead, byte[] head, int aadLen, byte[] in, int inOff, int len, byte[] out, int outOff);

    private static native int openBuffers(
            int aead, byte[] head, int aadLen, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff);

    private static native int xorArrays(
            int cipher, byte[] head, long position, byte[] in, int inOff, int len, byte[] out, int outOff);

    private static native int xorBuffers(
            int cipher, byte[] head, long position, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff);

    private static native int macArray(byte[] head, byte[] in, int inOff, int len, byte[] tag);

    private static native long contextNew(int operation, int aead, byte[] head, int aadLen);

    private static native int contextAssociate(long context, byte[] in, int inOff, int len);

    private static native int contextStart(long context);

    private static native int contextTransformArrays(
            long context, byte[] in, int inOff, int len, byte[] out, int outOff);

    private static native int contextTransformBuffers(
            long context, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff);

    private static native int contextAuthenticateArray(long context, byte[] in, int inOff, int len);

    private static native int contextAuthenticateBuffer(long context, ByteBuffer in, int inOff, int len);

    private static native int contextTag(long context, byte[] tag);

    private static native int contextVerify(long context, byte[] tag);

    private static native void contextFree(long context);

    private static native long bufferAddress(ByteBuffer direct);
}
