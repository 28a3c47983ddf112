package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The states of a cipher: which calls may follow each other. */
class StateTest {
    private static final Random RANDOM = new Random(7);
    private static final byte[] KEY = Support.bytes(RANDOM, 32);
    private static final byte[] MESSAGE = Support.bytes(RANDOM, 300);

    @ParameterizedTest
    @CsvSource({"ChaCha20-Poly1305, 12", "XChaCha20-Poly1305, 24"})
    void aNonceEncryptsOneMessage(String name, int nonceBytes) throws Exception {
        byte[] nonce = Support.bytes(RANDOM, nonceBytes);
        for (var shape : Shapes.ALL.entrySet()) {
            Cipher cipher = Support.aead(name, Cipher.ENCRYPT_MODE, KEY, nonce);
            shape.getValue().run(cipher, MESSAGE);
            assertThrows(IllegalStateException.class, () -> cipher.doFinal(MESSAGE), shape.getKey());
            assertThrows(IllegalStateException.class, () -> cipher.update(MESSAGE), shape.getKey());
            assertThrows(IllegalStateException.class, () -> cipher.updateAAD(MESSAGE), shape.getKey());
            assertThrows(
                    InvalidKeyException.class,
                    () -> cipher.init(Cipher.ENCRYPT_MODE, Support.key(KEY), new IvParameterSpec(nonce)));
            // Still refused after the failed initialization.
            assertThrows(IllegalStateException.class, () -> cipher.doFinal(MESSAGE), shape.getKey());
            cipher.init(Cipher.ENCRYPT_MODE, Support.key(KEY), new IvParameterSpec(Support.bytes(RANDOM, nonceBytes)));
            assertEquals(MESSAGE.length + 16, cipher.doFinal(MESSAGE).length);
        }
    }

    @Test
    void initializingTwiceNeedsAnotherNonceOrKey() throws Exception {
        byte[] nonce = new byte[12];
        Cipher cipher = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, nonce);
        assertThrows(
                InvalidKeyException.class,
                () -> cipher.init(Cipher.ENCRYPT_MODE, Support.key(KEY), new IvParameterSpec(nonce)));
        cipher.init(Cipher.ENCRYPT_MODE, Support.key(Support.bytes(RANDOM, 32)), new IvParameterSpec(nonce));
        // Decryption may repeat the pair of key and nonce.
        Cipher decrypting = Support.aead("ChaCha20-Poly1305", Cipher.DECRYPT_MODE, KEY, nonce);
        decrypting.init(Cipher.DECRYPT_MODE, Support.key(KEY), new IvParameterSpec(nonce));
    }

    @Test
    void decryptionStartsAgain() throws Exception {
        byte[] nonce = Support.bytes(RANDOM, 12);
        byte[] sealed = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, nonce).doFinal(MESSAGE);
        Cipher cipher = Support.aead("ChaCha20-Poly1305", Cipher.DECRYPT_MODE, KEY, nonce);
        for (var shape : Shapes.ALL.entrySet()) {
            assertArrayEquals(MESSAGE, shape.getValue().run(cipher, sealed), shape.getKey());
            byte[] changed = sealed.clone();
            changed[RANDOM.nextInt(changed.length)] ^= 1;
            assertThrows(AEADBadTagException.class, () -> shape.getValue().run(cipher, changed), shape.getKey());
        }
    }

    @Test
    void nothingIsReleasedBeforeTheEnd() throws Exception {
        byte[] nonce = Support.bytes(RANDOM, 12);
        byte[] sealed = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, nonce).doFinal(MESSAGE);
        Cipher cipher = Support.aead("ChaCha20-Poly1305", Cipher.DECRYPT_MODE, KEY, nonce);
        byte[] out = new byte[0];
        assertEquals(0, cipher.update(sealed, 0, 200, out));
        assertEquals(0, cipher.update(sealed, 200, 50).length);
        assertEquals(MESSAGE.length, cipher.getOutputSize(sealed.length - 250));
        assertArrayEquals(MESSAGE, cipher.doFinal(sealed, 250, sealed.length - 250));
    }

    @Test
    void failedDecryptionLeavesNoPlaintext() throws Exception {
        byte[] nonce = Support.bytes(RANDOM, 12);
        for (int len : new int[] {1, 300, 5000, 200_000}) {
            byte[] message = Support.bytes(RANDOM, len);
            byte[] sealed = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, nonce).doFinal(message);
            sealed[len / 2] ^= 1;
            Cipher cipher = Support.aead("ChaCha20-Poly1305", Cipher.DECRYPT_MODE, KEY, nonce);
            byte[] old = Support.bytes(RANDOM, len);
            byte[] out = old.clone();
            assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed, 0, sealed.length, out, 0));
            assertTrue(Arrays.equals(old, out) || Arrays.equals(new byte[len], out), "length " + len);
            // In place, the ciphertext is as before.
            byte[] before = sealed.clone();
            assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed, 0, sealed.length, sealed, 0));
            assertArrayEquals(before, sealed, "length " + len);
            ByteBuffer direct = ByteBuffer.allocateDirect(sealed.length).put(0, sealed);
            assertThrows(AEADBadTagException.class, () -> cipher.doFinal(direct, direct.duplicate()));
            byte[] after = new byte[sealed.length];
            direct.get(0, after);
            assertArrayEquals(before, after, "length " + len);
            assertEquals(0, direct.position());
        }
    }

    @Test
    void aShortOutputCanBeRepeated() throws Exception {
        byte[] nonce = Support.bytes(RANDOM, 12);
        byte[] expected = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, nonce).doFinal(MESSAGE);
        Cipher cipher = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, nonce);
        byte[] out = new byte[expected.length];
        assertThrows(ShortBufferException.class, () -> cipher.doFinal(MESSAGE, 0, MESSAGE.length, out, 1));
        assertThrows(
                ShortBufferException.class,
                () -> cipher.doFinal(ByteBuffer.wrap(MESSAGE), ByteBuffer.wrap(out, 1, out.length - 1)));
        assertThrows(ShortBufferException.class, () -> cipher.update(MESSAGE, 0, MESSAGE.length, new byte[5]));
        assertEquals(expected.length, cipher.doFinal(MESSAGE, 0, MESSAGE.length, out, 0));
        assertArrayEquals(expected, out);
        cipher.init(Cipher.DECRYPT_MODE, Support.key(KEY), new IvParameterSpec(nonce));
        cipher.update(out, 0, 100);
        byte[] plaintext = new byte[MESSAGE.length];
        assertThrows(ShortBufferException.class, () -> cipher.doFinal(out, 100, out.length - 100, plaintext, 1));
        assertEquals(MESSAGE.length, cipher.doFinal(out, 100, out.length - 100, plaintext, 0));
        assertArrayEquals(MESSAGE, plaintext);
    }

    @Test
    void associatedDataPrecedesTheMessage() throws Exception {
        for (int mode : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE}) {
            Cipher cipher = Support.aead("ChaCha20-Poly1305", mode, KEY, Support.bytes(RANDOM, 12));
            cipher.update(new byte[1]);
            assertThrows(IllegalStateException.class, () -> cipher.updateAAD(new byte[1]));
            Cipher buffers = Support.aead("ChaCha20-Poly1305", mode, KEY, Support.bytes(RANDOM, 12));
            buffers.update(ByteBuffer.allocateDirect(1), ByteBuffer.allocateDirect(1));
            assertThrows(IllegalStateException.class, () -> buffers.updateAAD(ByteBuffer.allocate(1)));
        }
        Cipher stream = Support.cipher("ChaCha20");
        stream.init(Cipher.ENCRYPT_MODE, Support.key(KEY), new ChaCha20ParameterSpec(new byte[12], 1));
        assertThrows(IllegalStateException.class, () -> stream.updateAAD(new byte[1]));
        assertThrows(IllegalStateException.class, () -> stream.updateAAD(ByteBuffer.allocate(1)));
    }

    /** The length that is too large makes a call fail, after a first piece if there are several. */
    @Test
    void associatedDataThatFailedEndsTheMessage() throws Exception {
        for (int mode : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE}) {
            for (int len : new int[] {100, Protocol.CALL_BYTES + 100}) {
                AeadCipher cipher = new AeadCipher(Variant.IETF, Support.SEALANE);
                cipher.engineInit(mode, Support.key(KEY), new IvParameterSpec(Support.bytes(RANDOM, 12)), null);
                cipher.engineUpdateAAD(MESSAGE, 0, MESSAGE.length);
                byte[] tooShort = new byte[len - 1];
                assertThrows(IndexOutOfBoundsException.class, () -> cipher.engineUpdateAAD(tooShort, 0, len));
                assertThrows(IllegalStateException.class, () -> cipher.engineUpdateAAD(MESSAGE, 0, 1));
                assertThrows(IllegalStateException.class, () -> cipher.engineUpdate(MESSAGE, 0, 20));
                assertThrows(IllegalStateException.class, () -> cipher.engineDoFinal(MESSAGE, 0, 20));
                // The next message has only its own associated data.
                byte[] nonce = Support.bytes(RANDOM, 12);
                cipher.engineInit(Cipher.ENCRYPT_MODE, Support.key(KEY), new IvParameterSpec(nonce), null);
                assertArrayEquals(
                        Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, nonce).doFinal(MESSAGE),
                        cipher.engineDoFinal(MESSAGE, 0, MESSAGE.length));
            }
        }
    }

    /** The length that is too large makes a call fail after its first piece. */
    @ParameterizedTest
    @EnumSource(Variant.class)
    void anUpdateThatFailedEndsTheMessage(Variant variant) throws Exception {
        int len = Protocol.CALL_BYTES + 100;
        byte[] tooShort = new byte[len - 1];
        for (NonceCipher cipher :
                List.of(new AeadCipher(variant, Support.SEALANE), new StreamCipher(variant))) {
            boolean needsCounter = cipher instanceof StreamCipher && variant == Variant.IETF;
            byte[][] results = new byte[2][];
            for (int i = 0; i < results.length; i++) {
                byte[] nonce = new byte[variant.nonceBytes];
                AlgorithmParameterSpec params =
                        needsCounter ? new ChaCha20ParameterSpec(nonce, 1) : new IvParameterSpec(nonce);
                cipher.engineInit(Cipher.ENCRYPT_MODE, Support.key(KEY), params, null);
                results[i] = cipher.engineDoFinal(MESSAGE, 0, MESSAGE.length);
                // The next message fails, and the one after it is not affected.
                byte[] other = Support.bytes(RANDOM, variant.nonceBytes);
                AlgorithmParameterSpec others =
                        needsCounter ? new ChaCha20ParameterSpec(other, 1) : new IvParameterSpec(other);
                cipher.engineInit(Cipher.ENCRYPT_MODE, Support.key(KEY), others, null);
                cipher.engineUpdate(MESSAGE, 0, MESSAGE.length);
                assertThrows(IndexOutOfBoundsException.class, () -> cipher.engineUpdate(tooShort, 0, len));
                assertThrows(IllegalStateException.class, () -> cipher.engineUpdate(MESSAGE, 0, 20));
                assertThrows(IllegalStateException.class, () -> cipher.engineDoFinal(MESSAGE, 0, 20));
                assertThrows(
                        InvalidKeyException.class,
                        () -> cipher.engineInit(Cipher.ENCRYPT_MODE, Support.key(KEY), others, null));
            }
            assertArrayEquals(results[0], results[1]);
        }
    }

    /** The same for a message of Poly1305. */
    @ParameterizedTest
    @ValueSource(ints = {100, Protocol.CALL_BYTES + 100})
    void aPieceThatFailedEndsTheMessage(int len) throws Exception {
        Poly1305Mac mac = new Poly1305Mac();
        mac.engineInit(Support.key(KEY), null);
        byte[] tooShort = new byte[len - 1];
        assertThrows(IndexOutOfBoundsException.class, () -> mac.engineUpdate(tooShort, 0, len));
        assertThrows(IllegalStateException.class, () -> mac.engineUpdate(MESSAGE, 0, 1));
        assertThrows(IllegalStateException.class, mac::engineDoFinal);
    }

    /**
     * No array has the length of the output or of the kept ciphertext, so it cannot be allocated.
     */
    @ParameterizedTest
    @EnumSource(Variant.class)
    void aPieceForWhichThereIsNoMemoryEndsTheMessage(Variant variant) throws Exception {
        for (int mode : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE}) {
            for (boolean isFinal : new boolean[] {false, true}) {
                for (NonceCipher cipher :
                        List.of(new AeadCipher(variant, Support.SEALANE), new StreamCipher(variant))) {
                    boolean needsCounter = cipher instanceof StreamCipher && variant == Variant.IETF;
                    byte[] nonce = Support.bytes(RANDOM, variant.nonceBytes);
                    AlgorithmParameterSpec params =
                            needsCounter ? new ChaCha20ParameterSpec(nonce, 1) : new IvParameterSpec(nonce);
                    cipher.engineInit(mode, Support.key(KEY), params, null);
                    cipher.engineUpdate(MESSAGE, 0, Variant.TAG_BYTES);
                    boolean keeps = cipher.copies(isFinal) && !isFinal;
                    int len = Integer.MAX_VALUE - (keeps ? Variant.TAG_BYTES : cipher.outputSize(0, isFinal));
                    assertThrows(OutOfMemoryError.class, () -> {
                        if (isFinal) {
                            cipher.engineDoFinal(MESSAGE, 0, len);
                        } else {
                            cipher.engineUpdate(MESSAGE, 0, len);
                        }
                    });
                    assertThrows(IllegalStateException.class, () -> cipher.engineUpdate(MESSAGE, 0, 20));
                    assertThrows(IllegalStateException.class, () -> cipher.engineDoFinal(MESSAGE, 0, 20));
                    if (mode == Cipher.DECRYPT_MODE) {
                        // The message can be decrypted from its start.
                        cipher.engineInit(mode, Support.key(KEY), params, null);
                        cipher.engineUpdate(MESSAGE, 0, Variant.TAG_BYTES);
                    }
                }
            }
        }
    }

    /** The same for associated data. The buffer is a file without blocks, which needs no memory. */
    @Test
    void associatedDataForWhichThereIsNoMemoryEndsTheMessage(@TempDir Path folder) throws Exception {
        ByteBuffer aad;
        try (FileChannel file = FileChannel.open(
                folder.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            aad = file.map(FileChannel.MapMode.READ_WRITE, 0, Integer.MAX_VALUE);
        }
        Cipher cipher = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, Support.bytes(RANDOM, 12));
        assertThrows(OutOfMemoryError.class, () -> cipher.updateAAD(aad));
        assertThrows(IllegalStateException.class, () -> cipher.doFinal(MESSAGE));
    }

    /** A piece that is refused before it is processed can be replaced by another one. */
    @Test
    void aPieceThatIsRefusedDoesNotEndTheMessage() throws Exception {
        byte[] nonce = Support.bytes(RANDOM, 12);
        byte[] expected = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, nonce).doFinal(MESSAGE);
        Cipher cipher = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, KEY, nonce);
        byte[] first = cipher.update(MESSAGE, 0, 100);
        assertThrows(IllegalStateException.class, () -> cipher.updateAAD(MESSAGE));
        assertThrows(IllegalStateException.class, () -> cipher.updateAAD(ByteBuffer.allocateDirect(1)));
        assertThrows(
                ShortBufferException.class,
                () -> cipher.update(ByteBuffer.allocateDirect(2), ByteBuffer.allocate(1)));
        assertThrows(
                ShortBufferException.class,
                () -> cipher.doFinal(ByteBuffer.allocateDirect(2), ByteBuffer.allocate(1)));
        assertThrows(IllegalArgumentException.class, () -> cipher.update(MESSAGE, 200, 200));
        assertArrayEquals(expected, Support.concat(first, cipher.doFinal(MESSAGE, 100, 200)));
    }

    @ParameterizedTest
    @CsvSource({"ChaCha20-Poly1305", "XChaCha20-Poly1305", "ChaCha20", "XChaCha20"})
    void wrongArguments(String name) {
        boolean aead = name.endsWith("Poly1305");
        Cipher cipher = Support.cipher(name);
        assertThrows(IllegalStateException.class, () -> cipher.doFinal(new byte[1]));
        assertThrows(IllegalStateException.class, () -> cipher.update(new byte[1]));
        assertThrows(
                InvalidAlgorithmParameterException.class,
                () -> cipher.init(Cipher.ENCRYPT_MODE, Support.key(KEY), new IvParameterSpec(new byte[11])));
        assertThrows(
                InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[31], "x")));
        assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.DECRYPT_MODE, Support.key(KEY)));
        assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, (Key) null));
        assertThrows(
                UnsupportedOperationException.class, () -> cipher.init(Cipher.WRAP_MODE, Support.key(KEY)));
        assertThrows(IllegalStateException.class, () -> cipher.doFinal(new byte[1]));
        assertEquals(0, cipher.getBlockSize());
        assertEquals(aead, cipher.getParameters() != null);
    }

    @Test
    void withoutParametersTheNonceIsRandom() throws Exception {
        for (String name : new String[] {"ChaCha20-Poly1305", "XChaCha20-Poly1305", "ChaCha20", "XChaCha20"}) {
            Cipher cipher = Support.cipher(name);
            assertNull(cipher.getIV());
            cipher.init(Cipher.ENCRYPT_MODE, Support.key(KEY), new SecureRandom());
            byte[] nonce = cipher.getIV();
            assertEquals(name.startsWith("X") ? 24 : 12, nonce.length);
            byte[] sealed = cipher.doFinal(MESSAGE);
            if (name.equals("ChaCha20")) {
                cipher.init(Cipher.DECRYPT_MODE, Support.key(KEY), new ChaCha20ParameterSpec(nonce, 1));
            } else {
                cipher.init(Cipher.DECRYPT_MODE, Support.key(KEY), new IvParameterSpec(nonce));
            }
            assertArrayEquals(MESSAGE, cipher.doFinal(sealed), name);
            if (name.endsWith("Poly1305")) {
                assertNotNull(cipher.getParameters());
                Cipher other = Support.cipher(name);
                other.init(Cipher.DECRYPT_MODE, Support.key(KEY), cipher.getParameters());
                assertArrayEquals(MESSAGE, other.doFinal(sealed), name);
                assertTrue(other.getParameters().toString().contains("nonce"));
            }
        }
    }
}
