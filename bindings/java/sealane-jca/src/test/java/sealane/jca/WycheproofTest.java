package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidAlgorithmParameterException;
import java.util.HexFormat;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wycheproof's vectors, in every shape. */
class WycheproofTest {
    @ParameterizedTest
    @CsvSource({
        "ChaCha20-Poly1305, chacha20_poly1305_test.json, 12",
        "XChaCha20-Poly1305, xchacha20_poly1305_test.json, 24"
    })
    void vectors(String name, String file, int nonceBytes) throws Exception {
        Path path = Path.of(System.getProperty("sealane.wycheproof"), file);
        JsonObject all = JsonParser.parseString(Files.readString(path)).getAsJsonObject();
        int valid = 0;
        int invalid = 0;
        int wrongNonce = 0;
        for (JsonElement group : all.getAsJsonArray("testGroups")) {
            for (JsonElement element : group.getAsJsonObject().getAsJsonArray("tests")) {
                JsonObject test = element.getAsJsonObject();
                byte[] key = hex(test, "key");
                byte[] nonce = hex(test, "iv");
                byte[] aad = hex(test, "aad");
                byte[] message = hex(test, "msg");
                byte[] sealed = Support.concat(hex(test, "ct"), hex(test, "tag"));
                String id = name + " " + test.get("tcId");
                if (nonce.length != nonceBytes) {
                    wrongNonce++;
                    assertThrows(
                            InvalidAlgorithmParameterException.class,
                            () -> Support.aead(name, Cipher.ENCRYPT_MODE, key, nonce),
                            id);
                } else if (test.get("result").getAsString().equals("valid")) {
                    valid++;
                    for (var shape : Shapes.ALL.entrySet()) {
                        Cipher cipher = Support.aead(name, Cipher.ENCRYPT_MODE, key, nonce);
                        cipher.updateAAD(aad);
                        assertArrayEquals(sealed, shape.getValue().run(cipher, message), id + " " + shape.getKey());
                        cipher.init(Cipher.DECRYPT_MODE, Support.key(key), cipher.getParameters());
                        cipher.updateAAD(aad);
                        assertArrayEquals(message, shape.getValue().run(cipher, sealed), id + " " + shape.getKey());
                    }
                } else {
                    invalid++;
                    for (var shape : Shapes.ALL.entrySet()) {
                        Cipher cipher = Support.aead(name, Cipher.DECRYPT_MODE, key, nonce);
                        cipher.updateAAD(aad);
                        assertThrows(
                                AEADBadTagException.class,
                                () -> shape.getValue().run(cipher, sealed),
                                id + " " + shape.getKey());
                    }
                }
            }
        }
        assertEquals(all.get("numberOfTests").getAsInt(), valid + invalid + wrongNonce);
        assertTrue(valid > 200 && invalid > 40, valid + " valid and " + invalid + " invalid vectors");
    }

    private static byte[] hex(JsonObject test, String name) {
        return HexFormat.of().parseHex(test.get(name).getAsString());
    }
}
