package sealane.bench;

import com.exceptionfactory.jagged.RecipientStanzaReader;
import com.exceptionfactory.jagged.RecipientStanzaWriter;
import com.exceptionfactory.jagged.framework.stream.StandardDecryptingChannelFactory;
import com.exceptionfactory.jagged.framework.stream.StandardEncryptingChannelFactory;
import com.exceptionfactory.jagged.x25519.X25519KeyPairGenerator;
import com.exceptionfactory.jagged.x25519.X25519RecipientStanzaReaderFactory;
import com.exceptionfactory.jagged.x25519.X25519RecipientStanzaWriterFactory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.security.KeyPair;
import java.security.Security;
import java.util.List;
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

/** Encrypts and decrypts files of 16 MiB in memory with Jagged, which uses the first provider. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "-Xms1g", "-Xmx1g"})
@Warmup(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class Jagged {
    private static final int LENGTH = 16 << 20;

    /** The provider that comes first. */
    @Param({"Sealane", "SunJCE"})
    public String provider;

    private RecipientStanzaWriter writer;
    private RecipientStanzaReader reader;
    private final ByteBuffer plaintext = ByteBuffer.allocate(LENGTH);
    private final ByteArrayOutputStream file = new ByteArrayOutputStream(LENGTH + (1 << 20));
    private byte[] sealed;
    private final ByteBuffer piece = ByteBuffer.allocate(1 << 16);

    /** Creates a key and a file. */
    @Setup
    public void prepare() throws Exception {
        if (provider.equals("Sealane")) {
            Security.insertProviderAt(new sealane.jca.SealaneProvider(), 1);
        }
        KeyPair pair = new X25519KeyPairGenerator().generateKeyPair();
        writer = X25519RecipientStanzaWriterFactory.newRecipientStanzaWriter(pair.getPublic().toString());
        reader = X25519RecipientStanzaReaderFactory.newRecipientStanzaReader(pair.getPrivate().toString());
        seal();
        sealed = file.toByteArray();
    }

    /** Encrypts a file. */
    @Benchmark
    public int seal() throws Exception {
        file.reset();
        plaintext.clear();
        try (WritableByteChannel out = new StandardEncryptingChannelFactory()
                .newEncryptingChannel(Channels.newChannel(file), List.of(writer))) {
            while (plaintext.hasRemaining()) {
                out.write(plaintext);
            }
        }
        return file.size();
    }

    /** Decrypts a file. */
    @Benchmark
    public long open() throws Exception {
        long length = 0;
        try (ReadableByteChannel in = new StandardDecryptingChannelFactory()
                .newDecryptingChannel(Channels.newChannel(new ByteArrayInputStream(sealed)), List.of(reader))) {
            int count;
            while ((count = in.read(piece.clear())) >= 0) {
                length += count;
            }
        }
        if (length != LENGTH) {
            throw new IllegalStateException("decrypted " + length);
        }
        return length;
    }
}
