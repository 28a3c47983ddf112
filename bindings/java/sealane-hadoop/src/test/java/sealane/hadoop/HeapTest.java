package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealane.hadoop.Support.open;
import static sealane.hadoop.Support.seal;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dumps of the heap have no copies of secrets. */
class HeapTest {
    @TempDir
    Path folder;

    /** Returns the complement of bytes, so that the heap has no further copy of them. */
    private static byte[] complement(byte[] bytes) {
        byte[] complement = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            complement[i] = (byte) ~bytes[i];
        }
        return complement;
    }

    /** Returns whether the heap, with unreachable objects, has the complement of one of these. */
    private boolean heapHasComplement(byte[]... searched) throws IOException {
        Path dump = folder.resolve("heap.hprof");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(dump.toString(), false);
        byte[] heap = Files.readAllBytes(dump);
        Files.delete(dump);
        // Searches in the complement of the dump, so that a later search finds no copy in it.
        for (int i = 0; i < heap.length; i++) {
            heap[i] = (byte) ~heap[i];
        }
        for (byte[] bytes : searched) {
            for (int i = 0; i + bytes.length <= heap.length; i++) {
                if (Arrays.equals(bytes, 0, bytes.length, heap, i, i + bytes.length)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void unwrappingLeavesNoCopies() throws IOException {
        // Heap dumps would also have the garbage of earlier tests.
        System.gc();
        Configuration conf = Support.configuration();
        String own = conf.get(AgeProperties.RECIPIENTS);
        AgeKmsClient client = new AgeKmsClient();
        client.initialize(conf, "default", "default", "default");
        for (String name : List.of(own, "another")) {
            byte[] key = new byte[100];
            new SecureRandom().nextBytes(key);
            byte[] complement = complement(key);
            String wrapped = client.wrapKey(key, own);
            Arrays.fill(key, (byte) 0);
            if (name.equals(own)) {
                Arrays.fill(client.unwrapKey(wrapped, name), (byte) 0);
            } else {
                assertThrows(ParquetCryptoRuntimeException.class, () -> client.unwrapKey(wrapped, name));
            }
            assertFalse(heapHasComplement(complement), name);
        }
        // An array that is not wiped is found.
        byte[] kept = client.unwrapKey(client.wrapKey(new SecureRandom().generateSeed(100), own), own);
        assertTrue(heapHasComplement(complement(kept)));
        assertEquals(100, kept.length);
    }

    /** Returns the complement of the encoded start of a text, and leaves no other copy of it. */
    private static byte[] complement(CharSequence text, Charset charset) {
        // Room for any text: an encoder that finds too little leaves a copy in an array of its own.
        ByteBuffer encoded = ByteBuffer.allocate(3 * text.length());
        charset.newEncoder().encode(CharBuffer.wrap(text), encoded, true);
        byte[] start = Arrays.copyOf(encoded.array(), 100);
        byte[] complement = complement(start);
        Arrays.fill(start, (byte) 0);
        Arrays.fill(encoded.array(), (byte) 0);
        return complement;
    }

    /** Returns letters of two and three bytes, which take more room than an encoder expects. */
    private static String letters() {
        SecureRandom random = new SecureRandom();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            text.append((char) (0x100 + random.nextInt(0x1000)));
        }
        return text.toString();
    }

    /** The configuration itself keeps the passphrase as a text, whose bytes differ from these. */
    @Test
    void passphrasesLeaveNoCopies() throws IOException {
        // Heap dumps would also have the garbage of earlier tests.
        System.gc();
        Configuration conf = new Configuration(false);
        String passphrase = letters();
        conf.set(AgeProperties.PASSPHRASE, passphrase);
        conf.setInt(AgeProperties.WORK_FACTOR, 4);
        assertEquals("text", open(conf, seal(conf, "text")));
        conf.setInt(AgeProperties.REQUIRED, 1);
        assertThrows(IllegalArgumentException.class, () -> seal(conf, "text"));
        conf.set(AgeProperties.MAX_WORK_FACTOR, "x");
        assertThrows(NumberFormatException.class, () -> Keys.identities(conf));
        // One dump for both, because garbage may be collected after it.
        assertFalse(heapHasComplement(
                complement(passphrase, StandardCharsets.UTF_8), complement(passphrase, StandardCharsets.UTF_16BE)));
        // An array that is not wiped is found.
        byte[] kept = letters().getBytes(StandardCharsets.UTF_8);
        assertTrue(heapHasComplement(complement(Arrays.copyOf(kept, 100))));
        assertEquals(200, new String(kept, StandardCharsets.UTF_8).length());
    }

    /** Gives the same arrays to each caller, and fails after the passphrase. */
    private static final class FailingConfiguration extends Configuration {
        private final Map<String, char[]> secrets = Map.of(
                AgeProperties.IDENTITIES, "identity".toCharArray(), AgeProperties.PASSPHRASE, letters().toCharArray());

        private FailingConfiguration() {
            super(false);
        }

        @Override
        public char[] getPassword(String name) throws IOException {
            char[] secret = secrets.get(name);
            if (secret == null) {
                throw new IOException("the credential provider failed");
            }
            return secret;
        }
    }

    @Test
    void secretsThatWereReadBeforeAFailureLeaveNoCopies() throws IOException {
        System.gc();
        FailingConfiguration conf = new FailingConfiguration();
        String passphrase = new String(conf.getPassword(AgeProperties.PASSPHRASE));
        assertThrows(IOException.class, () -> Keys.identities(conf));
        for (char[] secret : conf.secrets.values()) {
            assertArrayEquals(new char[secret.length], secret);
        }
        assertFalse(heapHasComplement(complement(passphrase, StandardCharsets.UTF_8)));
    }

    /** Digests of the secrets allow no guesses, because their key is not on the heap. */
    @Test
    void digestsOfSecretsHaveAKeyOutsideTheHeap() throws IOException {
        System.gc();
        Configuration conf = Support.configuration();
        ByteBuffer name = Keys.name(conf, new byte[0]);
        // So few bytes that they fit the buffer of a digest.
        Keys.name(new Configuration(false), new byte[0]);
        assertThrows(IOException.class, () -> Keys.digest(new FailingConfiguration()));
        byte[] complement = new byte[Keys.DIGEST_KEY.limit()];
        for (int i = 0; i < complement.length; i++) {
            complement[i] = (byte) ~Keys.DIGEST_KEY.get(i);
        }
        assertFalse(heapHasComplement(complement));
        assertEquals(name, Keys.name(conf, new byte[0]));
        Keys.DIGEST_KEY.put(0, complement);
        assertNotEquals(name, Keys.name(conf, new byte[0]));
    }
}
