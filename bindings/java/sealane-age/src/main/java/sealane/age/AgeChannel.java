package sealane.age;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;

/**
 * The plaintext of a binary file, read at any position. Each read opens the chunk that it needs.
 * {@link #size} authenticates the last chunk first, because the length of a file alone proves
 * nothing. A channel must not be used by several threads at once.
 */
public final class AgeChannel implements SeekableByteChannel {
    private static final int FIRST_READ = 1024;

    private final SeekableByteChannel file;
    private final AgeKey key;
    private final AgeChunks chunks;
    private long position;
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
                // Throws the exception that says what is missing.
                identities.unlock(start);
            }
            start = readAt(0, wanted);
        }
        long chunksLength = file.size() - preamble;
        // Nothing fails after this, so the key can always be closed.
        key = AgeKey.unlock(identities, start, start.length);
        chunks = new AgeChunks(this::readFully, key, chunksLength);
    }

    private byte[] readAt(long from, int length) throws IOException {
        byte[] bytes = new byte[length];
        readFully(from, bytes, length);
        return bytes;
    }

    private void readFully(long from, byte[] to, int length) throws IOException {
        file.position(from);
        ByteBuffer buffer = ByteBuffer.wrap(to, 0, length);
        while (buffer.hasRemaining()) {
            if (file.read(buffer) < 0) {
                throw new EOFException("the file became shorter while it was read");
            }
        }
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
        int count = chunks.read(position, to);
        if (count < 0) {
            return -1;
        }
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
        return chunks.size();
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
        chunks.wipe();
        file.close();
    }
}
