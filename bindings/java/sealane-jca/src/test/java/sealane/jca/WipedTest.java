package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidKeyException;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The arrays that held a key are zero, once it is destroyed, replaced or copied. So are copies of
 * plaintexts.
 */
class WipedTest {
    private static final Random RANDOM = new Random(3);

    @TempDir
    Path folder;

    /** A key that keeps the copies of its bytes that it has given away. */
    private static final class Copied implements SecretKey {
        private static final long serialVersionUID = 1;

        final transient byte[] bytes;
        final transient List<byte[]> copies = new ArrayList<>();

        Copied(int length) {
            bytes = Support.bytes(RANDOM, length);
        }

        @Override
        public String getAlgorithm() {
            return "ChaCha20";
        }

        @Override
        public String getFormat() {
            return "RAW";
        }

        @Override
        public byte[] getEncoded() {
            copies.add(bytes.clone());
            return copies.get(copies.size() - 1);
        }

        /** Checks that there are {@code count} copies, and that all of them are wiped. */
        void assertWiped(int count) {
            assertEquals(count, copies.size());
            copies.forEach(WipedTest::assertZero);
        }
    }

    private static void assertZero(byte[] bytes) {
        assertArrayEquals(new byte[bytes.length], bytes);
    }

    private static byte[] field(Object object, String name) throws ReflectiveOperationException {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return (byte[]) field.get(object);
    }

    /** Returns the position of the key in the array, or -1. */
    private static int find(byte[] key, byte[] array) {
        for (int i = 0; i + key.length <= array.length; i++) {
            if (Arrays.equals(key, 0, key.length, array, i, i + key.length)) {
                return i;
            }
        }
        return -1;
    }

    @Test
    void destroyedKeys() throws Exception {
        for (String algorithm : new String[] {"ChaCha20", "XChaCha20"}) {
            SecretKey key = new ChaCha20KeyGenerator(algorithm).engineGenerateKey();
            byte[] bytes = field(key, "bytes");
            assertArrayEquals(key.getEncoded(), bytes);
            key.destroy();
            assertZero(bytes);
        }
    }

    private static AlgorithmParameterSpec parameters(NonceCipher cipher) {
        byte[] nonce = Support.bytes(RANDOM, cipher.variant.nonceBytes);
        boolean stream = cipher instanceof StreamCipher && cipher.variant == Variant.IETF;
        return stream ? new ChaCha20ParameterSpec(nonce, 1) : new IvParameterSpec(nonce);
    }

    @Test
    void replacedKeysOfCiphers() throws Exception {
        for (Variant variant : Variant.values()) {
            for (NonceCipher cipher : List.of(new AeadCipher(variant, Support.SEALANE), new StreamCipher(variant))) {
                Copied first = new Copied(32);
                AlgorithmParameterSpec params = parameters(cipher);
                cipher.engineInit(Cipher.ENCRYPT_MODE, first, params, null);
                assertEquals(0, find(first.bytes, cipher.head));
                // The pair of key and nonce is refused.
                assertThrows(
                        InvalidKeyException.class, () -> cipher.engineInit(Cipher.ENCRYPT_MODE, first, params, null));
                assertEquals(256, cipher.engineGetKeySize(first));
                first.assertWiped(3);

                Copied second = new Copied(32);
                cipher.engineInit(Cipher.ENCRYPT_MODE, second, new SecureRandom());
                assertEquals(-1, find(first.bytes, cipher.head));
                assertEquals(0, find(second.bytes, cipher.head));
                second.assertWiped(1);

                Copied wrong = new Copied(31);
                assertThrows(InvalidKeyException.class, () -> cipher.engineInit(Cipher.ENCRYPT_MODE, wrong, null));
                wrong.assertWiped(1);
            }
        }
    }

    /** Longer associated data moves the key to a longer array. */
    @Test
    void keysThatMove() throws Exception {
        AeadCipher cipher = new AeadCipher(Variant.IETF, Support.SEALANE);
        Copied key = new Copied(32);
        cipher.engineInit(Cipher.ENCRYPT_MODE, key, parameters(cipher), null);
        byte[] shorter = cipher.head;
        cipher.engineUpdateAAD(Support.bytes(RANDOM, 5000), 0, 5000);
        assertNotSame(shorter, cipher.head);
        assertEquals(0, find(key.bytes, cipher.head));
        assertZero(shorter);
    }

    @Test
    void keysOfPoly1305() throws Exception {
        for (int length : new int[] {0, 100, 5000}) {
            Poly1305Mac mac = new Poly1305Mac();
            Copied key = new Copied(32);
            byte[] head = field(mac, "head");
            for (boolean ends : new boolean[] {true, false}) {
                mac.engineInit(key, null);
                assertEquals(0, find(key.bytes, head));
                mac.engineUpdate(Support.bytes(RANDOM, length + 1), 0, length + 1);
                if (ends) {
                    mac.engineDoFinal();
                } else {
                    mac.engineReset();
                }
                assertZero(head);
                assertZero(field(mac, "collected"));
            }
            key.assertWiped(2);
        }
    }

    /** Comparing a key with another one leaves no copy of the other. */
    @Test
    void comparedKeys() {
        SecretKey key = new Keys.Raw("ChaCha20", Support.bytes(RANDOM, 32));
        Copied other = new Copied(32);
        assertNotEquals(key, other);
        other.assertWiped(1);
    }

    /** Initializing a cipher releases the array of a long ciphertext, and keeps a short array. */
    @Test
    void longCiphertextsAreReleased() throws Exception {
        for (int length : new int[] {1000, 1 << 20}) {
            AeadCipher cipher = new AeadCipher(Variant.IETF, Support.SEALANE);
            cipher.engineInit(Cipher.DECRYPT_MODE, new Copied(32), parameters(cipher), null);
            cipher.engineUpdate(new byte[length], 0, length);
            assertThrows(AEADBadTagException.class, () -> cipher.engineDoFinal(new byte[16], 0, 16));
            byte[] kept = field(cipher, "kept");
            assertTrue(kept.length > length);
            cipher.engineInit(Cipher.DECRYPT_MODE, new Copied(32), parameters(cipher), null);
            assertEquals(length == 1000, kept == field(cipher, "kept"), "length " + length);
        }
    }

    /**
     * Returns bytes that differ from these in every place, so that the heap has no further copy.
     */
    private static byte[] masked(byte[] bytes, int length) {
        byte[] masked = new byte[length];
        for (int i = 0; i < length; i++) {
            masked[i] = (byte) ~bytes[i];
        }
        return masked;
    }

    /**
     * Returns whether the heap, with unreachable objects, has the bytes that {@code masked} masks.
     */
    private boolean heapHas(byte[] masked) throws Exception {
        Path dump = folder.resolve("heap.hprof");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(dump.toString(), false);
        byte[] heap = Files.readAllBytes(dump);
        Files.delete(dump);
        // Searches in the complement of the dump, so that a later search finds no copy in it.
        for (int i = 0; i < heap.length; i++) {
            heap[i] = (byte) ~heap[i];
        }
        return find(masked, heap) >= 0;
    }

    /** A message is copied if it partially overlaps the output. */
    @Test
    void copiesOfOverlappingMessages() throws Exception {
        // Heap dumps would also have the garbage of earlier tests.
        System.gc();
        int length = 200;
        for (boolean fails : new boolean[] {false, true}) {
            for (boolean isFinal : new boolean[] {false, true}) {
                AeadCipher cipher = new AeadCipher(Variant.IETF, Support.SEALANE);
                cipher.engineInit(Cipher.ENCRYPT_MODE, new Copied(32), parameters(cipher), null);
                // Later calls use this state of a message in pieces.
                cipher.engineUpdate(new byte[1], 0, 1);
                byte[] buffer = Support.bytes(RANDOM, length + 1 + Variant.TAG_BYTES);
                byte[] plaintext = masked(buffer, 100);
                if (fails) {
                    Field context = AeadCipher.class.getDeclaredField("context");
                    context.setAccessible(true);
                    ((Context) context.get(cipher)).close();
                    assertThrows(ProviderException.class, () -> {
                        if (isFinal) {
                            cipher.engineDoFinal(buffer, 0, length, buffer, 1);
                        } else {
                            cipher.engineUpdate(buffer, 0, length, buffer, 1);
                        }
                    });
                    Keys.wipe(buffer);
                } else if (isFinal) {
                    assertEquals(length + Variant.TAG_BYTES, cipher.engineDoFinal(buffer, 0, length, buffer, 1));
                } else {
                    assertEquals(length, cipher.engineUpdate(buffer, 0, length, buffer, 1));
                }
                assertFalse(heapHas(plaintext), "fails: " + fails + ", final: " + isFinal);
            }
        }
        // An array that is not wiped is found.
        byte[] kept = Support.bytes(RANDOM, 100);
        assertTrue(heapHas(masked(kept, 100)));
        assertNotEquals(0, find(new byte[100], kept));
    }
}
