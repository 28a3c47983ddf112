package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidKeyException;
import java.security.KeyException;
import java.security.ProviderException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import org.junit.jupiter.api.Test;

/** ChaCha20 and XChaCha20. */
class StreamCipherTest {
    private static final Random RANDOM = new Random(5);

    @Test
    void rfc8439() throws Exception {
        int count = 0;
        for (JsonElement element : vectors("rfc8439/chacha20.json")) {
            JsonObject test = element.getAsJsonObject();
            if (!test.has("plaintext")) {
                continue;
            }
            count++;
            for (var shape : Shapes.ALL.entrySet()) {
                Cipher cipher = Support.cipher("ChaCha20");
                cipher.init(
                        Cipher.ENCRYPT_MODE,
                        Support.key(hex(test, "key")),
                        new ChaCha20ParameterSpec(hex(test, "nonce"), test.get("counter").getAsInt()));
                assertArrayEquals(
                        hex(test, "ciphertext"), shape.getValue().run(cipher, hex(test, "plaintext")), shape.getKey());
            }
        }
        assertTrue(count >= 3, "only " + count + " vectors");
    }

    @Test
    void xchacha20() throws Exception {
        int count = 0;
        for (JsonElement element : vectors("xchacha/xchacha20.json")) {
            JsonObject test = element.getAsJsonObject();
            int counter = test.get("counter").getAsInt();
            byte[] plaintext = Support.concat(new byte[64 * counter], hex(test, "plaintext"));
            count++;
            for (var shape : Shapes.ALL.entrySet()) {
                Cipher cipher = Support.cipher("XChaCha20");
                cipher.init(
                        Cipher.ENCRYPT_MODE, Support.key(hex(test, "key")), new IvParameterSpec(hex(test, "nonce")));
                byte[] ciphertext = shape.getValue().run(cipher, plaintext);
                assertArrayEquals(
                        hex(test, "ciphertext"),
                        Arrays.copyOfRange(ciphertext, 64 * counter, ciphertext.length),
                        shape.getKey());
            }
        }
        assertTrue(count >= 1, "no vectors");
    }

    /**
     * Long messages in all shapes, and wrapping block counters, give the same results as SunJCE.
     */
    @Test
    void sameAsTheJdk() throws Exception {
        for (int counter : new int[] {0, 1, 77, -1, -2, -3000, Integer.MAX_VALUE}) {
            byte[] key = Support.bytes(RANDOM, 32);
            byte[] nonce = Support.bytes(RANDOM, 12);
            byte[] message = Support.bytes(RANDOM, 200_001);
            Cipher theirs = Cipher.getInstance("ChaCha20", "SunJCE");
            theirs.init(Cipher.ENCRYPT_MODE, Support.key(key), new ChaCha20ParameterSpec(nonce, counter));
            byte[] expected = theirs.doFinal(message);
            for (var shape : Shapes.ALL.entrySet()) {
                if (shape.getKey().matches("pieces of \\d\\b.*")) {
                    continue;
                }
                Cipher cipher = Support.cipher("ChaCha20");
                cipher.init(Cipher.ENCRYPT_MODE, Support.key(key), new ChaCha20ParameterSpec(nonce, counter));
                assertArrayEquals(expected, shape.getValue().run(cipher, message), shape.getKey());
                assertThrows(IllegalStateException.class, () -> cipher.update(message), shape.getKey());
                assertThrows(
                        InvalidKeyException.class,
                        () -> cipher.init(
                                Cipher.ENCRYPT_MODE, Support.key(key), new ChaCha20ParameterSpec(nonce, counter)));
                cipher.init(Cipher.DECRYPT_MODE, Support.key(key), new ChaCha20ParameterSpec(nonce, counter));
                assertArrayEquals(message, shape.getValue().run(cipher, expected), shape.getKey());
                // Decryption starts again with the same nonce.
                assertArrayEquals(message, shape.getValue().run(cipher, expected), shape.getKey());
            }
        }
    }

    /** The key stream has 2^38 bytes. After them, the cipher fails like SunJCE. */
    @Test
    void theKeyStreamEnds() throws Exception {
        StreamCipher cipher = new StreamCipher(Variant.IETF);
        AlgorithmParameterSpec params = new ChaCha20ParameterSpec(new byte[12], 1);
        cipher.engineInit(Cipher.ENCRYPT_MODE, Support.key(new byte[32]), params, null);
        Field done = StreamCipher.class.getDeclaredField("done");
        done.setAccessible(true);
        done.setLong(cipher, (1L << 38) - 64);
        assertThrows(ProviderException.class, () -> cipher.engineUpdate(new byte[65], 0, 65));
        // The last block has counter 0, because the first has counter 1.
        byte[] last = cipher.engineUpdate(new byte[64], 0, 64);
        Cipher first = Support.cipher("ChaCha20");
        first.init(Cipher.ENCRYPT_MODE, Support.key(new byte[32]), new ChaCha20ParameterSpec(new byte[12], 0));
        assertArrayEquals(first.update(new byte[64]), last);
        ProviderException e =
                assertThrows(ProviderException.class, () -> cipher.engineUpdate(new byte[1], 0, 1));
        assertInstanceOf(KeyException.class, e.getCause());
    }

    @Test
    void hasNoAssociatedDataAndNoParameters() throws Exception {
        Cipher cipher = Support.cipher("ChaCha20");
        cipher.init(Cipher.ENCRYPT_MODE, Support.key(new byte[32]), new ChaCha20ParameterSpec(new byte[12], 1));
        assertEquals(null, cipher.getParameters());
        assertEquals(5, cipher.getOutputSize(5));
    }

    private static Iterable<JsonElement> vectors(String file) throws Exception {
        Path path = Path.of(System.getProperty("sealane.vectors"), file);
        JsonElement all = JsonParser.parseString(Files.readString(path));
        return all.getAsJsonObject().getAsJsonArray("vectors");
    }

    private static byte[] hex(JsonObject test, String name) {
        return HexFormat.of().parseHex(test.get(name).getAsString());
    }
}
