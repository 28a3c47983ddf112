package sealane.jca;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Many threads encrypt and decrypt for some seconds while the collector runs all the time: {@code
 * Stress THREADS SECONDS}. Prints "passed" at the end.
 */
final class Stress {
    private static volatile boolean done;

    private Stress() {}

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Integer.parseInt(args[1]));
        Thread collector = new Thread(Stress::collect);
        collector.start();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int seed = i;
            tasks.add(() -> work(seed, end));
        }
        try {
            for (Future<Void> result : executor.invokeAll(tasks)) {
                result.get();
            }
        } finally {
            // After a failure, a thread that continues would keep the process.
            done = true;
            executor.shutdown();
        }
        collector.join();
        System.out.println("passed");
    }

    private static void collect() {
        try {
            collectUntilDone();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void collectUntilDone() throws InterruptedException {
        while (!done) {
            byte[][] garbage = new byte[100][];
            for (int i = 0; i < garbage.length; i++) {
                garbage[i] = new byte[20_000 + i];
            }
            System.gc();
            Thread.sleep(5);
        }
    }

    private static Void work(int seed, long end) throws Exception {
        Random random = new Random(seed);
        byte[] key = Support.bytes(random, 32);
        Cipher seal = Support.cipher("ChaCha20-Poly1305");
        Cipher open = Support.cipher("ChaCha20-Poly1305");
        for (int i = 0; i == 0 || System.nanoTime() < end; i++) {
            byte[] nonce = new byte[12];
            ByteBuffer.wrap(nonce).putInt(i);
            byte[] message = Support.bytes(random, random.nextInt(10) == 0 ? 200_000 : random.nextInt(5000));
            seal.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "ChaCha20"), new IvParameterSpec(nonce));
            open.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "ChaCha20"), new IvParameterSpec(nonce));
            byte[] sealed;
            if (random.nextBoolean()) {
                sealed = seal.doFinal(message);
            } else {
                // This message uses native memory, which doFinal frees.
                int half = message.length / 2;
                byte[] first = seal.update(message, 0, half);
                sealed = Support.concat(
                        first == null ? new byte[0] : first, seal.doFinal(message, half, message.length - half));
            }
            if (random.nextInt(4) == 0) {
                // This MAC's native memory is freed after garbage collection.
                Mac mac = Mac.getInstance("Poly1305", Support.SEALANE);
                mac.init(new SecretKeySpec(key, "Poly1305"));
                mac.update(new byte[5000]);
            }
            ByteBuffer direct = ByteBuffer.allocateDirect(sealed.length).put(0, sealed);
            int len = open.doFinal(direct, direct.duplicate());
            byte[] opened = new byte[len];
            direct.get(0, opened);
            if (!Arrays.equals(message, opened) || !Arrays.equals(message, open.doFinal(sealed))) {
                throw new AssertionError("a message differs");
            }
        }
        return null;
    }
}
