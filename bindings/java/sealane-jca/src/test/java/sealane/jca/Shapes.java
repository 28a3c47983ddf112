package sealane.jca;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Cipher;

/** Every way to pass a message to an initialized cipher. */
final class Shapes {
    /** A way to pass a message. */
    interface Shape {
        byte[] run(Cipher cipher, byte[] in) throws GeneralSecurityException;
    }

    /** The ways that SunJCE handles correctly too, which excludes overlapping arrays. */
    static final Map<String, Shape> COMMON = new LinkedHashMap<>();

    static final Map<String, Shape> ALL = new LinkedHashMap<>();

    static {
        COMMON.put("array", Cipher::doFinal);
        COMMON.put("range", (cipher, in) -> cipher.doFinal(shifted(in, 7, 5), 7, in.length));
        COMMON.put("array to array", (cipher, in) -> arrays(cipher, in, new byte[1 << 20], 3, 1 << 19));
        COMMON.put("array in place", (cipher, in) -> arrays(cipher, in, new byte[in.length + 64], 5, 5));
        for (int piece : new int[] {1, 16, 63, 64, 1000}) {
            COMMON.put("pieces of " + piece, (cipher, in) -> pieces(cipher, in, piece));
            COMMON.put("pieces of " + piece + " to array", (cipher, in) -> piecesToArray(cipher, in, piece));
        }
        COMMON.put("heap to heap", (cipher, in) -> buffers(cipher, heap(in), heapFor(in)));
        COMMON.put("heap to direct", (cipher, in) -> buffers(cipher, heap(in), directFor(in)));
        COMMON.put("direct to heap", (cipher, in) -> buffers(cipher, direct(in), heapFor(in)));
        COMMON.put("direct to direct", (cipher, in) -> buffers(cipher, direct(in), directFor(in)));
        COMMON.put("read-only heap to heap", (cipher, in) -> buffers(cipher, heap(in).asReadOnlyBuffer(), heapFor(in)));
        COMMON.put(
                "read-only heap to direct", (cipher, in) -> buffers(cipher, heap(in).asReadOnlyBuffer(), directFor(in)));
        COMMON.put(
                "read-only direct to direct",
                (cipher, in) -> buffers(cipher, direct(in).asReadOnlyBuffer(), directFor(in)));
        COMMON.put("heap in place", (cipher, in) -> inPlace(cipher, in, ByteBuffer.allocate(in.length + 40), 4, 4));
        COMMON.put(
                "direct in place", (cipher, in) -> inPlace(cipher, in, ByteBuffer.allocateDirect(in.length + 40), 4, 4));
        ALL.putAll(COMMON);
        for (int distance : new int[] {-17, -16, -1, 1, 15, 64}) {
            int from = 100;
            int to = from + distance;
            ALL.put(
                    "array overlapping by " + distance,
                    (cipher, in) -> arrays(cipher, in, new byte[in.length + 200], from, to));
            ALL.put(
                    "heap overlapping by " + distance,
                    (cipher, in) -> inPlace(cipher, in, ByteBuffer.allocate(in.length + 200), from, to));
            ALL.put(
                    "direct overlapping by " + distance,
                    (cipher, in) -> inPlace(cipher, in, ByteBuffer.allocateDirect(in.length + 200), from, to));
        }
        ALL.put("buffer pieces, heap", (cipher, in) -> bufferPieces(cipher, heap(in), heapFor(in)));
        ALL.put("buffer pieces, direct", (cipher, in) -> bufferPieces(cipher, direct(in), directFor(in)));
        ALL.put("buffer pieces, heap to direct", (cipher, in) -> bufferPieces(cipher, heap(in), directFor(in)));
    }

    private Shapes() {}

    private static byte[] shifted(byte[] in, int before, int after) {
        byte[] array = new byte[before + in.length + after];
        System.arraycopy(in, 0, array, before, in.length);
        return array;
    }

    private static byte[] arrays(Cipher cipher, byte[] in, byte[] array, int from, int to)
            throws GeneralSecurityException {
        System.arraycopy(in, 0, array, from, in.length);
        byte[] before = array.clone();
        int len = cipher.doFinal(array, from, in.length, array, to);
        // Checks that nothing else was written.
        if (!Arrays.equals(array, 0, to, before, 0, to)
                || !Arrays.equals(array, to + len, array.length, before, to + len, array.length)) {
            throw new AssertionError("bytes around the output have changed");
        }
        return Arrays.copyOfRange(array, to, to + len);
    }

    private static byte[] pieces(Cipher cipher, byte[] in, int size) throws GeneralSecurityException {
        byte[] out = new byte[in.length + 16];
        int len = 0;
        for (int i = 0; i < in.length; i += size) {
            byte[] piece = cipher.update(in, i, Math.min(size, in.length - i));
            System.arraycopy(piece, 0, out, len, piece.length);
            len += piece.length;
        }
        byte[] last = cipher.doFinal();
        System.arraycopy(last, 0, out, len, last.length);
        return Arrays.copyOf(out, len + last.length);
    }

    private static byte[] piecesToArray(Cipher cipher, byte[] in, int size) throws GeneralSecurityException {
        byte[] out = new byte[in.length + 16];
        int len = 0;
        int i = 0;
        for (; in.length - i > size; i += size) {
            len += cipher.update(in, i, size, out, len);
        }
        len += cipher.doFinal(in, i, in.length - i, out, len);
        return Arrays.copyOf(out, len);
    }

    private static ByteBuffer heap(byte[] in) {
        return ByteBuffer.wrap(shifted(in, 9, 2), 9, in.length).slice();
    }

    private static ByteBuffer direct(byte[] in) {
        return ByteBuffer.allocateDirect(in.length + 9).position(9).put(in).position(9);
    }

    private static ByteBuffer heapFor(byte[] in) {
        return ByteBuffer.allocate(in.length + 40).position(3).slice();
    }

    private static ByteBuffer directFor(byte[] in) {
        return ByteBuffer.allocateDirect(in.length + 40).position(3);
    }

    private static byte[] buffers(Cipher cipher, ByteBuffer in, ByteBuffer out) throws GeneralSecurityException {
        int start = out.position();
        int len = cipher.doFinal(in, out);
        return written(in, out, start, len);
    }

    private static byte[] written(ByteBuffer in, ByteBuffer out, int start, int len) {
        if (in.hasRemaining() || out.position() != start + len) {
            throw new AssertionError("wrong positions: " + in + " " + out);
        }
        byte[] result = new byte[len];
        out.get(start, result);
        return result;
    }

    private static byte[] inPlace(Cipher cipher, byte[] in, ByteBuffer buffer, int from, int to)
            throws GeneralSecurityException {
        buffer.put(from, in);
        ByteBuffer input = buffer.duplicate().position(from).limit(from + in.length);
        return buffers(cipher, input, buffer.duplicate().position(to));
    }

    private static byte[] bufferPieces(Cipher cipher, ByteBuffer in, ByteBuffer out) throws GeneralSecurityException {
        int start = out.position();
        int limit = in.limit();
        int len = 0;
        while (limit - in.position() > 100) {
            in.limit(in.position() + 100);
            len += cipher.update(in, out);
            in.limit(limit);
        }
        len += cipher.doFinal(in, out);
        return written(in, out, start, len);
    }
}
