package sealane.age;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Copies of secrets, which are wiped. */
final class Secrets {
    private Secrets() {}

    static byte[] utf8(char[] text) {
        ByteBuffer encoded = StandardCharsets.UTF_8.encode(CharBuffer.wrap(text));
        byte[] bytes = Arrays.copyOfRange(encoded.array(), 0, encoded.limit());
        Arrays.fill(encoded.array(), (byte) 0);
        return bytes;
    }

    /** Returns the lines with one more, and wipes both arguments. */
    static byte[] append(byte[] lines, byte[] line) {
        byte[] longer = Arrays.copyOf(lines, lines.length + line.length + 1);
        System.arraycopy(line, 0, longer, lines.length, line.length);
        longer[longer.length - 1] = '\n';
        wipe(lines);
        wipe(line);
        return longer;
    }

    static void wipe(byte[] bytes) {
        if (bytes != null) {
            Arrays.fill(bytes, (byte) 0);
        }
    }
}
