package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.util.HexFormat;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The MAC. */
class Poly1305MacTest {
    private static Mac mac(byte[] key) throws Exception {
        Mac mac = Mac.getInstance("Poly1305", Support.SEALANE);
        mac.init(new SecretKeySpec(key, "Poly1305"));
        return mac;
    }

    @ParameterizedTest
    @ValueSource(strings = {"rfc8439/poly1305.json", "generated/poly1305_edge.json"})
    void vectors(String file) throws Exception {
        Path path = Path.of(System.getProperty("sealane.vectors"), file);
        int count = 0;
        for (JsonElement element :
                JsonParser.parseString(Files.readString(path)).getAsJsonObject().getAsJsonArray("vectors")) {
            JsonObject test = element.getAsJsonObject();
            byte[] key = hex(test, "key");
            byte[] message = hex(test, "message");
            byte[] tag = hex(test, "tag");
            assertArrayEquals(tag, mac(key).doFinal(message));
            Mac bytes = mac(key);
            for (byte each : message) {
                bytes.update(each);
            }
            assertArrayEquals(tag, bytes.doFinal());
            Mac buffers = mac(key);
            buffers.update(ByteBuffer.wrap(message, 0, message.length / 2));
            buffers.update(ByteBuffer.allocateDirect(message.length - message.length / 2)
                    .put(0, message, message.length / 2, message.length - message.length / 2));
            assertArrayEquals(tag, buffers.doFinal());
            count++;
        }
        assertTrue(count >= 10, "only " + count + " vectors");
    }

    /** Long messages in pieces have the same tag as in one call. */
    @Test
    void pieces() throws Exception {
        Random random = new Random(9);
        for (int len : new int[] {1000, 1023, 1024, 1025, 5000, 65_536, 65_537, 200_000}) {
            byte[] key = Support.bytes(random, 32);
            byte[] message = Support.bytes(random, len);
            byte[] tag = mac(key).doFinal(message);
            for (int size : new int[] {100, 1000, 70_000}) {
                Mac mac = mac(key);
                for (int i = 0; i < len; i += size) {
                    mac.update(message, i, Math.min(size, len - i));
                }
                assertArrayEquals(tag, mac.doFinal(), len + " in pieces of " + size);
            }
        }
    }

    @Test
    void aKeyIsForOneMessage() throws Exception {
        Mac mac = mac(new byte[32]);
        assertEquals(16, mac.getMacLength());
        mac.reset();
        mac.doFinal(new byte[5]);
        assertThrows(IllegalStateException.class, () -> mac.update(new byte[5]));
        assertThrows(IllegalStateException.class, mac::doFinal);
        mac.init(new SecretKeySpec(new byte[32], "Poly1305"));
        mac.update(new byte[2000]);
        mac.reset();
        assertThrows(IllegalStateException.class, () -> mac.doFinal(new byte[5]));
        assertThrows(InvalidKeyException.class, () -> mac.init(new SecretKeySpec(new byte[16], "Poly1305")));
        assertThrows(
                InvalidAlgorithmParameterException.class,
                () -> mac.init(new SecretKeySpec(new byte[32], "Poly1305"), new IvParameterSpec(new byte[16])));
    }

    private static byte[] hex(JsonObject test, String name) {
        return HexFormat.of().parseHex(test.get(name).getAsString());
    }
}
