package sealane.age;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Copies of secrets, which are wiped. */
final class Secrets {
    /** The longest encoding of a {@code char}. */
    private static final int MAX_BYTES = 3;

    private Secrets() {}

    static byte[] utf8(char[] text) {
        // Room for any text: an encoder that finds too little leaves a copy in an array of its own.
        byte[] room = new byte[MAX_BYTES * text.length];
        ByteBuffer encoded = ByteBuffer.wrap(room);
        StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .encode(CharBuffer.wrap(text), encoded, true);
        byte[] bytes = Arrays.copyOf(room, encoded.position());
        wipe(room);
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
