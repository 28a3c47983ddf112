package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import org.junit.jupiter.api.Test;

/** Messages and associated data around the length limit of one call, compared with SunJCE. */
class LongMessageTest {
    private static final Random RANDOM = new Random(3);
    private static final int[] LENGTHS = {
        Protocol.CALL_BYTES - 72, Protocol.CALL_BYTES - 14, Protocol.CALL_BYTES - 13, Protocol.CALL_BYTES - 12,
        Protocol.CALL_BYTES, Protocol.CALL_BYTES + 1, 2 * Protocol.CALL_BYTES, 3 * Protocol.CALL_BYTES + 17
    };

    /**
     * The garbage collector waits during a call, so the native library itself refuses a long one.
     */
    @Test
    void aCallHasAtMost64KiB() {
        assertEquals(Optional.empty(), SealaneProvider.problem());
        assertEquals(65536, Protocol.CALL_BYTES);
        for (int len : new int[] {65536, 65537}) {
            int expected = len == 65536 ? Protocol.OK : Protocol.INTERNAL;
            byte[] head = new byte[Protocol.HEAD_BYTES + 1];
            byte[] text = new byte[len];
            byte[] sealed = new byte[len + Variant.TAG_BYTES];
            ByteBuffer textBuffer = ByteBuffer.allocateDirect(len);
            ByteBuffer sealedBuffer = ByteBuffer.allocateDirect(len + Variant.TAG_BYTES);
            assertEquals(expected, Native.seal(0, head, 0, text, 0, len, sealed, 0));
            assertEquals(expected, Native.open(0, head, 0, sealed, 0, len, text, 0));
            assertEquals(expected, Native.seal(0, head, 0, textBuffer, 0, len, sealedBuffer, 0));
            assertEquals(expected, Native.open(0, head, 0, sealedBuffer, 0, len, textBuffer, 0));
            // Associated data counts, too.
            assertEquals(expected, Native.seal(0, head, 1, text, 0, len - 1, sealed, 0));
            assertEquals(expected, Native.open(0, head, 1, sealed, 0, len - 1, text, 0));

            byte[] key = new byte[Protocol.HEAD_BYTES];
            assertEquals(expected, Native.xor(0, key, 0, text, 0, len, sealed, 0));
            assertEquals(expected, Native.xor(0, key, 0, textBuffer, 0, len, sealedBuffer, 0));
            assertEquals(expected, Native.mac(key, text, 0, len, new byte[Variant.TAG_BYTES]));

            byte[] longHead = new byte[Protocol.HEAD_BYTES + len];
            long associated = Native.newContext(Protocol.SEAL, 0, longHead, len);
            assertEquals(expected == Protocol.OK, associated != 0);
            Native.free(associated);
            long sealing = Native.newContext(Protocol.SEAL, 0, key, 0);
            assertEquals(expected, Native.associate(sealing, text, 0, len));
            assertEquals(Protocol.OK, Native.start(sealing));
            assertEquals(expected, Native.transform(sealing, text, 0, len, sealed, 0));
            assertEquals(expected, Native.transform(sealing, textBuffer, 0, len, sealedBuffer, 0));
            Native.free(sealing);
            long authenticating = Native.newContext(Protocol.MAC, 0, key, 0);
            assertEquals(expected, Native.authenticate(authenticating, text, 0, len));
            assertEquals(expected, Native.authenticate(authenticating, textBuffer, 0, len));
            Native.free(authenticating);
        }
    }

    private static byte[] expected(byte[] key, byte[] nonce, byte[] aad, byte[] message) throws Exception {
        Cipher cipher = Cipher.getInstance("ChaCha20-Poly1305", "SunJCE");
        cipher.init(Cipher.ENCRYPT_MODE, Support.key(key), new IvParameterSpec(nonce));
        cipher.updateAAD(aad);
        return cipher.doFinal(message);
    }

    @Test
    void messages() throws Exception {
        for (int len : LENGTHS) {
            byte[] key = Support.bytes(RANDOM, 32);
            byte[] aad = Support.bytes(RANDOM, 13);
            byte[] message = Support.bytes(RANDOM, len);
            byte[] nonce = Support.bytes(RANDOM, 12);
            byte[] sealed = expected(key, nonce, aad, message);
            for (var shape : Shapes.ALL.entrySet()) {
                if (shape.getKey().matches("pieces of \\d\\b.*")) {
                    continue;
                }
                String name = shape.getKey() + ", length " + len;
                Cipher cipher = Support.aead("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE, key, nonce);
                cipher.updateAAD(aad);
                assertArrayEquals(sealed, shape.getValue().run(cipher, message), name);
                cipher.init(Cipher.DECRYPT_MODE, Support.key(key), new IvParameterSpec(nonce));
                cipher.updateAAD(aad);
                assertArrayEquals(message, shape.getValue().run(cipher, sealed), name);
                byte[] changed = sealed.clone();
                changed[RANDOM.nextInt(changed.length)] ^= 4;
                cipher.updateAAD(aad);
                assertThrows(AEADBadTagException.class, () -> shape.getValue().run(cipher, changed), name);
            }
        }
    }

    @Test
    void associatedData() throws Exception {
        for (int len : new int[] {0, 1, 63, 64, 65, 1000, 60_000, Protocol.CALL_BYTES - 56, 70_000, 200_000}) {
            byte[] key = Support.bytes(RANDOM, 32);
            byte[] aad = Support.bytes(RANDOM, len);
            for (int messageLen : new int[] {0, 10, 6000, 100_000}) {
                byte[] message = Support.bytes(RANDOM, messageLen);
                byte[] nonce = Support.bytes(RANDOM, 12);
                byte[] sealed = expected(key, nonce, aad, message);
                for (int piece : new int[] {1000, 40_000, 300_000}) {
                    for (int mode : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE}) {
                        Cipher cipher = Support.aead("ChaCha20-Poly1305", mode, key, nonce);
                        for (int i = 0; i < len; i += piece) {
                            byte[] part = Arrays.copyOfRange(aad, i, Math.min(len, i + piece));
                            switch (i / piece % 3) {
                                case 0 -> cipher.updateAAD(part);
                                case 1 -> cipher.updateAAD(ByteBuffer.wrap(part));
                                default ->
                                        cipher.updateAAD(
                                                ByteBuffer.allocateDirect(part.length).put(0, part).asReadOnlyBuffer());
                            }
                        }
                        boolean encrypts = mode == Cipher.ENCRYPT_MODE;
                        assertArrayEquals(encrypts ? sealed : message, cipher.doFinal(encrypts ? message : sealed));
                        if (!encrypts) {
                            // The next message has no associated data.
                            assertArrayEquals(
                                    message, cipher.doFinal(expected(key, nonce, new byte[0], message)));
                        }
                    }
                }
            }
        }
    }
}
