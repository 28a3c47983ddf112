package sealane.bench;

import java.nio.ByteBuffer;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts messages of LENGTH bytes for SECONDS seconds, while the garbage collector runs. The
 * arguments are {@code LENGTH SECONDS}.
 */
public final class Safepoints {
    private Safepoints() {}

    public static void main(String[] args) throws Exception {
        int len = Integer.parseInt(args[0]);
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000;
        Thread collector = new Thread(() -> {
            while (System.nanoTime() < end) {
                System.gc();
                try {
                    Thread.sleep(5);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
        collector.start();
        Cipher cipher = Cipher.getInstance("ChaCha20-Poly1305", new sealane.jca.SealaneProvider());
        byte[] in = new byte[len];
        byte[] out = new byte[len + 16];
        byte[] nonce = new byte[12];
        for (long i = 0; System.nanoTime() < end; i++) {
            ByteBuffer.wrap(nonce).putLong(i);
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[32], "ChaCha20"), new IvParameterSpec(nonce));
            cipher.doFinal(in, 0, len, out, 0);
        }
        collector.join();
    }
}
