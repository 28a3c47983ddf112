package sealane.test;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import sealane.jca.SealaneProvider;

/**
 * Encrypts and decrypts mapped files, and prints the result of each call. With a second argument,
 * the files are cut after they were mapped.
 */
public final class CutFile {
    private static final SealaneProvider PROVIDER = new SealaneProvider();

    private CutFile() {}

    public static void main(String[] args) throws Exception {
        for (String name : new String[] {"ChaCha20-Poly1305", "ChaCha20"}) {
            for (int mode : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE}) {
                // One call of the native library, and several.
                for (int len : new int[] {32 << 10, 200_000}) {
                    ByteBuffer plain = ByteBuffer.allocateDirect(len + 16);
                    System.out.println(run(name, mode, map(args, len), plain, true));
                    if (mode == Cipher.ENCRYPT_MODE) {
                        plain.clear().limit(len);
                        System.out.println(run(name, mode, plain, map(args, len), false));
                    }
                }
            }
        }
    }

    private static ByteBuffer map(String[] args, int len) throws Exception {
        try (FileChannel file = FileChannel.open(
                Path.of(args[0]),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            ByteBuffer mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, len);
            if (args.length > 1) {
                file.truncate(1);
            }
            return mapped;
        }
    }

    private static String run(String name, int mode, ByteBuffer in, ByteBuffer out, boolean isFinal)
            throws Exception {
        boolean isStream = name.equals("ChaCha20");
        AlgorithmParameterSpec params =
                isStream ? new ChaCha20ParameterSpec(new byte[12], 1) : new IvParameterSpec(new byte[12]);
        Cipher cipher = Cipher.getInstance(name, PROVIDER);
        cipher.init(mode, new SecretKeySpec(new byte[32], name), params);
        try {
            if (isFinal) {
                cipher.doFinal(in, out);
            } else {
                cipher.update(in, out);
            }
            return "result: none";
        } catch (InternalError e) {
            if (!isFinal) {
                try {
                    cipher.doFinal(new byte[1]);
                    return "result: a message that lacks a piece";
                } catch (IllegalStateException ended) {
                    // The message cannot be continued.
                }
            }
            return "result: InternalError";
        } catch (AEADBadTagException e) {
            return "result: AEADBadTagException";
        }
    }
}
