package sealane.age;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ThreadsTest {
    /** A file in which the first thread waits until another one reads too, or must wait for it. */
    private static final class Meeting extends FilterInputStream {
        private final AtomicInteger readers = new AtomicInteger();
        private Thread other;
        private volatile boolean met;

        Meeting(String text) {
            super(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)));
        }

        @Override
        public int read(byte[] out, int offset, int length) throws IOException {
            met |= readers.incrementAndGet() > 1;
            if (other != null && other.getState() == Thread.State.NEW) {
                other.start();
                while (!met && other.isAlive() && other.getState() != Thread.State.BLOCKED) {
                    Thread.onSpinWait();
                }
            }
            int count = super.read(out, offset, length);
            readers.decrementAndGet();
            return count;
        }
    }

    /** The decoder is native memory, which two threads would change at once. */
    @Test
    void onlyOneThreadDecodesArmor() throws Exception {
        Meeting file = new Meeting(
                "-----BEGIN AGE ENCRYPTED FILE-----\n" + "A".repeat(64) + "\n-----END AGE ENCRYPTED FILE-----\n");
        try (InputStream decoded = ArmorInputStream.binary(file)) {
            FutureTask<Integer> rest = new FutureTask<>(() -> decoded.readNBytes(20).length);
            file.other = new Thread(rest);
            assertEquals(28, decoded.readNBytes(28).length);
            assertEquals(20, rest.get());
            assertFalse(file.met);
            assertEquals(-1, decoded.read());
        }
    }
}
