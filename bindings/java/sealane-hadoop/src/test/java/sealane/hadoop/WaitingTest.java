package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import sealane.age.AgeException;
import sealane.age.AgeKey;

/** Threads that need the same key. One of them unwraps it, while others wait. */
class WaitingTest {
    private static final int THREADS = 4;

    private static Configuration configuration() {
        Configuration conf = new Configuration(false);
        conf.set(AgeProperties.PASSPHRASE, "passphrase");
        // Unwrapping takes long enough for other threads to arrive.
        conf.setInt(AgeProperties.WORK_FACTOR, 17);
        return conf;
    }

    /** Returns the header and the nonce of a new file. */
    private static byte[] preamble() throws IOException {
        AgeCodec codec = new AgeCodec();
        codec.setConf(configuration());
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (OutputStream out = codec.createOutputStream(file)) {
            out.write(1);
        }
        byte[] bytes = file.toByteArray();
        return Keys.preamble(length -> Arrays.copyOf(bytes, Math.min(length, bytes.length)));
    }

    /** Returns what each thread gets: a key, or an exception. */
    private static List<Object> keys(Configuration conf, boolean interrupted) throws Exception {
        byte[] preamble = preamble();
        CyclicBarrier start = new CyclicBarrier(THREADS);
        Callable<Object> task = () -> {
            start.await();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            try {
                return Keys.key(conf, preamble);
            } catch (IOException e) {
                return e;
            }
        };
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Object> results = new ArrayList<>();
            for (Future<Object> result : threads.invokeAll(Collections.nCopies(THREADS, task))) {
                results.add(result.get());
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void allThreadsGetTheReason() throws Exception {
        Configuration wrong = configuration();
        wrong.set(AgeProperties.PASSPHRASE, "wrong");
        boolean waited = false;
        for (Object result : keys(wrong, false)) {
            AgeException e = assertInstanceOf(AgeException.class, result);
            assertEquals(AgeException.Reason.NO_MATCH, e.reason());
            waited |= e.getCause() != null;
        }
        assertTrue(waited);
    }

    @Test
    void waitingCanBeInterrupted() throws Exception {
        List<Object> results = keys(configuration(), true);
        assertTrue(results.stream().anyMatch(InterruptedIOException.class::isInstance));
        assertTrue(results.stream().anyMatch(AgeKey.class::isInstance));
    }
}
