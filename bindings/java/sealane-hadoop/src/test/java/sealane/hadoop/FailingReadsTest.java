package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.io.compress.SplittableCompressionCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailingReadsTest {
    @TempDir
    Path folder;

    /** A file whose reads give few bytes. If it fails, every third read throws an exception. */
    private static final class Failing extends FSInputStream {
        private final byte[] file;
        private int position;
        private boolean fails;
        private int reads;

        Failing(byte[] file) {
            this.file = file;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] out, int offset, int length) throws IOException {
            if (fails && ++reads % 3 == 0) {
                throw new IOException("try again");
            }
            int count = Math.min(Math.min(length, 20_000), file.length - position);
            System.arraycopy(file, position, out, offset, count);
            position += count;
            return count == 0 && length > 0 ? -1 : count;
        }

        @Override
        public void seek(long target) {
            position = (int) target;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public boolean seekToNewSource(long target) {
            return false;
        }
    }

    @Test
    void aSplitContinuesAfterAFailedRead() throws IOException {
        byte[] text = new byte[200_000];
        new Random(1).nextBytes(text);
        Path sealed = folder.resolve("file.age");
        Support.seal(sealed, text, false);
        byte[] file = Files.readAllBytes(sealed);
        AgeCodec codec = new AgeCodec();
        codec.setConf(Support.configuration());
        Failing source = new Failing(file);
        InputStream in = codec.createInputStream(
                source, null, 0, file.length, SplittableCompressionCodec.READ_MODE.BYBLOCK);
        source.fails = true;
        ByteArrayOutputStream found = new ByteArrayOutputStream();
        byte[] buffer = new byte[50_000];
        int count = 0;
        while (count >= 0) {
            found.write(buffer, 0, count);
            try {
                count = in.read(buffer);
            } catch (IOException e) {
                assertEquals("try again", e.getMessage());
                count = 0;
            }
        }
        assertArrayEquals(text, found.toByteArray());
    }
}
