package sealane.age;

import java.util.Arrays;

/**
 * The key of one file's payload. It opens single chunks, in any order, for readers that locate the
 * chunks themselves. One object serves any number of threads.
 *
 * <p>A file is a header, a nonce of 16 bytes, and chunks. Each chunk is {@link #SEALED_CHUNK_BYTES}
 * bytes, except that the last may be shorter.
 */
public final class AgeKey implements AutoCloseable {
    /** The length of the plaintext of a full chunk. */
    public static final int CHUNK_BYTES = 65536;

    /** The number of bytes by which a chunk is longer than its plaintext. */
    public static final int TAG_BYTES = 16;

    /** The length of a full chunk in a file. */
    public static final int SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;

    private final Handle handle;
    private final int preambleLength;

    private AgeKey(Handle handle, int preambleLength) {
        this.handle = handle;
        this.preambleLength = preambleLength;
    }

    /**
     * Returns the length of the header and the nonce at the start of a binary file, which is the
     * position of the first chunk.
     *
     * <p>If more bytes are needed, make the start at least twice as long each time, because the
     * smallest number that may be enough can be only a line more. If the start is the whole file,
     * the file is cut short.
     *
     * @param start the first bytes of a file
     * @param length the number of these bytes
     * @return the length, or a negative number if these bytes are too few: minus the smallest
     *     number of bytes that may be enough
     * @throws AgeException if this is not the start of an age file
     */
    public static int preambleLength(byte[] start, int length) throws AgeException {
        Native.require();
        return Native.preambleLength(Arrays.copyOf(start, length));
    }

    /**
     * Unlocks a file.
     *
     * @param identities the identities
     * @param start the first bytes of a binary file, with all of its header and nonce
     * @param length the number of these bytes
     * @return the key
     * @throws AgeException if no identity opens the file, or the header is malformed or changed
     */
    public static AgeKey unlock(AgeIdentities identities, byte[] start, int length) throws AgeException {
        byte[] preamble = Arrays.copyOf(start, length);
        int preambleLength = preambleLength(start, length);
        return new AgeKey(new Handle(identities.unlock(preamble), Native::payloadKeyFree), preambleLength);
    }

    /**
     * Returns the position of the first chunk in the file.
     *
     * @return the length of the header and the nonce
     */
    public int preambleLength() {
        return preambleLength;
    }

    /**
     * Opens a chunk.
     *
     * @param number the number of the chunk, from 0
     * @param isLast whether this is the last chunk of the file; opening the chunk authenticates
     *     this too
     * @param in the chunk
     * @param inOffset its first byte
     * @param length its length
     * @param out the array for the plaintext, which must be another array
     * @param outOffset the first byte of the plaintext
     * @return the length of the plaintext
     * @throws AgeException if the chunk is not authentic; the output is then filled with zeros
     */
    public int open(long number, boolean isLast, byte[] in, int inOffset, int length, byte[] out, int outOffset)
            throws AgeException {
        return handle.use(key -> Native.open(key, number, isLast, in, inOffset, length, out, outOffset));
    }

    /**
     * Returns the length of the plaintext, computed from the length of the chunks. This proves
     * nothing, because a file may have been cut between two chunks. Opening the last chunk proves
     * it.
     *
     * @param chunks the length of all chunks
     * @return the length, or -1 if no file has chunks of this length
     */
    public static long plaintextLength(long chunks) {
        long count = (chunks + SEALED_CHUNK_BYTES - 1) / SEALED_CHUNK_BYTES;
        long last = chunks % SEALED_CHUNK_BYTES;
        boolean isImpossible = chunks <= 0 || last != 0 && last < TAG_BYTES || last == TAG_BYTES && count > 1;
        return isImpossible ? -1 : chunks - count * TAG_BYTES;
    }

    /** Wipes and frees the key. */
    @Override
    public void close() {
        handle.close();
    }
}
