package sealane.age;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The plaintext of a binary file at any position, for streams and channels over sources that {@link
 * AgeChannel} does not support. It opens the chunk that a read needs, and keeps it for the next
 * read. It must not be used by several threads at once.
 */
public final class AgeChunks {
    /** A file that can be read at any position. */
    @FunctionalInterface
    public interface Source {
        /**
         * Reads bytes of the file.
         *
         * @param position the position in the file
         * @param to the array, which is filled from its start
         * @param length the number of bytes
         * @throws EOFException if the file ends too early
         * @throws IOException if reading fails
         */
        void readFully(long position, byte[] to, int length) throws IOException;
    }

    private final Source file;
    private final AgeKey key;
    private final long chunksLength;
    private final byte[] sealed = new byte[AgeKey.SEALED_CHUNK_BYTES];
    private final byte[] plaintext = new byte[AgeKey.CHUNK_BYTES];

    /** The number of the chunk in the buffer, or -1. */
    private long buffered = -1;

    private int limit;
    private long size = -1;

    /**
     * Returns the plaintext of a file.
     *
     * @param file the file
     * @param key its key, which the caller must close
     * @param chunksLength the length of the file without its header and nonce
     */
    public AgeChunks(Source file, AgeKey key, long chunksLength) {
        this.file = file;
        this.key = key;
        this.chunksLength = chunksLength;
    }

    /**
     * Reads from one chunk: all its bytes from the position on, as far as {@code to} has room for
     * them.
     *
     * @param position the position in the plaintext
     * @param to the buffer, which has room
     * @return the number of bytes, or -1 at or after the end
     * @throws IOException if the chunk is not authentic, or reading fails
     */
    public int read(long position, ByteBuffer to) throws IOException {
        // A position after the last chunk also loads the last chunk, which proves that it is the
        // last.
        load(Math.min(position / AgeKey.CHUNK_BYTES, lastChunk()));
        long at = position - buffered * AgeKey.CHUNK_BYTES;
        if (at >= limit) {
            return -1;
        }
        int count = Math.min(to.remaining(), limit - (int) at);
        to.put(plaintext, (int) at, count);
        return count;
    }

    /**
     * Returns the length of the plaintext. The first call authenticates the last chunk, because the
     * length of a file alone proves nothing.
     *
     * @return the length in bytes
     * @throws IOException if the last chunk is not authentic, or reading fails
     */
    public long size() throws IOException {
        if (size < 0) {
            load(lastChunk());
        }
        return size;
    }

    /**
     * Returns the number of bytes that can be read without opening another chunk.
     *
     * @param position the position in the plaintext
     * @return the number of bytes
     */
    public int available(long position) {
        long at = position - buffered * AgeKey.CHUNK_BYTES;
        return buffered >= 0 && at >= 0 && at < limit ? limit - (int) at : 0;
    }

    /** Wipes the chunk that is kept. */
    public void wipe() {
        Arrays.fill(plaintext, (byte) 0);
        buffered = -1;
    }

    private long lastChunk() {
        return Math.max(0, (chunksLength - 1) / AgeKey.SEALED_CHUNK_BYTES);
    }

    /** Opens a chunk. */
    private void load(long number) throws IOException {
        if (buffered == number) {
            return;
        }
        buffered = -1;
        long start = number * AgeKey.SEALED_CHUNK_BYTES;
        int length = (int) Math.min(AgeKey.SEALED_CHUNK_BYTES, Math.max(0, chunksLength - start));
        try {
            file.readFully(key.preambleLength() + start, sealed, length);
        } catch (EOFException e) {
            // Hadoop's streams take an EOFException for the end of the plaintext.
            AgeException cut = new AgeException(
                    AgeException.Reason.NOT_AUTHENTIC, "the file is cut short: it became shorter while it was read");
            cut.initCause(e);
            throw cut;
        }
        boolean isLast = number == lastChunk();
        limit = key.open(number, isLast, sealed, 0, length, plaintext, 0);
        if (isLast) {
            size = number * AgeKey.CHUNK_BYTES + limit;
        }
        buffered = number;
    }
}
