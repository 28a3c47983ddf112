package sealane.hadoop;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.io.compress.SplitCompressionInputStream;
import sealane.age.AgeIdentities;
import sealane.age.AgeInputStream;
import sealane.age.AgeKey;

/**
 * The plaintext of a split of a file, and of as much after it as the reader needs to finish its
 * last record.
 *
 * <p>A chunk belongs to the split in which it starts. Chunk 0 starts at byte 0, with the header: so
 * it belongs to the first split, where readers expect the first record of the file. The reader sees
 * positions in the encrypted file: once bytes of a chunk have been returned, the position is the
 * byte after the chunk's first. So the reader stops after the first record that ends in a chunk of
 * another split, and the reader of that split drops this record.
 */
final class AgeSplitInputStream extends SplitCompressionInputStream {
    private final Seekable file;

    /** The whole plaintext of an armored file, or null. */
    private AgeInputStream armored;

    private AgeKey key;
    private long firstChunk;

    /** The length of the header and the nonce. */
    private long payload;

    private long number;
    private long position;
    private long adjustedStart;
    private boolean ended;
    private boolean closed;

    /** A chunk, and one more byte, which is present if another chunk follows. */
    private byte[] sealed;

    private int filled;
    private byte[] plaintext;
    private int at;
    private int limit;

    AgeSplitInputStream(InputStream in, Configuration conf, long start, long end) throws IOException {
        super(in, start, end);
        file = (Seekable) in;
        position = start;
        adjustedStart = start;
        if (AgeInputStream.isArmored(read(AgeInputStream.ARMOR_START_BYTES))) {
            startArmored(conf, start);
        } else {
            startBinary(conf, start, end);
        }
    }

    /** Returns the first {@code length} bytes of the file, fewer if it is shorter. */
    private byte[] read(int length) throws IOException {
        file.seek(0);
        return in.readNBytes(length);
    }

    /** The first split gets the whole of an armored file. */
    private void startArmored(Configuration conf, long start) throws IOException {
        if (start > 0) {
            ended = true;
            return;
        }
        file.seek(0);
        try (AgeIdentities identities = Keys.identities(conf)) {
            armored = new AgeInputStream(in, identities);
        }
    }

    private void startBinary(Configuration conf, long start, long end) throws IOException {
        byte[] preamble = Keys.preamble(this::read);
        payload = preamble.length;
        if (start > 0) {
            long before = Math.max(1, start - payload);
            firstChunk = (before + AgeKey.SEALED_CHUNK_BYTES - 1) / AgeKey.SEALED_CHUNK_BYTES;
        }
        number = firstChunk;
        if (chunkStart(number) >= end) {
            ended = true;
            return;
        }
        adjustedStart = chunkStart(number);
        position = adjustedStart;
        key = Keys.key(conf, preamble);
        sealed = new byte[AgeKey.SEALED_CHUNK_BYTES + 1];
        plaintext = new byte[AgeKey.CHUNK_BYTES];
        try {
            file.seek(payload + number * AgeKey.SEALED_CHUNK_BYTES);
        } catch (EOFException e) {
            // File systems differ when seeking past the end.
            ended = number > 0;
            if (!ended) {
                throw e;
            }
        }
    }

    private long chunkStart(long chunk) {
        return chunk == 0 ? 0 : payload + chunk * AgeKey.SEALED_CHUNK_BYTES;
    }

    @Override
    public long getAdjustedStart() {
        return adjustedStart;
    }

    /**
     * Returns a position in the encrypted file, from which the reader learns that the split has
     * ended.
     */
    @Override
    public long getPos() {
        return position;
    }

    /** Reads a chunk. After a failure, the next call continues where this one ended. */
    private void fill() throws IOException {
        while (filled < sealed.length) {
            int count = in.read(sealed, filled, sealed.length - filled);
            if (count < 0) {
                return;
            }
            filled += count;
        }
    }

    /** Opens the next chunk. Returns false at the end. */
    private boolean advance() throws IOException {
        while (at == limit) {
            if (ended) {
                return false;
            }
            fill();
            if (filled == 0 && number > 0 && number == firstChunk) {
                // The file ends before the split's first chunk.
                ended = true;
                return false;
            }
            boolean isLast = filled <= AgeKey.SEALED_CHUNK_BYTES;
            int length = Math.min(filled, AgeKey.SEALED_CHUNK_BYTES);
            limit = key.open(number, isLast, sealed, 0, length, plaintext, 0);
            at = 0;
            position = chunkStart(number) + 1;
            number++;
            sealed[0] = sealed[AgeKey.SEALED_CHUNK_BYTES];
            filled -= length;
            ended = isLast;
        }
        return true;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /** Reads plaintext of at most one chunk. */
    @Override
    public int read(byte[] out, int offset, int length) throws IOException {
        if (closed) {
            throw new IOException("the file is closed");
        }
        if (length == 0) {
            return 0;
        }
        if (armored != null) {
            return armored.read(out, offset, length);
        }
        if (!advance()) {
            return -1;
        }
        int count = Math.min(length, limit - at);
        System.arraycopy(plaintext, at, out, offset, count);
        at += count;
        return count;
    }

    @Override
    public void resetState() {
        throw new UnsupportedOperationException("a split is read once");
    }

    @Override
    public void close() throws IOException {
        if (plaintext != null) {
            Arrays.fill(plaintext, (byte) 0);
        }
        closed = true;
        if (armored != null) {
            armored.close();
        }
        super.close();
    }
}
