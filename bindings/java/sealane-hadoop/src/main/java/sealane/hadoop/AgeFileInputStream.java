package sealane.hadoop;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import sealane.age.AgeChunks;
import sealane.age.AgeKey;

/** The plaintext of a file at any position. A read opens the chunk that it needs. */
final class AgeFileInputStream extends FSInputStream {
    private final FSDataInputStream file;
    private final AgeChunks chunks;
    private final long chunksLength;
    private long position;
    private boolean closed;

    AgeFileInputStream(FSDataInputStream file, AgeKey key, long chunksLength) {
        this.file = file;
        chunks = new AgeChunks(this::readFully, key, chunksLength);
        this.chunksLength = chunksLength;
    }

    /**
     * Reads from the file that is open. For a read at a position, Hadoop's local file system would
     * open the file again by its name, which may be another file by now.
     */
    private void readFully(long from, byte[] to, int length) throws IOException {
        file.seek(from);
        file.readFully(to, 0, length);
    }

    private void check() throws IOException {
        if (closed) {
            throw new IOException("the file is closed");
        }
    }

    @Override
    public synchronized void seek(long target) throws IOException {
        check();
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

    @Override
    public synchronized int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] out, int offset, int length) throws IOException {
        check();
        if (length == 0) {
            return 0;
        }
        int count = chunks.read(position, ByteBuffer.wrap(out, offset, length));
        if (count < 0) {
            return -1;
        }
        position += count;
        return count;
    }

    /** Returns -1 only after the last chunk has been authenticated. */
    @Override
    public synchronized int read(long at, byte[] out, int offset, int length) throws IOException {
        check();
        validatePositionedReadArgs(at, out, offset, length);
        return length == 0 ? 0 : chunks.read(at, ByteBuffer.wrap(out, offset, length));
    }

    @Override
    public synchronized int available() throws IOException {
        check();
        return chunks.available(position);
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        chunks.wipe();
        file.close();
    }
}
