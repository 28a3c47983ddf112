package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** BoringSSL's vectors, which Conscrypt uses too. {@code bindings/java/fetch} downloads them. */
class BoringSslTest {
    /** Returns the vectors of a file: paragraphs of names and values. */
    private static List<Map<String, byte[]>> vectors(String file) throws IOException {
        Path path = Support.outside("boringssl", file);
        List<Map<String, byte[]>> vectors = new ArrayList<>();
        Map<String, byte[]> vector = new HashMap<>();
        for (String line : (Files.readString(path) + "\n\n").split("\n", -1)) {
            if (line.isBlank()) {
                if (!vector.isEmpty()) {
                    vectors.add(vector);
                }
                vector = new HashMap<>();
            } else if (!line.startsWith("#")) {
                String[] parts = line.split("[:=]", 2);
                vector.put(parts[0].strip().toLowerCase(Locale.ROOT), value(parts[1].strip()));
            }
        }
        return vectors;
    }

    private static byte[] value(String text) {
        if (text.startsWith("\"")) {
            return text.substring(1, text.length() - 1).getBytes(StandardCharsets.UTF_8);
        }
        return HexFormat.of().parseHex(text);
    }

    @ParameterizedTest
    @CsvSource({
        "ChaCha20-Poly1305, chacha20_poly1305_tests.txt, 81",
        "ChaCha20/Poly1305/NoPadding, chacha20_poly1305_tests.txt, 81",
        "XChaCha20-Poly1305, xchacha20_poly1305_tests.txt, 52",
        "XChaCha20/Poly1305/NoPadding, xchacha20_poly1305_tests.txt, 52"
    })
    void messages(String name, String file, int count) throws Exception {
        List<Map<String, byte[]>> vectors = vectors(file);
        assertEquals(count, vectors.size());
        int truncated = 0;
        for (Map<String, byte[]> vector : vectors) {
            byte[] sealed = Support.concat(vector.get("ct"), vector.get("tag"));
            String id = HexFormat.of().formatHex(vector.get("nonce"));
            if (vector.get("tag").length < 16) {
                // BoringSSL can produce truncated tags, which are the start of the full tag.
                truncated++;
                Cipher cipher = Support.aead(name, Cipher.ENCRYPT_MODE, vector.get("key"), vector.get("nonce"));
                cipher.updateAAD(vector.get("ad"));
                byte[] whole = cipher.doFinal(vector.get("in"));
                assertEquals(vector.get("in").length + 16, whole.length);
                assertArrayEquals(sealed, Arrays.copyOf(whole, sealed.length), id);
                cipher.init(Cipher.DECRYPT_MODE, Support.key(vector.get("key")), cipher.getParameters());
                cipher.updateAAD(vector.get("ad"));
                assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed), id);
                continue;
            }
            for (var shape : Shapes.ALL.entrySet()) {
                Cipher cipher = Support.aead(name, Cipher.ENCRYPT_MODE, vector.get("key"), vector.get("nonce"));
                cipher.updateAAD(vector.get("ad"));
                assertArrayEquals(sealed, shape.getValue().run(cipher, vector.get("in")), id + " " + shape.getKey());
                cipher.init(Cipher.DECRYPT_MODE, Support.key(vector.get("key")), cipher.getParameters());
                cipher.updateAAD(vector.get("ad"));
                assertArrayEquals(vector.get("in"), shape.getValue().run(cipher, sealed), id + " " + shape.getKey());
            }
            Cipher cipher = Support.aead(name, Cipher.DECRYPT_MODE, vector.get("key"), vector.get("nonce"));
            cipher.updateAAD(vector.get("ad"));
            sealed[sealed.length / 2] ^= 1;
            assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed), id);
        }
        assertEquals(name.startsWith("X") ? 0 : 15, truncated);
    }

    @Test
    void authenticators() throws Exception {
        List<Map<String, byte[]>> vectors = vectors("poly1305_tests.txt");
        assertEquals(33, vectors.size());
        for (Map<String, byte[]> vector : vectors) {
            Mac mac = Mac.getInstance("Poly1305", Support.SEALANE);
            mac.init(new SecretKeySpec(vector.get("key"), "Poly1305"));
            assertArrayEquals(vector.get("mac"), mac.doFinal(vector.get("input")));
        }
    }
}
