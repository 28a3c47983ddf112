package sealane.bench;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Security;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.TrustManagerFactory;
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

/** Sends records of 16,000 bytes through the JDK's TLS 1.3, in memory. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "-Xms512m", "-Xmx512m"})
@Warmup(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class Tls {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final int RECORD = 16_000;

    /** The provider and the cipher. */
    @Param({"Sealane ChaCha20", "SunJCE ChaCha20", "SunJCE AES-256"})
    public String cipher;

    private SSLEngine client;
    private SSLEngine server;
    private final ByteBuffer plaintext = ByteBuffer.allocate(RECORD);
    private final ByteBuffer toServer = ByteBuffer.allocate(64 * 1024);
    private final ByteBuffer toClient = ByteBuffer.allocate(64 * 1024);
    private final ByteBuffer received = ByteBuffer.allocate(64 * 1024);

    /** Creates a certificate and connects two engines. */
    @Setup
    public void connect() throws Exception {
        if (cipher.startsWith("Sealane")) {
            Security.insertProviderAt(new sealane.jca.SealaneProvider(), 1);
        }
        Path directory = Files.createTempDirectory("bench-tls");
        Path file = directory.resolve("store.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                                "-genkeypair", "-alias", "server", "-keyalg", "EC", "-groupname", "secp256r1", "-dname",
                                "CN=localhost", "-storetype", "PKCS12", "-storepass", new String(PASSWORD), "-keystore",
                                file.toString())
                        .redirectErrorStream(true)
                        .start();
        keytool.getInputStream().readAllBytes();
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException("keytool failed");
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        Files.delete(file);
        Files.delete(directory);
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(store, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        client = engine(context, true);
        server = engine(context, false);
        for (int i = 0; i < 100 && !(connected(client) && connected(server)); i++) {
            step(client, toServer, toClient);
            step(server, toClient, toServer);
        }
        // Exchanges the messages that follow the handshake.
        step(server, toClient, toServer);
        step(client, toServer, toClient);
        if (client.getSession().getCipherSuite().contains("CHACHA20") == cipher.contains("AES")) {
            throw new IllegalStateException(client.getSession().getCipherSuite());
        }
    }

    private SSLEngine engine(SSLContext context, boolean isClient) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(isClient);
        engine.setEnabledCipherSuites(
                new String[] {cipher.contains("AES") ? "TLS_AES_256_GCM_SHA384" : "TLS_CHACHA20_POLY1305_SHA256"});
        return engine;
    }

    private static boolean connected(SSLEngine engine) {
        return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING
                && !engine.getSession().getCipherSuite().equals("SSL_NULL_WITH_NULL_NULL");
    }

    private void step(SSLEngine engine, ByteBuffer out, ByteBuffer in) throws Exception {
        in.flip();
        while (in.hasRemaining() && engine.unwrap(in, received).bytesConsumed() > 0) {
            run(engine);
        }
        in.compact();
        run(engine);
        ByteBuffer nothing = ByteBuffer.allocate(0);
        do {
            run(engine);
        } while (engine.wrap(nothing, out).bytesProduced() > 0
                && engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP);
    }

    private static void run(SSLEngine engine) {
        Runnable task;
        while ((task = engine.getDelegatedTask()) != null) {
            task.run();
        }
    }

    /** Encrypts a record and decrypts it at the other end. */
    @Benchmark
    public int record() throws Exception {
        plaintext.clear();
        toServer.clear();
        received.clear();
        client.wrap(plaintext, toServer);
        toServer.flip();
        while (toServer.hasRemaining()) {
            server.unwrap(toServer, received);
        }
        if (received.position() != RECORD) {
            throw new IllegalStateException("received " + received.position());
        }
        return received.position();
    }
}
