package sealane.hadoop;

import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import sealane.age.AgeKey;

/** The plaintext of a file at any position. Each read opens the chunk that it needs. */
final class AgeFileInputStream extends FSInputStream {
    private final FSDataInputStream file;
    private final AgeKey key;
    private final long chunksLength;
    private final byte[] sealed = new byte[AgeKey.SEALED_CHUNK_BYTES];
    private final byte[] plaintext = new byte[AgeKey.CHUNK_BYTES];

    /** The chunk in the buffer, or -1. */
    private long buffered = -1;

    private int limit;
    private long position;

    AgeFileInputStream(FSDataInputStream file, AgeKey key, long chunksLength) {
        this.file = file;
        this.key = key;
        this.chunksLength = chunksLength;
    }

    private long lastChunk() {
        return Math.max(0, (chunksLength - 1) / AgeKey.SEALED_CHUNK_BYTES);
    }

    @Override
    public synchronized void seek(long target) throws IOException {
        if (target < 0) {
            throw new EOFException("a negative position");
        }
        long end = AgeKey.plaintextLength(chunksLength);
        if (end >= 0 && target > end) {
            throw new EOFException("position " + target + " is behind the end");
        }
        position = target;
    }

    @Override
    public synchronized long getPos() {
        return position;
    }

    @Override
    public boolean seekToNewSource(long target) {
        return false;
    }

    private void load(long number) throws IOException {
        if (buffered == number) {
            return;
        }
        buffered = -1;
        long start = number * AgeKey.SEALED_CHUNK_BYTES;
        int length = (int) Math.min(AgeKey.SEALED_CHUNK_BYTES, Math.max(0, chunksLength - start));
        file.readFully(key.preambleLength() + start, sealed, 0, length);
        limit = key.open(number, number == lastChunk(), sealed, 0, length, plaintext, 0);
        buffered = number;
    }

    @Override
    public synchronized int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] out, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        // The end is where the last chunk proves it.
        load(Math.min(position / AgeKey.CHUNK_BYTES, lastChunk()));
        long at = position - buffered * AgeKey.CHUNK_BYTES;
        if (at >= limit) {
            return -1;
        }
        int count = Math.min(length, limit - (int) at);
        System.arraycopy(plaintext, (int) at, out, offset, count);
        position += count;
        return count;
    }

    @Override
    public synchronized int available() {
        long at = position - buffered * AgeKey.CHUNK_BYTES;
        return buffered >= 0 && at >= 0 && at < limit ? limit - (int) at : 0;
    }

    @Override
    public synchronized void close() throws IOException {
        Arrays.fill(plaintext, (byte) 0);
        buffered = -1;
        file.close();
    }
}
