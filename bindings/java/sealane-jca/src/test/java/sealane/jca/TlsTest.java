package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SunJSSE with the provider at first position, also connected to a side that uses SunJCE. */
class TlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final AtomicInteger CIPHERS = new AtomicInteger();

    /** Gives SunJCE's ciphers to threads named "SunJCE", and Sealane's to all others. */
    private static final class Chooser extends Provider {
        private static final long serialVersionUID = 1;

        Chooser() {
            super("Chooser", "1", "counts ciphers");
            putService(new Service(this, "Cipher", "ChaCha20-Poly1305", "none", null, null) {
                @Override
                public Object newInstance(Object parameter) throws NoSuchAlgorithmException {
                    boolean theirs = Thread.currentThread().getName().startsWith("SunJCE");
                    CIPHERS.addAndGet(theirs ? 0 : 1);
                    Provider provider = theirs ? Security.getProvider("SunJCE") : Support.SEALANE;
                    return provider.getService("Cipher", "ChaCha20-Poly1305").newInstance(parameter);
                }
            });
        }
    }

    @TempDir static Path directory;
    private static SSLContext context;

    @BeforeAll
    static void certificate() throws Exception {
        Path file = directory.resolve("store.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                                "-genkeypair", "-alias", "server", "-keyalg", "EC", "-groupname", "secp256r1", "-dname",
                                "CN=localhost", "-ext", "san=dns:localhost", "-validity", "30", "-storetype", "PKCS12",
                                "-storepass", new String(PASSWORD), "-keystore", file.toString())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(keytool.getInputStream().readAllBytes());
        assertEquals(0, keytool.waitFor(), output);
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(store, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(store);
        context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        assertEquals(1, Security.insertProviderAt(new Chooser(), 1));
    }

    @AfterAll
    static void remove() {
        Security.removeProvider("Chooser");
    }

    @ParameterizedTest
    @CsvSource({
        "TLSv1.3, TLS_CHACHA20_POLY1305_SHA256, Sealane, Sealane, 4",
        "TLSv1.3, TLS_CHACHA20_POLY1305_SHA256, SunJCE, Sealane, 2",
        "TLSv1.3, TLS_CHACHA20_POLY1305_SHA256, Sealane, SunJCE, 2",
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, Sealane, Sealane, 4",
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, SunJCE, Sealane, 2",
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, Sealane, SunJCE, 2"
    })
    void sockets(String protocol, String suite, String serverSide, String clientSide, int leastCiphers)
            throws Exception {
        byte[] data = Support.bytes(new Random(2), 1_000_000);
        int before = CIPHERS.get();
        var serverThread = Executors.newSingleThreadExecutor(task -> new Thread(task, serverSide));
        var clientThread = Executors.newSingleThreadExecutor(task -> new Thread(task, clientSide));
        try (SSLServerSocket listening =
                (SSLServerSocket)
                        context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listening.setEnabledProtocols(new String[] {protocol});
            listening.setEnabledCipherSuites(new String[] {suite});
            Future<Void> server = serverThread.submit(() -> {
                try (SSLSocket socket = (SSLSocket) listening.accept()) {
                    byte[] received = new byte[data.length];
                    new DataInputStream(socket.getInputStream()).readFully(received);
                    OutputStream out = socket.getOutputStream();
                    out.write(received);
                    out.flush();
                    assertEquals(-1, socket.getInputStream().read());
                }
                return null;
            });
            Future<byte[]> client = clientThread.submit(() -> {
                try (SSLSocket socket =
                        (SSLSocket)
                                context.getSocketFactory()
                                        .createSocket(InetAddress.getLoopbackAddress(), listening.getLocalPort())) {
                    socket.setSoTimeout(60_000);
                    OutputStream out = socket.getOutputStream();
                    out.write(data);
                    out.flush();
                    byte[] received = new byte[data.length];
                    new DataInputStream(socket.getInputStream()).readFully(received);
                    assertEquals(suite, socket.getSession().getCipherSuite());
                    assertEquals(protocol, socket.getSession().getProtocol());
                    return received;
                }
            });
            assertArrayEquals(data, client.get(90, TimeUnit.SECONDS));
            server.get(90, TimeUnit.SECONDS);
        } finally {
            serverThread.shutdownNow();
            clientThread.shutdownNow();
        }
        int used = CIPHERS.get() - before;
        assertTrue(used >= leastCiphers, () -> "only " + used + " ciphers of Sealane");
    }

    /** Non-blocking servers use engines, often with direct buffers. */
    @Test
    void engines() throws Exception {
        for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
            for (boolean direct : new boolean[] {false, true}) {
                SSLEngine client = engine(protocol, true);
                SSLEngine server = engine(protocol, false);
                int before = CIPHERS.get();
                byte[] data = Support.bytes(new Random(4), 300_000);
                byte[] received = exchange(client, server, data, direct);
                assertArrayEquals(data, received, protocol + " direct " + direct);
                assertTrue(client.getSession().getCipherSuite().contains("CHACHA20_POLY1305"));
                assertTrue(CIPHERS.get() > before);
            }
        }
    }

    private static SSLEngine engine(String protocol, boolean client) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(client);
        engine.setEnabledProtocols(new String[] {protocol});
        engine.setEnabledCipherSuites(
                new String[] {"TLS_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"});
        return engine;
    }

    private static ByteBuffer buffer(int size, boolean direct) {
        return direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
    }

    /** Sends data from the client to the server, after the handshake. */
    private static byte[] exchange(SSLEngine client, SSLEngine server, byte[] data, boolean direct) throws Exception {
        ByteBuffer toServer = buffer(1 << 17, direct);
        ByteBuffer toClient = buffer(1 << 17, direct);
        ByteBuffer source = buffer(data.length, direct).put(0, data);
        ByteBuffer sink = buffer(data.length + (1 << 16), direct);
        ByteBuffer nothing = buffer(1 << 16, direct);
        for (int round = 0; round < 10_000 && sink.position() < data.length; round++) {
            step(client, source, toServer, toClient, nothing);
            step(server, ByteBuffer.allocate(0), toClient, toServer, sink);
        }
        byte[] received = new byte[sink.position()];
        sink.get(0, received);
        return received;
    }

    /** Lets an engine send what it can, then receive what it can. */
    private static void step(SSLEngine engine, ByteBuffer source, ByteBuffer out, ByteBuffer in, ByteBuffer sink)
            throws Exception {
        Runnable task;
        while ((task = engine.getDelegatedTask()) != null) {
            task.run();
        }
        SSLEngineResult result;
        if (engine.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.NEED_UNWRAP) {
            do {
                result = engine.wrap(source, out);
            } while (result.bytesProduced() > 0 && out.remaining() > 40_000
                    && engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP);
        }
        in.flip();
        do {
            result = engine.unwrap(in, sink);
            while ((task = engine.getDelegatedTask()) != null) {
                task.run();
            }
        } while (result.bytesConsumed() > 0 && in.hasRemaining());
        in.compact();
    }
}
