package sealane.jca;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** What the tests share. */
final class Support {
    static final Provider SEALANE = new SealaneProvider();

    private Support() {}

    /** Returns a folder or a file that {@code bindings/java/fetch} gets. */
    static Path outside(String... names) {
        Path folder = Path.of(System.getProperty("sealane.outside"));
        if (!Files.exists(folder.resolve("complete"))) {
            throw new AssertionError("tests of other projects are missing: run bindings/java/fetch " + folder.normalize());
        }
        return folder.resolve(Path.of("", names));
    }

    /** Returns the native library of this system. */
    static InputStream library() {
        String platform = NativeLibrary.platform(
                System.getProperty("os.name"), System.getProperty("os.arch"), NativeLibrary.isMusl());
        return SealaneProvider.class.getResourceAsStream("native/" + platform + "/libsealane_jca.so");
    }

    static Cipher cipher(String name) {
        try {
            return Cipher.getInstance(name, SEALANE);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns an initialized cipher. */
    static Cipher aead(String name, int mode, byte[] key, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = cipher(name);
        cipher.init(mode, key(key), new IvParameterSpec(nonce));
        return cipher;
    }

    static SecretKeySpec key(byte[] bytes) {
        return new SecretKeySpec(bytes, "ChaCha20");
    }

    static byte[] bytes(Random random, int len) {
        byte[] bytes = new byte[len];
        random.nextBytes(bytes);
        return bytes;
    }

    static byte[] concat(byte[] a, byte[] b) {
        byte[] both = java.util.Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }
}
