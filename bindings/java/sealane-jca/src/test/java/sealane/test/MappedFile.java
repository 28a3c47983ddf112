package sealane.test;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import sealane.jca.SealaneProvider;

/** Encrypts a mapped file of 40 MiB in place, and decrypts it twice: in one call, and in two. */
public final class MappedFile {
    private static final int LENGTH = 40 << 20;
    private static final int TAG = 16;

    private MappedFile() {}

    public static void main(String[] args) throws Exception {
        ByteBuffer file;
        try (FileChannel channel = FileChannel.open(
                Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            file = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH + TAG);
        }
        cipher(Cipher.ENCRYPT_MODE).doFinal(file.slice(0, LENGTH), file.duplicate());
        Cipher decrypting = cipher(Cipher.DECRYPT_MODE);
        decrypting.doFinal(file.duplicate(), file.duplicate());
        check(file);
        cipher(Cipher.ENCRYPT_MODE).doFinal(file.slice(0, LENGTH), file.duplicate());
        decrypting.update(file.duplicate(), ByteBuffer.allocate(0));
        decrypting.doFinal(ByteBuffer.allocate(0), file.duplicate());
        check(file);
        System.out.println("passed");
    }

    private static Cipher cipher(int mode) throws Exception {
        Cipher cipher = Cipher.getInstance("ChaCha20-Poly1305", new SealaneProvider());
        cipher.init(mode, new SecretKeySpec(new byte[32], "ChaCha20"), new IvParameterSpec(new byte[12]));
        return cipher;
    }

    /** Checks that the plaintext is all zeros. */
    private static void check(ByteBuffer file) {
        for (int i = 0; i < LENGTH; i++) {
            if (file.get(i) != 0) {
                throw new AssertionError("byte " + i);
            }
        }
    }
}
