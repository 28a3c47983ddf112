package sealane.age;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;

/**
 * Encrypts a file. {@link #close} writes the last chunk: without it, reading the file to its end
 * fails. It must not be used by several threads at once.
 *
 * <p>After a failure of the output, {@link #close} leaves the file incomplete and throws an
 * exception. If the source of the plaintext fails instead, call {@link #abort} before {@link
 * #close}, so that the file is not completed.
 */
public final class AgeOutputStream extends OutputStream {
    private static final String BEGIN = "-----BEGIN AGE ENCRYPTED FILE-----\n";
    private static final String END = "\n-----END AGE ENCRYPTED FILE-----\n";

    private final OutputStream file;

    /** The file itself, or a Base64 encoder for an armored file. */
    private final OutputStream out;

    private final boolean armored;
    private final Handle key;
    private final byte[] plaintext = new byte[AgeKey.CHUNK_BYTES];
    private final byte[] sealed = new byte[AgeKey.SEALED_CHUNK_BYTES];
    private int filled;
    private long number;

    /** Whether a write or a flush failed, so that the rest of the file must not be written. */
    private boolean broken;

    private boolean aborted;
    private boolean closed;

    /**
     * Writes the header of a binary file.
     *
     * @param file the output
     * @param recipients the recipients
     * @throws IOException if the recipients cannot be combined, or writing fails
     */
    public AgeOutputStream(OutputStream file, AgeRecipients recipients) throws IOException {
        this(file, recipients, false);
    }

    /**
     * Writes the header of a file.
     *
     * @param file the output
     * @param recipients the recipients
     * @param armored whether the file is armored, which makes it text
     * @throws IOException if the recipients cannot be combined, or writing fails
     */
    public AgeOutputStream(OutputStream file, AgeRecipients recipients, boolean armored) throws IOException {
        this.file = Objects.requireNonNull(file);
        this.armored = armored;
        long[] number = new long[1];
        byte[] start = recipients.start(number);
        key = new Handle(number[0], Native::sealingKeyFree);
        try {
            if (armored) {
                file.write(BEGIN.getBytes(StandardCharsets.US_ASCII));
                // The encoder writes each line in two calls.
                OutputStream lines = new BufferedOutputStream(new Unclosed(file), AgeKey.CHUNK_BYTES);
                out = Base64.getMimeEncoder(64, new byte[] {'\n'}).wrap(lines);
            } else {
                out = file;
            }
            out.write(start);
        } catch (IOException | RuntimeException | Error e) {
            key.close();
            throw e;
        }
    }

    /** Lets the encoder be closed, which writes its last line, without closing the file. */
    private static final class Unclosed extends OutputStream {
        private final OutputStream file;

        Unclosed(OutputStream file) {
            this.file = file;
        }

        @Override
        public void write(int b) throws IOException {
            file.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            file.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            file.flush();
        }
    }

    private void writeChunk(boolean isLast) throws IOException {
        broken = true;
        int length = key.use(k -> Native.seal(k, number, isLast, plaintext, 0, filled, sealed, 0));
        out.write(sealed, 0, length);
        number++;
        filled = 0;
        broken = false;
    }

    private void check() throws IOException {
        if (closed) {
            throw new IOException("the file is closed");
        }
        if (aborted) {
            throw new IOException("the file was aborted");
        }
        if (broken) {
            throw new IOException("an earlier write failed");
        }
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] in, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, in.length);
        check();
        int at = offset;
        int end = offset + length;
        while (at < end) {
            if (filled == plaintext.length) {
                // More data follows, so this chunk is not the last.
                writeChunk(false);
            }
            int count = Math.min(end - at, plaintext.length - filled);
            System.arraycopy(in, at, plaintext, filled, count);
            filled += count;
            at += count;
        }
    }

    /**
     * Flushes the output. Up to a chunk of plaintext is held back, because it may be the last
     * chunk. If this fails, {@link #close} leaves the file incomplete and throws an exception.
     */
    @Override
    public void flush() throws IOException {
        boolean wasBroken = broken;
        broken = true;
        out.flush();
        broken = wasBroken;
    }

    /**
     * Abandons the file: {@link #close} then writes nothing more, so that the file stays
     * incomplete.
     */
    public void abort() {
        aborted = true;
    }

    /**
     * Writes the last chunk, wipes the key and the buffer, and closes the output.
     *
     * @throws IOException if the file is incomplete, unless it was aborted, or closing fails
     */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        try (file;
                key) {
            if (!aborted) {
                check();
                writeChunk(true);
                if (armored) {
                    out.close();
                    file.write(END.getBytes(StandardCharsets.US_ASCII));
                }
            }
        } finally {
            closed = true;
            Secrets.wipe(plaintext);
        }
    }
}
