package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks what OpenJDK's tests check in releases after Java 17, which no package contains:
 * associated data in parts of buffers, and messages whose pieces are in arrays and in buffers.
 */
class BuffersTest {
    private static final Random RANDOM = new Random(17);
    private static final byte[] KEY = Support.bytes(RANDOM, 32);
    private static final byte[] MESSAGE = Support.bytes(RANDOM, 30);

    /** The kind of memory that holds a piece. */
    private enum Memory {
        ARRAY,
        HEAP,
        DIRECT
    }

    @ParameterizedTest
    @CsvSource({"ChaCha20-Poly1305, 12", "XChaCha20-Poly1305, 24"})
    void associatedDataIsTheRestOfABuffer(String name, int nonceBytes) throws Exception {
        byte[] nonce = Support.bytes(RANDOM, nonceBytes);
        byte[] bytes = Support.bytes(RANDOM, 2048);
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
        for (ByteBuffer whole : new ByteBuffer[] {ByteBuffer.wrap(bytes), direct}) {
            for (int start : new int[] {0, 1, 42, 395, 602, 1024, 2047, 2048}) {
                for (int end : new int[] {start, start + 1, 1329, 2048}) {
                    if (end < start || end > bytes.length) {
                        continue;
                    }
                    Cipher cipher = Support.aead(name, Cipher.ENCRYPT_MODE, KEY, nonce);
                    cipher.updateAAD(bytes, start, end - start);
                    byte[] expected = cipher.doFinal(MESSAGE);
                    ByteBuffer part = whole.duplicate().position(start).limit(end);
                    ByteBuffer slice = whole.slice(start / 2, end - start / 2).position(start - start / 2);
                    for (ByteBuffer buffer : new ByteBuffer[] {part, slice, slice.asReadOnlyBuffer()}) {
                        cipher = Support.aead(name, Cipher.ENCRYPT_MODE, KEY, nonce);
                        int limit = buffer.limit();
                        cipher.updateAAD(buffer);
                        assertEquals(limit, buffer.position());
                        assertEquals(limit, buffer.limit());
                        assertArrayEquals(expected, cipher.doFinal(MESSAGE), start + " to " + end);
                    }
                }
            }
        }
    }

    static Stream<Arguments> sequences() {
        return Stream.of(Memory.values())
                .flatMap(first -> Stream.of(Memory.values())
                        .flatMap(second -> Stream.of(Memory.values()).map(last -> Arguments.of(first, second, last))));
    }

    @ParameterizedTest
    @MethodSource("sequences")
    void piecesInAnyMemory(Memory first, Memory second, Memory last) throws Exception {
        byte[] nonce = Support.bytes(RANDOM, 12);
        byte[] sealed = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, nonce).doFinal(MESSAGE);
        for (int offset : new int[] {0, 2}) {
            for (boolean encrypt : new boolean[] {true, false}) {
                byte[] in = encrypt ? MESSAGE : sealed;
                for (int one = 0; one <= in.length; one++) {
                    for (int two = 0; one + two <= in.length; two += 3) {
                        Cipher cipher = Support.aead(
                                "ChaCha20-Poly1305", encrypt ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE, KEY, nonce);
                        byte[] a = piece(cipher, first, in, 0, one, offset, false);
                        byte[] b = piece(cipher, second, in, one, two, offset, false);
                        // Encryption holds nothing back, decryption everything.
                        assertEquals(encrypt ? one : 0, a.length);
                        assertEquals(encrypt ? two : 0, b.length);
                        int rest = in.length - one - two;
                        byte[] c = piece(cipher, last, in, one + two, rest, offset, true);
                        byte[] all = Support.concat(Support.concat(a, b), c);
                        assertArrayEquals(encrypt ? sealed : MESSAGE, all, one + " and " + two);
                    }
                }
            }
        }
    }

    /** Processes a piece, and returns its output. The output memory has the minimum length. */
    private static byte[] piece(Cipher cipher, Memory memory, byte[] in, int start, int len, int offset, boolean end)
            throws GeneralSecurityException {
        int outputLen = cipher.getOutputSize(len);
        if (memory == Memory.ARRAY) {
            byte[] from = new byte[offset + len];
            System.arraycopy(in, start, from, offset, len);
            byte[] out = new byte[offset + outputLen];
            int written = end ? cipher.doFinal(from, offset, len, out, offset) : cipher.update(from, offset, len, out, offset);
            return Arrays.copyOfRange(out, offset, offset + written);
        }
        boolean direct = memory == Memory.DIRECT;
        ByteBuffer from = direct ? ByteBuffer.allocateDirect(offset + len) : ByteBuffer.allocate(offset + len);
        from.put(offset, in, start, len).position(offset);
        ByteBuffer out = direct ? ByteBuffer.allocateDirect(offset + outputLen) : ByteBuffer.allocate(offset + outputLen);
        out.position(offset);
        int written = end ? cipher.doFinal(from, out) : cipher.update(from, out);
        assertEquals(0, from.remaining());
        assertEquals(offset + written, out.position());
        byte[] result = new byte[written];
        out.get(offset, result);
        return result;
    }
}
