package sealane.jca;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
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

/** Calls the native library directly, to show the cost of Java's provider architecture. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "-Xms512m", "-Xmx512m"})
@Warmup(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class RawCalls {
    /** The name of the column in tables. */
    @Param("raw")
    public String provider;

    /** The length of a message in bytes. */
    @Param({"64", "256", "1024", "4096", "16384"})
    public int size;

    private static final int UNKNOWN_CIPHER = 9;

    private final byte[] head = new byte[Protocol.HEAD_BYTES];
    private long counter;
    private byte[] message;
    private byte[] ciphertext;
    private byte[] decrypted;

    /** Loads the library. */
    @Setup
    public void prepare() {
        if (SealaneProvider.problem().isPresent()) {
            throw new IllegalStateException(SealaneProvider.problem().get());
        }
        message = new byte[size];
        ciphertext = new byte[size + 16];
        decrypted = new byte[size];
        Native.seal(0, head, 0, message, 0, size, ciphertext, 0);
    }

    /** Encrypts. */
    @Benchmark
    public int seal() {
        ByteBuffer.wrap(head).putLong(Protocol.NONCE_OFFSET, counter++);
        return Native.seal(0, head, 0, message, 0, size, ciphertext, 0);
    }

    /** Decrypts. */
    @Benchmark
    public int open() {
        int status = Native.open(0, head, 0, ciphertext, 0, size, decrypted, 0);
        if (status != Protocol.OK) {
            throw new IllegalStateException("the result is " + status);
        }
        return status;
    }

    /** Calls the library with an unknown cipher number, which it refuses: the cost of a call. */
    @Benchmark
    public int call() {
        return Native.seal(UNKNOWN_CIPHER, head, 0, message, 0, size, ciphertext, 0);
    }
}
