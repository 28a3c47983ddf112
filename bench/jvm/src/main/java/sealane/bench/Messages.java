package sealane.bench;

import java.nio.ByteBuffer;
import java.security.Provider;
import java.security.Security;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Encrypts and decrypts messages in arrays with one key. Each encryption takes a new nonce.
 * Decryption opens the same message each time.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "-Xms512m", "-Xmx512m"})
@Warmup(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class Messages {
    private static final int SHORT_BYTES = 4096;

    /** The provider. */
    @Param({"Sealane", "SunJCE", "Conscrypt", "BC"})
    public String provider;

    /** The length of a message in bytes. */
    @Param({"64", "256", "1024", "4096", "16384", "1048576"})
    public int size;

    private Cipher encrypting;
    private Cipher decrypting;
    private SecretKey key;
    private long counter;
    private final byte[] nonce = new byte[12];
    private byte[] message;
    private byte[] ciphertext;
    private byte[] decrypted;
    private IvParameterSpec sealedNonce;

    /** Prepares a key, a message and its ciphertext. */
    @Setup
    public void prepare() throws Exception {
        Provider chosen =
                switch (provider) {
                    case "Sealane" -> new sealane.jca.SealaneProvider();
                    case "SunJCE" -> Security.getProvider("SunJCE");
                    case "Conscrypt" -> org.conscrypt.Conscrypt.newProvider();
                    case "BC" -> new org.bouncycastle.jce.provider.BouncyCastleProvider();
                    default -> throw new IllegalArgumentException(provider);
                };
        String name = provider.equals("Conscrypt") ? "ChaCha20/Poly1305/NoPadding" : "ChaCha20-Poly1305";
        encrypting = Cipher.getInstance(name, chosen);
        decrypting = Cipher.getInstance(name, chosen);
        key = new SecretKeySpec(new byte[32], "ChaCha20");
        message = new byte[size];
        ciphertext = new byte[size + 16];
        decrypted = new byte[size];
        seal();
        sealedNonce = new IvParameterSpec(nonce.clone());
        if (size > SHORT_BYTES) {
            warmUp();
        }
    }

    /**
     * Encrypts and decrypts many short messages. The virtual machine compiles what is called often,
     * and there are few calls with a long message: during the other warm-up, SunJCE would reach a
     * quarter of its speed.
     */
    private void warmUp() throws Exception {
        byte[] text = new byte[SHORT_BYTES];
        byte[] sealed = new byte[SHORT_BYTES + 16];
        for (int i = 0; i < 10_000; i++) {
            ByteBuffer.wrap(nonce).putLong(counter++);
            IvParameterSpec used = new IvParameterSpec(nonce);
            encrypting.init(Cipher.ENCRYPT_MODE, key, used);
            encrypting.doFinal(text, 0, text.length, sealed, 0);
            decrypting.init(Cipher.DECRYPT_MODE, key, used);
            decrypting.doFinal(sealed, 0, sealed.length, text, 0);
        }
    }

    /** Encrypts. */
    @Benchmark
    public int seal() throws Exception {
        ByteBuffer.wrap(nonce).putLong(counter++);
        encrypting.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(nonce));
        return encrypting.doFinal(message, 0, size, ciphertext, 0);
    }

    /** Decrypts. */
    @Benchmark
    public int open() throws Exception {
        decrypting.init(Cipher.DECRYPT_MODE, key, sealedNonce);
        return decrypting.doFinal(ciphertext, 0, size + 16, decrypted, 0);
    }
}
