package sealane.age;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Copies of secrets, which are wiped. */
final class Secrets {
    /** The longest encoding of a {@code char}. */
    private static final int MAX_BYTES = 3;

    /** A byte that no text in UTF-8 has. */
    private static final byte NOT_UTF8 = (byte) 0xff;

    private Secrets() {}

    /**
     * Returns the text in UTF-8. The native library refuses the result if the text has half of a
     * surrogate pair, which UTF-8 cannot have.
     */
    static byte[] utf8(char[] text) {
        // Room for any text: an encoder that finds too little leaves a copy in an array of its own.
        byte[] room = new byte[MAX_BYTES * text.length];
        ByteBuffer encoded = ByteBuffer.wrap(room);
        CoderResult result = StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .encode(CharBuffer.wrap(text), encoded, true);
        if (result.isError()) {
            encoded.put(NOT_UTF8);
        }
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
