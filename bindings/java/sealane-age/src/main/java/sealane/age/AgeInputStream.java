package sealane.age;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Objects;

/**
 * Decrypts a file, binary or armored. It returns only authentic plaintext, in order, and reports
 * the end only after the last chunk has been proved to be the last. Once damage has been found, all
 * later reads fail too. It must not be used by several threads at once.
 */
public final class AgeInputStream extends InputStream {
    /** The number of first bytes of a file that {@link #isArmored} needs. */
    public static final int ARMOR_START_BYTES = 1025;

    private static final int FIRST_READ = 1024;

    private final InputStream in;
    private final AgeKey key;

    /** Bytes of chunks that were read with the header. */
    private final byte[] rest;

    private int restPosition;

    /** A chunk, and one more byte, which is present if another chunk follows. */
    private final byte[] sealed = new byte[AgeKey.SEALED_CHUNK_BYTES + 1];

    private int filled;
    private final byte[] plaintext = new byte[AgeKey.CHUNK_BYTES];
    private int position;
    private int limit;
    private long number;
    private boolean ended;
    private boolean closed;
    private AgeException failure;

    /**
     * Reads the header, and unlocks the file.
     *
     * @param in the file, which must end where the stream ends
     * @param identities the identities
     * @throws IOException if the header is malformed, no identity opens the file, or reading fails
     */
    public AgeInputStream(InputStream in, AgeIdentities identities) throws IOException {
        Native.require();
        this.in = ArmorInputStream.binary(Objects.requireNonNull(in));
        byte[] start = new byte[FIRST_READ];
        int length = this.in.readNBytes(start, 0, start.length);
        int preamble;
        while ((preamble = AgeKey.preambleLength(start, length)) < 0) {
            int wanted = Math.max(-preamble, 2 * start.length);
            if (length < start.length) {
                // Throws the exception that says what is missing.
                identities.unlock(Arrays.copyOf(start, length));
            }
            start = Arrays.copyOf(start, wanted);
            length += this.in.readNBytes(start, length, wanted - length);
        }
        this.key = AgeKey.unlock(identities, start, length);
        this.rest = Arrays.copyOfRange(start, preamble, length);
    }

    /**
     * Returns whether a file is armored. Armor begins with a dash, after at most 1024 bytes of
     * white space.
     *
     * @param start the first {@link #ARMOR_START_BYTES} bytes of the file, fewer if it is shorter
     * @return whether it is armored
     */
    public static boolean isArmored(byte[] start) {
        int length = Math.min(start.length, ARMOR_START_BYTES);
        int first = ArmorInputStream.whiteSpace(start, length);
        return first < length && start[first] == '-';
    }

    private int fill() throws IOException {
        while (filled < sealed.length) {
            int count;
            if (restPosition < rest.length) {
                count = Math.min(rest.length - restPosition, sealed.length - filled);
                System.arraycopy(rest, restPosition, sealed, filled, count);
                restPosition += count;
            } else {
                count = in.read(sealed, filled, sealed.length - filled);
                if (count < 0) {
                    break;
                }
            }
            filled += count;
        }
        return filled;
    }

    private void check() throws IOException {
        if (closed) {
            throw new IOException("the file is closed");
        }
    }

    /** Opens the next chunk. Returns false at the end. */
    private boolean advance() throws IOException {
        check();
        while (position == limit) {
            if (failure != null) {
                throw failure;
            }
            if (ended) {
                return false;
            }
            try {
                openNext();
            } catch (AgeException e) {
                failure = e;
            }
        }
        return true;
    }

    private void openNext() throws IOException {
        boolean isLast = fill() <= AgeKey.SEALED_CHUNK_BYTES;
        int length = Math.min(filled, AgeKey.SEALED_CHUNK_BYTES);
        position = limit = 0;
        try {
            limit = key.open(number, isLast, sealed, 0, length, plaintext, 0);
        } catch (AgeException e) {
            if (e.chunk().orElse(-1) != number && length == AgeKey.SEALED_CHUNK_BYTES) {
                // The chunk is authentic. The fault is in what follows it, or that nothing follows.
                limit = key.open(number, !isLast, sealed, 0, length, plaintext, 0);
            }
            throw e;
        }
        number++;
        sealed[0] = sealed[sealed.length - 1];
        filled -= length;
        ended = isLast;
    }

    @Override
    public int read() throws IOException {
        return advance() ? plaintext[position++] & 0xff : -1;
    }

    /**
     * Reads plaintext of at most one chunk.
     *
     * @throws AgeException if the file is damaged
     */
    @Override
    public int read(byte[] out, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, out.length);
        check();
        if (length == 0) {
            return 0;
        }
        if (!advance()) {
            return -1;
        }
        int count = Math.min(length, limit - position);
        System.arraycopy(plaintext, position, out, offset, count);
        position += count;
        return count;
    }

    @Override
    public int available() {
        return limit - position;
    }

    /** Wipes the key and the buffer, and closes the file. */
    @Override
    public void close() throws IOException {
        key.close();
        Secrets.wipe(plaintext);
        position = limit = 0;
        closed = true;
        in.close();
    }
}
