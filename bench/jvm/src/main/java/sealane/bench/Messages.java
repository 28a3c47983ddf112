package sealane.bench;

import java.nio.ByteBuffer;
import java.security.Provider;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.ChaCha20ParameterSpec;
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
 * Decryption alternates between two messages: before Java 21, SunJCE refuses to use the same nonce
 * twice in a row.
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
    private static final String AEAD = "ChaCha20-Poly1305";

    /** The algorithm. For ChaCha20, the provider must be Sealane or SunJCE. */
    @Param(AEAD)
    public String algorithm;

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
    private final byte[][] sealed = new byte[2][];
    private final AlgorithmParameterSpec[] sealedNonces = new AlgorithmParameterSpec[2];
    private int next;

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
        String name = provider.equals("Conscrypt") ? "ChaCha20/Poly1305/NoPadding" : algorithm;
        encrypting = Cipher.getInstance(name, chosen);
        decrypting = Cipher.getInstance(name, chosen);
        key = new SecretKeySpec(new byte[32], "ChaCha20");
        message = new byte[size];
        ciphertext = new byte[size + tagBytes()];
        decrypted = new byte[size];
        for (int i = 0; i < sealed.length; i++) {
            seal();
            sealed[i] = ciphertext.clone();
            sealedNonces[i] = parameters();
        }
        if (size > SHORT_BYTES) {
            warmUp();
        }
    }

    private boolean isAead() {
        return algorithm.equals(AEAD);
    }

    private int tagBytes() {
        return isAead() ? 16 : 0;
    }

    private AlgorithmParameterSpec parameters() {
        return isAead() ? new IvParameterSpec(nonce) : new ChaCha20ParameterSpec(nonce, 0);
    }

    /**
     * Encrypts and decrypts many short messages. The virtual machine compiles what is called often,
     * and there are few calls with a long message: during the other warm-up, SunJCE would reach a
     * quarter of its speed.
     */
    private void warmUp() throws Exception {
        byte[] text = new byte[SHORT_BYTES];
        byte[] encrypted = new byte[SHORT_BYTES + tagBytes()];
        for (int i = 0; i < 10_000; i++) {
            ByteBuffer.wrap(nonce).putLong(counter++);
            AlgorithmParameterSpec used = parameters();
            encrypting.init(Cipher.ENCRYPT_MODE, key, used);
            encrypting.doFinal(text, 0, text.length, encrypted, 0);
            decrypting.init(Cipher.DECRYPT_MODE, key, used);
            decrypting.doFinal(encrypted, 0, encrypted.length, text, 0);
        }
    }

    /** Encrypts. */
    @Benchmark
    public int seal() throws Exception {
        ByteBuffer.wrap(nonce).putLong(counter++);
        encrypting.init(Cipher.ENCRYPT_MODE, key, parameters());
        return encrypting.doFinal(message, 0, size, ciphertext, 0);
    }

    /** Decrypts. */
    @Benchmark
    public int open() throws Exception {
        next ^= 1;
        decrypting.init(Cipher.DECRYPT_MODE, key, sealedNonces[next]);
        return decrypting.doFinal(sealed[next], 0, sealed[next].length, decrypted, 0);
    }
}
