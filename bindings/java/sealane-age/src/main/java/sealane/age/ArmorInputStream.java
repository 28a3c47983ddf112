package sealane.age;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.Arrays;

/**
 * Decodes the text form of a file. Reads are synchronized, so that native memory stays intact even
 * if a program wrongly reads a file in several threads.
 */
final class ArmorInputStream extends InputStream {
    private static final int PIECE_BYTES = 16 << 10;

    private final InputStream in;
    private final Handle decoder;
    private final byte[] decoded = new byte[2 * PIECE_BYTES];
    private int position;
    private int limit;
    private boolean ended;

    private ArmorInputStream(InputStream in) throws AgeException {
        this.in = in;
        this.decoder = new Handle(Native.armorNew(), Native::armorFree);
    }

    /** Returns the input, decoded if it is armored. */
    static InputStream binary(InputStream in) throws IOException {
        byte[] start = new byte[AgeInputStream.ARMOR_START_BYTES];
        int length = 0;
        while (whiteSpace(start, length) == length && length < start.length) {
            int read = in.read(start, length, start.length - length);
            if (read < 0) {
                break;
            }
            length += read;
        }
        PushbackInputStream whole = new PushbackInputStream(in, Math.max(1, length));
        whole.unread(start, 0, length);
        return AgeInputStream.isArmored(Arrays.copyOf(start, length)) ? new ArmorInputStream(whole) : whole;
    }

    /** Returns the number of white space bytes at the start of these {@code length} bytes. */
    static int whiteSpace(byte[] start, int length) {
        int count = 0;
        while (count < length && (start[count] == ' ' || start[count] >= 9 && start[count] <= 13)) {
            count++;
        }
        return count;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] out, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (position == limit) {
            byte[] piece = new byte[0];
            // A full output means that more decoded bytes may be waiting.
            if (limit < decoded.length && !ended) {
                piece = new byte[PIECE_BYTES];
                int read = in.read(piece);
                ended = read < 0;
                piece = Arrays.copyOf(piece, Math.max(0, read));
            }
            byte[] next = piece;
            limit = decoder.use(number -> Native.armorDecode(number, next, ended, decoded, decoded.length));
            position = 0;
            if (limit == 0 && ended) {
                return -1;
            }
        }
        int count = Math.min(length, limit - position);
        System.arraycopy(decoded, position, out, offset, count);
        position += count;
        return count;
    }

    @Override
    public void close() throws IOException {
        decoder.close();
        in.close();
    }
}
