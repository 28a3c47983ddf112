package sealane.age;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.Arrays;

/**
 * The plaintext of a binary file, read at any position. Each read opens the chunk that it needs.
 * {@link #size} proves the last chunk first, because the length of a file proves nothing. It is not
 * for several threads at once.
 */
public final class AgeChannel implements SeekableByteChannel {
    private static final int FIRST_READ = 1024;

    private final SeekableByteChannel file;
    private final AgeKey key;
    private final long chunksLength;
    private final byte[] sealed = new byte[AgeKey.SEALED_CHUNK_BYTES];
    private final byte[] plaintext = new byte[AgeKey.CHUNK_BYTES];

    /** The chunk in the buffer, or -1. */
    private long buffered = -1;

    private int limit;
    private long position;
    private long size = -1;
    private boolean open = true;

    /**
     * Reads the header, and unlocks the file.
     *
     * @param file the file
     * @param identities the identities
     * @throws IOException if the header is malformed, no identity opens the file, or reading fails
     */
    public AgeChannel(SeekableByteChannel file, AgeIdentities identities) throws IOException {
        this.file = file;
        byte[] start = readAt(0, (int) Math.min(FIRST_READ, file.size()));
        int preamble;
        while ((preamble = AgeKey.preambleLength(start, start.length)) < 0) {
            int wanted = (int) Math.min(Math.max(-preamble, 2 * start.length), file.size());
            if (wanted <= start.length) {
                // This says what is missing.
                identities.unlock(start);
            }
            start = readAt(0, wanted);
        }
        key = AgeKey.unlock(identities, start, start.length);
        chunksLength = file.size() - preamble;
    }

    private byte[] readAt(long from, int length) throws IOException {
        byte[] bytes = new byte[length];
        read(from, ByteBuffer.wrap(bytes));
        return bytes;
    }

    private void read(long from, ByteBuffer to) throws IOException {
        file.position(from);
        while (to.hasRemaining()) {
            if (file.read(to) < 0) {
                throw new EOFException("the file became shorter while it was read");
            }
        }
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
        read(key.preambleLength() + start, ByteBuffer.wrap(sealed, 0, length));
        boolean isLast = number == lastChunk();
        limit = key.open(number, isLast, sealed, 0, length, plaintext, 0);
        if (isLast) {
            size = number * AgeKey.CHUNK_BYTES + limit;
        }
        buffered = number;
    }

    private void check() throws ClosedChannelException {
        if (!open) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        check();
        if (!to.hasRemaining()) {
            return 0;
        }
        // A position behind the last chunk needs the last chunk, which proves that it is the last.
        load(Math.min(position / AgeKey.CHUNK_BYTES, lastChunk()));
        long at = position - buffered * AgeKey.CHUNK_BYTES;
        if (at >= limit) {
            return -1;
        }
        int count = Math.min(to.remaining(), limit - (int) at);
        to.put(plaintext, (int) at, count);
        position += count;
        return count;
    }

    @Override
    public long position() throws IOException {
        check();
        return position;
    }

    @Override
    public AgeChannel position(long newPosition) throws IOException {
        check();
        if (newPosition < 0) {
            throw new IllegalArgumentException("a negative position");
        }
        position = newPosition;
        return this;
    }

    @Override
    public long size() throws IOException {
        check();
        if (size < 0) {
            load(lastChunk());
        }
        return size;
    }

    @Override
    public int write(ByteBuffer from) {
        throw new NonWritableChannelException();
    }

    @Override
    public AgeChannel truncate(long newSize) {
        throw new NonWritableChannelException();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    /** Wipes the key and the buffer, and closes the file. */
    @Override
    public void close() throws IOException {
        open = false;
        key.close();
        Arrays.fill(plaintext, (byte) 0);
        file.close();
    }
}
